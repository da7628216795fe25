"""Ridge regression, learnt one reward at a time."""

from collections.abc import Mapping
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle import kernels, params
from rbmle.errors import ConvergenceError, InvalidInputError, RbmleError
from rbmle.inputs import as_context, as_contexts, as_observations, as_reward, is_empty, refuse_values, require_finite
from rbmle.models.ridge_catalogue import RidgeCatalogue
from rbmle.models.states import read_count, read_state, require_definite, require_symmetric
from rbmle.params import Integer, Real
from rbmle.types import FloatArray, IntArray

if TYPE_CHECKING:
    from rbmle.kernels.linear.formula import Rule

# Observations between two refreshes of the inverse: few enough for rounding, so many that their cost does not show.
REFRESH = 8192


class RidgeModel:
    """V = λI + Σ x xᵀ, its inverse, b = Σ r x and θ̂ = V⁻¹b, all started together from λ.

    V and b are kept exactly; the inverse follows by rank-one updates and is computed anew from V at powers of 4
    and then every 8192 observations, so that rounding does not pile up, not even from a very small λ; and whenever
    rounding shows before that.

    >>> model = RidgeModel(n_features=2)
    >>> model.observe([1.0, 0.0], 3.0)
    >>> mean, variance = model.predict([[1.0, 0.0], [0.0, 1.0]])
    >>> mean, variance
    (array([1.5, 0. ]), array([0.5, 1. ]))
    """

    _keeps_more = False  # whether `_note` is to be told of every observation
    _looks_new = False  # whether contexts are `scaled` otherwise since the last observation

    def __init__(self, *, n_features: int, regularization: float = 1.0) -> None:
        name = type(self).__name__
        params.require(name, "n_features", n_features, Integer(1))
        params.require(name, "regularization", regularization, Real(0.0, open_low=True))
        self._d, self._lam = d, lam = int(n_features), float(regularization)
        self._n = 0
        self._version = 0
        # The arrays below are views of one block, which is what compiled code takes (kernels.linear.ridge).
        self._block = np.zeros(2 * d * d + 2 * d + 3)
        self._V, self._V_inv = self._block[: 2 * d * d].reshape(2, d, d)
        self._b, self._theta = self._block[2 * d * d : -3].reshape(2, d)
        self._volume = self._block[-3:]
        self._V[:], self._V_inv[:] = lam * np.eye(d), np.eye(d) / lam
        self._volume[:] = 0.0, 1.0, d * log(lam)
        self._plan_refresh()
        # Arms that stay keep their pulls as sums (`_held`); V and b follow from those and from `_before`.
        self._held: RidgeCatalogue | None = None
        self._before: tuple[FloatArray, FloatArray] = (self._V, self._b)
        self._behind = False

    @property
    def n_features(self) -> int:
        """d."""
        return self._d

    @property
    def regularization(self) -> float:
        """λ."""
        return self._lam

    @property
    def n(self) -> int:
        """How many rewards have been learnt."""
        return self._n

    @property
    def version(self) -> int:
        """Changes whenever something is learnt, so that whoever derives from it can tell."""
        return self._version

    @property
    def V(self) -> FloatArray:
        """λI + Σ x xᵀ, shape (d, d)."""
        self.settle()
        return self._V.copy()

    @property
    def V_inv(self) -> FloatArray:
        """V⁻¹, shape (d, d)."""
        self.settle()
        return self._V_inv.copy()

    @property
    def b(self) -> FloatArray:
        """Σ r x, shape (d,)."""
        self.settle()
        return self._b.copy()

    @property
    def theta_hat(self) -> FloatArray:
        """The ridge estimate V⁻¹b, shape (d,)."""
        self.settle()
        return self._theta.copy()

    @property
    def log_det(self) -> float:
        """log(det V / det λI): how much has been learnt."""
        self.settle()
        return float(self._volume[0] + np.log(self._volume[1]))

    def settle(self) -> FloatArray:
        """The block of all arrays for kernels that read it, with the pulls of a catalogue in it.

        V and b follow from the same sums however often somebody asks: reading changes no later bit.
        """
        if self._behind and self._held is not None:
            X, (_, _, counts, sums) = self._held.seen, self._held.rows
            V, b = self._before
            self._V[:] = V + X.T @ (counts[:, None] * X)
            self._b[:] = b + X.T @ sums
            self._invert()
            self._behind = False
        return self._block

    def predict(self, contexts: Any) -> tuple[FloatArray, FloatArray]:
        """Means x_aᵀθ̂ and variances x_aᵀV⁻¹x_a of K contexts (K, d): of the reward, in units of its noise."""
        X = as_contexts(contexts, self._d)
        require_finite(X, "contexts")
        self.settle()
        mean, variance = np.empty(len(X)), np.empty(len(X))
        kernels.linear.ridge.predict(self.scaled(X), self._theta, self._V_inv, mean, variance)
        return mean, variance

    def scaled(self, contexts: FloatArray) -> FloatArray:
        """Contexts (…, d) as kernels are to see them."""
        return contexts

    def rounds_alike(self, contexts: FloatArray) -> int:
        """How many of the rounds with contexts (B, K, d) can be played before anything is computed anew; at least 1."""
        return min(len(contexts), self._next_refresh - self._n)

    def observe(self, context: Any, reward: Any) -> None:
        """Learn that `context` (d,) gave `reward`."""
        x, r = as_context(context, self._d), as_reward(reward)
        if self._held is not None:
            self._release()
        z = self.scaled(x)
        outcome = kernels.linear.ridge.observe(self._block, z, r)
        if outcome:
            self._observe_again(outcome, x, r)
        if self._keeps_more:
            self._note(x, r)
        self._count(1)

    def observe_many(self, contexts: Any, rewards: Any) -> None:
        """Learn n rewards: the same, to the last bit, as n calls of `observe`. Nothing is learnt if one is refused."""
        if is_empty(contexts, rewards):
            return
        X, r = as_observations(contexts, rewards, self._d)
        self._release()
        before, start = self.__getstate__(), 0
        while start < len(r):
            stop = start + self.rounds_alike(X[start:, None])
            done, outcome = kernels.linear.ridge.observe_many(self._block, self.scaled(X[start:stop]), r[start:stop])
            self._note(X[start : start + done], r[start : start + done])
            self._count(done)
            start += done
            if outcome == kernels.linear.ridge.ROUGH:
                self._invert()
            elif outcome:
                try:
                    self._observe_again(outcome, X[start], float(r[start]))
                except RbmleError:
                    self.__setstate__(before)
                    raise
                self._note(X[start], r[start])
                self._count(1)
                start += 1

    def _observe_again(self, outcome: int, x: FloatArray, r: float) -> None:
        """Learn what a kernel could not, from an inverse computed anew, or say why it cannot; or only renew that."""
        if outcome == kernels.linear.ridge.LOST:
            self._invert()
            outcome = kernels.linear.ridge.observe(self._block, self.scaled(x), r)
        if outcome == kernels.linear.ridge.ROUGH:
            self._invert()
        elif outcome == kernels.linear.ridge.LOST:
            raise self._lost()
        elif outcome:
            raise refuse_values(x, r)

    def play(self, rule: "Rule", contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
        """Choose and learn in rounds that are alike, (B, K, d) and (B, K); how many have an arm.

        What was played is learnt and counted, also where a round fails.
        """
        start, stop, again = 0, len(rewards), False
        self._release()
        seen = self.scaled(contexts)
        while start < stop:
            rest = rule._replace(coefficients=rule.coefficients[start:], draws=rule.draws[start:])
            done, outcome = kernels.linear.rounds.play(rest, seen[start:], rewards[start:], self._block, arms[start:])
            if self._keeps_more:
                rows, chosen = np.arange(start, start + done), arms[start : start + done]
                self._note(contexts[rows, chosen], rewards[rows, chosen])
            self._count(done)
            start += done
            if outcome == kernels.linear.ridge.ROUGH:
                self._invert()
                continue
            if start == stop or arms[start] < 0:
                break
            if outcome == kernels.linear.ridge.REFUSED:
                raise refuse_values(contexts[start, arms[start]], float(rewards[start, arms[start]]))
            if again and done == 0:
                raise self._lost()
            self._invert()
            again = True
        return start

    def bind(self, contexts: FloatArray, *, needs_root: bool = False) -> RidgeCatalogue:
        """Arms (K, d) that stay, for `known`, `pull` and `play_held`."""
        return RidgeCatalogue(contexts, needs_root)

    def known(self, catalogue: RidgeCatalogue) -> RidgeCatalogue:
        """The catalogue, up to date with all that was learnt."""
        if catalogue.version != self._version:
            block = self.settle()
            catalogue.derive(self.scaled(catalogue.contexts), block, None if self._n else self._lam, self._version)
        return catalogue

    def pull(self, catalogue: RidgeCatalogue, arm: int, reward: float) -> None:
        """Learn that an arm of a catalogue gave `reward`."""
        for again in (False, True):
            held = self._hold(catalogue)
            if kernels.linear.catalogue.pull(arm, reward, held.rows, held.gram, held.root, held.volume, held.scratch):
                break
            if again:
                raise self._lost()
            self._consolidate()
        if self._keeps_more:
            self._note(catalogue.contexts[arm], reward)
        self._count_held(catalogue, 1)

    def play_held(self, rule: "Rule", catalogue: RidgeCatalogue, rewards: FloatArray, arms: IntArray) -> int:
        """Choose and learn in rounds that are alike, rewards (B, K); how many have an arm."""
        start, stop, again = 0, len(rewards), False
        while start < stop:
            form = self._hold(catalogue).form()
            rest = rule._replace(coefficients=rule.coefficients[start:], draws=rule.draws[start:])
            done = kernels.linear.rounds.play_fixed(rest, rewards[start:], form, arms[start:])
            if self._keeps_more:
                rows, chosen = np.arange(start, start + done), arms[start : start + done]
                self._note(catalogue.contexts[chosen], rewards[rows, chosen])
            self._count_held(catalogue, done)
            start += done
            if start == stop or arms[start] < 0:
                break
            if again and done == 0:
                raise self._lost()
            self._consolidate()
            again = True
        return start

    def _hold(self, catalogue: RidgeCatalogue) -> RidgeCatalogue:
        """Let a catalogue, up to date, keep the sums of what is learnt from now on."""
        self.known(catalogue)
        if self._held is not catalogue:
            self._release()
            self._held, self._before = catalogue, (self._V.copy(), self._b.copy())
            catalogue.rows[2:] = 0.0
        return catalogue

    def _release(self) -> None:
        """Take over the sums that a catalogue keeps."""
        if self._held is not None:
            self.settle()
            self._held = None

    def _count_held(self, catalogue: RidgeCatalogue, count: int) -> None:
        if count:
            self._behind = True
            self._n += count
            self._version += 1
            catalogue.version = self._version
            if self._looks_new:
                self._release()
                catalogue.version = -1
        if self._n >= self._next_refresh:
            self._consolidate()

    def _consolidate(self) -> None:
        """Everything anew from the sums, catalogues too when they are next used."""
        self._release()
        self._refresh()

    def _count(self, count: int) -> None:
        """Count observations that kernels have put into the arrays."""
        if count:
            self._n += count
            self._version += 1
            if self._n >= self._next_refresh:
                self._refresh()

    def _note(self, X: FloatArray, r: Any) -> None:
        """For models that keep more sums: contexts (n, d) or (d,) and rewards that kernels have learnt."""

    def _refresh(self) -> None:
        """Compute V⁻¹, θ̂ and the determinant anew from V and b."""
        self._invert()
        self._version += 1
        self._plan_refresh()

    def _invert(self) -> None:
        if kernels.linear.ridge.refresh(self._block, self._d):
            return
        # V ⪰ λI by what it is; where rounding says otherwise, λ is put in the place of what it left.
        values, vectors = np.linalg.eigh(self._V)
        values = np.maximum(values, self._lam)
        self._V_inv[:] = (vectors / values) @ vectors.T
        self._V_inv[:] = 0.5 * (self._V_inv + self._V_inv.T)
        self._volume[:2] = float(np.log(values).sum()) - self._volume[2], 1.0
        self._theta[:] = self._V_inv @ self._b

    def _plan_refresh(self) -> None:
        """Set when the inverse is due for a refresh: at powers of 4 from 4d on, then every 8192 observations."""
        next_power = 1 << (max(self._n, 4 * self._d - 1).bit_length() + 1) // 2 * 2
        self._next_refresh = min(next_power, self._n - self._n % REFRESH + REFRESH)

    def _lost(self) -> ConvergenceError:
        return ConvergenceError(
            f"What {self!r} knows of a context is lost in rounding: features differ too much in size, or "
            "regularization is too small for them. Nothing was learnt of this reward; rescale the features."
        )

    def merge(self, other: "RidgeModel") -> None:
        """Learn all that `other` has learnt: exact, since V and b are sums. What both have seen counts twice."""
        self._require_alike(other)
        self._release()
        other.settle()
        self._V += other._V - self._lam * np.eye(self._d)
        self._b += other._b
        self._n += other._n
        self._refresh()

    def _require_alike(self, other: "RidgeModel") -> None:
        mine, theirs = ((type(each), each._d, each._lam) for each in (self, other))
        if mine != theirs:
            raise InvalidInputError(
                f"merge needs models of the same kind, n_features and regularization. Got {self!r} and {other!r}."
            )

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays: copies."""
        self.settle()
        arrays = {
            "V": self._V,
            "V_inv": self._V_inv,
            "b": self._b,
            "theta_hat": self._theta,
            "volume": self._volume[:2],
        }
        return {name: array.copy() for name, array in arrays.items()} | {"n": np.array([float(self._n)])}

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses what cannot be one and leaves the model as it was."""
        d = self._d
        new = read_state(state, {"V": (d, d), "V_inv": (d, d), "b": (d,), "theta_hat": (d,), "volume": (2,), "n": (1,)})
        n = read_count(new["n"])
        require_symmetric(new["V"], "V")
        if (np.diag(new["V"]) < self._lam * (1.0 - 1e-9)).any():
            raise InvalidInputError(f"state['V'] must be at least {self._lam:g} on its diagonal, the regularization.")
        require_definite(new["V_inv"], "V_inv")
        if not new["volume"][1] > 0.0:
            raise InvalidInputError(f"state['volume'][1] must be positive. Got {new['volume'][1]:g}.")
        self._V[:], self._V_inv[:], self._b[:], self._theta[:] = (
            new[name] for name in ("V", "V_inv", "b", "theta_hat")
        )
        self._volume[:2] = new["volume"]
        self._held, self._behind, self._n = None, False, n
        self._version += 1
        self._plan_refresh()

    def __getstate__(self) -> dict[str, Any]:
        """A snapshot, for copies, pickles, and for going back."""
        self.settle()
        plan = self._next_refresh
        return {"d": self._d, "lam": self._lam, "n": self._n, "plan": plan, "block": self._block.copy()}

    def __setstate__(self, snapshot: dict[str, Any]) -> None:
        if "_block" not in self.__dict__:  # a new object
            RidgeModel.__init__(self, n_features=snapshot["d"], regularization=snapshot["lam"])
        self._block[:] = snapshot["block"]
        self._held, self._behind = None, False
        self._n, self._next_refresh = snapshot["n"], snapshot["plan"]
        self._version += 1

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_features={self._d}, regularization={self._lam}, n={self._n})"
