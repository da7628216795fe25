"""The border between problems and compiled code, which checks no bounds: what a problem returns is what it must be.

One pass over a block, about 0.1 ns a number.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.inputs import as_numbers, describe, require_finite
from rbmle.params import Constraint, Flag, Integer, Optional
from rbmle.problems.base import Problem, Rounds
from rbmle.types import FloatArray

ATTRIBUTES: dict[str, Constraint] = {
    "n_arms": Integer(1),
    "n_features": Integer(1),
    "static": Flag(),
    "trials": Optional(Integer(1)),
    "horizon": Optional(Integer(1)),
}
FLOAT = np.dtype(np.float64)


def check_attributes(problem: Problem) -> None:
    """Raise unless the problem has all that the class `Problem` lists."""
    name = type(problem).__name__
    missing = [attribute for attribute in ATTRIBUTES if not hasattr(problem, attribute)]
    if missing:
        raise InvalidInputError(
            f"A problem must have the attributes {', '.join(ATTRIBUTES)}. {name} has no {' and no '.join(missing)}."
        )
    for attribute, constraint in ATTRIBUTES.items():
        value = getattr(problem, attribute)
        if not constraint.holds(value):
            raise InvalidInputError(f"{name}.{attribute} must be {constraint}. Got {value!r}.")
    if not isinstance(problem.params, Mapping):
        raise InvalidInputError(f"{name}.params must be a dict (a property). Got {describe(problem.params)}.")


def checked_rounds(problem: Problem, seed: int, trial: int, start: int, stop: int) -> Rounds:
    """Rounds start … stop−1 as finite, contiguous float64 arrays of the shapes that `Rounds` says; raise otherwise."""
    label = f"{type(problem).__name__}.rounds({seed}, {trial}, {start}, {stop})"
    block = problem.rounds(seed, trial, start, stop)
    if not isinstance(block, Rounds):
        raise InvalidInputError(f"{label} must return Rounds(contexts, mean_rewards, rewards). Got {describe(block)}.")
    B, K, d = stop - start, problem.n_arms, problem.n_features
    rows = 1 if problem.static else B
    contexts = checked_array(block.contexts, "contexts", label, ((rows, K, d),))
    rewards = checked_array(block.rewards, "rewards", label, ((B, K),))
    means = checked_array(block.mean_rewards, "mean_rewards", label, ((B, K),) if rows == B else ((1, K), (B, K)))
    same = contexts is block.contexts and means is block.mean_rewards and rewards is block.rewards
    return block if same else Rounds(contexts, means, rewards)


def checked_array(values: Any, name: str, label: str, shapes: tuple[tuple[int, ...], ...]) -> FloatArray:
    """One of a block's arrays, converted where that is harmless."""
    array = values
    if type(values) is not np.ndarray or values.dtype is not FLOAT or not values.flags.carray:
        try:
            # A copy: compiled code takes no read-only or unaligned arrays.
            array = np.array(as_numbers(values, name), order="C")
        except InvalidInputError as reason:
            raise InvalidInputError(f"{label}: {reason}") from reason
    if array.shape not in shapes:
        wanted = " or ".join(map(str, shapes))
        raise InvalidInputError(f"{label} must return {name} of shape {wanted}. Got shape {array.shape}.")
    if not np.isfinite(array).all():
        try:
            require_finite(array, name)
        except InvalidInputError as reason:
            raise InvalidInputError(f"{label}: {reason}") from reason
    result: FloatArray = array
    return result
