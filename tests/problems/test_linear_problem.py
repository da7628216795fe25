"""LinearProblem: paths are a function of (seed, trial, round) alone, with the distribution it promises."""

import copy
import pickle
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbmle.errors import InvalidParameterError
from rbmle.problems import BoundedReward, Gaussian, LinearProblem, Problem

THETA = (-0.3, 0.5, 0.8)


def linear(static: bool = True, **options: object) -> LinearProblem:
    return LinearProblem(THETA, n_arms=4, static=static, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("static", [True, False])
def test_shapes_norms_and_means(static: bool) -> None:
    block = linear(static).rounds(seed=1, trial=2, start=0, stop=1500)
    count = 1 if static else 1500
    assert block.contexts.shape == (count, 4, 3)
    assert block.mean_rewards.shape == (count, 4)
    assert block.rewards.shape == (1500, 4)
    np.testing.assert_allclose(np.linalg.norm(block.contexts, axis=2), 1.0, rtol=1e-14)
    by_hand = [[sum(x * w for x, w in zip(arm, THETA, strict=True)) for arm in arms] for arms in block.contexts]
    np.testing.assert_allclose(block.mean_rewards, by_hand, atol=1e-14)
    residuals = block.rewards - block.mean_rewards
    assert abs(residuals.mean()) < 5 / np.sqrt(residuals.size)
    assert residuals.std() == pytest.approx(1.0, abs=0.05)


@settings(max_examples=25, deadline=None)
@given(static=st.booleans(), cuts=st.lists(st.integers(1, 2599), max_size=6, unique=True))
def test_a_path_does_not_depend_on_how_it_is_cut(static: bool, cuts: list[int]) -> None:
    whole = linear(static).rounds(7, 3, 0, 2600)
    problem, ends = linear(static), [0, *sorted(cuts), 2600]
    parts = [problem.rounds(7, 3, start, stop) for start, stop in pairwise(ends)]
    assert np.array_equal(np.concatenate([part.rewards for part in parts]), whole.rewards)
    if static:
        assert all(np.array_equal(part.contexts, whole.contexts) for part in parts)
    else:
        assert np.array_equal(np.concatenate([part.contexts for part in parts]), whole.contexts)
        assert np.array_equal(np.concatenate([part.mean_rewards for part in parts]), whole.mean_rewards)


def test_out_of_order_and_interleaved_trials_give_the_same() -> None:
    problem = linear(static=False)
    late, other = problem.rounds(0, 0, 2000, 2010), problem.rounds(0, 1, 0, 10)
    assert np.array_equal(linear(static=False).rounds(0, 0, 0, 2010).rewards[2000:], late.rewards)
    assert np.array_equal(linear(static=False).rounds(0, 1, 0, 10).rewards, other.rewards)


@pytest.mark.parametrize("static", [True, False])
def test_seeds_and_trials_differ(static: bool) -> None:
    problem = linear(static)
    paths = [problem.rounds(seed, trial, 0, 50) for seed, trial in ((0, 0), (0, 1), (1, 0))]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert not np.array_equal(paths[one].contexts, paths[other].contexts)
        assert not np.array_equal(paths[one].rewards, paths[other].rewards)


def test_directions_are_even_on_the_sphere() -> None:
    contexts = LinearProblem([1.0, 0.0], n_arms=50, static=False).rounds(0, 0, 0, 1000).contexts.reshape(-1, 2)
    second_moment = contexts.T @ contexts / len(contexts)
    np.testing.assert_allclose(second_moment, np.eye(2) / 2, atol=0.01)
    np.testing.assert_allclose(contexts.mean(axis=0), 0.0, atol=0.015)


def test_no_more_is_drawn_than_is_played() -> None:
    problem = LinearProblem(np.ones(300), n_arms=200, static=False)
    block = problem.rounds(0, 0, 60, 80)
    again = problem.rounds(0, 0, 79, 80)
    assert block.contexts.shape == (20, 200, 300)
    assert np.array_equal(block.contexts[-1], again.contexts[0])
    tracemalloc.start()
    problem.rounds(0, 0, 10**9, 10**9 + 1)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 3 * again.contexts.nbytes


def test_copies_and_pickles_give_the_same_path() -> None:
    problem = linear()
    path = problem.rounds(5, 0, 0, 10).rewards
    for twin in (copy.copy(problem), pickle.loads(pickle.dumps(problem))):
        assert np.array_equal(twin.rounds(5, 0, 0, 10).rewards, path)


def test_describes_itself() -> None:
    problem = linear(noise=Gaussian(scale=0.5))
    assert isinstance(problem, Problem)
    assert problem.params == {
        "theta": [-0.3, 0.5, 0.8],
        "n_arms": 4,
        "static": True,
        "noise": {"name": "gaussian", "scale": 0.5},
    }
    assert repr(problem) == "LinearProblem(theta=[-0.3, 0.5, 0.8], n_arms=4, static=True, noise=Gaussian(scale=0.5))"
    assert (problem.trials, problem.horizon) == (None, None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"theta": []}, "'theta' parameter of LinearProblem must be a sequence of finite numbers"),
        ({"theta": [1.0, float("nan")]}, "'theta'"),
        ({"theta": [[1.0], [2.0, 3.0]]}, "'theta'"),
        ({"theta": "abc"}, "'theta'"),
        ({"n_arms": 0}, r"'n_arms' parameter of LinearProblem must be an int in \[1, inf\). Got 0 instead."),
        ({"n_arms": 2.5}, "'n_arms'"),
        ({"static": "yes"}, "'static' parameter of LinearProblem must be True or False"),
        ({"noise": "cauchy"}, "'noise' parameter of LinearProblem"),
        ({"theta": [2.0, 0.0], "noise": BoundedReward()}, "norm of at most 1 .* Got norm 2 instead"),
    ],
)
def test_bad_parameters(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        LinearProblem(**{"theta": THETA, "n_arms": 3, **arguments})  # type: ignore[arg-type]


@pytest.mark.parametrize("place", [(-1, 0, 0, 5), (0, -1, 0, 5), (0, 0, -1, 5), (0, 0, 5, 5), (0, 0, 0, 2.5)])
def test_bad_places(place: tuple[int, int, int, int]) -> None:
    with pytest.raises(InvalidParameterError, match="parameter of rounds must be an int"):
        linear().rounds(*place)


def test_samples_of_given_means() -> None:
    means = np.array([[0.0, 5.0]])
    drawn = linear(noise="rademacher").sample(np.random.default_rng(0), means)
    assert np.array_equal(np.abs(drawn - means), [[1.0, 1.0]])
