"""Our policies in coba's experiments, coba's learners in our simulator, and the arms of its LinUCB."""

from functools import partial

import numpy as np
import pytest

from rbmle import LinRBMLE, LinTS, LinUCB
from rbmle.adapters import CobaLearner, FromCoba
from rbmle.errors import InvalidInputError
from rbmle.simulation import simulate

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(autouse=True)
def installed():
    pytest.importorskip("coba", reason="coba is not installed: pip install rbmle[coba]")


def theirs(name, *arguments, **settings):
    import coba

    return getattr(coba, name)(*arguments, **settings)


class Played:
    """The rounds of a trial of ours, as an environment of coba: no context, an action is what an arm looks like."""

    params = {}

    def __init__(self, problem, seed, trial, rounds):
        self.block, self.rounds = problem.rounds(seed, trial, 0, rounds), rounds

    def read(self):
        from coba.primitives import SimulatedInteraction

        for number in range(self.rounds):
            actions = [tuple(row) for row in self.block.contexts_of(number).tolist()]
            yield SimulatedInteraction(None, actions, self.block.rewards[number].tolist())


def evaluated(environment, learner):
    """What coba's own evaluator records: actions, rewards, probabilities."""
    from coba.evaluators import SequentialCB

    return list(SequentialCB(record=["action", "reward", "probability"]).evaluate(environment, learner))


@pytest.mark.parametrize("alpha", [0.2, 1.0])
def test_linucb_is_ours_from_the_first_round_to_the_last(free, same_run, one_history, alpha):
    same_run(LinUCB(n_features=3, alpha=alpha), FromCoba(theirs("LinUCBLearner", alpha, features=["a"])), free)
    player = FromCoba(theirs("LinUCBLearner", alpha, features=["a"]))
    assert one_history(LinUCB(n_features=3, alpha=alpha), player, free, 300) == 300


def test_linucb_on_a_shared_context(blocks, one_history):
    player = FromCoba(theirs("LinUCBLearner", 1.0, features=["ax"]), "blocks")
    assert one_history(LinUCB(n_features=12), player, blocks, 400) > 390


@pytest.mark.parametrize("policy", [LinRBMLE(n_features=3), LinUCB(n_features=3, alpha=0.5)])
def test_our_policies_win_nothing_in_experiments_of_coba(free, policy):
    """The same rounds in coba's runner and in our simulator: the same arms, hence the same regret."""
    told = evaluated(Played(free, 5, 0, 500), CobaLearner(policy, features=["a"]))
    results = simulate({"ours": policy}, free, horizon=500, trials=1, seed=5, log=True, progress=False)
    block, ours = free.rounds(5, 0, 0, 500), results.log("ours")
    arms = np.array([block.contexts_of(t).tolist().index(list(row["action"])) for t, row in enumerate(told)])
    np.testing.assert_array_equal(arms, ours["arm"])
    np.testing.assert_allclose([row["reward"] for row in told], ours["reward"], rtol=1e-12)
    assert block.regret(arms).sum() == pytest.approx(results.regret["ours"][0, -1], rel=1e-12)
    assert {row["probability"] for row in told} == {1.0}
    assert policy.n_observed == 0


def test_the_same_linucb_of_theirs_and_ours_in_their_runner(free):
    other = evaluated(Played(free, 1, 0, 400), theirs("LinUCBLearner", 1.0, features=["a"]))
    ours = evaluated(Played(free, 1, 0, 400), CobaLearner(LinUCB, features=["a"]))
    assert [row["action"] for row in ours] == [row["action"] for row in other]


def test_experiments_of_coba_run():
    """Its own synthetic environment, contexts and one-hot actions crossed, results in its own table."""
    import coba

    environments = coba.Environments.from_linear_synthetic(300, n_actions=4, seed=1)
    learners = [CobaLearner(partial(LinTS, scale=0.3, seed=2)), CobaLearner(LinRBMLE), coba.RandomLearner()]
    result = coba.Experiment(environments, learners).run(quiet=True)
    means = {}
    for row in result.interactions.to_dicts():
        means.setdefault(row["learner_id"], []).append(row["reward"])
    assert len(means) == 3
    assert np.mean(means[1]) > np.mean(means[2])


def test_probabilities_are_those_served():
    learner = CobaLearner(partial(LinTS, seed=2))
    actions = [(1.0, 0.0), (0.0, 1.0)]
    learner.learn((0.5,), actions[0], 1.0, 0.5)
    told = [learner.score((0.5,), actions, action) for action in actions]
    assert sum(told) == pytest.approx(1.0)
    action, probability = learner.predict((0.5,), actions)
    assert probability == told[actions.index(action)]
    assert learner.learner.n_features == 1 + 2 + 2
    assert learner.params["family"] == "LinTS"
    assert CobaLearner(LinUCB(n_features=3)).params["alpha"] == 1.0


def test_names_are_refused():
    with pytest.raises(InvalidInputError, match="context and actions must be numbers or rows of numbers"):
        CobaLearner(LinUCB).predict({"age": 1.0}, [(1.0,), (0.0,)])
    with pytest.raises(InvalidInputError, match="context and actions must be numbers"):
        CobaLearner(LinUCB).predict(None, ["red", "blue"])
    with pytest.raises(InvalidInputError, match="learner must have predict and learn"):
        FromCoba("LinUCB")
    with pytest.raises(InvalidInputError, match="learner is made when the first context is seen"):
        _ = CobaLearner(LinUCB)._own


def test_learners_that_answer_with_chances_follow_the_seed(free):
    def greedy(seed):
        return FromCoba(theirs("BanditEpsilonLearner", 0.1, seed=seed), "all", seed=seed)

    results = simulate({"ε": greedy}, free, horizon=200, trials=2, seed=1, progress=False)
    assert len(set(results.regret["ε"][:, -1])) == 2
