"""Generalized linear models, learnt one reward at a time: the regularised maximum-likelihood estimate."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rbmle import kernels, params
from rbmle.errors import ConvergenceError, InvalidInputError
from rbmle.families import Family, Known, get
from rbmle.inputs import as_contexts, as_observation, as_observations, is_empty, require_contexts
from rbmle.models.glm_state import checked_state
from rbmle.models.link import link_of
from rbmle.models.protocol import Sized
from rbmle.params import Integer, OneOf, Real
from rbmle.types import ArrayLike, FloatArray, Number

# Rows for which there is room at the start; whole vectors of kernels.glm.named.LANES.
FIRST_ROOM = 64
# Distinct contexts that online memory keeps exactly.
WINDOW = 1024
# Places in the totals that kernels count in, kernels.glm.rows and kernels.glm.online.
ROWS, REWARDS, SQUARES, PENDING = 0, 1, 2, 3


def unlearnt(model: Any, context: FloatArray, reward: float, trouble: str = "") -> ConvergenceError:
    """Say that the estimate after one more reward was not reached; nothing has changed."""
    return ConvergenceError(
        f"The estimate of {type(model).__name__} was not reached with reward {reward:g} for a context of largest entry "
        f"{np.abs(context).max():g}, after {model.n} rewards; "
        f"{trouble or 'context or reward are too extreme for double precision'}."
    )


class GLMModel(Sized):
    """θ̂ = argmax Σ r_s x_sᵀθ − b(x_sᵀθ) − ½λ‖θ‖² and the curvature H = Σ μ'(x_sᵀθ̂) x_s x_sᵀ + λI.

    memory="exact" keeps the whole history with identical contexts as one row (context, count, sum of rewards): with
    a fixed set of K contexts that is at most K rows, however long the run. The gradient at θ̂, component by component,
    is below 1e-9 of the absolute terms it is made of (usually 1e-13); where Newton's method with line search does not
    get there, `ConvergenceError` is raised.

    memory="online" is bounded: up to 1023 distinct contexts are kept exactly, as above, and a quadratic stands for what
    has left that window (least often seen and oldest first, expanded around the θ̂ of that moment). A reward moves θ̂ in
    O(d²) at once; θ̂ is brought to the very maximum after as many rewards as half of the window has rows (after every
    16th with few rows). With the Gaussian family, or while all contexts fit into the window, the order of rewards
    hardly matters: N ones and then N zeros for one context give a mean of 0.4999 for N = 100 and 0.5000 for 1000 and
    10 000. Where contexts are ever new, rewards may be out of order by as much as fits into the window: with failures
    reported every 500 rounds (K = 10, d = 5, 5000 rounds) GLM-RBMLE loses 71 ± 8, with exact memory 71 ± 10; with
    rewards at once 33 ± 1 and 33 ± 2.

    >>> model = GLMModel(n_features=2, family="logistic")
    >>> model.observe_many([[1.0, 0.0], [1.0, 0.0]], [1.0, 1.0])
    >>> model.n, model.n_rows
    (2, 1)
    >>> mean, variance = model.predict([[1.0, 0.0], [0.0, 1.0]])
    >>> mean.round(4)
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
        d = self._d = int(n_features)
        self._family = get(family)
        self._lam = float(regularization)
        self._online = memory == "online"
        self._totals = self._new_totals()
        self._past = 0  # makes `version` grow where n falls
        self._theta = np.zeros(d)
        self._H, self._H_inv = self._lam * np.eye(d), np.eye(d) / self._lam
        self._A, self._b = self._lam * np.eye(d), np.zeros(d)
        self._solved = self._curved = 0  # the versions that θ̂ and H are of, with exact memory
        self._XT, self._counts, self._sums = np.empty((d, 0)), np.empty(0), np.empty(0)
        self._allocate(WINDOW if self._online else FIRST_ROOM)

    @property
    def family(self) -> Family:
        """The family of the rewards."""
        return self._family

    @property
    def memory(self) -> str:
        """ "exact" or "online"."""
        return "online" if self._online else "exact"

    @property
    def n(self) -> int:
        """How many rewards have been learnt."""
        return int(self._totals[REWARDS])

    @property
    def n_effective(self) -> float:
        """How many rewards count: all of them, unless the model forgets."""
        return float(self.n)

    @property
    def version(self) -> int:
        """Grows whenever something is learnt, so that whoever derives from the model can tell."""
        return self._past + int(self._totals[REWARDS])

    @property
    def n_rows(self) -> int:
        """How many distinct contexts are kept."""
        return int(self._totals[ROWS])

    @property
    def squares(self) -> float:
        """Σ r², for the Gaussian likelihood of the published index."""
        return float(self._totals[SQUARES])

    def _new_totals(self) -> FloatArray:
        """What kernels count in."""
        return np.zeros(4)

    def _allocate(self, capacity: int) -> None:
        """Room for `capacity` rows, those in use copied."""
        m = self.n_rows
        XT, counts, sums = np.zeros((self._d, capacity)), np.zeros(capacity), np.zeros(capacity)
        XT[:, :m], counts[:m], sums[:m] = self._XT[:, :m], self._counts[:m], self._sums[:m]
        self._XT, self._counts, self._sums = XT, counts, sums
        self._table = np.full(2 * 2 ** int(np.ceil(np.log2(max(capacity, 1)))), -1, dtype=np.int64)
        if m:
            kernels.glm.rows.rehash(self._rows())

    def _reserve(self, more: int) -> None:
        """Make room for that many new rows; a window has its size, and makes room itself."""
        needed = self.n_rows + more
        if needed > len(self._counts) and not self._online:
            self._allocate(kernels.glm.named.padded(max(needed, 2 * len(self._counts))))

    def _rows(self) -> tuple[Any, ...]:
        """The `History` of kernels.glm.named."""
        return self._XT, self._counts, self._sums, self._table, self._totals

    def _window(self) -> tuple[Any, ...]:
        """The `Window` of kernels.glm.online."""
        return *self._rows(), self._theta, self._H_inv, self._A, self._b

    def play(self, kernel: Callable[..., int], room: int, *arguments: Any) -> int:
        """Run a compiled loop that learns, ``kernel(memory, link, *arguments)``, with room for so many new contexts.

        memory is a `History` of kernels.glm.named or a `Window` of kernels.glm.online. Kernels count where they learn,
        so that n and the version are right however far they came. Returns what the kernel did: how far that was.
        """
        self._reserve(room)
        return int(kernel(self._window() if self._online else self._rows(), link_of(self._family), *arguments))

    def problem(self) -> tuple[Any, ...]:
        """The `Likelihood` of kernels.glm.named, to be read by kernels that decide."""
        rows = kernels.glm.named.padded(int(self._totals[ROWS]))
        return self._XT, rows, self._counts, self._sums, self._lam, link_of(self._family)

    def scratch(self) -> FloatArray:
        """Room for numbers on the way, as kernels over `problem` need it."""
        return np.empty((5, len(self._counts)))

    def curvature(self) -> tuple[FloatArray, FloatArray]:
        """θ̂ and H⁻¹ themselves, up to date, to be read by kernels that decide."""
        if not self._online and self._curved != self.version:
            theta = self._estimate()
            kernels.glm.newton.curvature(self.problem(), theta, self.scratch(), self._H)
            self._H_inv[:] = inverse_of(self._H)
            self._curved = self.version
        return self._theta, self._H_inv

    def _estimate(self) -> FloatArray:
        if not self._online and self._solved != self.version:
            # From 0, not from where the last search ended: whoever asked before must not be seen in the last bits.
            theta = np.zeros(self._d)
            good, worst = kernels.glm.newton.estimate(self.problem(), theta, self.scratch())
            if not good:
                reached = f"the gradient is {worst:.1e} of its terms, above {kernels.glm.newton.TOLERANCE:g}"
                raise ConvergenceError(f"The estimate of {self!r} was not reached: {self.trouble() or reached}.")
            self._theta[:] = theta
            self._solved = self.version
        return self._theta

    def trouble(self, *contexts: FloatArray) -> str:
        """What is wrong with a user's family at 0 and at the scores of contexts, in words; "" where nothing is."""
        seen = self._XT[:, : self.n_rows].T
        return self._family.trouble(np.concatenate([[0.0], *(X @ self._theta for X in (seen, *contexts))]))

    @property
    def theta_hat(self) -> FloatArray:
        """The regularised maximum-likelihood estimate, shape (d,)."""
        return self._estimate().copy()

    @property
    def H(self) -> FloatArray:
        """Σ μ'(x_sᵀθ̂) x_s x_sᵀ + λI, shape (d, d)."""
        _, H_inv = self.curvature()
        return inverse_of(H_inv) if self._online else self._H.copy()

    @property
    def H_inv(self) -> FloatArray:
        """H⁻¹, shape (d, d)."""
        return self.curvature()[1].copy()

    @property
    def rows(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The compressed history: distinct contexts (m, d), counts (m,) and sums of rewards (m,)."""
        m = self.n_rows
        return self._XT[:, :m].T.copy(), self._counts[:m].copy(), self._sums[:m].copy()

    def predict_score(self, contexts: "ArrayLike") -> tuple[FloatArray, FloatArray]:
        """Scores x_aᵀθ̂ and their variances x_aᵀH⁻¹x_a for K contexts (K, d)."""
        X = as_contexts(contexts, self._d)
        require_contexts(X)
        theta, H_inv = self.curvature()
        return X @ theta, ((X @ H_inv) * X).sum(axis=1)

    def predict(self, contexts: "ArrayLike") -> tuple[FloatArray, FloatArray]:
        """Mean rewards μ(x_aᵀθ̂) of K contexts (K, d), and their variances μ'(x_aᵀθ̂)² x_aᵀH⁻¹x_a."""
        score, variance = self.predict_score(contexts)
        return self._family.mean(score), self._family.derivative(score) ** 2 * variance

    def means(self, contexts: "ArrayLike") -> FloatArray:
        """Mean rewards μ(x_aᵀθ̂) of K contexts (K, d)."""
        X = as_contexts(contexts, self._d)
        require_contexts(X)
        values: FloatArray = self._family.mean(X @ self._estimate())
        return values

    def checked(self, context: "ArrayLike", reward: "Number") -> tuple[FloatArray, float]:
        """A context and a reward that the model can learn from, or an error."""
        x, r = as_observation(context, reward, self._d)
        self._family.require_support(np.float64(r))
        return x, r

    def checked_many(self, contexts: "ArrayLike", rewards: "ArrayLike") -> tuple[FloatArray, FloatArray]:
        """Contexts and rewards that the model can learn from, or an error."""
        X, r = as_observations(contexts, rewards, self._d)
        self._family.require_support(r, "rewards")
        return X, r

    def observe(self, context: "ArrayLike", reward: "Number") -> None:
        """Learn that `context` (d,) gave `reward`."""
        x, r = self.checked(context, reward)
        if self._online:
            if not kernels.glm.online.observe(self._window(), link_of(self._family), x, r):
                raise unlearnt(self, x, r, self.trouble(x[None]))
            return
        self._reserve(1)
        kernels.glm.rows.observe(self._rows(), x, r)

    def observe_many(self, contexts: "ArrayLike", rewards: "ArrayLike") -> None:
        """Learn n rewards, the same as n calls of `observe`. Nothing is learnt if one is refused."""
        if is_empty(contexts, rewards):
            return
        X, r = self.checked_many(contexts, rewards)
        if not self._online:
            self._reserve(len(r))
            kernels.glm.rows.observe_many(self._rows(), X, r)
            return
        before = self.state()
        done = kernels.glm.online.observe_many(self._window(), link_of(self._family), X, r)
        if done < len(r):
            self._take(before)
            raise unlearnt(self, X[done], float(r[done]), self.trouble(X[done : done + 1]))

    def merge(self, other: "GLMModel") -> None:
        """Learn all that `other` has learnt. What both have seen counts twice.

        Exact memory: exact. Online memory: exact for what is in both windows, and quadratics are added, the prior once.
        """
        mine = (self.n_features, self.family, self.regularization, self.memory)
        if mine != (other.n_features, other.family, other.regularization, other.memory):
            raise InvalidInputError(
                "merge needs models of the same n_features, family, regularization and memory. "
                f"Got {self!r} and {other!r}."
            )
        contexts, counts, sums = other.rows
        if self._online:
            H, theirs = self.H, other.H
            pull = H @ self._theta + theirs @ other._theta
            prior = self._lam * np.eye(self._d)
            self._A += other._A - prior
            self._b += other._b
            self._H_inv[:] = inverse_of(H + theirs - prior)  # where the search for the maximum of both begins
            self._theta[:] = self._H_inv @ pull
            kernels.glm.online.absorb(self._window(), link_of(self._family), contexts, counts, sums)
        else:
            self._reserve(len(counts))
            kernels.glm.rows.put_many(self._rows(), contexts, counts, sums)
        self._totals[REWARDS] += other.n
        self._totals[SQUARES] += other.squares
        self._past += 1

    def state(self) -> dict[str, FloatArray]:
        """All that is learnt, as plain arrays of its own."""
        contexts, counts, sums = self.rows
        state = {"n": np.array(float(self.n)), "squares": np.array(self.squares)}
        state |= {"contexts": contexts, "counts": counts, "sums": sums}
        if self._online:
            state |= {"theta_hat": self._theta.copy(), "H_inv": self._H_inv.copy()}
            state |= {"folded": self._A.copy(), "pull": self._b.copy(), "pending": np.array(self._totals[PENDING])}
        return state

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over a state that `state` gave; refuses what cannot be one and leaves the model as it was."""
        self._take(checked_state(state, self._d, self._family, WINDOW - 1 if self._online else None))

    def _take(self, new: Mapping[str, FloatArray]) -> None:
        """Make a checked state one's own."""
        self._past, n = self.version + 1 - int(new["n"]), float(new["n"])
        self._totals[:4] = [0.0, n, float(new["squares"]), float(new.get("pending", 0.0))]
        if self._online:
            self._theta[:], self._H_inv[:] = new["theta_hat"], new["H_inv"]
            self._A[:], self._b[:] = new["folded"], new["pull"]
        self._allocate(WINDOW if self._online else FIRST_ROOM)
        self._reserve(len(new["counts"]))
        kernels.glm.rows.put_many(self._rows(), new["contexts"], new["counts"], new["sums"])

    def __repr__(self) -> str:
        return (
            f"GLMModel(n_features={self._d}, family={self._family!r}, regularization={self._lam}, "
            f"memory={self.memory!r}, n={self.n})"
        )


def inverse_of(matrix: FloatArray) -> FloatArray:
    """The inverse of a symmetric matrix, symmetric to the bit."""
    inverse = np.linalg.inv(matrix)
    return np.asarray(0.5 * (inverse + inverse.T))
