"""The methods in plain NumPy and SciPy, as the paper's complexity section counts them: V is inverted in every round.

They are here to be timed beside ours, and say how each index is computed when nothing is kept from the last round.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize, root
from scipy.special import expit, ndtri
from scipy.stats import norm

from rbmle.types import FloatArray

Index = Callable[[FloatArray, FloatArray, int, int], FloatArray]


def others(mean: FloatArray) -> FloatArray:
    """For every arm the largest mean of the others."""
    top = np.full(len(mean), mean.max())
    top[np.argmax(mean)] = np.partition(mean, -2)[-2]
    return top


def excess(z: FloatArray) -> FloatArray:
    """f(z) = zΦ(z) + φ(z)."""
    value: FloatArray = z * norm.cdf(z) + norm.pdf(z)
    return value


def knowledge_gradient(mean: FloatArray, variance: FloatArray, t: int, T: int) -> FloatArray:
    """m + (T−t) σ̃ f(−|m − max of the others| / σ̃)."""
    sigma = np.sqrt(variance / (1 + 1 / variance))
    return mean + (T - t) * sigma * excess(-np.abs(mean - others(mean)) / sigma)


def kg_star(mean: FloatArray, variance: FloatArray, t: int, T: int) -> FloatArray:
    """m − max m + (T−t) max_k ν(k)/k over every number k of observations that remain."""
    counts = np.arange(1, max(T - t, 1) + 1)[:, None]
    spread = np.sqrt(variance * counts / (1 / variance + counts))
    value = spread * excess(-np.abs(mean - others(mean)) / spread) / counts
    index: FloatArray = mean - mean.max() + (T - t) * value.max(axis=0)
    return index


INDICES: dict[str, Index] = {
    "RBMLE": lambda m, v, t, T: m + 0.5 * math.sqrt(t) * v,
    "LinUCB": lambda m, v, t, T: m + np.sqrt(v),
    "BUCB": lambda m, v, t, T: m + ndtri(1 - 1 / t) * np.sqrt(v) if t > 1 else np.zeros_like(m),
    "GPUCB": lambda m, v, t, T: m + np.sqrt(2 * math.log(len(m) * t**2 * math.pi**2 / 6e-5) * v),
    "GPUCBT": lambda m, v, t, T: m + np.sqrt(0.9 * math.log(t) * v),
    "KG": knowledge_gradient,
    "KG*": kg_star,
}


class PlainLinear:
    """An index of mean and variance, or a rule over samples of θ, with V inverted anew for every decision."""

    def __init__(self, name: str, d: int, horizon: int, seed: int, samples: int) -> None:
        self.name, self.horizon, self.samples = name, horizon, samples
        self.V, self.b, self.t = np.eye(d), np.zeros(d), 1
        self.rng = np.random.default_rng(seed)

    def choose(self, X: FloatArray) -> int:
        """The arm to play."""
        V_inv = np.linalg.inv(self.V)
        theta = V_inv @ self.b
        if self.name == "LinTS":
            width = 24 / 0.9 * len(theta) * math.log(2)
            return int(np.argmax(X @ self.rng.multivariate_normal(theta, width * V_inv, method="cholesky")))
        if self.name == "VIDS":
            drawn = self.rng.multivariate_normal(theta, V_inv, self.samples, method="cholesky")
            return vids_choice(X, drawn, self.rng.random())
        variance = np.einsum("ai,ai->a", X @ V_inv, X)
        return int(np.argmax(INDICES[self.name](X @ theta, variance, self.t, self.horizon)))

    def update(self, x: FloatArray, reward: float) -> None:
        """Learn a reward."""
        self.V += np.outer(x, x)
        self.b += reward * x
        self.t += 1


def vids_choice(X: FloatArray, drawn: FloatArray, uniform: float) -> int:
    """The pair of arms with the least squared regret per gain, and one of the two."""
    K, centre = len(X), drawn.mean(axis=0)
    best = np.argmax(drawn @ X.T, axis=1)
    p = np.bincount(best, minlength=K) / len(drawn)
    means = np.array([drawn[best == a].mean(axis=0) if p[a] else np.zeros_like(centre) for a in range(K)])
    L = np.einsum("a,ai,aj->ij", p, means - centre, means - centre, optimize=True)
    gain = np.einsum("ai,ai->a", X @ L, X)
    gap = p @ np.einsum("ai,ai->a", X, means) - X @ centre
    if gain.max() <= 0:
        return int(np.argmin(gap))
    slope, rise = gap[:, None] - gap[None, :], gain[:, None] - gain[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        q = (rise * gap[None, :] - 2 * slope * gain[None, :]) / (slope * rise)
        candidates = np.stack([np.clip(np.nan_to_num(q), 0, 1), np.zeros((K, K)), np.ones((K, K))])
        ratio = (gap[None, :] + candidates * slope) ** 2 / (gain[None, :] + candidates * rise)
    k, a, b = np.unravel_index(np.nanargmin(ratio), ratio.shape)
    return int(a if uniform < candidates[k, a, b] else b)


class PlainGLM:
    """The generalized linear methods over the whole history: one root finder per arm, or per round."""

    def __init__(self, name: str, d: int, horizon: int, seed: int) -> None:
        self.name, self.horizon, self.d, self.t = name, horizon, d, 1
        self.X, self.r = np.empty((0, d)), np.empty(0)
        self.V, self.m, self.q = np.zeros((d, d)), np.zeros(d), np.ones(d)
        self.rng = np.random.default_rng(seed)

    def choose(self, X: FloatArray) -> int:
        """The arm to play."""
        if self.name == "Laplace-TS":
            return int(np.argmax(X @ (self.m + self.rng.standard_normal(self.d) / np.sqrt(self.q))))
        if self.name == "UCB-GLM":
            return self._optimistic(X)
        alpha, eta = math.sqrt(self.t), 1 + math.log(self.t)
        index = np.empty(len(X))
        for a, x in enumerate(X):
            theta = self._estimate(alpha * x, 1.0)
            z = self.X @ theta
            likelihood = self.r @ z - np.logaddexp(0, z).sum()
            index[a] = likelihood + eta * alpha * theta @ x - 0.5 * theta @ theta
        return int(np.argmax(index))

    def _optimistic(self, X: FloatArray) -> int:
        if self.t <= len(X):
            return int(self.rng.integers(len(X)))
        theta, d = self._estimate(np.zeros(self.d), 0.0), self.d
        chi = 5 * math.sqrt(d / 2 * math.log(1 + 2 * self.horizon / d) + math.log(10))
        variance = np.einsum("ai,ai->a", X @ np.linalg.pinv(self.V), X)
        return int(np.argmax(X @ theta + chi * np.sqrt(np.maximum(variance, 0))))

    def _estimate(self, push: FloatArray, ridge: float) -> FloatArray:
        def score(theta: FloatArray) -> FloatArray:
            return self.X.T @ (self.r - expit(self.X @ theta)) - ridge * theta + push

        found: FloatArray = root(score, np.zeros(self.d)).x
        return found

    def update(self, x: FloatArray, reward: float) -> None:
        """Learn a reward."""
        self.t += 1
        if self.name == "Laplace-TS":
            sign = 2 * reward - 1

            def loss(w: FloatArray) -> float:
                return float(0.5 * self.q @ (w - self.m) ** 2 + np.logaddexp(0, -sign * w @ x))

            self.m = minimize(loss, self.m).x
            p = expit(self.m @ x)
            self.q = self.q + x**2 * p * (1 - p)
            return
        self.X, self.r = np.vstack([self.X, x]), np.append(self.r, reward)
        self.V += np.outer(x, x)
