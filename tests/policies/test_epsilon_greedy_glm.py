"""EpsilonGreedyGLM: greedy on what a general optimiser estimates, random as often as said."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rbmle import EpsilonGreedyGLM
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.families import get
from rbmle.models import GLMModel
from rbmle.problems import GLMProblem
from rbmle.schedules import Constant, Power
from rbmle.testing import check_policy


@pytest.mark.parametrize("n_features", [3, 14])
@pytest.mark.parametrize("options", [{}, {"memory": "online"}, {"family": "poisson"}])
def test_passes_the_shipped_checks(n_features: int, options: dict[str, str]) -> None:
    check_policy(EpsilonGreedyGLM(n_features=n_features, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("family", ["logistic", "poisson", "gaussian"])
def test_scores_are_those_of_a_general_optimiser(family: str) -> None:
    block = GLMProblem((0.6, -0.9, 0.3), 8, family, static=False).rounds(0, 0, 0, 200)
    X, r, known = block.contexts[:, 0], block.rewards[:, 0], get(family)
    policy = EpsilonGreedyGLM(n_features=3, family=family, regularization=0.5, epsilon=Constant(0.0))
    policy.update_many(X, r)
    found = minimize(
        lambda theta: 0.25 * theta @ theta - known.log_likelihood(X @ theta, r).sum(),
        np.zeros(3),
        jac=lambda theta: 0.5 * theta + X.T @ (known.mean(X @ theta) - r),
        options={"gtol": 1e-9},
    )
    for arms in block.contexts[:20]:
        np.testing.assert_allclose(policy.scores(arms), arms @ found.x, atol=1e-6)
        assert policy.choose(arms) == np.argmax(policy.scores(arms))
        assert policy.probabilities(arms)[policy.choose(arms)] == 1.0


def test_online_memory_follows_the_online_model() -> None:
    block = GLMProblem((0.6, -0.9, 0.3), 6, static=False).rounds(0, 0, 0, 1500)
    policy = EpsilonGreedyGLM(n_features=3, memory="online", seed=4)
    twin, model = policy.copy(), GLMModel(n_features=3, memory="online")
    arms = policy.play(block.contexts, block.rewards)
    for t, arm in enumerate(arms):
        if t % 50 == 0:
            assert np.argmax(twin.scores(block.contexts[t])) == np.argmax(block.contexts[t] @ model.theta_hat)
        assert twin.choose(block.contexts[t]) == arm
        for learner in (twin.model, model):
            learner.observe(block.contexts[t, arm], block.rewards[t, arm])
    np.testing.assert_allclose(policy.model.theta_hat, model.theta_hat, rtol=1e-8)
    assert (policy.t, len(policy.state()["theta_hat"])) == (1501, 3)


def test_explores_as_often_as_said() -> None:
    arms = np.eye(4)
    policy = EpsilonGreedyGLM(n_features=4, epsilon=Power(1.0, -0.5))
    policy.update_many(arms, [1.0, 0.0, 0.0, 0.0])  # t = 5
    epsilon = 5**-0.5
    np.testing.assert_allclose(policy.probabilities(arms), [1 - 0.75 * epsilon] + [epsilon / 4] * 3, rtol=1e-12)
    shares = np.bincount([policy.choose(arms) for _ in range(8000)], minlength=4) / 8000
    np.testing.assert_allclose(shares, policy.probabilities(arms), atol=0.025)


@pytest.mark.parametrize("bad", [-0.1, 1.5])
def test_a_share_outside_of_0_and_1_is_refused(bad: float) -> None:
    policy = EpsilonGreedyGLM(n_features=2, epsilon=lambda t: bad if t == 3 else 0.5)
    assert policy.choose(np.eye(2)) in (0, 1)  # a function is asked for no round before its time
    with pytest.raises(InvalidInputError, match=r"epsilon must lie in \[0, 1\]. Got .* at t = 3"):
        policy.choose(np.eye(2), t=3)
    with pytest.raises(InvalidInputError, match="epsilon"):
        policy.play(np.eye(2)[None], np.ones((5, 2)))
    assert policy.t == 1


def test_bad_rewards_and_parameters() -> None:
    policy = EpsilonGreedyGLM(n_features=2)
    before = policy.state()
    with pytest.raises(InvalidInputError, match="reward must be 0 or 1"):
        policy.update([1.0, 0.0], 0.5)
    with pytest.raises(InvalidInputError, match=r"rewards must be 0 or 1 .* at rewards\[3\]"):
        policy.play(np.eye(2)[None], np.array([[0.0, 1.0], [1.0, 0.3]]))
    assert all(np.array_equal(array, before[name]) for name, array in policy.state().items())
    with pytest.raises(InvalidParameterError, match="'memory' parameter of EpsilonGreedyGLM"):
        EpsilonGreedyGLM(n_features=2, memory="none")
