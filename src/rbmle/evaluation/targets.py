"""The policy whose value is asked for: what chance it gives to each arm of a row."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rbmle.errors import InvalidInputError
from rbmle.inputs import as_numbers
from rbmle.logs import Batch, Log
from rbmle.policies import Policy
from rbmle.types import ArrayLike, FloatArray

# How far the chances of a row may be from adding up to 1.
SLACK = 1e-6


class Target(ABC):
    """Something with a chance for every arm. Can be pickled, if what it was made of can."""

    name: str

    @abstractmethod
    def chances(self, batch: Batch) -> FloatArray:
        """(ΣK,) the chance of every arm of every row."""

    def weights(self, batch: Batch, chances: FloatArray, probability: FloatArray) -> FloatArray:
        """(n,) π / p of the arms served."""
        return chances[batch.played] / probability


@dataclass(frozen=True, eq=False)
class FrozenPolicy(Target):
    """A policy as it is: it learns nothing more.

    Where it draws samples for its chances, they are drawn for each batch from a generator of the batch's own, so that
    nothing hangs on how many machines there are.
    """

    policy: Policy
    name: str
    seed: int = 0
    samples: int | None = None

    def chances(self, batch: Batch) -> FloatArray:
        """One for the arm it would choose, or the shares of all in many draws."""
        if not len(batch):
            return np.empty(0)
        policy = self.policy
        if policy.random:
            policy = policy.copy()
            policy.reseed(self.seed, int(batch.rows[0]))
        return policy.probabilities_many(contexts_of(batch), samples=self.samples)


def contexts_of(batch: Batch) -> Any:
    """The contexts of a batch as policies take them: an array (n, K, d), or a list of arrays."""
    X = batch.contexts
    if X is None:
        raise InvalidInputError(
            "A policy needs contexts of every arm. The log has none; log.per_arm() makes them of one that arms share."
        )
    X = X if X.flags.writeable else X.copy()  # compiled code takes read-only memory for another type
    if batch.n_arms is not None:
        return X.reshape(len(batch), batch.n_arms, -1)
    return np.split(X, batch.offsets[1:-1])


@dataclass(frozen=True, eq=False)
class Probabilities(Target):
    """An array: (n, K) chances, or (n,) arms, of the rows of the log in their order."""

    values: Any
    name: str = "array"

    def chances(self, batch: Batch) -> FloatArray:
        """Those of the rows."""
        if len(batch) and int(batch.rows[-1]) >= len(self.values):
            raise InvalidInputError(
                f"target must have a row for each of the log. It has {len(self.values)}, and the log goes on."
            )
        return as_chances(self.values[batch.rows], batch, "target")


@dataclass(frozen=True, eq=False)
class Function(Target):
    """A function of a batch of rows: see `rbmle.logs.Batch`."""

    function: Callable[[Batch], Any]
    name: str

    def chances(self, batch: Batch) -> FloatArray:
        """What it returns, checked."""
        return as_chances(self.function(batch), batch, f"{self.name}(batch)")


@dataclass(frozen=True)
class Logging(Target):
    """The policy that wrote the log: all weights are 1."""

    name: str = "logging"

    def chances(self, batch: Batch) -> FloatArray:
        """Those of the log; where it has not all of them, all on the arm that was served, which has the same mean."""
        if batch.probabilities is not None:
            return batch.probabilities
        chances = np.zeros(int(batch.offsets[-1]))
        chances[batch.played] = 1.0
        return chances

    def weights(self, batch: Batch, chances: FloatArray, probability: FloatArray) -> FloatArray:
        """1, exactly."""
        return np.ones(len(batch))


@dataclass(frozen=True)
class Uniform(Target):
    """All arms alike."""

    name: str = "uniform"

    def chances(self, batch: Batch) -> FloatArray:
        """1/K."""
        return np.repeat(1.0 / np.maximum(batch.sizes, 1), batch.sizes)


def as_chances(values: Any, batch: Batch, name: str) -> FloatArray:
    """Chances (ΣK,) from an array (n, K), (ΣK,), or of whole numbers (n,): the arms that are chosen."""
    array = np.asarray(values)
    n, total = len(batch), int(batch.offsets[-1])
    if array.shape == (n,) and array.dtype.kind in "iu":
        if n and not bool(((array >= 0) & (array < batch.sizes)).all()):
            row = int(np.flatnonzero((array < 0) | (array >= batch.sizes))[0])
            raise refused(batch, row, name, f"a position from 0 to {batch.sizes[row] - 1}", array[row])
        chosen = np.zeros(total)
        chosen[batch.offsets[:-1] + array] = 1.0
        return chosen
    chances = as_numbers(values, name)
    if chances.ndim == 2 and chances.shape[0] == n and (n == 0 or chances.shape[1] >= int(batch.sizes.max())):
        within = np.arange(chances.shape[1]) < batch.sizes[:, None]
        if bool((chances[~within] != 0.0).any()):
            row = int(np.argwhere((chances != 0.0) & ~within)[0, 0])
            raise refused(batch, row, name, f"0 beyond the {batch.sizes[row]} arms of the row", chances[row])
        chances = chances[within]
    if chances.shape != (total,):
        K = batch.n_arms if batch.n_arms is not None else "the most arms of a row"
        raise InvalidInputError(
            f"{name} must have a chance for every arm, shape ({n}, {K}), or be {n} whole numbers, the arms chosen. "
            f"Got shape {array.shape} of {array.dtype}."
        )
    totals = np.add.reduceat(chances, batch.offsets[:-1]) if n else np.empty(0)
    bad = ~(np.abs(totals - 1.0) <= SLACK) | np.isin(np.arange(n), owners(batch)[~(chances >= 0.0)])
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        own = chances[batch.offsets[row] : batch.offsets[row + 1]]
        raise refused(batch, row, name, "chances ≥ 0 that add up to 1", own)
    return np.ascontiguousarray(chances)


def owners(batch: Batch) -> Any:
    """(ΣK,) the row that an arm belongs to."""
    return np.repeat(np.arange(len(batch)), batch.sizes)


def refused(batch: Batch, row: int, name: str, wanted: str, found: Any) -> InvalidInputError:
    """What a target gave for a row cannot be."""
    return InvalidInputError(f"{name} must be {wanted}, in row {batch.rows[row]} of the log. Got {found}.")


NAMED: dict[str, type[Target]] = {"logging": Logging, "uniform": Uniform}


def by_rows(given: Any) -> bool:
    """Whether a target or a reward model is an array with a row for each of the log."""
    return isinstance(given, list | tuple | Probabilities) or hasattr(given, "__array__")


# What `evaluate` takes as a target; text is "uniform" or "logging".
TargetLike: TypeAlias = Target | Policy | str | NDArray[Any] | Sequence[ArrayLike] | Callable[[Batch], ArrayLike]


def as_target(target: Any, log: Log, seed: int, samples: int | None = None, name: str = "") -> Target:
    """Whatever `evaluate` takes as a target."""
    if isinstance(target, Target):
        return target
    if isinstance(target, Policy):
        if log.n_features is not None and "contexts" in log.columns and log.n_features != target.n_features:
            raise InvalidInputError(
                f"target must be a policy of n_features={log.n_features}, as the contexts of the log. "
                f"Got n_features={target.n_features}."
            )
        if "contexts" not in log.columns:
            shared = "one context that all arms share: log.per_arm() makes one of each" if log.n_features else "none"
            raise InvalidInputError(f"A policy needs contexts of every arm. The log has {shared}.")
        return FrozenPolicy(target.copy(), name or type(target).__name__, seed, samples)
    if isinstance(target, str) and target in NAMED:
        return NAMED[target]()
    if callable(target):
        return Function(target, name or getattr(target, "__name__", "function"))
    if by_rows(target):
        return Probabilities(np.asarray(target), name or "array")
    raise InvalidInputError(
        "target must be a policy, an array of chances (n, K) or of arms (n,), a function of a batch of rows, "
        f"'logging' or 'uniform'. Got {target!r}."
    )
