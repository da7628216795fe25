"""The columns as they are described are the columns as they are."""

import re

from rbmle.logs import columns


def test_the_description_lists_every_column_once_and_nothing_else():
    described = re.findall(r"^``(\w+)``  +", columns.__doc__, re.M)
    assert described == [column.name for column in columns.COLUMNS]
    assert set(columns.PER_ARM) < set(columns.BY_NAME)
