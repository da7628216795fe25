"""GLMProblem: mean rewards μ(xᵀθ), rewards of the family, paths that depend on (seed, trial, round) alone."""

import math

import numpy as np
import pytest

from rbmle.errors import InvalidParameterError
from rbmle.families import Custom, Extended, Gaussian, Logistic, Poisson
from rbmle.problems import GLMProblem
from rbmle.testing import check_problem

THETA = (0.3, -0.5, 0.2)
BY_HAND = {
    "logistic": lambda z: 1.0 / (1.0 + math.exp(-z)),
    "poisson": math.exp,
    "gaussian": lambda z: z,
}


@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("family", ["logistic", "poisson", "gaussian", Logistic().extended(0.2)])
def test_passes_the_shipped_checks(family: str, static: bool) -> None:
    check_problem(GLMProblem(THETA, 4, family, static=static))


@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("family", ["logistic", "poisson", "gaussian"])
def test_means_and_rewards(family: str, static: bool) -> None:
    block = GLMProblem(THETA, 6, family=family, static=static).rounds(seed=1, trial=0, start=0, stop=4000)
    np.testing.assert_allclose(np.linalg.norm(block.contexts, axis=2), 1.0, rtol=1e-14)
    by_hand = [[BY_HAND[family](float(np.dot(x, THETA))) for x in arms] for arms in block.contexts]
    np.testing.assert_allclose(block.mean_rewards, by_hand, rtol=1e-13, atol=1e-15)
    means = np.broadcast_to(block.mean_rewards, block.rewards.shape)
    variance = {"logistic": means * (1.0 - means), "poisson": means, "gaussian": np.ones_like(means)}[family]
    # Each arm's average must lie within five standard errors, and so must the square of standardised residuals.
    errors = (block.rewards - means).mean(axis=0) / np.sqrt(variance.mean(axis=0) / len(means))
    assert np.abs(errors).max() < 5.0
    assert ((block.rewards - means) ** 2 / variance).mean() == pytest.approx(1.0, abs=0.05)


def test_rewards_lie_in_the_support() -> None:
    assert set(np.unique(GLMProblem(THETA, 5).rounds(0, 0, 0, 500).rewards)) == {0.0, 1.0}
    counts = GLMProblem((1.0, 1.0), 5, "poisson").rounds(0, 0, 0, 500).rewards
    assert counts.min() >= 0.0
    assert counts.max() > 1.0
    assert np.array_equal(counts, np.floor(counts))


def test_an_extended_link_has_its_own_means_but_rewards_of_the_base() -> None:
    problem = GLMProblem((4.0, 0.0), 20, Extended(base=Logistic(), limit=1.0), static=False)
    block = problem.rounds(0, 0, 0, 200)
    z = block.contexts @ np.array([4.0, 0.0])
    tangent = 1.0 / (1.0 + math.exp(-1.0)) + math.exp(-1.0) / (1.0 + math.exp(-1.0)) ** 2 * (z - 1.0)
    np.testing.assert_allclose(block.mean_rewards[z > 1.0], tangent[z > 1.0], rtol=1e-13)
    assert set(np.unique(block.rewards)) == {0.0, 1.0}


def test_a_family_of_your_own() -> None:
    own = Custom(
        name="geometric-like",
        mu=lambda z: math.exp(0.5 * z),
        dmu=lambda z: 0.5 * math.exp(0.5 * z),
        potential=lambda z: 2.0 * math.exp(0.5 * z),
        sampler=lambda rng, mean: rng.poisson(mean),
    )
    problem = GLMProblem(THETA, 3, own)
    check_problem(problem)
    assert problem.params["family"] == "geometric-like"


def test_describes_itself() -> None:
    assert GLMProblem(THETA, 4).params == {"theta": [0.3, -0.5, 0.2], "n_arms": 4, "family": "logistic", "static": True}
    assert GLMProblem(THETA, 4, Poisson()).params["family"] == {"family": "rbmle.Poisson", "arguments": {}}
    again = eval(
        repr(GLMProblem(THETA, 4, Gaussian().extended(2.0), static=False)),
        {"GLMProblem": GLMProblem, "Gaussian": Gaussian, "Extended": Extended},
    )
    assert again.params == {
        "theta": [0.3, -0.5, 0.2],
        "n_arms": 4,
        "family": {
            "family": "rbmle.Extended",
            "arguments": {"base": {"family": "rbmle.Gaussian", "arguments": {}}, "limit": 2.0},
        },
        "static": False,
    }


SILENT = Custom(name="silent", mu=lambda z: z, dmu=lambda z: 1.0, potential=lambda z: 0.5 * z * z)
HALF_LINE = Custom(
    name="half line",
    mu=lambda z: -1.0 / z,
    dmu=lambda z: 1.0 / z**2,
    potential=lambda z: -math.log(-z),
    sampler=lambda rng, mean: rng.exponential(mean),
)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"theta": []}, "'theta' parameter of GLMProblem must be a sequence of finite numbers"),
        ({"n_arms": 0}, "'n_arms' parameter of GLMProblem"),
        ({"static": 1}, "'static' parameter of GLMProblem must be True or False"),
        ({"family": "cauchy"}, "'family' parameter of GLMProblem must be a Family or one of 'gaussian', 'logistic'"),
        ({"family": SILENT}, "'family' parameter of GLMProblem .* no sampler"),
        ({"family": HALF_LINE}, "'theta' parameter of GLMProblem must have a norm at which"),
        ({"family": "poisson", "theta": [50.0, 0.0]}, "'family' parameter of GLMProblem .* below 9e18"),
        ({"family": "poisson", "theta": [800.0, 0.0]}, "parameter of GLMProblem"),
    ],
)
def test_bad_parameters(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        GLMProblem(**{"theta": THETA, "n_arms": 3, **arguments})  # type: ignore[arg-type]
