"""Small tools of the checks."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rbmle.errors import RbmleError
from rbmle.inputs import LARGEST_CONTEXT, LARGEST_REWARD
from rbmle.random import generator, state_of
from rbmle.types import FloatArray


class CheckFailed(AssertionError):
    """A check found a fault."""


def expect(condition: bool, message: str) -> None:
    """Raise CheckFailed unless the condition holds."""
    if not condition:
        raise CheckFailed(message)


def same_state(left: Mapping[str, FloatArray], right: Mapping[str, FloatArray]) -> bool:
    """Whether two states are equal to the last bit."""
    return left.keys() == right.keys() and all(np.array_equal(left[name], right[name]) for name in left)


def sums_of(state: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """The state without an estimate that is solved when somebody asks: of a model that keeps rows and counts."""
    return {name: array for name, array in state.items() if name != "theta_hat" or "counts" not in state}


def expect_refused(what: str, call: Callable[[], Any], state: Callable[[], Mapping[str, FloatArray]]) -> None:
    """A call with bad input must raise one of our errors with a message, and leave the state as it was."""
    before = {name: np.array(array) for name, array in state().items()}
    try:
        call()
    except RbmleError as error:
        expect(bool(str(error)), f"{what}: refused without a message")
    except Exception as error:
        raise CheckFailed(f"{what}: raised {type(error).__name__} instead of a clear error: {error}") from error
    else:
        raise CheckFailed(f"{what}: accepted")
    expect(same_state(before, state()), f"{what}: refused, but the state has changed")


def expect_untouched(what: str, call: Callable[[], Any], policy: Any) -> None:
    """As `expect_refused`, and the policy's generator must be where it was too."""
    before = state_of(policy.rng)
    expect_refused(what, call, policy.state)
    expect(state_of(policy.rng) == before, f"{what}: refused, but random numbers were drawn")


def spoilt(array: FloatArray, value: float) -> FloatArray:
    """A copy with `value` in the last place."""
    copy = np.array(array, dtype=np.float64)
    copy.reshape(-1)[-1:] = value
    return copy


def unit_contexts(seed: int, *shape: int) -> FloatArray:
    """Random contexts of unit norm."""
    contexts = generator(seed).standard_normal(shape)
    unit: FloatArray = contexts / np.linalg.norm(contexts, axis=-1, keepdims=True)
    return unit


def coin_rewards(seed: int, *shape: int) -> FloatArray:
    """Rewards 0 and 1: in the support of every family."""
    return generator(seed, 1).integers(0, 2, shape).astype(np.float64)


def bad_contexts(d: int) -> dict[str, Any]:
    """Contexts that every method must refuse, by what is wrong with them."""
    good = unit_contexts(0, 3, d)
    holed, infinite = good.copy(), good.copy()
    holed[1, 0], infinite[2, d - 1] = np.nan, np.inf
    return {
        "contexts with NaN": holed,
        "contexts with inf": infinite,
        "contexts with a feature too many": unit_contexts(0, 3, d + 1),
        "contexts of one dimension": good[0],
        "contexts of three dimensions": good[None],
        "ragged contexts": [[0.0] * d, [0.0] * (d + 1)],
        "no contexts": np.empty((0, d)),
        "contexts of text": [["a"] * d],
        "complex contexts": good * 1j,
        "contexts too large to square": good * 1e200,
        "contexts just beyond the limit": good * (1.0001 * LARGEST_CONTEXT / np.abs(good).max()),
        "None as contexts": None,
    }


def bad_observations(d: int) -> dict[str, tuple[Any, Any]]:
    """(context, reward) pairs that every method must refuse."""
    good = unit_contexts(0, d)
    holed = good.copy()
    holed[0] = np.nan
    return {
        "a context with NaN": (holed, 1.0),
        "a context with a feature too many": (np.ones(d + 1), 1.0),
        "a context of two dimensions": (good[None], 1.0),
        "a context too large to square": (good * 1e200, 1.0),
        "a context just beyond the limit": (good * (1.0001 * LARGEST_CONTEXT / np.abs(good).max()), 1.0),
        "a reward just beyond the limit": (good, 1.0001 * LARGEST_REWARD),
        "a NaN reward": (good, np.nan),
        "an infinite reward": (good, np.inf),
        "None as reward": (good, None),
        "text as reward": (good, "1"),
        "an array as reward": (good, np.ones(2)),
    }
