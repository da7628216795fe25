"""How the arms of a problem lie: laws that contexts are drawn from, to be put together.

>>> as_contexts("ball")
Ball(size=1.0)
>>> Scaled(Sphere(), scales=(1.0, 100.0)).radius(n_features=2)
100.0
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar

import numpy as np

from rbmle import params
from rbmle.errors import InvalidParameterError
from rbmle.params import Integer, Optional, Real
from rbmle.plain import Registry, is_ours
from rbmle.problems.base import Matrix, Vector
from rbmle.types import FloatArray


class ContextLaw(ABC):
    """A distribution of the contexts of all arms of a round. Rounds are independent of each other."""

    registry: ClassVar[Registry["ContextLaw"]] = Registry("contexts", called=lambda cls: str(cls.name))
    name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        ContextLaw.registry.add(cls)

    def __post_init__(self) -> None:
        params.check(self)

    @abstractmethod
    def draw(self, rng: np.random.Generator, rounds: int, n_arms: int, n_features: int) -> FloatArray:
        """Contexts (rounds, n_arms, n_features)."""

    @abstractmethod
    def radius(self, n_features: int) -> float:
        """The largest norm that a context can have; infinity where there is none."""

    def objection(self, n_arms: int, n_features: int) -> str | None:
        """Why this cannot be the law of that many arms and features. Here: it can."""
        return None

    @property
    def in_place(self) -> bool:
        """Whether `draw` asks `rng` for no more than `InPlace` has, as all of ours do: then rounds are drawn alone."""
        return is_ours(type(self))

    @property
    def params(self) -> dict[str, Any]:
        """Name and numbers, as plain data."""
        return {"name": self.name} | {each.name: plain(getattr(self, each.name)) for each in fields(self)}  # type: ignore[arg-type]


def plain(value: Any) -> Any:
    """A parameter of a law as plain data."""
    if isinstance(value, ContextLaw):
        return value.params
    return np.asarray(value).tolist() if isinstance(value, list | tuple | np.ndarray) else value


def norms(contexts: FloatArray) -> FloatArray:
    """Euclidean norms (…, K, 1) of contexts (…, K, d)."""
    squares: FloatArray = np.einsum("bkd,bkd->bk", contexts, contexts)
    return np.sqrt(squares)[:, :, None]


@dataclass(frozen=True)
class Sphere(ContextLaw):
    """Even on the sphere: N(0, I) divided by its norm, as in the paper's experiments."""

    name: ClassVar[str] = "sphere"
    length: Annotated[float, Real(0.0, open_low=True)] = 1.0

    def draw(self, rng: np.random.Generator, rounds: int, n_arms: int, n_features: int) -> FloatArray:
        """Contexts of norm `length`."""
        if hasattr(rng, "directions"):
            made: FloatArray = rng.directions((rounds, n_arms, n_features), self.length)
            return made
        directions = rng.standard_normal((rounds, n_arms, n_features))
        directions /= norms(directions)
        if self.length != 1.0:
            directions *= self.length
        return directions

    def radius(self, n_features: int) -> float:
        """All have it."""
        return self.length


@dataclass(frozen=True)
class Ball(ContextLaw):
    """Even in the ball, so that arms differ in length too: a direction of the sphere times radius · U^(1/d)."""

    name: ClassVar[str] = "ball"
    size: Annotated[float, Real(0.0, open_low=True)] = 1.0

    def draw(self, rng: np.random.Generator, rounds: int, n_arms: int, n_features: int) -> FloatArray:
        """Contexts of norm at most `size`."""
        directions = Sphere(self.size).draw(rng, rounds, n_arms, n_features)
        directions *= rng.random((rounds, n_arms, 1)) ** (1.0 / n_features)
        return directions

    def radius(self, n_features: int) -> float:
        """Its size."""
        return self.size


@dataclass(frozen=True)
class Box(ContextLaw):
    """Every feature even on [−half_width, half_width]; contexts longer than `longest` are shortened to it.

    Box(longest=1.0) is the law of Russac, Vernade & Cappé 2019: even in the square, what lies outside of the disc is
    moved to its rim.
    """

    name: ClassVar[str] = "box"
    half_width: Annotated[float, Real(0.0, open_low=True)] = 1.0
    longest: Annotated[float | None, Optional(Real(0.0, open_low=True))] = None

    def draw(self, rng: np.random.Generator, rounds: int, n_arms: int, n_features: int) -> FloatArray:
        """Contexts within the box, and within the ball where there is one."""
        contexts = rng.uniform(-self.half_width, self.half_width, (rounds, n_arms, n_features))
        return contexts if self.longest is None else shortened(contexts, self.longest)

    def radius(self, n_features: int) -> float:
        """To a corner, or to the rim."""
        corner = self.half_width * math.sqrt(n_features)
        return corner if self.longest is None else min(corner, self.longest)


def shortened(contexts: FloatArray, longest: float) -> FloatArray:
    """The same contexts; those longer than `longest` are that long."""
    return contexts / np.maximum(norms(contexts) / longest, 1.0)


@dataclass(frozen=True)
class Normal(ContextLaw):
    """Every feature N(0, scale²), neighbouring ones with a correlation: that of features i and j is ρ^|i−j|.

    There is no longest context, as a theorem would ask for.
    """

    name: ClassVar[str] = "normal"
    scale: Annotated[float, Real(0.0, open_low=True)] = 1.0
    correlation: Annotated[float, Real(-1.0, 1.0, open_low=True, open_high=True)] = 0.0

    def draw(self, rng: np.random.Generator, rounds: int, n_arms: int, n_features: int) -> FloatArray:
        """A stationary autoregression over the features."""
        contexts = rng.standard_normal((rounds, n_arms, n_features))
        if self.correlation:
            fresh = math.sqrt(1.0 - self.correlation**2)
            for feature in range(1, n_features):
                contexts[:, :, feature] = (
                    self.correlation * contexts[:, :, feature - 1] + fresh * contexts[:, :, feature]
                )
        contexts *= self.scale
        return contexts

    def radius(self, n_features: int) -> float:
        """None."""
        return math.inf


@dataclass(frozen=True)
class CorrelatedArms(ContextLaw):
    """Arms of a round that resemble each other: (√ρ c + √(1−ρ) z_a) divided by its norm.

    c ~ N(0, I) is common to all arms of a round, z_a ~ N(0, I) an arm's own. At correlation 0 it is the sphere, close
    to 1 all arms are nearly the same.
    """

    name: ClassVar[str] = "correlated"
    correlation: Annotated[float, Real(0.0, 1.0, open_high=True)] = 0.9

    def draw(self, rng: np.random.Generator, rounds: int, n_arms: int, n_features: int) -> FloatArray:
        """Contexts of norm 1."""
        contexts = rng.standard_normal((rounds, n_arms, n_features))
        common = rng.standard_normal((rounds, 1, n_features))
        contexts *= math.sqrt(1.0 - self.correlation)
        contexts += math.sqrt(self.correlation) * common
        contexts /= norms(contexts)
        return contexts

    def radius(self, n_features: int) -> float:
        """All have norm 1."""
        return 1.0


@dataclass(frozen=True)
class Sparse(ContextLaw):
    """All but `nonzero` features, chosen at random for every arm, are 0; the others lie evenly on the unit sphere."""

    name: ClassVar[str] = "sparse"
    nonzero: Annotated[int, Integer(1)] = 1

    def draw(self, rng: np.random.Generator, rounds: int, n_arms: int, n_features: int) -> FloatArray:
        """Contexts of norm 1 with few features that are not 0."""
        contexts = np.zeros((rounds, n_arms, n_features))
        kept = np.argpartition(rng.random(contexts.shape), self.nonzero - 1, axis=2)[:, :, : self.nonzero]
        np.put_along_axis(contexts, kept, Sphere().draw(rng, rounds, n_arms, self.nonzero), axis=2)
        return contexts

    def radius(self, n_features: int) -> float:
        """All have norm 1."""
        return 1.0

    def objection(self, n_arms: int, n_features: int) -> str | None:
        """Fewer features than that are there."""
        return f"with at most {n_features} features that are not 0" if self.nonzero > n_features else None


@dataclass(frozen=True)
class Scaled(ContextLaw):
    """Features in units of their own: contexts of another law, every feature times its scale (one for all, or each)."""

    name: ClassVar[str] = "scaled"
    contexts: ContextLaw
    scales: Annotated[tuple[float, ...], Vector()]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "contexts", as_contexts(self.contexts, self))

    @property
    def in_place(self) -> bool:
        """As the other law."""
        return self.contexts.in_place

    def draw(self, rng: np.random.Generator, rounds: int, n_arms: int, n_features: int) -> FloatArray:
        """Those of the other law, scaled."""
        contexts = self.contexts.draw(rng, rounds, n_arms, n_features)
        contexts *= np.asarray(self.scales, dtype=np.float64)
        return contexts

    def radius(self, n_features: int) -> float:
        """At most the other law's times the largest scale."""
        return self.contexts.radius(n_features) * float(np.abs(self.scales).max())

    def objection(self, n_arms: int, n_features: int) -> str | None:
        """There is not one scale for every feature, or what the other law has to say."""
        if len(self.scales) not in (1, n_features):
            return f"with 1 scale or one for each of {n_features} features"
        return self.contexts.objection(n_arms, n_features)


@dataclass(frozen=True)
class Given(ContextLaw):
    """The same arms (K, d) in every round of every trial, as in instances that proofs are made of."""

    name: ClassVar[str] = "given"
    arms: Annotated[tuple[tuple[float, ...], ...], Matrix()]

    def draw(self, rng: np.random.Generator, rounds: int, n_arms: int, n_features: int) -> FloatArray:
        """The arms, once for every round."""
        return np.tile(np.asarray(self.arms, dtype=np.float64), (rounds, 1, 1))

    def radius(self, n_features: int) -> float:
        """The norm of the longest arm."""
        return float(np.linalg.norm(np.asarray(self.arms, dtype=np.float64), axis=1).max())

    def objection(self, n_arms: int, n_features: int) -> str | None:
        """They are not that many, or not of that many features."""
        shape = np.asarray(self.arms).shape
        return None if shape == (n_arms, n_features) else f"with arms of shape ({n_arms}, {n_features}), not {shape}"


# Those that a name alone describes.
NAMED = ("sphere", "ball", "box", "normal", "correlated", "sparse")


def as_contexts(contexts: str | ContextLaw, owner: object = "problem") -> ContextLaw:
    """A law; a name stands for the default of its kind."""
    if isinstance(contexts, ContextLaw):
        return contexts
    if isinstance(contexts, str) and contexts in NAMED:
        return ContextLaw.registry[contexts]()
    label = owner if isinstance(owner, str) else type(owner).__name__
    raise InvalidParameterError(
        f"The 'contexts' parameter of {label} must be one of {', '.join(map(repr, NAMED))}, or a law such as "
        f"Ball(size=2.0). Got {contexts!r} instead."
    )
