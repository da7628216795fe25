"""What every policy offers, whatever it has learnt from: choose, score, learn, save, copy, merge."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from os import PathLike
from typing import Annotated, Any, ClassVar, Protocol, Self

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError
from rbmle.params import Integer
from rbmle.plain import Registry
from rbmle.random import generator
from rbmle.types import FloatArray, IntArray


class FixedArms(Protocol):
    """A policy bound to arms whose contexts stay the same."""

    n_arms: int

    def choose(self) -> int:
        """The arm to play."""
        ...

    def scores(self) -> FloatArray:
        """The index of every arm."""
        ...

    def probabilities(self) -> FloatArray:
        """The chance of each arm."""
        ...

    def update(self, arm: int, reward: float) -> None:
        """Learn that `arm` gave `reward`."""
        ...

    def play(self, rewards: FloatArray) -> IntArray:
        """Choose and learn for a block of rounds, compiled: rewards (B, K) of all arms."""
        ...


@dataclass(kw_only=True, eq=False)
class Policy(params.Frozen, ABC):
    """A policy: what it has learnt, and a rule that turns this into an arm.

    `t` is one plus the number of rewards observed, so that choosing changes nothing but the policy's own generator:
    a decision can be asked for again, and rewards may arrive late and in any order.
    """

    registry: ClassVar[Registry["Policy"]] = Registry("policy")
    title: ClassVar[str] = ""
    notation: ClassVar[str] = ""
    source: ClassVar[str] = ""

    n_features: Annotated[int, Integer(1)]

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        Policy.registry.add(cls, listed=bool(cls.title))  # abstract layers in between have none

    def __post_init__(self) -> None:
        params.check(self)
        self.reseed(getattr(self, "seed", 0))

    @property
    def params(self) -> dict[str, Any]:
        """Every constructor argument by name, as given."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    @abstractmethod
    def n_observed(self) -> int:
        """How many rewards have been learnt."""

    @property
    def merge_is_exact(self) -> bool:
        """Whether merging two policies gives what one would know that had learnt everything, up to rounding."""
        return True

    @property
    def t(self) -> int:
        """The round: one plus the number of rewards observed."""
        return self.n_observed + 1

    @abstractmethod
    def choose(self, contexts: Any) -> int:
        """The arm to play for contexts of shape (K, d); K may change from call to call. Ties: the lowest number."""

    @abstractmethod
    def scores(self, contexts: Any) -> FloatArray:
        """The index of every arm, shape (K,). A method that draws samples draws them here too."""

    @abstractmethod
    def probabilities(self, contexts: Any) -> FloatArray:
        """The chance of each arm to be chosen now, shape (K,)."""

    @abstractmethod
    def update(self, context: Any, reward: Any) -> None:
        """Learn that an arm with `context` (d,) gave `reward`: now, or tomorrow, in any order."""

    @abstractmethod
    def update_many(self, contexts: Any, rewards: Any) -> None:
        """Learn n rewards at once: all, or none if one is refused."""

    @abstractmethod
    def fix_arms(self, contexts: Any) -> FixedArms:
        """Bind the policy to arms (K, d) that stay: decisions then cost less and agree with `choose`."""

    @abstractmethod
    def play(self, contexts: FloatArray, rewards: FloatArray) -> IntArray:
        """Choose and learn for a block of rounds, compiled: contexts (B, K, d), rewards (B, K) of all arms."""

    @abstractmethod
    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays."""

    @abstractmethod
    def restore(self, state: dict[str, FloatArray]) -> None:
        """Take over a state that `state` gave."""

    @abstractmethod
    def absorb(self, other: Self) -> None:
        """Add what `other`, known to be of the same kind and parameters, has learnt."""

    def reseed(self, seed: int, *path: int) -> None:
        """Start the policy's own generator anew."""
        self.origin = (int(seed), *path)
        self.rng = generator(seed, *path)

    def copy(self) -> Self:
        """An independent policy with the same parameters, state and generator."""
        twin = type(self)(**self.params)
        twin.restore(self.state())
        twin.reseed(*self.origin)
        twin.rng.bit_generator.state = self.rng.bit_generator.state
        return twin

    def merge(self, other: "Policy") -> None:
        """Learn all that another policy of the same kind has learnt. What both have seen counts twice."""
        if other is self:
            raise InvalidInputError("merge needs another policy. Got the policy itself.")
        if type(other) is not type(self):
            raise InvalidInputError(f"merge needs a {type(self).__name__}. Got a {type(other).__name__}.")
        mine, theirs = self.params, other.params
        for name in mine:
            if name != "seed" and mine[name] != theirs[name]:
                raise InvalidInputError(f"merge needs the same {name}. Got {mine[name]!r} and {theirs[name]!r}.")
        self.absorb(other)

    def save(self, path: str | PathLike[str]) -> None:
        """Write parameters, state and generator to one file of plain arrays and JSON; `rbmle.load` reads it."""
        from rbmle.policies.storage import save

        save(self, path)

    def _one_hot(self, arm: int, n_arms: int) -> FloatArray:
        chances = np.zeros(n_arms)
        chances[arm] = 1.0
        return chances
