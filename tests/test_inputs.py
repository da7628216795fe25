"""Messages about bad input name the argument, the rule and what came."""

import numpy as np
import pytest

from rbmle import LinUCB
from rbmle.errors import InvalidInputError
from rbmle.inputs import as_arm, as_context, as_contexts, as_reward, as_rewards


@pytest.mark.parametrize(
    ("contexts", "message"),
    [
        ([1.0, 2.0], r"contexts must have shape \(n_arms, 2\). Got shape \(2,\)."),
        ([[1.0, 2.0, 3.0]], r"contexts must have shape \(n_arms, 2\). Got shape \(1, 3\)."),
        (np.empty((0, 2)), r"contexts must hold at least one arm. Got shape \(0, 2\)."),
        ([[1.0], [1.0, 2.0]], r"contexts must be an array of real numbers. Got \[\[1.0\], \[1.0, 2.0\]\]"),
        ([["a", "b"]], "contexts must be an array of real numbers"),
        (np.eye(2) * 1j, "contexts must be an array of real numbers"),
    ],
)
def test_contexts(contexts, message):
    with pytest.raises(InvalidInputError, match=message):
        as_contexts(contexts, 2)


def test_what_is_accepted():
    assert as_contexts([[1, 2], [3, 4]], 2).dtype == np.float64
    assert as_contexts(np.asfortranarray(np.ones((3, 2))), 2).flags.c_contiguous
    assert as_contexts(np.ones((3, 2), dtype=np.float32), 2).dtype == np.float64
    assert as_context((1, 2), 2).shape == (2,)
    assert as_reward(np.float32(0.5)) == 0.5
    assert as_reward(True) == 1.0
    assert as_arm(np.int64(1), 2) == 1
    assert as_rewards([1, 2], 2).dtype == np.float64


def test_rewards_and_arms():
    with pytest.raises(InvalidInputError, match=r"reward must be a finite number. Got nan."):
        as_reward(float("nan"))
    with pytest.raises(InvalidInputError, match=r"rewards must have shape \(3,\), one per context. Got shape \(2,\)."):
        as_rewards([1.0, 2.0], 3)
    with pytest.raises(InvalidInputError, match=r"arm must be an int from 0 to 1. Got 2."):
        as_arm(2, 2)


def test_fixed_arms_refuse_what_would_overflow():
    policy = LinUCB(n_features=2)
    with pytest.raises(InvalidInputError, match="contexts must stay within ±1e70"):
        policy.fix_arms(np.full((2, 2), 1e80))
    arms = policy.fix_arms(np.eye(2))
    with pytest.raises(InvalidInputError, match="reward must stay below 1e140"):
        arms.update(0, 1e150)
    assert policy.t == 1
