"""Targets: policies as they are, arrays, functions; and what is none of these."""

import json

import numpy as np
import pytest

from rbmle import EpsilonGreedy, LinRBMLE, LinTS, LinUCB
from rbmle.errors import InvalidInputError
from rbmle.evaluation import evaluate, select
from rbmle.evaluation.selecting import Share
from rbmle.evaluation.targets import Probabilities, as_target
from rbmle.logs import Log


def chances_of(target, log, seed=0):
    (batch,) = log
    return as_target(target, log, seed).chances(batch).reshape(len(batch), -1)


@pytest.mark.parametrize("method", [LinUCB, LinRBMLE, EpsilonGreedy])
def test_a_policy_is_taken_as_it_is(world, method):
    log, _ = world.log(0, 60)
    policy = method(n_features=3)
    policy.update_many(world.X[:, 0], world.mu[:, 0])
    (batch,) = log
    expected = np.array([policy.probabilities(contexts) for contexts in batch.cube])
    np.testing.assert_array_equal(chances_of(policy, log), expected)
    before = policy.state()
    found = evaluate(log, policy, estimators="ips")
    assert found.target == method.__name__ and found.value("ips") > 0.0
    for name, array in policy.state().items():
        np.testing.assert_array_equal(array, before[name])


def test_a_policy_that_samples_has_its_shares_whoever_asks(world):
    log, _ = world.log(0, 40)
    policy = LinTS(n_features=3, seed=5)
    policy.update_many(world.X[:, 0], world.mu[:, 0])
    first, again, other = (chances_of(policy, log, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    state = policy.rng.bit_generator.state
    chances_of(policy, log)
    assert policy.rng.bit_generator.state == state
    # The law of the method: many more draws come to the same shares.
    (batch,) = log
    many = np.array([policy.probabilities(contexts, samples=40_000) for contexts in batch.cube[:5]])
    assert np.abs(first[:5] - many).max() < 0.08


def test_rows_of_different_numbers_of_arms():
    sets = [np.eye(3), np.eye(3)[:2], np.eye(3)[:1]]
    log = Log.read({"contexts": sets, "arm": [2, 0, 0], "probability": [0.5, 0.5, 1.0], "reward": [1.0, 1.0, 3.0]})
    policy = LinUCB(n_features=3)
    policy.update([1.0, 0.0, 0.0], -5.0)
    (batch,) = log
    np.testing.assert_array_equal(as_target(policy, log, 0).chances(batch), [0, 1, 0, 0, 1, 1])
    by_array = evaluate(log, np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), estimators="ips")
    by_arms = evaluate(log, np.array([1, 1, 0]), estimators="ips")
    assert evaluate(log, policy, estimators="ips").value("ips") == by_array.value("ips") == by_arms.value("ips") == 1.0
    uniform = evaluate(log, "uniform", estimators="ips")
    assert uniform.value("ips") == pytest.approx((1.0 / 3 / 0.5 + 1.0 / 2 / 0.5 + 3.0) / 3)
    with pytest.raises(InvalidInputError, match="must be 0 beyond the 2 arms of the row, in row 1"):
        evaluate(log, np.full((3, 3), 1 / 3), estimators="ips")


def test_a_shared_context_is_put_where_policies_look_for_it():
    rng = np.random.default_rng(0)
    x, arms = rng.standard_normal((50, 2)), rng.integers(0, 3, 50)
    log = Log.from_arrays(arms=arms, rewards=x[:, 0], probabilities=np.full(50, 1 / 3), contexts=x, n_arms=3)
    with pytest.raises(InvalidInputError, match="log.per_arm"):
        evaluate(log, LinUCB(n_features=6))
    disjoint = log.per_arm()
    assert disjoint.n_features == 6 and "6 features" in repr(disjoint)
    (batch,) = disjoint
    for arm in range(3):
        np.testing.assert_array_equal(batch.cube[:, arm, 2 * arm : 2 * arm + 2], x)
    assert np.count_nonzero(batch.cube) == 50 * 3 * 2
    (wide,) = log.per_arm("shared")
    np.testing.assert_array_equal(wide.cube[:, :, 2:], batch.cube)
    np.testing.assert_array_equal(wide.cube[:, 1, :2], x)
    assert evaluate(disjoint, LinUCB(n_features=6), estimators="ips").n == 50
    with pytest.raises(InvalidInputError, match="needs a log with a shared context"):
        disjoint.per_arm()


def test_wide_contexts_are_made_a_few_rows_at_a_time(monkeypatch):
    monkeypatch.setattr("rbmle.logs.encoding.BATCH_BYTES", 100_000)
    log = Log.from_arrays(arms=np.zeros(500, int), rewards=np.arange(500.0), contexts=np.ones((500, 5)), n_arms=4)
    sizes = [len(batch) for batch in log.per_arm()]
    assert sum(sizes) == 500 and max(sizes) == max(64, 100_000 // (8 * 4 * 4 * 5))
    rewards = np.concatenate([batch.reward for batch in log.per_arm()])
    np.testing.assert_array_equal(rewards, np.arange(500.0))


def test_what_is_no_target_is_refused(world):
    log, pi = world.log(0, 30)
    bad = pi.copy()
    bad[4, 1] += 0.5
    negative = np.tile([1.5, -0.5, 0.0, 0.0], (30, 1))
    for target, words in (
        (pi[:29], "must have a row for each of the log"),
        (bad, "target must be chances ≥ 0 that add up to 1, in row 4"),
        (negative, "chances ≥ 0 that add up to 1, in row 0"),
        (np.full((30, 4), np.nan), "chances ≥ 0 that add up to 1, in row 0"),
        (np.full(30, 4), "target must be a position from 0 to 3, in row 0 of the log. Got 4"),
        (pi[:, :3], "must have a chance for every arm"),
        (lambda batch: "no", "must be an array of real numbers"),
        (lambda batch: np.zeros(3), "must have a chance for every arm"),
        ("greedy", "target must be a policy"),
        (LinUCB(n_features=2), "must be a policy of n_features=3"),
        (None, "target must be a policy"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            evaluate(log, target, estimators="ips")
    bare = Log.from_arrays(arms=[0, 1], rewards=[1.0, 0.0], probabilities=[0.5, 0.5], n_arms=2)
    with pytest.raises(InvalidInputError, match="needs contexts of every arm"):
        evaluate(bare, LinUCB(n_features=2))
    assert Probabilities(pi).name == "array"


def in_text(world, folder, n):
    """A log in three files of text, in which nobody knows how many rows are in the files before."""
    log, pi = world.log(0, n)
    lines = "".join(json.dumps(row) + "\n" for row in log.to_frame().to_dict("records")).splitlines(keepends=True)
    for place, start in enumerate(range(0, n, n // 3 + 1)):
        (folder / f"{place}.jsonl").write_text("".join(lines[start : start + n // 3 + 1]))
    return Log.read(folder), log, pi


def test_arrays_go_with_rows_through_several_files_of_text(world, tmp_path):
    text, log, pi = in_text(world, tmp_path, 100)
    q = np.random.default_rng(0).random((100, world.K))
    assert [part.first for part in text.parts] == [0, None, None]
    for found in (evaluate(text, pi, reward_model=q), evaluate(text.map(lambda batch: batch), pi, reward_model=q)):
        plain = evaluate(log, pi, reward_model=q)
        for name in ("ips", "snips", "dm", "dr"):
            assert found.value(name) == pytest.approx(plain.value(name), rel=1e-12)
    cut = text.map(lambda batch: batch.take(batch.rows % 2 == 0))  # half of the rows, each with its own of the array
    few = evaluate(log.map(lambda batch: batch.take(batch.rows % 2 == 0)), pi, estimators="ips")
    assert evaluate(cut, pi, estimators="ips").value("ips") == pytest.approx(few.value("ips"), rel=1e-12)
    chosen = select(text, {"array": pi, "same": "uniform"}, reward_model=q, replicates=50)
    rest = text.map(Share(0.5, 0, False))
    held_out = evaluate(rest, pi, estimators="dr", reward_model=q, intervals="bootstrap")
    assert chosen.n == held_out.n < 100 and chosen["array"].value == held_out.value("dr")


def test_an_array_of_another_log_is_refused(world):
    log, pi = world.log(0, 30)
    with pytest.raises(InvalidInputError, match="target must have a row for each of the 30 of the log. Got 60"):
        evaluate(log, np.concatenate([pi, pi]))
    with pytest.raises(InvalidInputError, match="reward_model must have a row for each of the 30 of the log. Got 31"):
        evaluate(log, pi, reward_model=np.zeros((31, world.K)))
    with pytest.raises(InvalidInputError, match="reward_model must have a row for each of the log. It has 29"):
        evaluate(log, pi, reward_model=np.zeros((29, world.K)))
