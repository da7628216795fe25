"""A general constrained optimiser, for the tests of methods that know a ball and a likelihood-ratio set."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

EXACT = {"ftol": 1e-15, "maxiter": 2000}


class Constrained:
    """Logistic losses by SLSQP: Σ w (log(1 + eᶻ) − rz), z = Xθ, over the ball ‖θ‖ ≤ S and what else is asked for."""

    def __init__(self, X, r, S, weights=None):
        self.X, self.r, self.S = np.asarray(X), np.asarray(r), S
        self.weights = np.ones(len(self.r)) if weights is None else weights

    def loss(self, theta):
        """The loss and its gradient."""
        z = self.X @ theta
        value = np.sum(self.weights * (np.logaddexp(0.0, z) - self.r * z))
        return float(value), self.X.T @ (self.weights * (expit(z) - self.r))

    @property
    def ball(self):
        return {"type": "ineq", "fun": lambda th: self.S**2 - th @ th, "jac": lambda th: -2.0 * th}

    def below(self, level, ridge=0.0):
        """The constraint loss + ½ ridge ‖θ‖² ≤ level."""
        return {
            "type": "ineq",
            "fun": lambda th: level - self.loss(th)[0] - 0.5 * ridge * th @ th,
            "jac": lambda th: -self.loss(th)[1] - ridge * th,
        }

    def best(self, value, rules, starts):
        """The least value, feasible to 1e-8, from several starts: θ and the value."""
        best = None
        for start in starts:
            found = minimize(value, start, method="SLSQP", jac=True, constraints=rules, options=EXACT)
            feasible = all(rule["fun"](found.x) > -1e-8 for rule in rules)
            if feasible and (best is None or found.fun < best[1]):
                best = found.x, found.fun
        return best

    def likeliest(self, ridge=0.0):
        """θ̂ over the ball, and its loss with ½ ridge ‖θ‖²."""
        d = self.X.shape[1]

        def value(theta):
            loss, slope = self.loss(theta)
            return loss + 0.5 * ridge * theta @ theta, slope + ridge * theta

        return self.best(value, [self.ball], (np.zeros(d), 0.5 * self.S * np.ones(d) / np.sqrt(d)))

    def highest(self, x, level, start):
        """max xᵀθ over the ball and losses of at most `level`."""
        starts = start, 0.5 * start, np.zeros(len(x))
        return -self.best(lambda th: (-x @ th, -x), [self.below(level), self.ball], starts)[1]


def history(d, n, S, seed):
    """Contexts in the unit ball, coins of a logistic model with ‖θ‖ = S, and the generator."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X *= rng.uniform(size=(n, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    theta = rng.normal(size=d)
    theta *= S / np.linalg.norm(theta)
    return X, (rng.uniform(size=n) < expit(X @ theta)).astype(float), rng


def lee_radius(n, d, S, delta):
    """β² of Lee, Yun & Jun 2024 as printed."""
    return np.log(1 / delta) + d * np.log(max(np.e, 2 * np.e * S * (1 + S / 2) * (n - 1) / d))


@pytest.fixture(scope="session")
def constrained():
    return Constrained


@pytest.fixture(scope="session")
def coins():
    return history


@pytest.fixture(scope="session")
def radius():
    return lee_radius
