"""Ridge regression that forgets: by a discount or with a window."""

from collections.abc import Mapping
from math import ceil, log
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle import kernels, params
from rbmle.errors import InvalidInputError, NotMergeableError
from rbmle.inputs import LARGEST_REWARD, as_context, as_reward, require_contexts, require_within
from rbmle.models.forgetting import Discount, Forgets, Forgetting, Window
from rbmle.models.ridge import RidgeModel
from rbmle.models.state import length_of, read_state, require_mapping, require_symmetric
from rbmle.types import ArrayLike, FloatArray, IntArray, Number

if TYPE_CHECKING:
    from rbmle.kernels.linear.formula import Rule
    from rbmle.kernels.linear.index import Bound

# Rewards after which the inverse is computed anew: rounding in it grows where it fades.
OFTEN = 1024


class ForgettingRidge(RidgeModel):
    """V = λI + Σ w_s x_s x_sᵀ and b = Σ w_s r_s x_s, where the weights w_s fall with every later reward.

    forgetting: `Discount(γ)`, w_s = γ^(n−s), or `Window(length)`, w_s = 1 for the last ones and 0 for those before.

    With a discount the prior fades too and comes back one coordinate after the other, so that V is diag(prior) + … with
    a prior between max(λ/2, γᵈλ) and λ: a reward then costs O(d²), as it does without forgetting, where λI in full
    would take a new inverse. With a window the rewards in it are kept.

    Rewards age in the order in which they arrive. Two models have no common order: `merge` refuses.

    >>> model = ForgettingRidge(n_features=1, forgetting=Window(2))
    >>> model.observe_many([[1.0], [1.0], [1.0]], [9.0, 3.0, 3.0])
    >>> model.V, model.theta_hat, model.n, model.n_effective
    (array([[3.]]), array([2.]), 3, 2.0)
    """

    def __init__(self, *, n_features: int, regularization: float = 1.0, forgetting: Forgetting) -> None:
        params.require(type(self).__name__, "forgetting", forgetting, Forgets())
        self._forgetting = forgetting
        super().__init__(n_features=n_features, regularization=regularization)

    def _allocate(self, d: int, lam: float) -> None:
        law = self._forgetting
        super()._allocate(d, lam)
        wide = isinstance(law, Discount) and law.sandwich
        rows = law.length if isinstance(law, Window) else 0
        block = len(self._block)
        names = kernels.linear.forgetting
        self._extra = np.zeros(names.NUMBERS + d + (d * d + block if wide else 0) + rows * (d + 1))
        self._extra[names.SANDWICH] = float(wide)
        numbers, self._prior, self._squares, self._read, self._ring = names.memory_in(self._extra, d)
        self._numbers = numbers
        numbers[names.GAMMA] = gamma = law.gamma if isinstance(law, Discount) else 1.0
        numbers[names.LOSS] = d * log(gamma)
        numbers[names.LAMBDA] = lam
        numbers[names.TURNS] = min(d, max(1, ceil(-d * log(gamma) / log(2.0))))
        self._prior[:] = lam
        if wide:
            np.fill_diagonal(self._squares, lam)
        self._tell()

    @property
    def forgetting(self) -> Forgetting:
        """How rewards lose their weight."""
        return self._forgetting

    @property
    def n_effective(self) -> float:
        """The sum of the weights of all rewards."""
        return self._forgetting.effective(self._n)

    @property
    def prior(self) -> FloatArray:
        """The diagonal of V without rewards, shape (d,)."""
        return self._prior.copy()

    def settle(self) -> FloatArray:
        """The block for kernels that decide: with a sandwich V⁻¹ṼV⁻¹ stands there for V⁻¹."""
        return self._read if len(self._read) else self._block

    @property
    def V_inv(self) -> FloatArray:
        """V⁻¹, shape (d, d)."""
        return self._V_inv.copy()

    @property
    def spread(self) -> FloatArray:
        """The matrix that variances are taken from: V⁻¹, or V⁻¹ṼV⁻¹."""
        d = self._d
        return self.settle()[d * d : 2 * d * d].reshape(d, d).copy()

    def predict(self, contexts: "ArrayLike") -> tuple[FloatArray, FloatArray]:
        """Means x_aᵀθ̂ and variances of K contexts (K, d)."""
        mean, variance = super().predict(contexts)
        if len(self._read):
            d, X = self._d, np.ascontiguousarray(contexts, dtype=np.float64)
            kernels.linear.predict.predict(X, self._theta, self._read[d * d : 2 * d * d].reshape(d, d), mean, variance)
        return mean, variance

    def observe(self, context: "ArrayLike", reward: "Number") -> None:
        """Learn that `context` (d,) gave `reward`, and forget."""
        x, r = as_context(context, self._d), as_reward(reward)
        outcome = kernels.linear.forgetting.observe(self._block, self._extra, x, r)
        if outcome:
            self._observe_again(outcome, x, r)
        self._count(1)

    def _learn(self, x: FloatArray, r: float) -> int:
        outcome: int = kernels.linear.forgetting.observe(self._block, self._extra, x, r)
        return outcome

    def _learn_many(self, X: FloatArray, r: FloatArray) -> tuple[int, int]:
        done, outcome = kernels.linear.forgetting.observe_many(self._block, self._extra, X, r)
        return done, outcome

    def _run(
        self, rule: "Rule | Bound", seen: FloatArray, rewards: FloatArray, arms: IntArray, most: float
    ) -> tuple[int, int]:
        kernel: Any = kernels.linear.forgetting_rounds
        loop = kernel.play_bound if isinstance(rule, kernels.linear.index.Bound) else kernel.play
        if seen.strides[0] == 0:  # arms that stay
            seen = seen[:1]
        done, outcome = loop(rule, np.ascontiguousarray(seen), rewards, self._block, self._extra, arms, most)
        return done, outcome

    def bind(self, contexts: FloatArray, *, needs_root: bool = False) -> None:
        """Nothing is kept of arms that stay: when everything fades, every arm changes with every reward."""

    def _plan_refresh(self) -> None:
        every = OFTEN
        if isinstance(self._forgetting, Window):  # V too is computed anew, from all rewards in the window
            every = max(4 * self._d, min(self._forgetting.length, OFTEN), 64)
        self._next_refresh = self._n - self._n % every + every

    def _invert(self) -> None:
        """V⁻¹, θ̂, the determinant and the sandwich anew; with a window V and b too, from the rewards in it."""
        if isinstance(self._forgetting, Window):
            X, r = self._remembered()
            self._V[:] = self._lam * np.eye(self._d) + X.T @ X
            self._b[:] = X.T @ r
        super()._invert()
        if len(self._read):
            d = self._d
            spread = self._V_inv @ self._squares @ self._V_inv
            self._read[d * d : 2 * d * d] = (0.5 * (spread + spread.T)).ravel()
        self._tell()

    def _tell(self) -> None:
        """θ̂ and the determinant for whoever reads."""
        if len(self._read):
            d = self._d
            if self._n == 0:
                self._read[d * d : 2 * d * d] = self._V_inv.ravel()
            self._read[2 * d * d + d :] = self._block[2 * d * d + d :]

    def _seen(self) -> IntArray:
        return np.arange(self._d)

    def _remembered(self) -> tuple[FloatArray, FloatArray]:
        """The rewards in the window, the oldest first: contexts (m, d) and rewards (m,)."""
        names = kernels.linear.forgetting
        m, place = int(self._numbers[names.FILLED]), int(self._numbers[names.PLACE])
        rows = self._ring[:m] if m < len(self._ring) else np.roll(self._ring, -place, axis=0)
        return np.ascontiguousarray(rows[:, :-1]), np.ascontiguousarray(rows[:, -1])

    def merge(self, other: RidgeModel) -> None:
        """Refused: what is forgotten depends on the order in which rewards came."""
        self._require_alike(other)
        raise NotMergeableError(
            f"{type(self).__name__} cannot be merged: what {self._forgetting!r} leaves of a reward depends on how many "
            "came after it, and the rewards of two models have no common order. Learn from the rewards themselves."
        )

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays: copies."""
        found = {**super().state(), "prior": self._prior.copy()}
        if len(self._squares):
            found |= {"squares": self._squares.copy(), "spread": self.spread}
        if isinstance(self._forgetting, Window):
            found["window_contexts"], found["window_rewards"] = (each.copy() for each in self._remembered())
        else:
            found["turn"] = self._numbers[[kernels.linear.forgetting.PLACE]]
        return found

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses what cannot be one and leaves the model as it was."""
        d, law, names = self._d, self._forgetting, kernels.linear.forgetting
        require_mapping(state)
        m = length_of(state, "window_rewards")
        shapes: dict[str, tuple[int, ...]] = {"prior": (d,)}
        if len(self._squares):
            shapes |= {"squares": (d, d), "spread": (d, d)}
        shapes |= {"window_contexts": (m, d), "window_rewards": (m,)} if isinstance(law, Window) else {"turn": (1,)}
        new = read_state(state, {**shapes, "n": (1,)})
        require_prior(new["prior"], self._lam)
        for name in {"squares", "spread"} & set(new):
            require_symmetric(new[name], name)
            if not (np.diag(new[name]) > 0.0).all():
                raise InvalidInputError(f"state['{name}'] must be positive on its diagonal.")
        if isinstance(law, Window):
            if m != min(new["n"][0], law.length):
                raise InvalidInputError(
                    f"state['window_rewards'] must hold the last {law.length} of {new['n'][0]:g} rewards. Got {m}."
                )
            require_contexts(new["window_contexts"], "state['window_contexts']")
            require_within(new["window_rewards"], "state['window_rewards']", LARGEST_REWARD)
        elif not (0.0 <= new["turn"][0] < d and new["turn"][0] == int(new["turn"][0])):
            raise InvalidInputError(f"state['turn'] must be a feature from 0 to {d - 1}. Got {new['turn'][0]:g}.")
        super().restore(state)
        self._prior[:] = new["prior"]
        if isinstance(law, Window):
            self._ring[:m, :-1], self._ring[:m, -1] = new["window_contexts"], new["window_rewards"]
            self._numbers[names.FILLED], self._numbers[names.PLACE] = m, m % len(self._ring)
        else:
            self._numbers[names.PLACE] = new["turn"][0]
        if len(self._squares):
            self._squares[:] = new["squares"]
            self._read[d * d : 2 * d * d] = new["spread"].ravel()
        self._tell()

    def _least_diagonal(self) -> float:
        return 0.0

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"forgetting": self._forgetting, "extra": self._extra.copy()}

    def __setstate__(self, snapshot: dict[str, Any]) -> None:
        self._forgetting = snapshot["forgetting"]
        super().__setstate__(snapshot)
        self._extra[:] = snapshot["extra"]

    def _require_alike(self, other: Any) -> None:
        super()._require_alike(other)
        if self._forgetting != other._forgetting:
            raise InvalidInputError(f"merge needs the same forgetting. Got {self!r} and {other!r}.")

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, forgetting={self._forgetting!r})"


def require_prior(prior: FloatArray, lam: float) -> None:
    """A diagonal that a faded prior can have."""
    if not ((prior > 0.0) & (prior <= lam * (1.0 + 1e-9))).all():
        raise InvalidInputError(f"state['prior'] must be above 0 and at most {lam:g}. Got {prior.min():g} and others.")
