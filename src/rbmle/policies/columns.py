"""Names of features: those of the first table that a policy was given, and of every other table since."""

from collections.abc import Sequence
from typing import Any

from rbmle.errors import InvalidInputError, describe


class Named:
    """The part of a policy that knows how features are called. Arrays and lists have no names: they are taken as such.

    >>> import pandas as pd
    >>> from rbmle import LinUCB
    >>> arms, policy = pd.DataFrame({"age": [0.3, 0.5], "visits": [1.0, 4.0]}), LinUCB(n_features=2)
    >>> policy.update_many(arms, [0.0, 1.0])
    >>> policy.feature_names
    ('age', 'visits')
    >>> policy.choose(arms[["visits", "age"]])
    Traceback (most recent call last):
    rbmle.errors.InvalidInputError: contexts must have the columns age, visits, in this order, as in the table that the
    policy met first. Got visits, age.
    """

    n_features: int
    _feature_names: tuple[str, ...] | None = None

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The columns of the first table that the policy met; None where it met none."""
        return self._feature_names

    def _know(self, *tables: Any) -> None:
        """Note the columns of the first table, or raise where those of one are others, and note nothing."""
        names = self._feature_names
        for each in tables:
            names = self._names_with(each, names)
        self._feature_names = names

    def _names_with(self, table: Any, known: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """What features are called once a table is met; raises where its columns are others than the known ones."""
        names = names_of(table)
        if names is None or names == known:
            return known
        if known is not None:
            raise InvalidInputError(
                f"contexts must have the columns {', '.join(known)}, in this order, as in the table that the "
                f"policy met first. Got {', '.join(names)}."
            )
        return names if len(names) == self.n_features else None

    def name_features(self, names: Sequence[str] | None) -> None:
        """Say how features are called, or that tables may have any columns again (None)."""
        good = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
        if names is not None and not (good and len(names) == self.n_features):
            raise InvalidInputError(f"names must be {self.n_features} texts, or None. Got {describe(names)}.")
        self._feature_names = None if names is None else tuple(names)

    def _common_names(self, other: "Named") -> tuple[str, ...] | None:
        """The names of whichever of two policies has some; raises where both have, and others."""
        mine, theirs = self._feature_names, other._feature_names
        if mine is not None and theirs is not None and mine != theirs:
            raise InvalidInputError(f"merge needs the same columns. Got {', '.join(mine)} and {', '.join(theirs)}.")
        return mine or theirs


def names_of(table: Any) -> tuple[str, ...] | None:
    """The names of a data frame's columns, or of a row of one; None where they are no texts, or there are none."""
    found = getattr(table, "columns", None)
    if found is None and hasattr(table, "to_numpy"):
        found = getattr(table, "index", None)
    if found is None or callable(found):
        return None
    names = tuple(found)
    return names if names and all(isinstance(name, str) for name in names) else None
