"""Generalized linear models, learnt one reward at a time: the regularised maximum-likelihood estimate."""

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle import kernels, params
from rbmle.errors import ConvergenceError, InvalidInputError
from rbmle.families import Custom, Extended, Family, Known, get
from rbmle.inputs import (
    as_contexts,
    as_numbers,
    as_observation,
    as_observations,
    is_empty,
    require_finite,
)
from rbmle.params import Integer, OneOf, Real
from rbmle.types import FloatArray, IntArray

# Rows for which there is room at the start; whole vectors of kernels.glm.link.LANES.
FIRST_ROOM = 64
# Observations after which the online mode's inverse is computed anew.
REFRESH = 1024

_kept_alive: list[Any] = []


@functools.cache
def link_of(family: Family) -> tuple[int, float, IntArray]:
    """(code, limit, functions): how kernels know a family."""
    base, limit = (family.base, float(family.limit)) if isinstance(family, Extended) else (family, np.inf)
    user = []
    if isinstance(base, Custom):
        handles = [kernels.glm.link.compile_function(f) for f in (base.mu, base.dmu, base.potential)]
        _kept_alive.extend(handles)  # machine code lives as long as its handle
        user = [kernels.glm.link.address_of(handle) for handle in handles]
    return base.code, limit, kernels.glm.code.addresses(*user)


def unlearnt(model: Any, context: FloatArray, reward: float) -> ConvergenceError:
    """Say that the estimate after one more reward was not reached; nothing has changed."""
    return ConvergenceError(
        f"The estimate of {type(model).__name__} was not reached with reward {reward:g} for a context of largest entry "
        f"{np.abs(context).max():g}, after {model.n} rewards; context or reward are too extreme for double precision."
    )


class GLMModel:
    """θ̂ = argmax Σ r_s x_sᵀθ − b(x_sᵀθ) − ½λ‖θ‖², kept warm, and the curvature H = Σ μ'(x_sᵀθ̂) x_s x_sᵀ + λI.

    memory="exact" keeps the whole history with identical contexts as one row (context, count, sum of rewards): with
    a fixed set of K contexts that is at most K rows, however long the run. The gradient at θ̂, component by component,
    is below 1e-9 of the absolute terms it is made of (usually 1e-13); where Newton's method with line search does not
    get there, `ConvergenceError` is raised.

    memory="online" keeps θ̂ and H alone, O(d²). The history so far is replaced by its quadratic approximation
    −½(θ−θ̂)ᵀH(θ−θ̂); a new reward moves θ̂ to the exact maximiser of that plus its own log-likelihood, and adds
    μ'(xᵀθ̂) x xᵀ to H at the new θ̂. The order of the rewards then matters a little. For the Gaussian family it is exact.

    >>> model = GLMModel(n_features=2, family="logistic")
    >>> model.observe_many([[1.0, 0.0], [1.0, 0.0]], [1.0, 1.0])
    >>> model.n, model.n_rows
    (2, 1)
    >>> model.means([[1.0, 0.0], [0.0, 1.0]]).round(4)
    array([0.6626, 0.5   ])
    """

    def __init__(
        self,
        *,
        n_features: int,
        family: str | Family = "logistic",
        regularization: float = 1.0,
        memory: str = "exact",
    ) -> None:
        params.require("GLMModel", "n_features", n_features, Integer(1))
        params.require("GLMModel", "family", family, Known())
        params.require("GLMModel", "regularization", regularization, Real(0.0, open_low=True))
        params.require("GLMModel", "memory", memory, OneOf("exact", "online"))
        self.n_features = int(n_features)
        self.family = get(family)
        self.regularization = float(regularization)
        self.memory = memory
        self.n = 0
        self.version = 0  # changes whenever something is learnt, so that whoever derives from it can tell
        self.n_rows = 0
        self.squares = 0.0  # Σ r², for the Gaussian likelihood of the published index
        d = self.n_features
        self._theta = np.zeros(d)
        self._solved = 0  # the version that θ̂ is of
        self._H, self._H_inv = self.regularization * np.eye(d), np.eye(d) / self.regularization
        self._curvature_of = 0
        self._XT, self._counts, self._sums = np.empty((d, 0)), np.empty(0), np.empty(0)
        self._allocate(FIRST_ROOM if memory == "exact" else 0)

    def _allocate(self, capacity: int) -> None:
        """Room for `capacity` rows, those in use copied."""
        XT, counts, sums = np.zeros((self.n_features, capacity)), np.zeros(capacity), np.zeros(capacity)
        if self.n_rows:
            XT[:, : self.n_rows] = self._XT[:, : self.n_rows]
            counts[: self.n_rows] = self._counts[: self.n_rows]
            sums[: self.n_rows] = self._sums[: self.n_rows]
        self._XT, self._counts, self._sums = XT, counts, sums
        self._table = np.full(2 * 2 ** int(np.ceil(np.log2(max(capacity, 1)))), -1, dtype=np.int64)
        if self.n_rows:
            kernels.glm.rows.rehash(XT, self.n_rows, self._table)

    def reserve(self, more: int) -> None:
        """Make room for that many new rows."""
        needed = kernels.glm.rows.padded(self.n_rows + more)
        if needed > len(self._counts):
            self._allocate(kernels.glm.rows.padded(max(needed, 2 * len(self._counts))))

    def store(self) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
        """(XT, counts, sums, table) themselves, for kernels that add rows (kernels.glm.rows)."""
        return self._XT, self._counts, self._sums, self._table

    def problem(self) -> tuple[FloatArray, int, FloatArray, FloatArray, float, int, float, IntArray]:
        """(XT, n, counts, sums, λ, code, limit, functions): the log-likelihood as kernels.glm.newton takes it."""
        n = kernels.glm.rows.padded(self.n_rows)
        return self._XT, n, self._counts, self._sums, self.regularization, *link_of(self.family)

    def curvature(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(θ̂, H, H⁻¹) themselves, up to date, for kernels."""
        if self.memory == "exact" and self._curvature_of != self.version:
            theta, d = self._estimate(), self.n_features
            work = np.empty((5, len(self._counts)))
            kernels.glm.newton.evaluate(self.problem(), np.zeros(d), theta, work, np.empty(d), self._H)
            self._H[:] = np.tril(self._H) + np.tril(self._H, -1).T
            inverse = np.linalg.inv(self._H)
            self._H_inv[:] = 0.5 * (inverse + inverse.T)
            self._curvature_of = self.version
        return self._theta, self._H, self._H_inv

    def _estimate(self) -> FloatArray:
        if self.memory == "exact" and self._solved != self.version:
            for start in (self._theta, np.zeros(self.n_features)):
                theta, work = start.copy(), np.empty((5, len(self._counts)))
                good, _, worst = kernels.glm.newton.maximise(self.problem(), np.zeros(self.n_features), theta, work)
                if good:
                    break
            else:
                raise ConvergenceError(
                    f"The estimate of {self!r} was not reached: the gradient is {worst:.1e} of its terms, which is "
                    f"more than {kernels.glm.newton.TOLERANCE:g}."
                )
            self._theta[:] = theta
            self._solved = self.version
        return self._theta

    @property
    def theta_hat(self) -> FloatArray:
        """The regularised maximum-likelihood estimate, shape (d,)."""
        return self._estimate().copy()

    @property
    def H(self) -> FloatArray:
        """Σ μ'(x_sᵀθ̂) x_s x_sᵀ + λI, shape (d, d)."""
        return self.curvature()[1].copy()

    @property
    def H_inv(self) -> FloatArray:
        """H⁻¹, shape (d, d)."""
        return self.curvature()[2].copy()

    @property
    def rows(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The compressed history: distinct contexts (m, d), counts (m,) and sums of rewards (m,)."""
        m = self.n_rows
        return self._XT[:, :m].T.copy(), self._counts[:m].copy(), self._sums[:m].copy()

    def predict(self, contexts: Any) -> tuple[FloatArray, FloatArray]:
        """Scores x_aᵀθ̂ and their variances x_aᵀH⁻¹x_a for K contexts (K, d)."""
        X = as_contexts(contexts, self.n_features)
        require_finite(X, "contexts")
        theta, _, H_inv = self.curvature()
        mean, variance = np.empty(len(X)), np.empty(len(X))
        kernels.linear.predict.predict(X, theta, H_inv, mean, variance)
        return mean, variance

    def means(self, contexts: Any) -> FloatArray:
        """Mean rewards μ(x_aᵀθ̂) of K contexts (K, d)."""
        X = as_contexts(contexts, self.n_features)
        require_finite(X, "contexts")
        values: FloatArray = self.family.mean(X @ self._estimate())
        return values

    def checked(self, context: Any, reward: Any) -> tuple[FloatArray, float]:
        """A context and a reward that the model can learn from, or an error."""
        x, r = as_observation(context, reward, self.n_features)
        self.family.require_support(np.float64(r))
        return x, r

    def checked_many(self, contexts: Any, rewards: Any) -> tuple[FloatArray, FloatArray]:
        """Contexts and rewards that the model can learn from, or an error."""
        X, r = as_observations(contexts, rewards, self.n_features)
        self.family.require_support(r, "rewards")
        return X, r

    def observe(self, context: Any, reward: Any) -> None:
        """Learn that `context` (d,) gave `reward`."""
        x, r = self.checked(context, reward)
        if self.memory == "online":
            if not kernels.glm.online.observe(self._theta, self._H, self._H_inv, *link_of(self.family), x, r):
                raise unlearnt(self, x, r)
            self.counted(1, r * r)
            return
        self.reserve(1)
        row = kernels.glm.rows.add(*self.store(), self.n_rows, x, 1.0, r)
        self.n_rows = max(self.n_rows, row + 1)
        self.counted(1, r * r)

    def observe_many(self, contexts: Any, rewards: Any) -> None:
        """Learn n rewards, the same as n calls of `observe`. Nothing is learnt if one is refused."""
        if is_empty(contexts, rewards):
            return
        X, r = self.checked_many(contexts, rewards)
        if self.memory == "exact":
            self.reserve(len(r))
            self.n_rows = kernels.glm.rows.add_many(*self.store(), self.n_rows, X, np.ones(len(r)), r)
            self.counted(len(r), float(r @ r))
            return
        before = self.state()
        start = 0
        while start < len(r):
            stop = min(len(r), start + self.until_refresh())
            arrays = self._theta, self._H, self._H_inv
            done = kernels.glm.online.observe_many(*arrays, *link_of(self.family), X[start:stop], r[start:stop])
            if done < stop - start:
                self.restore(before)
                raise unlearnt(self, X[start + done], float(r[start + done]))
            self.counted(stop - start, float(r[start:stop] @ r[start:stop]))
            start = stop

    def until_refresh(self) -> int:
        """How many observations may come before the online mode's inverse is due for a refresh."""
        return REFRESH - self.n % REFRESH

    def counted(self, observations: int, squares: float) -> None:
        """Note that kernels have put observations into the arrays."""
        self.n += observations
        self.squares += squares
        self.version += 1
        if self.memory == "online" and self.n % REFRESH == 0:
            self._refresh()

    def _refresh(self) -> None:
        inverse = np.linalg.inv(self._H)
        self._H_inv[:] = 0.5 * (inverse + inverse.T)

    def merge(self, other: "GLMModel") -> None:
        """Learn all that `other` has learnt. What both have seen counts twice.

        Exact memory: exact. Online memory: the two quadratics are added, the prior once.
        """
        mine = (self.n_features, self.family, self.regularization, self.memory)
        if mine != (other.n_features, other.family, other.regularization, other.memory):
            raise InvalidInputError(
                "merge needs models of the same n_features, family, regularization and memory. "
                f"Got {self!r} and {other!r}."
            )
        if self.memory == "exact":
            contexts, counts, sums = other.rows
            self.reserve(len(counts))
            self.n_rows = kernels.glm.rows.add_many(*self.store(), self.n_rows, contexts, counts, sums)
        else:
            pull = self._H @ self._theta + other._H @ other._theta
            self._H += other._H - self.regularization * np.eye(self.n_features)
            self._theta[:] = np.linalg.solve(self._H, pull)
            self._refresh()
        self.n += other.n
        self.squares += other.squares
        self.version += 1

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays."""
        totals = {"n": np.array(float(self.n)), "squares": np.array(self.squares), "theta_hat": self._theta.copy()}
        if self.memory == "online":
            return {**totals, "H": self._H.copy(), "H_inv": self._H_inv.copy()}
        contexts, counts, sums = self.rows
        return {**totals, "contexts": contexts, "counts": counts, "sums": sums}

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses arrays of wrong shape and leaves the model as it was."""
        d = self.n_features
        shapes: dict[str, tuple[int, ...]] = {"n": (), "squares": (), "theta_hat": (d,)}
        if self.memory == "online":
            shapes |= {"H": (d, d), "H_inv": (d, d)}
        else:
            m = len(np.atleast_1d(state["counts"]))
            shapes |= {"contexts": (m, d), "counts": (m,), "sums": (m,)}
        new = {name: as_numbers(state[name], name) for name in shapes}
        for name, shape in shapes.items():
            if new[name].shape != shape:
                raise InvalidInputError(f"state['{name}'] must have shape {shape}. Got {new[name].shape}.")
            require_finite(np.atleast_1d(new[name]), f"state['{name}']")
        self.n, self.squares = int(new["n"]), float(new["squares"])
        self.version += 1
        self._theta[:] = new["theta_hat"]
        if self.memory == "online":
            self._H[:], self._H_inv[:] = new["H"], new["H_inv"]
            return
        self.n_rows = 0
        self._allocate(FIRST_ROOM)
        self.reserve(len(new["counts"]))
        counts, sums = new["counts"], new["sums"]
        self.n_rows = kernels.glm.rows.add_many(*self.store(), 0, new["contexts"], counts, sums)

    def __repr__(self) -> str:
        return (
            f"GLMModel(n_features={self.n_features}, family={self.family!r}, regularization={self.regularization}, "
            f"memory={self.memory!r}, n={self.n})"
        )
