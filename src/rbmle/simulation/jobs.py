"""Work as jobs: what is made together, and what of it is not stored yet."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rbmle.simulation.outcomes import Outcomes, Piece
from rbmle.simulation.store import Outcome

Play = Callable[[Any, Sequence[Any], bytes], Iterable[Outcome]]


@dataclass(frozen=True, eq=False)
class Job:
    """Outcomes that are made together.

    kind    what is run where, for the progress display
    pieces  by name, in order, what each outcome is found by
    play    takes the data of its batch, the names of the pieces to play, and the state that the piece before them left;
            gives their outcomes in that order
    rule    "each": a piece depends on nothing; "chain": it goes on where the one before it stopped; "whole": times are
            compared, so all pieces are of one run
    cost    a guess of its seconds, for the share done and the time left
    """

    kind: str
    pieces: Mapping[Any, Piece]
    play: Play
    rule: str = "each"
    cost: float = 1e-3

    def todo(self, outcomes: Outcomes, planned: set[str]) -> "Task | None":
        """What of it must be run, beside what is planned already."""
        names = list(self.pieces)
        found = {name: outcomes.find(piece.key) for name, piece in self.pieces.items()}
        missing = [name for name in names if found[name] is None and self.pieces[name].key not in planned]
        if self.rule == "whole" and (missing or len({one.run for one in found.values() if one is not None}) > 1):
            missing = names
        if not missing:
            return None
        planned.update(self.pieces[name].key for name in missing)
        if self.rule != "chain":
            return Task(self, missing, b"")
        first, last = names.index(missing[0]), names.index(missing[-1])
        before = found[names[first - 1]] if first else None
        return Task(self, names[first : last + 1], before.state if before is not None else b"")


class Task(NamedTuple):
    """A job, the names of its pieces that are to be played, and the state to start from."""

    job: Job
    names: list[Any]
    state: bytes

    @property
    def pieces(self) -> list[Piece]:
        """Those that are to be played."""
        return [self.job.pieces[name] for name in self.names]


@dataclass(frozen=True, eq=False)
class Batch:
    """Jobs on the same data, loaded when first needed and let go afterwards.

    side_by_side  False where times are measured: one job at a time
    compiled      True where threads do not wait for each other
    """

    jobs: Sequence[Job]
    load: Callable[[], Any]
    free: Callable[[], None] = field(default=lambda: None)
    side_by_side: bool = True
    compiled: bool = True


def tasks(batch: Batch, outcomes: Outcomes, planned: set[str]) -> list[Task]:
    """What of a batch must be run, the longest first: the short ones then fill the last gaps."""
    return sorted(filter(None, (job.todo(outcomes, planned) for job in batch.jobs)), key=lambda task: -task.job.cost)
