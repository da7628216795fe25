"""A log of decisions, wherever its rows are: read in batches, checked on the way in."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from rbmle import params
from rbmle.logs import opening
from rbmle.logs.batch import Batch
from rbmle.logs.parts import Part
from rbmle.logs.raw import OnError, Reading
from rbmle.logs.scan import Scanned, Usable, different, repeated_rows, scan
from rbmle.params import Flag, Integer, OneOf, Optional
from rbmle.types import ArrayLike, IntArray

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Log:
    """Logged decisions: `Log.read` and its siblings make one. `rbmle.logs.columns` says what a row holds.

    Nothing is kept in memory that was not there before: files and streams are read in batches, as often as somebody
    goes through the log. Every row is checked on its way in; an error names file, row and column. With
    on_error="drop" bad rows are left out and counted.

    name      what it is called
    columns   our names of the columns it has
    adaptive  whether the deciding policy learnt from rewards of this log while it wrote it; None: nobody said
    width     d, where contexts are made of others

    >>> log = Log.from_arrays(arms=[0, 1, 1], rewards=[1.0, 0.0, 0.5], probabilities=[0.5, 0.5, 0.25], n_arms=2)
    >>> log
    Log('arrays': 2 arms, columns arm, probability, reward)
    >>> sum(len(batch) for batch in log)
    3
    >>> Log.from_arrays(arms=[0, 2], rewards=[1.0, 0.0], n_arms=2)
    Traceback (most recent call last):
    rbmle.errors.LogError: arrays, row 1, column 'arm': must be the position of one of 2 eligible arms, 0 to 1. Got 2.
    """

    name: str
    parts: Sequence[Part]
    reading: Reading
    columns: tuple[str, ...]
    adaptive: bool | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    width: int | None = None

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        columns: Mapping[str, str | Sequence[str]] | None = None,
        n_arms: int | None = None,
        on_error: OnError = "raise",
        adaptive: bool | None = None,
        name: str | None = None,
    ) -> "Log":
        """A log from anything that holds its columns.

        source: a mapping of arrays or lists by our names; a path of a Parquet, CSV or JSON lines file (.parquet, .csv,
            .jsonl, .ndjson; text may be packed, .gz), or of a folder of such files of one kind, partitions too (what
            the names of folders say of Parquet files, such as day=2026-11-18, are columns); a frame of pandas or
            polars, a table of pyarrow or whatever else has the Arrow stream interface; or a function that opens such a
            stream, for what is larger than memory and is no file; or what has a log: an `rbmle.online.Agent` or its
            journal.
        columns: what our columns are called there: {"probability": "p", "context": ["age", "hour"]}. Several names are
            put side by side.
        n_arms: K, where no column tells.
        on_error: "raise", or "drop" bad rows and count them.
        adaptive: see the class; by default what the file says of itself.
        """
        settle(n_arms, on_error, adaptive)
        own = getattr(type(source), "log", None)
        if callable(own) and not hasattr(source, "__arrow_c_stream__"):
            kept: Log = own(source)
            return replace(kept, adaptive=kept.adaptive if adaptive is None else adaptive, name=name or kept.name)
        found = opening.found_in(source, Reading(opening.renaming(columns), n_arms, None, on_error))
        return cls._of(found, adaptive, name)

    @classmethod
    def from_arrays(
        cls,
        *,
        arms: "ArrayLike",
        rewards: "ArrayLike",
        probabilities: "ArrayLike | None" = None,
        contexts: "ArrayLike | None" = None,
        n_arms: int | None = None,
        ids: "ArrayLike | None" = None,
        times: "ArrayLike | None" = None,
        on_error: OnError = "raise",
        adaptive: bool | None = None,
    ) -> "Log":
        """A log of n rows in memory.

        arms: (n,) which arm was served.
        rewards: (n,).
        probabilities: (n,) of the arm served, or (n, K) of all; None where they are not known.
        contexts: (n, K, d) of all arms, or (n, d) where the arms share one.
        n_arms: K, where neither contexts nor probabilities tell.
        ids, times: (n,), seconds since 1970.
        """
        settle(n_arms, on_error, adaptive)
        given = {"arm": arms, "reward": rewards, "id": ids, "time": times}
        contexts, probabilities = opening.held(contexts), opening.held(probabilities)
        given["contexts" if opening.ndim(contexts) == 3 else "context"] = contexts
        given["probability" if opening.ndim(probabilities) == 1 else "probabilities"] = probabilities
        there = {key: opening.held(values) for key, values in given.items() if values is not None}
        found = opening.of_columns(there, Reading({}, n_arms, None, on_error), "arrays")
        return cls._of(found, adaptive, None)

    @classmethod
    def from_dsjson(
        cls, path: str | PathLike[str], *, n_features: int | None = None, on_error: OnError = "raise"
    ) -> "Log":
        """A log of Vowpal Wabbit's decision service (dsjson): a JSON object per decision. A reward is minus the cost.

        n_features: d; the features of an action and those all share are hashed into vectors of so many numbers. Without
            it features are left out.
        """
        from rbmle.logs.vowpal import dsjson

        params.require("from_dsjson", "n_features", n_features, Optional(Integer(1)))
        return cls._of(opening.of_text(path, dsjson(n_features), on_error), None, None)

    @classmethod
    def from_cb_text(
        cls, path: str | PathLike[str], *, n_features: int | None = None, on_error: OnError = "raise"
    ) -> "Log":
        """A log in Vowpal Wabbit's text format for `cb_explore_adf`: a line per action, an empty line after each
        decision. A reward is minus the cost; n_features as in `from_dsjson`.
        """
        from rbmle.logs.vowpal import cb_text

        params.require("from_cb_text", "n_features", n_features, Optional(Integer(1)))
        return cls._of(opening.of_text(path, cb_text(n_features), on_error), None, None)

    @classmethod
    def from_obp(cls, feedback: Mapping[str, Any], *, on_error: OnError = "raise") -> "Log":
        """A log from the feedback dictionary of Open Bandit Pipeline: action, reward, pscore, context, n_actions."""
        from rbmle.logs.obp import columns_of

        there, n_arms = columns_of(feedback)
        settle(n_arms, on_error, None)
        return cls._of(opening.of_columns(there, Reading({}, n_arms, None, on_error), "feedback"), None, None)

    @classmethod
    def _of(cls, found: "opening.Found", adaptive: bool | None, name: str | None) -> "Log":
        said = found.metadata.get("adaptive")
        if adaptive is None and isinstance(said, bool):
            adaptive = said
        return cls(
            found.name if name is None else name,
            tuple(found.parts),
            found.reading,
            found.columns,
            adaptive,
            found.metadata,
        )

    def __iter__(self) -> Iterator[Batch]:
        for index in range(len(self.parts)):
            yield from self.batches_of(index)

    def batches_of(self, index: int) -> Iterator[Batch]:
        """The checked rows of one part, batch by batch."""
        return (different(batch, self.repeated) for batch in self.parts[index].batches(self.reading, index))

    @property
    def n_arms(self) -> int | None:
        """K, where it is known to be the same for all rows."""
        return self.reading.n_arms

    @property
    def n_features(self) -> int | None:
        """d; None where the log has no contexts."""
        return self.reading.n_features if self.width is None else self.width

    @cached_property
    def scanned(self) -> Scanned:
        """A first look at all rows: how many, the settled frontier, the smallest chance."""
        return scan(self)

    @cached_property
    def repeated(self) -> IntArray | None:
        """Rows to be dropped because an earlier one has their id; None where bad rows are errors."""
        return repeated_rows(self)

    @cached_property
    def usable(self) -> Usable:
        """The rows that count for evaluation and learning: settled, with a reward."""
        return Usable(self.reading, self.frontier, self.repeated)

    @property
    def frontier(self) -> float | None:
        """The time from which on rewards are not settled; None where the log does not say which are."""
        return self.scanned.frontier if "settled" in self.columns else None

    def per_arm(self, encoding: Any = "disjoint", n_arms: int | None = None) -> "Log":
        """A log with contexts of every arm where this one has a context x that all arms share.

        encoding: "disjoint" puts x into a block of the arm's own, K · d features; "shared" puts it there and in front,
            (K + 1) · d; vectors e_a (K, m) of the arms make e_a ⊗ x, m · d. As in `ClassificationProblem`.
        n_arms: K, where the numbers of arms (`eligible`) do not say how many there are.
        """
        from rbmle.logs.encoding import per_arm

        return per_arm(self, encoding, n_arms)

    def map(self, change: Callable[[Batch], Batch], *, name: str | None = None) -> "Log":
        """A log whose batches are changed as they are read; the function must be one that can be pickled if the log is
        to be read on other machines.
        """
        from rbmle.logs.changed import ChangedPart

        parts = [ChangedPart(part, change) for part in self.parts]
        return replace(self, name=self.name if name is None else name, parts=tuple(parts))

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write the log to one Parquet file, with the columns of `rbmle.logs.columns`."""
        from rbmle.logs.writing import to_parquet

        to_parquet(self, path)

    def to_jsonl(self, path: str | PathLike[str]) -> None:
        """Write the log to one file of JSON lines."""
        from rbmle.logs.writing import to_jsonl

        to_jsonl(self, path)

    def to_frame(self) -> "pd.DataFrame":
        """The log as a pandas data frame, a row per decision."""
        from rbmle.logs.writing import to_frame

        return to_frame(self)

    def __repr__(self) -> str:
        K = "arms vary" if self.n_arms is None else f"{self.n_arms} arms"
        d = "" if self.n_features is None else f", {self.n_features} features"
        return f"Log({self.name!r}: {K}{d}, columns {', '.join(self.columns)})"


def settle(n_arms: Any, on_error: Any, adaptive: Any) -> None:
    """Check what all constructors take."""
    params.require("Log", "n_arms", n_arms, Optional(Integer(1)))
    params.require("Log", "on_error", on_error, OneOf("raise", "drop"))
    params.require("Log", "adaptive", adaptive, Optional(Flag()))
