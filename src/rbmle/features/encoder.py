"""From what is known about a visitor and the arms to the contexts that a policy takes."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError, InvalidParameterError, describe
from rbmle.features.columns import Category, Column, Hashed, by_name
from rbmle.features.rows import as_row, as_rows
from rbmle.params import Flag, OneOf, Real
from rbmle.plain import Registry
from rbmle.types import FloatArray, Row, Rows

ARM = "arm"


@dataclass(frozen=True, kw_only=True)
class Features:
    """How a context is made of columns that all arms share (the visitor, the hour) and columns of each arm.

    A context is, one after the other: 1 (`intercept`), the shared columns, the arm's columns, and products of them.

    shared:    columns of what is the same for all arms.
    arm:       columns of an arm.
    arm_ids:   the ids of arms, for a number of each arm's own, an intercept per arm; or a number of buckets that ids
               are hashed into, where arms come and go. In `cross` this is the column "arm".
    cross:     products: pairs of a shared and an arm's column, or "all" such pairs, or "none".
    alone:     which columns also stand by themselves: "all", only the "arm"'s, or "none".
    intercept: whether every context begins with a 1.
    norm:      "none"; "clip" shortens contexts that are longer than `radius` to that; "unit" divides by `radius`, and
               shortens what is then longer than 1. For "unit", `fit` makes the longest context of its rows the radius.
    radius:    see `norm`.

    Nothing here changes while an agent runs: scales are those of the columns, as given or as `fit` found them, so that
    a model learns from contexts that mean the same all the time.

    >>> from rbmle.features import Category, Number
    >>> features = Features(shared=[Number("age", scale=10.0)], arm=[Category("kind", ["news", "sport"])], cross="all")
    >>> features.names
    ('1', 'age', 'kind=news', 'kind=sport', 'age × kind=news', 'age × kind=sport')
    >>> features.encode({"age": 30}, [{"kind": "sport"}, {"kind": "news"}])
    array([[1., 3., 0., 1., 0., 3.],
           [1., 3., 1., 0., 3., 0.]])
    """

    registry: ClassVar[Registry["Features"]] = Registry("features")

    shared: Sequence[Column] = ()
    arm: Sequence[Column] = ()
    arm_ids: Sequence[Any] | int | None = None
    cross: str | Sequence[tuple[str, str]] = "none"
    alone: Annotated[str, OneOf("all", "arm", "none")] = "all"
    intercept: Annotated[bool, Flag()] = True
    norm: Annotated[str, OneOf("none", "clip", "unit")] = "none"
    radius: Annotated[float, Real(0.0, open_low=True)] = 1.0

    def __post_init__(self) -> None:
        params.check(self)
        for side in ("shared", "arm"):
            columns = getattr(self, side)
            if not isinstance(columns, tuple | list) or not all(isinstance(column, Column) for column in columns):
                raise InvalidParameterError(
                    f"The '{side}' parameter of Features must be columns such as Number and Category. "
                    f"Got {describe(columns)} instead."
                )
            object.__setattr__(self, side, tuple(columns))
        if self.arm_ids is not None and not isinstance(self.arm_ids, int):
            object.__setattr__(self, "arm_ids", tuple(self.arm_ids))
        by_name((*self.shared, *self._arm_columns))
        if not isinstance(self.cross, str):
            object.__setattr__(self, "cross", tuple(tuple(pair) for pair in self.cross))
        self._check_cross()
        if self.n_features == 0:
            raise InvalidParameterError("Features must have a column or an intercept. Got neither.")

    def _check_cross(self) -> None:
        left, right = by_name(self.shared), by_name(self._arm_columns)
        good = self.cross in ("all", "none") or (
            not isinstance(self.cross, str)
            and all(len(pair) == 2 and pair[0] in left and pair[1] in right for pair in self.cross)
        )
        if not good:
            raise InvalidParameterError(
                "The 'cross' parameter of Features must be 'all', 'none' or pairs of a shared column "
                f"({', '.join(left) or 'there are none'}) and an arm's ({', '.join(right) or 'there are none'}). "
                f"Got {describe(self.cross)} instead."
            )

    @classmethod
    def disjoint(cls, arms: Sequence[Any], shared: Sequence[Column]) -> Self:
        """A block of contexts for each arm: K separate models, with an intercept each, as one.

        >>> from rbmle.features import Number
        >>> Features.disjoint(["a", "b"], [Number("age")]).names
        ('arm=a', 'arm=b', 'age × arm=a', 'age × arm=b')
        """
        return cls(shared=tuple(shared), arm_ids=tuple(arms), cross="all", alone="arm", intercept=False)

    @functools.cached_property
    def _arm_columns(self) -> tuple[Column, ...]:
        if self.arm_ids is None:
            return tuple(self.arm)
        own = Hashed(ARM, self.arm_ids) if isinstance(self.arm_ids, int) else Category(ARM, self.arm_ids)
        return (own, *self.arm)

    @functools.cached_property
    def _pairs(self) -> tuple[Any, Any]:
        """For each product, the place of its left and of its right factor."""
        spans = {}
        for columns in (self.shared, self._arm_columns):
            start = 0
            for column in columns:
                spans[column.name] = range(start, start + column.size)
                start += column.size
        pairs: Any = self.cross
        if pairs == "all":
            pairs = tuple((left.name, right.name) for left in self.shared for right in self._arm_columns)
        products = [] if pairs == "none" else [(i, j) for a, b in pairs for i in spans[a] for j in spans[b]]
        both = np.array(products, dtype=np.int64).reshape(-1, 2)
        return both[:, 0].copy(), both[:, 1].copy()

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """What the numbers of a context are called."""
        left = [name for column in self.shared for name in column.names]
        right = [name for column in self._arm_columns for name in column.names]
        crossed = [f"{left[i]} × {right[j]}" for i, j in zip(*self._pairs, strict=True)]
        alone = {"all": left + right, "arm": right, "none": []}[self.alone]
        return (*(("1",) if self.intercept else ()), *alone, *crossed)

    @functools.cached_property
    def n_features(self) -> int:
        """d, the length of a context."""
        return len(self.names)

    @property
    def shared_names(self) -> tuple[str, ...]:
        """The columns that all arms share."""
        return tuple(column.name for column in self.shared)

    @property
    def arm_names(self) -> tuple[str, ...]:
        """The columns of an arm, its id not counted."""
        return tuple(column.name for column in self.arm)

    def encode(
        self, shared: "Row | None", arms: "Rows | None" = None, ids: Sequence[Any] | None = None
    ) -> "FloatArray":
        """The contexts (K, d) of K arms: one row of shared columns, K rows of the arms' columns, and their ids."""
        rows = as_rows(arms, self.arm_names, "arms") if arms is not None else [[] for _ in ids or ()]
        if ids is not None and len(ids) != len(rows):
            raise InvalidInputError(f"ids must be those of {len(rows)} arms. Got {len(ids)}.")
        own = [None] * len(rows) if ids is None else ids
        numbers = [self.arm_numbers(row, own[i], f"arms[{i}]") for i, row in enumerate(rows)]
        return self.combine(self.shared_numbers(as_row(shared, self.shared_names, "contexts")), np.array(numbers))

    def shared_numbers(self, row: Sequence[Any]) -> FloatArray:
        """The numbers of a row of shared columns, in their order."""
        return numbers_of(self.shared, row)

    def arm_numbers(self, row: Sequence[Any], arm: Any = None, what: str = "the arm") -> FloatArray:
        """The numbers of an arm: its id and its row, in the order of the columns."""
        if self.arm_ids is None:
            return self._of_arm(row, what)
        if arm is None:
            raise InvalidInputError("ids must be given, for the features of an arm depend on it. Got none.")
        return self._of_arm((arm, *row), what)

    def _of_arm(self, row: Sequence[Any], what: str) -> FloatArray:
        try:
            return numbers_of(self._arm_columns, row)
        except InvalidInputError as reason:
            raise InvalidInputError(f"{what}: {reason}") from reason

    def combine(self, shared: FloatArray, arms: FloatArray) -> FloatArray:
        """The contexts (K, d) from the numbers of the shared columns and of K arms."""
        if len(arms) == 0:
            raise InvalidInputError("arms must hold at least one arm. Got none.")
        K, (i, j) = len(arms), self._pairs
        parts = [np.ones((K, 1))] if self.intercept else []
        if self.alone == "all":
            parts.append(np.broadcast_to(shared, (K, len(shared))))
        if self.alone != "none":
            parts.append(arms)
        parts.append(shared[i] * arms[:, j])
        X = np.concatenate(parts, axis=1)
        if self.norm != "none":
            length = np.sqrt((X * X).sum(axis=1, keepdims=True))
            X *= np.minimum(1.0, self.radius / np.maximum(length, 1e-300))
            if self.norm == "unit":
                X /= self.radius
        return np.ascontiguousarray(X)  # of products NumPy makes columns, which compiled code does not take

    def fit(self, shared: "Rows" = (), arms: "Rows" = (), ids: Sequence[Any] | None = None) -> Self:
        """The same features with the scales of these rows: centre and scale of numbers, and the radius of "unit".

        ids: of the arms, where their features depend on it; all of `arm_ids` if left out.
        """
        left = as_rows(shared, self.shared_names, "shared") if self.shared else [[]]
        right = as_rows(arms, self.arm_names, "arms") if self.arm else []
        scaled = replace(
            self, shared=fitted(self.shared, left, "shared"), arm=fitted(self.arm, right, "arms"), radius=1.0
        )
        if self.norm != "unit":
            return replace(scaled, radius=self.radius)
        plain = replace(scaled, norm="none")
        if isinstance(self.arm_ids, int):
            own: Sequence[Any] = ids or [0]
        else:
            own = ids or self.arm_ids or [None]
        both = [(arm, row) for arm in own for row in right or [[]]]
        if ids is not None and right:
            both = list(zip(ids, right, strict=True))
        arms_numbers = np.array([plain.arm_numbers(row, arm) for arm, row in both]).reshape(len(both), -1)
        longest = max(
            np.sqrt((plain.combine(plain.shared_numbers(row), arms_numbers) ** 2).sum(1)).max() for row in left
        )
        return replace(scaled, radius=float(longest) or 1.0)


Features.registry.add(Features)


def numbers_of(columns: Sequence[Column], row: Sequence[Any]) -> FloatArray:
    """The numbers of a row, its values in the order of the columns."""
    numbers, start = np.zeros(sum(column.size for column in columns)), 0
    for column, value in zip(columns, row, strict=True):
        column.put(value, numbers, start)
        start += column.size
    return numbers


def fitted(columns: Sequence[Column], rows: Sequence[Sequence[Any]], what: str) -> tuple[Column, ...]:
    """Columns with the scales of rows."""
    if columns and not rows:
        raise InvalidInputError(f"{what} must hold at least one row to learn scales from. Got none.")
    return tuple(column.fitted([row[i] for row in rows]) for i, column in enumerate(columns))
