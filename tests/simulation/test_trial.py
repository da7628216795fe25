"""One trial against a plain loop: the same arms, the same regret, whatever the block."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from rbmle import LinRBMLE, LinTS, LinUCB
from rbmle.problems import LinearProblem, PreparedProblem, Problem, Rounds
from rbmle.simulation import run_trial, trial
from rbmle.types import FloatArray, IntArray

EVERY = np.arange(1, 201)


class DenseUCB:
    """LinUCB by dense algebra, written for this test."""

    def __init__(self, d: int) -> None:
        self.V, self.b = np.eye(d), np.zeros(d)

    def choose(self, contexts: FloatArray) -> int:
        inverse = np.linalg.inv(self.V)
        widths = [np.sqrt(x @ inverse @ x) for x in contexts]
        return int(np.argmax(contexts @ inverse @ self.b + widths))

    def update(self, context: FloatArray, reward: float) -> None:
        self.V += np.outer(context, context)
        self.b += reward * context


class Always:
    def __init__(self, arm: int) -> None:
        self.arm = arm

    def choose(self, contexts: FloatArray) -> int:
        return self.arm

    def update(self, context: FloatArray, reward: float) -> None:
        context[:] = np.nan  # nobody else may notice


def by_plain_loop(problem: LinearProblem, seed: int, trial: int, horizon: int) -> FloatArray:
    policy, total, curve = DenseUCB(problem.n_features), 0.0, []
    rounds = problem.rounds(seed, trial, 0, horizon)
    for t in range(horizon):
        at = 0 if problem.static else t
        arm = policy.choose(rounds.contexts[at])
        policy.update(rounds.contexts[at][arm].copy(), rounds.rewards[t, arm])
        total += max(rounds.mean_rewards[at]) - rounds.mean_rewards[at][arm]
        curve.append(total)
    return np.array(curve)


@pytest.mark.parametrize("static", [True, False])
def test_compiled_and_python_policies_against_a_plain_loop(static: bool) -> None:
    # Norms differ, or all arms would tie in the first round, and the last bit of either program would decide.
    problem = LinearProblem([0.6, -0.2, 0.4], n_arms=5, static=static, contexts="ball")
    policies = {"spoiler": Always(0), "ours": LinUCB(n_features=3, alpha=1.0), "theirs": DenseUCB(3)}
    outcome = run_trial(policies, problem, 200, 4, 11, EVERY)
    expected = by_plain_loop(problem, 11, 4, 200)
    np.testing.assert_allclose(outcome["ours"].regret, expected, rtol=1e-12)
    np.testing.assert_allclose(outcome["theirs"].regret, expected, rtol=1e-12)
    assert all(one.seconds > 0 for one in outcome.values())
    assert policies["ours"].n_observed == 0, "the policy given is not touched"  # type: ignore[attr-defined]


def test_regret_is_counted_in_means_not_in_rewards() -> None:
    means = np.array([[0.2, 1.0, 0.5]])
    rewards = np.array([[[9.0, -9.0, 0.0]] * 4])
    problem = PreparedProblem(np.ones((1, 3, 1)), means, rewards)
    outcome = run_trial({"0": Always(0), "1": Always(1), "2": Always(2)}, problem, 4, 0, 0, np.array([1, 3, 4]))
    np.testing.assert_allclose(outcome["0"].regret, [0.8, 2.4, 3.2])
    np.testing.assert_allclose(outcome["1"].regret, [0.0, 0.0, 0.0])
    np.testing.assert_allclose(outcome["2"].regret, [0.5, 1.5, 2.0])


@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("block", [1, 7, 64, 200])
def test_blocks_do_not_matter(static: bool, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = LinearProblem([0.5, 0.5], n_arms=4, static=static)
    policies = {"a": LinRBMLE(n_features=2), "b": LinTS(n_features=2)}
    record: IntArray = np.array([1, 2, 63, 64, 65, 150, 200])
    whole = run_trial(policies, problem, 200, 0, 3, record)
    monkeypatch.setattr(trial, "BLOCK", block)
    cut = run_trial(policies, problem, 200, 0, 3, record)
    for name in policies:
        np.testing.assert_allclose(cut[name].regret, whole[name].regret, rtol=1e-12)


def test_large_rounds_come_in_small_blocks() -> None:
    small, large = LinearProblem([1.0], 10), LinearProblem(np.ones(300), 200, static=False)
    assert trial.block_size(small) == trial.BLOCK
    assert trial.block_size(large) * 200 * 300 * 8 <= 64 * 2**20
    assert trial.block_size(LinearProblem(np.ones(5000), 5000, static=False)) == 1


def test_one_clock_for_a_comparison() -> None:
    assert trial.clock_for(compiled=False) is time.perf_counter
    assert trial.clock_for(compiled=True) in (time.thread_time, time.perf_counter)


def test_compilation_is_not_timed() -> None:
    problem = LinearProblem([0.5, 0.5], n_arms=3)
    first = run_trial({"a": LinRBMLE(n_features=2)}, problem, 10, 0, 0, np.array([10]))
    assert first["a"].seconds < 5e-3


class Decides:
    """Plays arm 1 with chance 0.25, as it says."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.seen: list[float] = []

    def choose(self, contexts: FloatArray) -> int:
        raise AssertionError("with a log it is asked to decide")

    def decide(self, contexts: FloatArray) -> SimpleNamespace:
        arm = int(self.rng.random() < 0.25)
        return SimpleNamespace(arm=arm, probability=(0.75, 0.25)[arm])

    def update(self, context: FloatArray, reward: float) -> None:
        self.seen.append(reward)


@pytest.mark.parametrize("block", [7, 4096])
def test_a_log_has_arms_chances_and_rewards(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "BLOCK", block)
    policies = {"decides": Decides(), "chooses": Always(1), "compiled": LinUCB(n_features=2)}
    monkeypatch.setattr(LinUCB, "decide", None, raising=False)
    outcome = run_trial(policies, Drifting(), 100, 0, 0, np.array([100]), log=True)
    means = Drifting().rounds(0, 0, 0, 100).mean_rewards
    for name, one in outcome.items():
        assert one.log is not None
        assert one.log.rewards.tolist() == means[np.arange(100), one.log.arms].tolist()
        assert np.sum(means.max(axis=1) - one.log.rewards) == pytest.approx(one.regret[-1])
        again = type(one.log).unpacked(one.log.packed())
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(again, one.log, strict=True)), name
    log = outcome["decides"].log
    assert log is not None
    assert log.chances.tolist() == np.where(log.arms == 1, 0.25, 0.75).tolist()
    for name in ("chooses", "compiled"):
        assert np.isnan(outcome[name].log.chances).all()  # type: ignore[union-attr]
    assert run_trial(policies | {"decides": Always(0)}, Drifting(), 10, 0, 0, np.array([10]))["chooses"].log is None


class Drifting(Problem):
    """Two arms that stay; the better one changes in round 50, in the middle of blocks."""

    n_arms, n_features, static, params = 2, 2, True, {}

    def rounds(self, seed: int, trial: int, start: int, stop: int) -> Rounds:
        means = np.where(np.arange(start, stop)[:, None] < 50, [1.0, 0.0], [0.0, 3.0])
        return Rounds(np.eye(2)[None], means, means)


@pytest.mark.parametrize("block", [7, 64, 4096])
def test_regret_where_arms_stay_and_means_drift(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "BLOCK", block)
    policies = {"0": Always(0), "1": Always(1), "ours": LinUCB(n_features=2), "theirs": DenseUCB(2)}
    outcome = run_trial(policies, Drifting(), 100, 0, 0, np.array([50, 100]))
    assert outcome["0"].regret.tolist() == [0.0, 150.0]
    assert outcome["1"].regret.tolist() == [50.0, 50.0]
    np.testing.assert_allclose(outcome["ours"].regret, outcome["theirs"].regret, rtol=1e-12)
    assert (np.diff(outcome["ours"].regret) >= 0).all()
