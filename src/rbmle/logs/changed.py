"""Parts whose rows are changed as they are read."""

from collections.abc import Callable, Iterator

from rbmle.logs.batch import BATCH_ROWS, Batch
from rbmle.logs.parts import Glance, Part
from rbmle.logs.raw import Reading


class ChangedPart(Part):
    """A part, and what is done with its batches, of at most so many rows."""

    def __init__(self, part: Part, change: Callable[[Batch], Batch], rows: int = BATCH_ROWS) -> None:
        self.part, self.change, self.label, self.first, self.rows = part, change, part.label, part.first, rows

    def batches(self, reading: Reading, index: int) -> Iterator[Batch]:
        """Its rows, changed."""
        for batch in self.part.batches(reading, index):
            yield from map(self.change, batch.cut(self.rows))

    def glances(self, reading: Reading, index: int) -> Iterator[Glance]:
        """A first look at its rows."""
        return self.part.glances(reading, index)

    def beginning(self, first: int) -> "ChangedPart":
        """The part with the number of its first row."""
        return ChangedPart(self.part.beginning(first), self.change, self.rows)
