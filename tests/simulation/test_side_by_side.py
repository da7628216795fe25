"""Trials in vector lanes, several at a time: what is found of a trial is what it gives alone."""

from typing import Any

import numpy as np
import pytest

from rbmle import GPUCB, BayesUCB, Greedy, LinRBMLE, LinTS, LinUCB
from rbmle.errors import InvalidInputError
from rbmle.policies.lanes import Part, may_go_side_by_side
from rbmle.problems import LinearProblem, PreparedProblem
from rbmle.problems.base import Rounds
from rbmle.simulation import experiment, run_trial, simulate, trial
from rbmle.types import FloatArray

PROBLEM = LinearProblem([0.5, -0.3, 0.2, 0.1], n_arms=6, static=False)
EVERY = np.arange(1, 301)


def policies(d: int = 4) -> dict[str, Any]:
    return {
        "rbmle": LinRBMLE(n_features=d),
        "auto": LinRBMLE(n_features=d, bias="auto"),  # its model learns scales: not in lanes
        "ucb": LinUCB(n_features=d, regularization=0.3),
        "bayes": BayesUCB(n_features=d),
        "gp": GPUCB(n_features=d),
        "greedy": Greedy(n_features=d),
        "ts": LinTS(n_features=d),
    }


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("block", [64, 4096])
def test_together_as_alone(block: int, log: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "BLOCK", block)
    together = trial.run_trials(policies(), PROBLEM, 300, [2, 3, 5, 9], 7, EVERY, log)
    for number, found in zip((2, 3, 5, 9), together, strict=True):
        alone = run_trial(policies(), PROBLEM, 300, number, 7, EVERY, log)
        for name, one in found.items():
            assert one.regret.tolist() == alone[name].regret.tolist(), name
            assert one.seconds > 0
            if one.log is not None and alone[name].log is not None:
                assert all(map(np.array_equal, one.log, alone[name].log)), name  # type: ignore[arg-type]


def test_a_policy_that_has_learnt_goes_on_from_there() -> None:
    learnt, rng = LinUCB(n_features=4), np.random.default_rng(0)
    learnt.update_many(rng.standard_normal((50, 4)), rng.standard_normal(50))
    before = learnt.state()
    together = trial.run_trials({"a": learnt}, PROBLEM, 300, [0, 1, 2], 0, EVERY)
    for number in range(3):
        assert (
            together[number]["a"].regret.tolist()
            == run_trial({"a": learnt}, PROBLEM, 300, number, 0, EVERY)["a"].regret.tolist()
        )
    assert all(np.array_equal(before[name], values) for name, values in learnt.state().items())


class Mine(LinUCB):
    """A loop of somebody's own must be the one that plays."""

    def _play(self, contexts: FloatArray, rewards: FloatArray) -> Any:
        return super()._play(contexts, rewards)


def test_who_goes_side_by_side() -> None:
    suited = {name for name, each in policies().items() if may_go_side_by_side(each)}
    assert suited == {"rbmle", "ucb", "bayes", "gp", "greedy"}
    assert not may_go_side_by_side(LinUCB(n_features=13))
    assert not may_go_side_by_side(Mine(n_features=3))
    assert not may_go_side_by_side("LinUCB")


@pytest.mark.parametrize(("where", "value"), [("contexts", 1e80), ("rewards", 1e141)])
def test_bad_numbers_are_the_same_error(where: str, value: float) -> None:
    rng = np.random.default_rng(0)
    X, r = rng.standard_normal((4, 200, 5, 3)), rng.standard_normal((4, 200, 5))
    (X if where == "contexts" else r)[2, 150] = value
    problem = PreparedProblem(X, np.zeros((4, 200, 5)), r)
    said = []
    for numbers in ([2], [0, 1, 2, 3]):
        with pytest.raises(InvalidInputError) as caught:
            trial.run_trials({"a": LinUCB(n_features=3)}, problem, 200, numbers, 0, np.array([200]))
        said.append(str(caught.value))
    assert said[0] == said[1] and where in said[0]


class Shrinks(PreparedProblem):
    """Has fewer arms from its second block on."""

    def rounds(self, seed: int, trial: int, start: int, stop: int) -> Rounds:
        self.n_arms = 5 if start == 0 else 2
        block = super().rounds(seed, trial, start, stop)
        return Rounds(
            *(array[:, : self.n_arms].copy() for array in (block.contexts, block.mean_rewards, block.rewards))
        )


def test_a_problem_that_changes_its_size_never_reaches_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "BLOCK", 100)
    rng = np.random.default_rng(0)
    problem = Shrinks(rng.standard_normal((4, 200, 5, 3)), np.zeros((4, 200, 5)), rng.standard_normal((4, 200, 5)))
    with pytest.raises(InvalidInputError, match="must keep its n_arms=5 and n_features=3|must return"):
        trial.run_trials({"a": LinUCB(n_features=3)}, problem, 200, [0, 1, 2, 3], 0, np.array([200]))


def test_what_only_one_trial_can_play_is_played_by_it_alone() -> None:
    """A very steep direction in one trial: its inverse is computed anew in the middle of a block."""
    rng = np.random.default_rng(0)
    X, r = rng.standard_normal((4, 200, 5, 3)), rng.standard_normal((4, 200, 5))
    X[1, 70] *= 1e6
    problem = PreparedProblem(X, np.zeros((4, 200, 5)), r)
    rounds, slow = np.arange(1, 201), {"a": LinRBMLE(n_features=3)}
    together = trial.run_trials(slow, problem, 200, range(4), 0, rounds, log=True)
    for number, found in enumerate(together):
        alone = run_trial(slow, problem, 200, number, 0, rounds, log=True)["a"].log
        assert found["a"].log is not None and alone is not None
        assert found["a"].log.arms.tolist() == alone.arms.tolist()


def test_the_same_for_any_number_of_workers_and_from_a_store(tmp_path: Any) -> None:
    few = {name: each for name, each in policies().items() if name in ("rbmle", "ucb", "ts")}
    whole = simulate(few, PROBLEM, horizon=200, trials=9, seed=3, progress=False)
    simulate({"ucb": few["ucb"]}, PROBLEM, horizon=200, trials=4, seed=3, store=tmp_path / "runs", progress=False)
    for workers, store in ((2, None), (5, None), (1, tmp_path / "runs")):
        again = simulate(few, PROBLEM, horizon=200, trials=9, seed=3, n_jobs=workers, store=store, progress=False)
        assert all(np.array_equal(whole.regret[name], again.regret[name]) for name in few)


@pytest.mark.parametrize(
    ("trials", "workers", "sizes"),
    [(50, 2, [7, 7, 6, 6, 6, 6, 6, 6]), (20, 2, [5] * 4), (20, 16, []), (2, 1, []), (8, 1, [8]), (3, 1, [3])],
)
def test_groups_keep_all_workers_busy(trials: int, workers: int, sizes: list[int]) -> None:
    groups = experiment.groups_of(trials, workers)
    assert [len(group) for group in groups] == sizes
    if sizes:
        assert [trial for group in groups for trial in group] == list(range(trials))


def test_a_part_holds_little() -> None:
    assert Part(10, 3).most * 10 * 4 * 64 <= 2**19
    assert Part(10**5, 12).most == 1


def test_a_block_of_several_trials_is_no_larger() -> None:
    large = LinearProblem(np.ones(12), 2000, static=False)
    assert trial.block_size(large, 8) * 8 * 2000 * 14 * 8 <= 64 * 2**20
    assert isinstance(PROBLEM.rounds(0, 0, 0, 1), Rounds)
