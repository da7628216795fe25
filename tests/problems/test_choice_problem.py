"""Choices as a bandit: rows in an order of each trial's own, the alternative that was chosen pays 1."""

import numpy as np
import pytest

from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.problems import ChoiceProblem
from rbmle.testing import check_problem

RNG = np.random.default_rng(0)
X, CHOSEN = RNG.standard_normal((7, 3, 2)), np.array([0, 1, 2, 0, 1, 2, 0])


def test_every_row_once_a_pass_with_its_own_reward():
    problem = ChoiceProblem(X, CHOSEN, cycle=True)
    check_problem(problem, horizon=20)
    block = problem.rounds(1, 0, 0, 14)
    for half in (slice(0, 7), slice(7, 14)):
        seen = sorted(int(np.argwhere((contexts == X).all(axis=(1, 2)))[0, 0]) for contexts in block.contexts[half])
        assert seen == list(range(7))
    for contexts, rewards in zip(block.contexts, block.rewards, strict=True):
        row = int(np.argwhere((contexts == X).all(axis=(1, 2)))[0, 0])
        assert rewards.tolist() == np.eye(3)[CHOSEN[row]].tolist()
    other = problem.rounds(1, 1, 0, 7)
    assert not np.array_equal(other.contexts, block.contexts[:7])


def test_what_cannot_be_choices_is_refused():
    for contexts, chosen, words in (
        (X[0], CHOSEN, "shape"),
        (X, CHOSEN[:6], "7 whole numbers"),
        (X, CHOSEN * 1.0, "7 whole numbers"),
        (X, np.where(CHOSEN == 2, 3, CHOSEN), r"0 to 2. Got 3 at chosen\[2\]"),
        (np.where(X > 1, np.nan, X), CHOSEN, "must be finite"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            ChoiceProblem(contexts, chosen)
    with pytest.raises(InvalidParameterError, match="at most the number of rows, 7"):
        ChoiceProblem(X, CHOSEN, horizon=8)
    with pytest.raises(InvalidInputError, match="between 0 and 7"):
        ChoiceProblem(X, CHOSEN).rounds(0, 0, 5, 8)
