"""A problem in blocks, on which other libraries' models, one for each arm, are ours; and how arms are compared."""

import numpy as np
import pytest

from rbmle.problems import ClassificationProblem, LinearProblem
from rbmle.simulation import simulate

N_ARMS, N_COLUMNS = 3, 4


@pytest.fixture
def blocks():
    """Three arms, four numbers that all of them see."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, N_COLUMNS))
    y = np.argmax(X[:, :N_ARMS] + 0.5 * rng.normal(size=(400, N_ARMS)), axis=1)
    return ClassificationProblem.from_arrays(X, y)


@pytest.fixture
def free():
    """Arms of their own numbers, new in every round: no two are ever alike."""
    return LinearProblem([-0.3, 0.5, 0.8], n_arms=5, static=False, contexts="normal")


@pytest.fixture
def one_history():
    return follow


@pytest.fixture
def same_run():
    return assert_same_run


def follow(ours, theirs, problem, rounds):
    """Both learn what the other library chose. It must be the best by our scores; returns how often one was alone so.

    Where several are best, up to rounding, a library may take any of them.
    """
    block = problem.rounds(3, 0, 0, rounds)
    alone, seen = 0, set()
    for number in range(rounds):
        X = block.contexts_of(number)
        scores = ours.scores(X)
        arm = theirs.choose(X)
        best = np.flatnonzero(scores >= scores.max() - 1e-9)
        assert arm in best, f"round {number}: {arm} was played, {best} are best by {scores}"
        alone += len(best) == 1
        seen.add(arm)
        ours.update(X[arm], block.rewards[number, arm])
        theirs.update(X[arm], block.rewards[number, arm])
    assert len(seen) == problem.n_arms
    return alone


def assert_same_run(ours, theirs, problem, rounds=400):
    """Each on its own, in our simulator: the same arms from the first round to the last."""
    results = simulate(
        {"ours": ours, "theirs": theirs}, problem, horizon=rounds, trials=2, seed=5, log=True, progress=False
    )
    np.testing.assert_array_equal(results.log("theirs")["arm"], results.log("ours")["arm"])
    np.testing.assert_array_equal(results.regret["theirs"], results.regret["ours"])
    assert len(set(results.log("ours")["arm"])) == problem.n_arms
