"""What a ridge model keeps of arms that stay: each pull updates what is known of every arm directly."""

from typing import TYPE_CHECKING

import numpy as np

from rbmle import kernels
from rbmle.models.ridge_bounds import VERY_MANY, RidgeBounds
from rbmle.types import FloatArray, IntArray

if TYPE_CHECKING:
    from rbmle.kernels.linear.formula import Rule

# Up to this many arms, or so many more than features, but no more than that beyond them, the (K, K) form is the fastest
# (measured: docs/speed.md).
FEW_ARMS, MORE, BEYOND = 32, (10, 0.6), 150
GRAM, COLUMNS, ROOT = "gram", "columns", "root"


def fastest(n_arms: int, n_features: int, needs_root: bool) -> str:
    """The form in which a pull costs least: see docs/speed.md."""
    if needs_root:
        return ROOT
    more = min(MORE[0] + MORE[1] * n_features, BEYOND)
    return GRAM if n_arms <= max(FEW_ARMS, n_features + more) else COLUMNS


class RidgeCatalogue:
    """Arrays of kernels.linear.catalogue or kernels.linear.columns for arms (K, d); the model alone writes them.

    seen     (K, d)  the contexts as kernels see them
    version  of the model that the arrays are up to date with
    """

    def __init__(self, contexts: FloatArray, form: str) -> None:
        K, d = contexts.shape
        self.contexts = self.seen = contexts
        self.kind = form
        known: dict[bytes, int] = {}
        # The first arm with the same context, −0 being 0: equal arms must tie to the last bit, also after a product.
        rows = contexts + 0.0 if form != COLUMNS else contexts[:0]
        self.first = np.array([known.setdefault(row.tobytes(), a) for a, row in enumerate(rows)], dtype=np.int64)
        self.rows = np.zeros((4, K))
        self.gram = np.empty((K, K) if form == GRAM else (0, 0))
        self.root = np.empty((K, d) if form == ROOT else (K, 0))
        self.columns, self.inverse = (np.empty((d, n if form == COLUMNS else 0)) for n in (K, d))
        self.numbers = np.zeros(d + 5)  # θ̂, the drift of means, and the determinant
        self.theta, self.drift, self.volume = self.numbers[:d], self.numbers[d : d + 2], self.numbers[d + 2 :]
        self.bounds = RidgeBounds(contexts) if form == COLUMNS and K >= VERY_MANY else None
        self.scratch = np.empty(K)
        self.version = -1

    def derive(self, seen: FloatArray, block: FloatArray, fresh_from: float | None, version: int) -> None:
        """Everything anew from a model's block. `fresh_from`: its λ where it has learnt nothing yet."""
        X, d = seen, seen.shape[1]
        self.seen = X
        V_inv, theta = block[d * d : 2 * d * d].reshape(d, d), block[-3 - d : -3]
        mean, variance = self.rows[0], self.rows[1]
        kernels.linear.predict.predict(X, theta, V_inv, mean, variance)
        if self.kind == GRAM:
            self.gram[:] = (X @ V_inv if fresh_from is None else X / fresh_from) @ X.T
            np.fill_diagonal(self.gram, variance)
            self.gram[:] = self.gram[np.ix_(self.first, self.first)]
        elif self.kind == COLUMNS:
            self.columns[:], self.inverse[:], self.theta[:] = X.T, V_inv, theta
        else:
            kernels.linear.ridge.root_of_arms(X, block, self.root)
        if self.kind != COLUMNS:
            mean[:], variance[:] = mean[self.first], variance[self.first]
        if self.bounds is not None:
            self.bounds.drop()
        self.rows[2:] = 0.0
        self.volume[:] = block[-3:]
        self.version = version

    def form(self) -> "kernels.linear.catalogue.Form":
        """The arrays as compiled loops take them that only read, or that have few arms or a root."""
        return kernels.linear.catalogue.Form(self.rows, self.gram, self.root, self.volume)

    def columned(self) -> "kernels.linear.columns.Columns":
        """The arrays as compiled loops take them that have many arms."""
        numbers = (self.inverse, self.theta, self.drift, self.volume)
        return kernels.linear.columns.Columns(self.rows, self.seen, self.columns, *numbers)

    def settle(self) -> None:
        """Means and variances of all arms, where bounds were kept instead."""
        if self.bounds is not None and self.bounds.held:
            self.bounds.drop()
            kernels.linear.predict.predict(self.seen, self.theta, self.inverse, self.rows[0], self.rows[1])

    def best(self, outer: float, inner: float, rooted: bool) -> int:
        """The arm of the largest index by an upper bound, where there are very many; weights that are not negative."""
        weights, arm = (outer, inner, rooted), -1
        if self.bounds is None:
            return int(kernels.linear.columns.best(self.rows, *weights)[0])
        if self.bounds.held:
            arm = self.bounds.best(self.columned(), weights)
            if arm >= 0:
                return arm
            kernels.linear.predict.predict(self.seen, self.theta, self.inverse, self.rows[0], self.rows[1])
        arm, top = kernels.linear.columns.best(self.rows, *weights)
        self.bounds.consider(self.columned(), weights, arm, top)
        return int(arm)

    def pull(self, arm: int, reward: float) -> int:
        """One reward of an arm; how it went, in the words of kernels.linear.ridge."""
        if self.kind == COLUMNS:
            follows, matrices = self.bounds is None or not self.bounds.held, (self.columns, self.inverse)
            outcome: int = kernels.linear.columns.pull(
                arm, reward, self.rows, self.seen, *matrices, self.numbers, follows
            )
            return outcome
        kernel, ridge = kernels.linear.catalogue, kernels.linear.ridge
        learnt = kernel.pull(arm, reward, self.rows, self.gram, self.root, self.volume, self.scratch)
        return ridge.LEARNT if learnt else ridge.LOST

    def play(self, rule: "Rule", rewards: FloatArray, arms: IntArray) -> tuple[int, int]:
        """Rounds with rewards (B, K): how many went well, how the last one did."""
        if self.kind == COLUMNS:
            self.settle()
            done, outcome = kernels.linear.columns.play(rule, rewards, self.columned(), arms)
            return done, outcome
        done = kernels.linear.rounds.play_fixed(rule, rewards, self.form(), arms)
        return done, kernels.linear.ridge.LEARNT
