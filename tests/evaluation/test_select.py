"""Selection: simultaneous claims that hold, sweeps tuned apart from where they are judged."""

import numpy as np
import pytest

from rbmle import LinRBMLE, LinUCB, sweep
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.evaluation import evaluate, select
from rbmle.evaluation.selecting import Share
from rbmle.logs import Log
from rbmle.schedules import Sqrt


class Softmax:
    """A fixed policy: softmax of a linear score."""

    def __init__(self, theta):
        self.theta = np.asarray(theta)

    def __call__(self, batch):
        scores = np.exp(2.0 * batch.cube @ self.theta)
        return scores / scores.sum(axis=1, keepdims=True)


def alike(seed, n=2000, candidates=5):
    """A log in which all arms pay alike, and candidates that differ all the same."""
    rng = np.random.default_rng([seed, 5])
    X, p = rng.standard_normal((n, 3, 2)), 0.1 + 0.7 * rng.dirichlet([2.0, 2.0, 2.0], n)
    arms = (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    log = Log.from_arrays(arms=arms, rewards=(rng.random(n) < 0.4).astype(float), probabilities=p, contexts=X)
    return log, {f"c{i}": Softmax(rng.standard_normal(2)) for i in range(candidates)}


def wrong_claims(selections, first=0):
    """Shares of selections with any claim, and with a switch."""
    found = []
    for seed in range(first, first + selections):
        log, candidates = alike(seed)
        found.append(select(log, candidates, seed=seed, train=0.3, replicates=400))
    return np.mean([bool(each.distinguishable) for each in found]), np.mean([each.best is not None for each in found])


@pytest.mark.long
def test_confident_claims_are_seldom_wrong():
    claims, switches = wrong_claims(200)
    assert switches <= claims <= 0.05


def test_confident_claims_are_seldom_wrong_in_short():
    claims, _ = wrong_claims(30, first=1000)
    assert claims <= 4 / 30  # 1.5 expected


def test_better_and_worse_are_told_apart(world):
    log, _ = world.log(0, 6000)
    found = select(log, {"good": world.target, "bad": Softmax(-world.theta), "same": "uniform"}, replicates=300)
    assert found.best == "good" and found["good"].claim == "better" and found["bad"].claim == "worse"
    assert set(found.distinguishable) >= {"good", "bad"}
    # The difference is that of the values, and the interval is wider than one that holds alone.
    good = found["good"]
    alone = found.evaluations["good"].difference("dr")
    assert good.difference == pytest.approx(0.5 * (alone.low + alone.high), rel=1e-9)
    assert good.high - good.low > alone.high - alone.low
    assert abs(good.difference - (world.value - world.logged)) < 4 * good.standard_error
    text = str(found)
    assert "Switch to good:" in text and "bad: earned less." in text
    frame = found.to_frame()
    assert frame["claim"].tolist() == ["better", "worse", found["same"].claim] and (frame["n"] == found.n).all()
    assert "good" in found._repr_html_() and repr(found) == "Selection(3 candidates on arrays: best good)"
    with pytest.raises(InvalidInputError, match="candidate must be one of good, bad, same"):
        found["best"]


def test_nothing_is_claimed_without_cause():
    log, candidates = alike(3)
    found = select(log, candidates, train=0.3)
    assert found.best is None and found.verdict[0].startswith("No candidate is told apart")


def test_parts_are_split_by_ids_and_used_apart(world):
    log, _ = world.log(1, 2000)
    train, rest = (np.concatenate([b.rows for b in log.map(Share(0.3, 0, part))]) for part in (True, False))
    assert sorted([*train, *rest]) == list(range(2000)) and abs(len(train) - 600) < 90
    found = select(log, [LinRBMLE(n_features=3)], train=0.3)
    assert found.policies["LinRBMLE"].n_observed == len(train) and found.n == len(rest)
    (batch,) = log
    own = LinRBMLE(n_features=3)
    own.update_many(batch.contexts[batch.played][train], batch.reward[train])
    for key, array in own.state().items():
        np.testing.assert_array_equal(found.policies["LinRBMLE"].state()[key], array)
    held_out = evaluate(log.map(Share(0.3, 0, False)), own, estimators="dr", intervals="bootstrap")
    assert found["LinRBMLE"].value == held_out.value("dr")


def test_of_a_sweep_the_best_replay_is_judged(world):
    rng = np.random.default_rng(0)
    n = 6000
    s, arms = rng.integers(0, 16, n), rng.integers(0, 4, n)
    r = world.mu[s, arms] + 0.05 * rng.standard_normal(n)
    log = Log.from_arrays(arms=arms, rewards=r, probabilities=np.full((n, 4), 0.25), contexts=world.X[s])
    bias = [Sqrt(scale=0.01), Sqrt(scale=1.0), Sqrt(scale=100.0)]
    policies = {**sweep(LinRBMLE, n_features=3, bias=bias), "LinUCB": LinUCB(n_features=3)}
    found = select(log, policies, replicates=100)
    assert len(found.trained) == 3 and len(found.tuned) == 1 and set(found.candidates) == {*found.tuned, "LinUCB"}
    assert found.tuned != ["LinRBMLE(bias=Sqrt(scale=100.0))"]  # explores for ever
    best = max(found.trained, key=lambda name: found.trained[name].value)
    assert found.tuned == [best] and "won its sweep" in str(found)
    train = log.map(Share(0.5, 0, True))
    for name, each in found.trained.items():
        assert each.value == evaluate(train, policies[name], learn=True).value("replay")
        assert policies[name].n_observed == 0


def test_policies_that_have_learnt_are_judged_as_they_are(world):
    log, _ = world.log(2, 1500)
    policy = LinRBMLE(n_features=3)
    policy.update_many(world.X[:, 0], world.mu[:, 0])
    found = select(log, [policy, LinRBMLE(n_features=3)])
    assert list(found.candidates) == ["LinRBMLE 1", "LinRBMLE 2"]
    assert found.policies["LinRBMLE 1"] is policy and policy.n_observed == 16


def test_what_has_no_name_is_called_what_it_is(world):
    log, pi = world.log(2, 300)
    found = select(log, ["uniform", pi, world.target, LinUCB(n_features=3), pi], replicates=50)
    assert list(found.candidates) == ["uniform", "array 1", "target", "LinUCB", "array 2"]


def test_logs_without_probabilities_say_so(world):
    s, arms, r = world.draw(0, 2000)
    log = Log.from_arrays(arms=arms, rewards=r, contexts=world.X[s], n_arms=4)
    found = select(log, {"target": world.target}, replicates=100)
    assert found.estimated and "they were estimated" in str(found) and "probabilities estimated" in str(found)
    assert any("probabilities estimated" in axes._left_title.get_text() for axes in found.plot().axes)


def test_what_cannot_be_selected_from_is_refused(world):
    log, _ = world.log(0, 50)
    with pytest.raises(InvalidInputError, match="at least one"):
        select(log, [])
    with pytest.raises(InvalidParameterError, match="cannot be called 'logging policy'"):
        select(log, {"logging policy": "uniform"})
    with pytest.raises(InvalidParameterError, match="'train' parameter of select"):
        select(log, ["uniform"], train=1.0)
    with pytest.raises(InvalidInputError, match="n_features=3"):
        select(log, [LinUCB(n_features=2)])
