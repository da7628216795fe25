"""PreparedProblem: gives back what it was given, and says what does not fit."""

import numpy as np
import pytest

from rbmle.errors import InvalidInputError
from rbmle.problems import PreparedProblem

RNG = np.random.default_rng(0)
STATIC = RNG.standard_normal((2, 4, 3)), RNG.standard_normal((2, 4)), RNG.standard_normal((2, 6, 4))
VARYING = RNG.standard_normal((2, 6, 4, 3)), RNG.standard_normal((2, 6, 4)), RNG.standard_normal((2, 6, 4))


def test_static() -> None:
    problem = PreparedProblem(*STATIC)
    block = problem.rounds(99, 1, 2, 5)
    assert (problem.trials, problem.horizon, problem.n_arms, problem.n_features, problem.static) == (2, 6, 4, 3, True)
    assert np.array_equal(block.contexts, STATIC[0][1][None])
    assert np.array_equal(block.mean_rewards, STATIC[1][1][None])
    assert np.array_equal(block.rewards, STATIC[2][1, 2:5])


def test_varying() -> None:
    problem = PreparedProblem(*VARYING)
    block = problem.rounds(0, 0, 1, 6)
    assert not problem.static
    for got, given in zip((block.contexts, block.mean_rewards, block.rewards), VARYING, strict=True):
        assert np.array_equal(got, given[0, 1:6])


def test_arms_that_stay_while_their_means_drift() -> None:
    problem = PreparedProblem(STATIC[0], VARYING[1], STATIC[2])
    block = problem.rounds(0, 1, 2, 5)
    assert problem.static
    assert np.array_equal(block.contexts, STATIC[0][1][None])
    assert np.array_equal(block.mean_rewards, VARYING[1][1, 2:5])


def test_describes_itself_by_its_numbers() -> None:
    one, same = PreparedProblem(*STATIC), PreparedProblem(*(array.copy() for array in STATIC))
    other = PreparedProblem(STATIC[0], STATIC[1], STATIC[2] + 1e-9)
    assert one.params == same.params
    assert one.params["sha256"] != other.params["sha256"]
    assert repr(one) == "PreparedProblem(2 trials × 6 rounds, n_arms=4, n_features=3, static contexts)"


def with_nan(array: np.ndarray) -> np.ndarray:
    spoilt = array.copy()
    spoilt.flat[-1] = np.nan
    return spoilt


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ((STATIC[0], STATIC[1], STATIC[2][0]), r"rewards must have shape \(trials, T, n_arms\)"),
        ((STATIC[0], STATIC[1], STATIC[2][:, :0]), "rewards must have shape"),
        ((STATIC[0][0], STATIC[1], STATIC[2]), "contexts must have shape"),
        ((STATIC[0][:, :3], STATIC[1], STATIC[2]), r"contexts must have shape \(2, 4, 3\) .* Got shape \(2, 3, 3\)"),
        ((STATIC[0], VARYING[1][:, :5], STATIC[2]), r"mean_rewards must have shape \(2, 4\) or \(2, 6, 4\)"),
        ((VARYING[0], STATIC[1], VARYING[2]), r"mean_rewards must have shape \(2, 6, 4\)"),
        ((VARYING[0][:, :5], VARYING[1], VARYING[2]), r"contexts must have shape \(2, 6, 4, 3\)"),
        ((with_nan(STATIC[0]), STATIC[1], STATIC[2]), r"contexts must be finite. Got nan at contexts\[1, 3, 2\]"),
        ((STATIC[0], with_nan(STATIC[1]), STATIC[2]), "mean_rewards must be finite"),
        ((STATIC[0], STATIC[1], with_nan(STATIC[2])), "rewards must be finite"),
        (("text", STATIC[1], STATIC[2]), "contexts must be an array of real numbers"),
    ],
)
def test_what_does_not_fit(arrays: tuple[object, object, object], words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        PreparedProblem(*arrays)


@pytest.mark.parametrize("place", [(2, 0, 1), (-1, 0, 1), (0, 0, 7), (0, 3, 3), (0, -1, 2)])
def test_past_its_end(place: tuple[int, int, int]) -> None:
    with pytest.raises(InvalidInputError, match="as prepared"):
        PreparedProblem(*STATIC).rounds(0, *place)
