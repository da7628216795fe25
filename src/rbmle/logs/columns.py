"""The columns of a log: names, types and meaning, on which every reader, every writer and an agent's journal agree.

A row is one decision. Columns that are not listed here may stand beside these and are left alone.

========================  ======================  ======================================================================
column                    kind                    meaning
========================  ======================  ======================================================================
``id``                    text                    what the decision is called; no two rows of a log have the same. Whole
                                                  numbers are read as their digits. Without it a row is called by its
                                                  number in the log, from 0
``time``                  number                  when it was decided: seconds since 1970-01-01 00:00 UTC. Dates and
                                                  times of Arrow are converted, those without a zone taken for UTC
``contexts``              list of lists           (K, d): a context of d numbers for each of the K arms that could be
                                                  served. K may change from row to row, d may not
``context``               list of numbers         (d,): one context that all arms share, in the place of ``contexts``
``eligible``              list of whole numbers   (K,): the number of each arm that could be served, by which an arm is
                                                  known across rows; no number twice in a row. Without it they are
                                                  0 … K − 1
``arms``                  list of text            (K,): the ids of the same arms, for people to read
``arm``                   whole number            the *position* of the arm that was served among the K, from 0
``probability``           number                  the chance with which it was served, in (0, 1]
``probabilities``         list of numbers         (K,): the chance of each of the K arms; they add up to 1, and that of
                                                  the arm served is ``probability``. Doubly robust sequences need them
``reward``                number or null          what the decision earned; null while that is open, or if it is void
``settled``               true or false           whether the reward is final. Without it all are
========================  ======================  ======================================================================

Only ``arm`` and ``reward`` must be there. Without ``probability`` (and ``probabilities``, from which it follows) the
chances are estimated, and every figure says so. Without ``contexts``, ``probabilities``, ``eligible`` and ``arms`` the
number of arms must be told.

**Settled.** A reward that may still change, or may still come, is open: ``settled`` is false and ``reward`` null. "No
reward yet" and "a reward of 0" are thereby different things. Rewards that report early are not like those that report
late, so evaluation and learning read up to the *settled frontier*: rows decided before the first open one. Such a log
needs ``time``. A row that is settled and has no reward is void (the decision was never shown, say): it counts for
nothing and is counted.

**What a file says of itself.** Arrow and Parquet schemas may carry metadata under the key ``rbmle.log``: JSON with
``format`` (1), ``adaptive`` (whether the deciding policy learnt from rewards of this log while it wrote it: most
intervals do not hold then), ``n_arms`` and ``horizon`` (the seconds after which a reward is settled); all but
``format`` may be left out.

>>> [column.name for column in COLUMNS if column.needed]
['arm', 'reward']
>>> BY_NAME["probability"].kind
'number'
"""

from typing import Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["text", "number", "whole", "flag", "numbers", "wholes", "texts", "matrix"]

FORMAT: Final = 1
METADATA: Final = "rbmle.log"


class Column(NamedTuple):
    """One column of a log.

    kind    text, number, whole (number), flag; numbers, wholes, texts: lists of them; matrix: a list of lists
    needed  whether a log must have it
    """

    name: str
    kind: Kind
    needed: bool = False


COLUMNS: Final = (
    Column("id", "text"),
    Column("time", "number"),
    Column("contexts", "matrix"),
    Column("context", "numbers"),
    Column("eligible", "wholes"),
    Column("arms", "texts"),
    Column("arm", "whole", needed=True),
    Column("probability", "number"),
    Column("probabilities", "numbers"),
    Column("reward", "number", needed=True),
    Column("settled", "flag"),
)
BY_NAME: Final = {column.name: column for column in COLUMNS}
PER_ARM: Final = ("contexts", "eligible", "arms", "probabilities")
"""Columns with a value for each of the K arms of a row: they say how many there are, and must agree."""
