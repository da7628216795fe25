"""How an unknown parameter θ moves from round to round. Rounds are counted from 0, as in `Problem.rounds`.

>>> Abrupt(thetas=((1.0, 0.0), (-1.0, 0.0)), starts=(3,)).at(np.array([0, 2, 3, 99]))[:, 0]
array([ 1.,  1., -1., -1.])
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, ClassVar

import numpy as np

from rbmle import params, plain
from rbmle.errors import InvalidParameterError
from rbmle.params import Integer
from rbmle.plain import Registry
from rbmle.problems.base import Matrix, Vector
from rbmle.types import FloatArray, IntArray


class Drift(ABC):
    """θ as a function of the round."""

    registry: ClassVar[Registry["Drift"]] = Registry("drift")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Drift.registry.add(cls)

    def __post_init__(self) -> None:
        params.check(self)

    @property
    @abstractmethod
    def n_features(self) -> int:
        """The length of θ."""

    @property
    @abstractmethod
    def norm(self) -> float:
        """The largest norm that θ ever has, or a bound of it."""

    @abstractmethod
    def at(self, rounds: IntArray) -> FloatArray:
        """θ in these rounds: (B, d)."""

    def variation(self, horizon: int) -> float:
        """B_T = Σ ‖θ_t+1 − θ_t‖ over the first `horizon` rounds, which theorems on forgetting are stated in."""
        params.require("variation", "horizon", horizon, Integer(1))
        steps = np.diff(self.at(np.arange(horizon)), axis=0)
        return float(np.linalg.norm(steps, axis=1).sum())

    @property
    def params(self) -> Any:
        """Name and numbers, as plain data."""
        return plain.to_plain(self, strict=False)


@dataclass(frozen=True)
class Abrupt(Drift):
    """The first θ from round 0, the next from starts[0] on, and so on; the last one stays."""

    thetas: Annotated[tuple[tuple[float, ...], ...], Matrix()]
    starts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        require_rounds(self, "starts", self.starts, len(self.thetas) - 1, "one for every θ but the first")

    @property
    def n_features(self) -> int:
        """The length of each θ."""
        return len(self.thetas[0])

    @property
    def norm(self) -> float:
        """Of the longest θ."""
        return longest(self.thetas)

    def at(self, rounds: IntArray) -> FloatArray:
        """The θ that is in force."""
        thetas: FloatArray = np.asarray(self.thetas, dtype=np.float64)
        return thetas[np.searchsorted(np.asarray(self.starts, dtype=np.int64), rounds, side="right")]


@dataclass(frozen=True)
class Rotation(Drift):
    """θ turns evenly from `first` (round 0) towards `last` (round `rounds`), in their plane, and then stays.

    Both must have the same length and must not be opposite to each other, for then there is no plane.
    """

    first: Annotated[tuple[float, ...], Vector()]
    last: Annotated[tuple[float, ...], Vector()]
    rounds: Annotated[int, Integer(1)]

    def __post_init__(self) -> None:
        super().__post_init__()
        a, b = np.asarray(self.first, dtype=np.float64), np.asarray(self.last, dtype=np.float64)
        good = a.shape == b.shape and math.isclose(np.linalg.norm(a), np.linalg.norm(b), rel_tol=1e-9)
        # The angle by its tangent: a cosine close to ±1 knows it only to half of the digits.
        if not good or not np.any(a) or np.linalg.norm(a + b) <= 1e-9 * np.linalg.norm(a):
            raise InvalidParameterError(
                "The 'last' parameter of Rotation must be a vector of the same length as 'first', neither 0 nor "
                f"opposite to it. Got {self.first!r} and {self.last!r} instead."
            )

    @property
    def n_features(self) -> int:
        """The length of θ."""
        return len(self.first)

    @property
    def norm(self) -> float:
        """It stays the same."""
        return float(np.linalg.norm(self.first))

    def at(self, rounds: IntArray) -> FloatArray:
        """cos(φ) first + sin(φ) side, φ the share of the whole angle; `side` is `last` without what lies on `first`."""
        a, b = np.asarray(self.first, dtype=np.float64), np.asarray(self.last, dtype=np.float64)
        side = b - (b @ a) / (a @ a) * a
        whole = math.atan2(float(np.linalg.norm(side)), float(b @ a) / self.norm)
        if whole > 0.0:
            side *= self.norm / np.linalg.norm(side)
        angle = whole * (np.minimum(rounds, self.rounds) / self.rounds)[:, None]
        return np.cos(angle) * a + np.sin(angle) * side


@dataclass(frozen=True)
class Straight(Drift):
    """θ goes in straight lines from point to point: it is thetas[i] in round stops[i], before the first and after the
    last stop it stays.
    """

    thetas: Annotated[tuple[tuple[float, ...], ...], Matrix()]
    stops: tuple[int, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        require_rounds(self, "stops", self.stops, len(self.thetas), "one for every θ", first=0)

    @property
    def n_features(self) -> int:
        """The length of each θ."""
        return len(self.thetas[0])

    @property
    def norm(self) -> float:
        """Of the longest point: lines between points are no longer."""
        return longest(self.thetas)

    def at(self, rounds: IntArray) -> FloatArray:
        """Every coordinate interpolated."""
        thetas = np.asarray(self.thetas, dtype=np.float64)
        return np.stack([np.interp(rounds, self.stops, thetas[:, j]) for j in range(self.n_features)], axis=1)


def longest(thetas: tuple[tuple[float, ...], ...]) -> float:
    """The largest norm among vectors."""
    return float(np.linalg.norm(np.asarray(thetas, dtype=np.float64), axis=1).max())


def require_rounds(owner: Drift, name: str, given: Any, count: int, words: str, first: int = 1) -> None:
    """Raise unless the rounds are `count` ascending integers from `first` on."""
    good = isinstance(given, list | tuple) and len(given) == count and all(map(Integer(first).holds, given))
    if not good or any(one >= other for one, other in pairwise(given)):
        raise InvalidParameterError(
            f"The '{name}' parameter of {type(owner).__name__} must be ascending ints from {first} on, {words}: "
            f"{count} of them. Got {given!r} instead."
        )
