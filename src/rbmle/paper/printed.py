"""Every number printed in the paper's tables (Hung, Hsieh, Liu & Kumar 2021), as data."""

import functools
import json
from importlib import resources
from typing import Any


@functools.cache
def printed_tables() -> dict[str, Any]:
    """All tables: `linear_regret` (values divided by 100), `glm_regret`, and the seconds per decision."""
    text = resources.files("rbmle.paper").joinpath("tables.json").read_text(encoding="utf-8")
    tables: dict[str, Any] = json.loads(text)
    return tables
