"""Checks of problems."""

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.problems.base import Problem, Rounds
from rbmle.problems.checked import check_attributes, checked_rounds
from rbmle.testing.tools import CheckFailed, expect
from rbmle.types import FloatArray

ARRAYS = ("contexts", "mean_rewards", "rewards")


def check_problem(problem: Problem, horizon: int = 50) -> None:
    """Attributes and shapes are right, rounds are the same however they are cut, and differ between trials."""
    try:
        check_attributes(problem)
        horizon = min(horizon, problem.horizon or horizon)
        whole, again = (checked_rounds(problem, 0, 0, 0, horizon) for _ in range(2))
        third = horizon // 3
        parts = [checked_rounds(problem, 0, 0, start, stop) for start, stop in ((0, third), (third, horizon))]
        other = None if problem.trials == 1 else checked_rounds(problem, 0, 1, 0, horizon)
    except InvalidInputError as reason:
        raise CheckFailed(str(reason)) from reason
    for name in ARRAYS:
        array = getattr(whole, name)
        expect(np.array_equal(array, getattr(again, name)), f"{name} changed when asked again")
        joined = np.concatenate([by_round(part, name) for part in parts])
        expect(np.array_equal(joined, by_round(whole, name)), f"{name} depend on how rounds are cut")
    if other is not None:
        differ = any(not np.array_equal(getattr(whole, name), getattr(other, name)) for name in ARRAYS)
        expect(differ, "every trial is the same: contexts, mean_rewards and rewards do not depend on it")


def by_round(rounds: Rounds, name: str) -> FloatArray:
    """One of the arrays with a row for each round, also where the arms stay."""
    array: FloatArray = getattr(rounds, name)
    return np.broadcast_to(array, (len(rounds.rewards), *array.shape[1:]))
