"""What a finished trial is found by: equal for equal problems, different for any that differ."""

from itertools import combinations
from pathlib import Path

import numpy as np

from rbmle import LinUCB
from rbmle.problems import (
    Abrupt,
    ArmNoise,
    Ball,
    ClassificationProblem,
    ContextNoise,
    DriftingProblem,
    LinearProblem,
    Problem,
    Ripple,
    Rotation,
)
from rbmle.simulation import simulate
from rbmle.simulation.identity import identity

X, Y = np.random.default_rng(0).standard_normal((20, 2)), [0, 1] * 10
THETA = (0.6, 0.8)


def problems() -> list[Problem]:
    """Each differs from every other in one thing."""
    data = ClassificationProblem.from_arrays
    return [
        LinearProblem(THETA, 3),
        *(LinearProblem(THETA, 3, contexts="ball"), LinearProblem(THETA, 3, contexts=Ball(2.0))),
        *(LinearProblem(THETA, 3, noise=ArmNoise((1.0,))), LinearProblem(THETA, 3, noise=ContextNoise())),
        *(LinearProblem(THETA, 3, misspecification=0.1), LinearProblem(THETA, 3, misspecification=Ripple(0.1, seed=1))),
        DriftingProblem(Abrupt((THETA,)), 3),
        DriftingProblem(Abrupt((THETA, (0.8, 0.6)), (5,)), 3),
        DriftingProblem(Abrupt((THETA, (0.8, 0.6)), (6,)), 3),
        DriftingProblem(Rotation(THETA, (0.8, 0.6), 5), 3),
        DriftingProblem(Rotation(THETA, (0.8, 0.6), 5), 3, static=True),
        DriftingProblem(Rotation(THETA, (0.8, 0.6), 5), 3, family="logistic"),
        *(data(X, Y), data(X, Y, normalize=True), data(X, Y, encoding="shared"), data(X, Y, horizon=10)),
        *(data(X, Y, cycle=True), data(X, Y[::-1]), data(X, Y, classes=(1, 0)), data(X + 1e-12, Y)),
    ]


def test_equal_where_nothing_differs_and_different_otherwise() -> None:
    first, again = [identity(each) for each in problems()], [identity(each) for each in problems()]
    assert first == again
    assert all(one != other for one, other in combinations(first, 2))


def test_finished_trials_of_data_are_found_again(tmp_path: Path) -> None:
    problem = ClassificationProblem.from_arrays(X, Y)
    for _ in range(2):
        policies = {"LinUCB": LinUCB(n_features=4)}
        results = simulate(policies, problem, horizon=20, trials=3, n_jobs=1, store=tmp_path / "trials.sqlite")
    plain = simulate(policies, problem, horizon=20, trials=3, n_jobs=1)
    assert np.array_equal(results.final_regret("LinUCB"), plain.final_regret("LinUCB"))
