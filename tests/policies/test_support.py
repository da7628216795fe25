"""Rewards outside of a family's support are refused on every path, and the state stays as it was."""

import numpy as np
import pytest

from rbmle.errors import InvalidInputError
from rbmle.testing import standard_policies
from rbmle.testing.tools import same_state, unit_contexts

GLM = ("GLMRBMLE", "UCBGLM", "LaplaceTS", "EpsilonGreedyGLM")


@pytest.mark.parametrize("name", GLM)
@pytest.mark.parametrize("path", ["update", "update_many", "arms", "play", "play with arms that stay"])
def test_half_a_success_is_no_success(name, path):
    policy = standard_policies()[name]
    X, half = unit_contexts(0, 4, 3), np.full((1, 4), 0.5)
    policy.update(X[0], 1.0)
    before = {key: np.array(array) for key, array in policy.state().items()}
    calls = {
        "update": lambda: policy.update(X[0], 0.5),
        "update_many": lambda: policy.update_many(X[:2], [1.0, 0.5]),
        "arms": lambda: policy.fix_arms(X).update(1, 0.5),
        "play": lambda: policy.play(X[None], half),
        "play with arms that stay": lambda: policy.fix_arms(X).play(half),
    }
    with pytest.raises(InvalidInputError, match="must be 0 or 1 for the family Logistic"):
        calls[path]()
    assert same_state(before, policy.state())
