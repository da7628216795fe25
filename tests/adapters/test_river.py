"""river's policies in our simulator, ours in its replay, and the arms of its LinUCB."""

from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Annotated

import numpy as np
import pytest

from rbmle import LinRBMLE, LinTS, kernels
from rbmle.adapters import FromRiver, RiverPolicy
from rbmle.errors import InvalidInputError
from rbmle.features import Features, Number
from rbmle.params import Real
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.simulation import simulate

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(autouse=True)
def installed():
    pytest.importorskip("river", reason="river is not installed: pip install rbmle[river]")


def theirs(name, **settings):
    from river import bandit

    return getattr(bandit, name)(**settings)


def replay(policy):
    from river import bandit

    return bandit.evaluate_offline(policy, history=news())


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):
    """m + √(1 + v): the spread of a reward, not that of its mean."""
    for a in range(len(mean)):
        scores[a] = mean[a] + sqrt(coefficients[0] + variance[a])
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class PredictiveUCB(LinearPolicy):
    """What river's LinUCBDisjoint plays, in ours."""

    title = "upper bound of a reward"
    notation = "m + √(σ² + v)"
    source = "river"
    formula = index
    noise_variance: Annotated[float, Real(0.0)] = 1.0

    def coefficients(self, rounds):
        return np.full((len(rounds), 1), self.noise_variance)


def test_linucb_is_ours_with_the_spread_of_a_reward(blocks, one_history):
    player = FromRiver(theirs("LinUCBDisjoint", seed=1))
    assert one_history(PredictiveUCB(n_features=12), player, blocks, 400) > 390


def test_other_policies_play(blocks):
    def exp3(seed):
        return FromRiver(theirs("Exp3", gamma=0.1, seed=seed))

    def linucb(seed):
        return FromRiver(theirs("LinUCBDisjoint", seed=seed))

    results = simulate(
        {"Exp3": exp3, "LinUCB": linucb}, blocks, horizon=400, trials=3, seed=1, progress=False, n_jobs=2
    )
    final = {name: row["mean"] for name, row in results.statistics().items()}
    assert final["LinUCB"] < 120 < final["Exp3"] < 300
    assert len(set(results.regret["Exp3"][:, -1])) > 1
    with pytest.raises(InvalidInputError, match="policy must be one of river.bandit"):
        FromRiver("UCB")


def news(rounds=600, seed=0):
    """A log of visitors with two numbers each, shown one of three articles at random."""
    rng = np.random.default_rng(seed)
    taste = rng.normal(size=(3, 2))
    arms, rows = ["a", "b", "c"], []
    for _ in range(rounds):
        context = dict(zip(["age", "hour"], rng.normal(size=2), strict=True))
        arm = int(rng.integers(3))
        rows.append((arms, context, arms[arm], float(taste[arm] @ list(context.values()) + 0.1 * rng.normal())))
    return rows


def test_replay_of_river_is_replay_by_hand():
    """Our policy wins nothing by being adapted: the rewards of river's replay, one by one."""
    reward, used = replay(RiverPolicy(LinRBMLE))
    policy, total, count = LinRBMLE(n_features=6), 0.0, 0
    for arms, context, shown, paid in news():
        X = np.kron(np.eye(3), list(context.values()))
        arm = policy.choose(X)
        if arms[arm] == shown:
            policy.update(X[arm], paid)
            total, count = total + paid, count + 1
    assert (reward.get(), used) == (pytest.approx(total, abs=1e-9), count)
    assert count > 150


def test_a_linucb_of_theirs_and_ours_in_their_replay():
    """The same bandit twice in river's own runner: the same rewards."""
    other, used = replay(theirs("LinUCBDisjoint", seed=1))
    ours, ours_used = replay(RiverPolicy(PredictiveUCB))
    # Ties in the first rounds, before every arm was seen, are drawn there and go to the first here.
    assert ours.get() == pytest.approx(other.get(), rel=0.05)
    assert ours_used == pytest.approx(used, rel=0.05)


def test_policies_keep_to_the_rules_of_river():
    from river.bandit.base import ContextualPolicy

    policy = RiverPolicy(partial(LinTS, seed=3), burn_in=1)
    arms, context = ["x", "y"], {"age": 0.5}
    assert isinstance(policy, ContextualPolicy)
    assert policy.pull(arms, context) == "x"
    policy.update("x", context, 1.0)
    assert policy.pull(arms, context) == "y"
    policy.update("y", context, 3.0)
    assert policy.ranking == ["y", "x"]
    assert policy.learner.n_observed == 2
    twin = policy.clone()
    with pytest.raises(InvalidInputError, match="learner is made when the first context is seen"):
        _ = twin.learner
    assert twin.burn_in == 1
    assert policy.learner.n_features == 2


def test_contexts_are_matched_by_name():
    with pytest.raises(InvalidInputError, match="arms must be given, or learnt from a pull"):
        RiverPolicy(LinRBMLE).update("a", {"age": 1.0}, 1.0)
    policy = RiverPolicy(LinRBMLE, arms=["a"])
    policy.update("a", {"age": 1.0, "hour": 2.0}, 1.0)
    for names in ({"age": 1.0}, {"age": 1.0, "hour": 2.0, "day": 1.0}):
        with pytest.raises(InvalidInputError, match="contexts must have the columns age, hour"):
            policy.pull(["a"], names)
    with pytest.raises(InvalidInputError, match="arm"):
        policy.pull(["b"], {"hour": 1.0, "age": 2.0})
    shared = RiverPolicy(LinRBMLE, Features(shared=[Number("age")], arm_ids=["a", "b"], cross="all"))
    assert shared.contexts(["b", "a"], {"age": 7.0}).tolist() == [[1, 7, 0, 1, 0, 7], [1, 7, 1, 0, 7, 0]]
    own = RiverPolicy(LinRBMLE(n_features=2), lambda context, arm: [context["age"], arm == "a"])
    assert own.contexts(["b", "a"], {"age": 7.0}).tolist() == [[7.0, 0.0], [7.0, 1.0]]
    assert RiverPolicy(LinRBMLE, arms="ab").contexts(["a", "b"], None).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    with pytest.raises(InvalidInputError, match="policy must have n_features=2"):
        RiverPolicy(LinRBMLE(n_features=5), arms="ab").contexts(["a", "b"], {"age": 1.0})
