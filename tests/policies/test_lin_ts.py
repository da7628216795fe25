"""LinTS draws from the posterior that its width says: against moments from dense algebra."""

import numpy as np
import pytest

from rbmle import LinTS
from rbmle.errors import InvalidParameterError


def taught(**settings):
    rng = np.random.default_rng(3)
    X, r = rng.standard_normal((30, 3)), rng.standard_normal(30)
    policy = LinTS(n_features=3, regularization=0.5, **settings)
    policy.update_many(X, r)
    V = 0.5 * np.eye(3) + X.T @ X
    return policy, np.linalg.solve(V, X.T @ r), np.linalg.inv(V)


@pytest.mark.parametrize(
    "settings, width",
    [
        ({"scale": 0.7}, 0.7),
        ({"scale": 2}, 2.0),
        ({"scale": 0.1, "noise": 9.0, "delta": 0.01}, 0.1),  # the proof's numbers have no say
        ({}, 1.0),
        ({"scale": None}, np.sqrt(24 / 0.9 * 3 * np.log(2.0))),
        ({"scale": None, "noise": 0.2, "epsilon": 1.0, "delta": 0.1}, 0.2 * np.sqrt(24 * 3 * np.log(10.0))),
    ],
)
def test_samples_have_the_posterior_moments(settings, width):
    policy, theta, V_inv = taught(**settings)
    contexts, n = np.eye(3), 4000
    scores = np.empty((n, 3))
    for i in range(n):
        scores[i] = policy.scores(contexts)
        policy.choose(contexts)  # scores show the next draw, choosing takes it
    covariance = width**2 * V_inv
    error = np.sqrt(np.diag(covariance) / n)
    assert (np.abs(scores.mean(axis=0) - theta) < 4.5 * error).all()
    spread = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)) + covariance**2)
    assert (np.abs(np.cov(scores.T) - covariance) < 4.5 * spread / np.sqrt(n)).all()


@pytest.mark.parametrize("bad", [0.0, -1.0, np.inf, "1"])
def test_the_width_is_a_positive_number_or_none(bad):
    with pytest.raises(InvalidParameterError, match="'scale' parameter of LinTS must be None or a float in"):
        LinTS(n_features=2, scale=bad)
    assert LinTS(n_features=2, scale=None).scale is None
