"""Ridge regression, learnt one reward at a time."""

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle import kernels
from rbmle.errors import ConvergenceError, RbmleError
from rbmle.inputs import (
    as_context,
    as_contexts,
    as_observations,
    as_reward,
    is_empty,
    refuse_values,
    require_contexts,
)
from rbmle.models.ridge_catalogue import RidgeCatalogue, fastest
from rbmle.models.ridge_numbers import RidgeNumbers
from rbmle.types import ArrayLike, FloatArray, IntArray, Number

if TYPE_CHECKING:
    from rbmle.kernels.linear.formula import Rule
    from rbmle.kernels.linear.index import Bound

# Variances beyond this make compiled rounds stop and all contexts be looked at.
STRANGE_VARIANCE = 1e100


class RidgeModel(RidgeNumbers):
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

    def predict(self, contexts: "ArrayLike") -> tuple[FloatArray, FloatArray]:
        """Means x_aᵀθ̂ and variances x_aᵀV⁻¹x_a of K contexts (K, d): of the reward, in units of its noise."""
        X = as_contexts(contexts, self._d)
        require_contexts(X)
        self.settle()
        mean, variance = np.empty(len(X)), np.empty(len(X))
        kernels.linear.predict.predict(self.scaled(X), self._theta, self._V_inv, mean, variance)
        return mean, variance

    def scaled(self, contexts: FloatArray) -> FloatArray:
        """Contexts (…, d) as kernels are to see them."""
        return contexts

    def rounds_alike(self, contexts: FloatArray) -> int:
        """How many of the rounds with contexts (B, K, d) can be played before anything is computed anew; at least 1."""
        return min(len(contexts), self._next_refresh - self._n)

    def observe(self, context: "ArrayLike", reward: "Number") -> None:
        """Learn that `context` (d,) gave `reward`."""
        x, r = as_context(context, self._d), as_reward(reward)
        if self._held is not None:
            self._release()
        outcome = kernels.linear.ridge.observe(self._block, self.scaled(x) if self._keeps_more else x, r)
        if outcome:
            self._observe_again(outcome, x, r)
        if self._keeps_more:
            self._note(x, r)
        self._n += 1  # as `_count`, whose call would show here
        self._version += 1
        if self._n >= self._next_refresh:
            self._refresh()

    def observe_many(self, contexts: "ArrayLike", rewards: "ArrayLike") -> None:
        """Learn n rewards: the same, to the last bit, as n calls of `observe`. Nothing is learnt if one is refused."""
        if is_empty(contexts, rewards):
            return
        X, r = as_observations(contexts, rewards, self._d)
        self._release()
        before, start = self.__getstate__(), 0
        while start < len(r):
            stop = start + self.rounds_alike(X[start:, None])
            done, outcome = self._learn_many(self.scaled(X[start:stop]), r[start:stop])
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
            outcome = self._learn(self.scaled(x), r)
        if outcome == kernels.linear.ridge.ROUGH:
            self._invert()
        elif outcome == kernels.linear.ridge.LOST:
            raise self._lost()
        elif outcome:
            raise refuse_values(x, r)

    def play(self, rule: "Rule | Bound", contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
        """Choose and learn in rounds that are alike, (B, K, d) and (B, K); how many have an arm.

        contexts: (1, K, d) where the arms stay.
        What was played is learnt and counted, also where a round fails.
        """
        start, stop, again, most = 0, len(rewards), False, STRANGE_VARIANCE
        self._release()
        seen, stay = self.scaled(contexts), len(contexts) < stop
        while start < stop:
            now = seen if stay else seen[start:]
            done, outcome = self._run(rule.after(start), now, rewards[start:], arms[start:], most)
            if self._keeps_more:
                rows, chosen = np.arange(start, start + done), arms[start : start + done]
                self._note(contexts[0 if stay else rows, chosen], rewards[rows, chosen])
            self._count(done)
            start += done
            if outcome == kernels.linear.ridge.ROUGH:
                self._invert()
                continue
            if outcome == kernels.linear.ridge.STRANGE and most < inf:
                require_contexts(contexts)
                most = inf
                continue
            if start == stop or (outcome == kernels.linear.ridge.LEARNT and arms[start] < 0):
                break
            if outcome == kernels.linear.ridge.REFUSED:
                raise refuse_values(contexts[0 if stay else start, arms[start]], float(rewards[start, arms[start]]))
            if again and done == 0:
                raise self._lost()
            self._invert()
            again = True
        return start

    # What kernels do with the numbers, for models that do it otherwise.

    def _learn(self, x: FloatArray, r: float) -> int:
        outcome: int = kernels.linear.ridge.observe(self._block, x, r)
        return outcome

    def _learn_many(self, X: FloatArray, r: FloatArray) -> tuple[int, int]:
        done, outcome = kernels.linear.ridge.observe_many(self._block, X, r)
        return done, outcome

    def _run(
        self, rule: "Rule | Bound", seen: FloatArray, rewards: FloatArray, arms: IntArray, most: float
    ) -> tuple[int, int]:
        bounded = isinstance(rule, kernels.linear.index.Bound)
        kernel: Any = kernels.linear.index.play if bounded else kernels.linear.rounds.play
        done, outcome = kernel(rule, seen, rewards, self._block, arms, most)
        return done, outcome

    def left_to_refresh(self) -> int:
        """How many more rewards are learnt before the inverse is computed anew."""
        return self._next_refresh - self._n

    def adopt(self, block: FloatArray, count: int) -> None:
        """Take over all numbers from `RidgeLanes`, which learnt `count` more rewards."""
        self._block[:] = block
        self._held, self._behind = None, False
        self._count(count)

    def bind(self, contexts: FloatArray, *, needs_root: bool = False) -> RidgeCatalogue | None:
        """Arms (K, d) that stay, for `known`, `pull` and `play_held`; None where there is nothing to be gained."""
        return RidgeCatalogue(contexts, fastest(contexts.shape[0], contexts.shape[1], needs_root))

    def known(self, catalogue: RidgeCatalogue) -> RidgeCatalogue:
        """The catalogue, up to date with all that was learnt."""
        self._follow(catalogue)
        catalogue.settle()
        return catalogue

    def best_held(self, catalogue: RidgeCatalogue, outer: float, inner: float, rooted: bool) -> int:
        """The arm of the largest index m + outer · √(inner · v) or m + outer · v, the weights not negative."""
        self._follow(catalogue)
        return catalogue.best(outer, inner, rooted)

    def _follow(self, catalogue: RidgeCatalogue) -> None:
        """Bring a catalogue, or the bounds it keeps instead, up to date."""
        if catalogue.version != self._version:
            block = self.settle()
            catalogue.derive(self.scaled(catalogue.contexts), block, None if self._n else self._lam, self._version)

    def pull(self, catalogue: RidgeCatalogue, arm: int, reward: float) -> None:
        """Learn that an arm of a catalogue gave `reward`."""
        for again in (False, True):
            outcome = self._hold(catalogue).pull(arm, reward)
            if outcome != kernels.linear.ridge.LOST:
                break
            if again:
                raise self._lost()
            self._consolidate()
        if self._keeps_more:
            self._note(catalogue.contexts[arm], reward)
        self._count_held(catalogue, 1)
        if outcome == kernels.linear.ridge.ROUGH:
            self._consolidate()

    def play_held(self, rule: "Rule", catalogue: RidgeCatalogue, rewards: FloatArray, arms: IntArray) -> int:
        """Choose and learn in rounds that are alike, rewards (B, K); how many have an arm."""
        start, stop, again = 0, len(rewards), False
        while start < stop:
            done, outcome = self._hold(catalogue).play(rule.after(start), rewards[start:], arms[start:])
            if self._keeps_more:
                rows, chosen = np.arange(start, start + done), arms[start : start + done]
                self._note(catalogue.contexts[chosen], rewards[rows, chosen])
            self._count_held(catalogue, done)
            start += done
            if outcome == kernels.linear.ridge.ROUGH:
                self._consolidate()
                continue
            if start == stop or arms[start] < 0:
                break
            if again and done == 0:
                raise self._lost()
            self._consolidate()
            again = True
        return start

    def _hold(self, catalogue: RidgeCatalogue) -> RidgeCatalogue:
        """Let a catalogue, up to date, keep the sums of what is learnt from now on."""
        self._follow(catalogue)
        if self._held is not catalogue:
            self._release()
            self._held, self._before = catalogue, (self._V.copy(), self._b.copy())
            catalogue.rows[2:] = 0.0
        return catalogue

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
