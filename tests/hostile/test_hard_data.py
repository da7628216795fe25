"""Features of very different size: V, means and variances against exact rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from rbmle.models.ridge import RidgeModel
from rbmle.testing.learning import hard_data
from rbmle.testing.tools import coin_rewards

# Relative errors allowed: what is left of 16 digits.
CLOSE = 1e-6


def solve(matrix, columns):
    """Gauss–Jordan elimination in rational numbers."""
    d = len(matrix)
    rows = [list(row) + list(more) for row, more in zip(matrix, columns, strict=True)]
    for i in range(d):
        pivot = next(k for k in range(i, d) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(d):
            if k != i and rows[k][i] != 0:
                rows[k] = [value - rows[k][i] * own for value, own in zip(rows[k], rows[i], strict=True)]
    return [row[d:] for row in rows]


@pytest.mark.parametrize("what", hard_data())
@pytest.mark.parametrize("how", ["observe", "observe_many"])
def test_against_exact_arithmetic(what, how):
    d, lam, X = hard_data()[what]
    lam = 1.0 if lam is None else lam
    X, r = X[:120], coin_rewards(16, 120)
    model = RidgeModel(n_features=d, regularization=lam)
    if how == "observe_many":
        model.observe_many(X, r)
    else:
        for x, reward in zip(X, r, strict=True):
            model.observe(x, reward)
    exact = [[Fraction(float(value)) for value in row] for row in X]
    V = [[sum(row[i] * row[j] for row in exact) + (Fraction(lam) if i == j else 0) for j in range(d)] for i in range(d)]
    b = [sum(row[i] * Fraction(float(reward)) for row, reward in zip(exact, r, strict=True)) for i in range(d)]
    assert model.n == 120
    size = np.sqrt(np.outer(np.diag(model.V), np.diag(model.V)))
    assert (np.abs(model.V - np.array(V, dtype=float)) / size).max() < 1e-13
    asked = exact[:5]
    solved = solve(V, [[b[i], *(x[i] for x in asked)] for i in range(d)])
    mean, variance = model.predict(X[:5])
    for a, x in enumerate(asked):
        assert mean[a] == pytest.approx(float(sum(x[i] * solved[i][0] for i in range(d))), rel=CLOSE, abs=CLOSE)
        assert variance[a] == pytest.approx(float(sum(x[i] * solved[i][1 + a] for i in range(d))), rel=CLOSE)
