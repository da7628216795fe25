"""Checks of problems."""

import numpy as np

from rbmle.problems.base import Problem
from rbmle.testing.tools import expect


def check_problem(problem: Problem, horizon: int = 50) -> None:
    """Rounds have the right shapes, are the same however they are cut, and differ between trials."""
    whole = problem.rounds(0, 0, 0, horizon)
    K, d = problem.n_arms, problem.n_features
    rows = 1 if problem.static else horizon
    expect(whole.contexts.shape == (rows, K, d), f"contexts must have shape {(rows, K, d)}")
    expect(whole.mean_rewards.shape == (rows, K), f"mean_rewards must have shape {(rows, K)}")
    expect(whole.rewards.shape == (horizon, K), f"rewards must have shape {(horizon, K)}")
    for name in ("contexts", "mean_rewards", "rewards"):
        array = getattr(whole, name)
        expect(bool(np.isfinite(array).all()), f"{name} must be finite")
        expect(
            np.array_equal(array, getattr(problem.rounds(0, 0, 0, horizon), name)), f"{name} changed when asked again"
        )
        expect(
            not np.array_equal(array, getattr(problem.rounds(0, 1, 0, horizon), name)),
            f"{name} is the same in all trials",
        )
    third = horizon // 3
    parts = [problem.rounds(0, 0, start, stop) for start, stop in ((0, third), (third, horizon))]
    cut = np.concatenate([part.rewards for part in parts])
    expect(np.array_equal(cut, whole.rewards), "rewards depend on how rounds are cut")
    if not problem.static:
        cut = np.concatenate([part.contexts for part in parts])
        expect(np.array_equal(cut, whole.contexts), "contexts depend on how rounds are cut")
