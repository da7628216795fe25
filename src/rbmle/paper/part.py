"""What every part of the study offers: the trials it needs, and what it says once they are there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rbmle.report import Section
from rbmle.simulation.experiment import Experiment
from rbmle.simulation.jobs import Batch
from rbmle.simulation.outcomes import Outcomes

LETTERS = "abcd"
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Finding:
    """The outcome of a part.

    section     of the report
    records     by name, the rows of the data frames
    lines       for the end of the terminal's output
    highlights  for the top of the report: a number, and what it means
    """

    section: Section
    records: Mapping[str, Sequence[Record]]
    lines: Sequence[str]
    highlights: Mapping[str, str] = field(default_factory=dict)


class Part(Protocol):
    """One part of the study; subclasses say which work they need."""

    @property
    def experiments(self) -> Sequence[Experiment]:
        """Regret experiments, which parts may share."""
        return ()

    @property
    def batches(self) -> Sequence[Batch]:
        """Other work."""
        return ()

    def finding(self, outcomes: Outcomes) -> Finding:
        """What came out, from finished trials alone."""
        ...
