"""Our policies in simulations of Open Bandit Pipeline, and the arms of its LinUCB.

Its newest release (0.5.7) forbids Python 3.11, and the newest that does not (0.4.1) needs torch, gigabytes that only
its neural policies use: it is installed without, and an empty torch stands in while it is imported.
"""

import importlib
import sys
import types
from functools import partial

import numpy as np
import pytest

from rbmle import LinRBMLE, LinTS, LinUCB
from rbmle.adapters import OBPPolicy
from rbmle.errors import InvalidInputError, InvalidParameterError


class Anything(type):
    """A class whose every attribute is the class itself."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return cls


class Empty(metaclass=Anything):
    """What stands in for all of torch's classes."""


def without_torch(name):
    """A module of obp, imported with an empty torch unless there is one."""
    known = set(sys.modules)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != "torch":
            raise
    for module in ("torch", "torch.nn", "torch.optim"):
        sys.modules[module] = types.ModuleType(module)
        sys.modules[module].__getattr__ = lambda _: Empty
    try:
        for module in [each for each in sys.modules if each.startswith("obp") and each not in known]:
            del sys.modules[module]
        return importlib.import_module(name)
    finally:
        for module in ("torch", "torch.nn", "torch.optim"):
            del sys.modules[module]


@pytest.fixture
def theirs():
    try:
        return without_torch("obp.policy")
    except ModuleNotFoundError as missing:
        pytest.skip(f"Open Bandit Pipeline cannot be imported ({missing}): pip install --no-deps obp==0.4.1")


@pytest.fixture
def simulator(theirs):
    return without_torch("obp.simulator")


@pytest.fixture
def feedback():
    """A log in obp's form: five numbers, three actions drawn at random, and what each would have paid."""
    rng = np.random.default_rng(0)
    context = rng.normal(size=(500, 5))
    expected = 1.0 / (1.0 + np.exp(-context @ rng.normal(size=(5, 3))))
    action = rng.integers(3, size=500)
    paid = (rng.random((500, 3)) < expected).astype(float)
    return {
        "n_rounds": 500,
        "n_actions": 3,
        "context": context,
        "action": action,
        "position": np.zeros(500, dtype=int),
        "reward": paid[np.arange(500), action],
        "pscore": np.full(500, 1 / 3),
        "expected_reward": expected,
    }


@pytest.mark.long
@pytest.mark.parametrize("alpha", [0.1, 1.0])
def test_linucb_is_ours(theirs, feedback, alpha):
    """On one history, that of obp's own choices; of equals it takes the last."""
    ours = OBPPolicy(partial(LinUCB, alpha=alpha), dim=5, n_actions=3)
    other, alone = theirs.LinUCB(dim=5, n_actions=3, epsilon=alpha), 0
    for x, means in zip(feedback["context"], feedback["expected_reward"], strict=True):
        row = x[None]
        scores = ours.learner.scores(ours.contexts(row))
        action = other.select_action(row)[0]
        best = np.flatnonzero(scores >= scores.max() - 1e-9)
        assert action in best
        alone += len(best) == 1
        for each in (ours, other):
            each.update_params(action, means[action], row)
    assert alone > 490
    np.testing.assert_array_equal(ours.action_counts, other.action_counts)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_replay_of_obp_is_replay_by_hand(simulator, feedback):
    ours = OBPPolicy(LinRBMLE, dim=5, n_actions=3)
    chances = simulator.run_bandit_simulation(bandit_feedback=feedback, policy=ours)
    policy, arms = LinRBMLE(n_features=15), []
    for x, action, reward in zip(feedback["context"], feedback["action"], feedback["reward"], strict=True):
        X = np.kron(np.eye(3), x)
        arms.append(policy.choose(X))
        if arms[-1] == action:
            policy.update(X[action], reward)
    np.testing.assert_array_equal(chances[:, :, 0].argmax(axis=1), arms)
    assert ours.n_trial == policy.n_observed > 100


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_value_in_obp_is_the_value_by_hand(simulator, feedback):
    """Our policies win nothing by being adapted: the expected reward of its run, where each action pays its mean."""
    means = {tuple(x): row for x, row in zip(feedback["context"], feedback["expected_reward"], strict=True)}
    told = simulator.calc_ground_truth_policy_value(
        bandit_feedback=feedback,
        reward_sampler=lambda context, action: means[tuple(context[0])][action[0]],
        policy=OBPPolicy(LinRBMLE, dim=5, n_actions=3),
        n_sim=1,
    )
    policy, total = LinRBMLE(n_features=15), 0.0
    for x, row in zip(feedback["context"], feedback["expected_reward"], strict=True):
        X = np.kron(np.eye(3), x)
        arm = policy.choose(X)
        policy.update(X[arm], row[arm])
        total += row[arm]
    assert told == pytest.approx(total / 500, rel=1e-12)


@pytest.mark.long
def test_policy_is_contextual_to_obp(theirs):
    assert OBPPolicy(LinUCB, dim=2, n_actions=2).policy_type == theirs.LinUCB(dim=2, n_actions=2).policy_type


def test_interface_as_documented(feedback):
    """What `obp.policy.BaseContextualPolicy` documents, without obp."""
    policy = OBPPolicy(partial(LinTS, scale=0.1), dim=5, n_actions=3, len_list=2, random_state=4)
    row = feedback["context"][:1]
    for _ in range(5):
        actions = policy.select_action(row)
        assert actions.shape == (2,)
        assert len(set(actions.tolist())) == 2
        policy.update_params(action=actions[0], reward=1.0, context=row)
    assert (policy.n_trial, policy.action_counts.sum(), policy.learner.n_observed) == (5, 5, 5)
    assert policy.policy_name == "rbmle_LinTS"
    policy.initialize()
    assert (policy.n_trial, policy.action_counts.sum(), policy.learner.n_observed) == (0, 0, 0)
    own = OBPPolicy(LinUCB(n_features=2), dim=5, n_actions=3, features=lambda x, action: [x[0], float(action)])
    assert own.contexts(row).tolist() == [[row[0, 0], 0.0], [row[0, 0], 1.0], [row[0, 0], 2.0]]


def test_bad_settings_and_contexts(feedback):
    for settings in ({"dim": 0}, {"n_actions": 1}, {"len_list": 0}, {"len_list": 9}):
        with pytest.raises(InvalidParameterError, match=f"The '{next(iter(settings))}' parameter of OBPPolicy must be"):
            OBPPolicy(LinUCB, **({"dim": 5, "n_actions": 3} | settings))
    policy = OBPPolicy(LinUCB, dim=5, n_actions=3)
    with pytest.raises(InvalidInputError, match=r"context must have shape \(1, 5\). Got shape \(5,\)"):
        policy.select_action(feedback["context"][0])
    with pytest.raises(InvalidInputError, match="arm must be an int from 0 to 2"):
        policy.update_params(3, 1.0, feedback["context"][:1])
    ragged = lambda x, action: [1.0] * (int(action) + 1)  # noqa: E731
    with pytest.raises(InvalidInputError, match="features must return as many numbers for every arm"):
        OBPPolicy(LinUCB, dim=5, n_actions=3, features=ragged)
    with pytest.raises(InvalidInputError, match="policy must have n_features=15"):
        OBPPolicy(LinUCB(n_features=5), dim=5, n_actions=3)
