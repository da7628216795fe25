"""Constraints and their one wording."""

import math

import numpy as np
import pytest

from rbmle import BayesUCB, LinUCB
from rbmle.errors import InvalidParameterError
from rbmle.params import Flag, Integer, OneOf, Optional, Real, Schedule


def test_the_wording():
    with pytest.raises(InvalidParameterError) as error:
        LinUCB(n_features=2, alpha=-1.0)
    assert str(error.value) == "The 'alpha' parameter of LinUCB must be a float in [0, inf). Got -1.0 instead."


def test_parameters_are_keyword_only():
    with pytest.raises(TypeError):
        LinUCB(2)


@pytest.mark.parametrize(
    ("constraint", "good", "bad", "text"),
    [
        (Real(0.0), [0, 1.5, np.float32(2)], [-1e-9, math.nan, math.inf, True, "1", None], "a float in [0, inf)"),
        (Real(0.0, 1.0, open_low=True, open_high=True), [0.5], [0.0, 1.0], "a float in (0, 1)"),
        (Real(), [-5.0], [-math.inf], "a float in (-inf, inf)"),
        (Integer(1), [1, np.int64(3)], [0, 1.0, True, "2"], "an int in [1, inf)"),
        (Optional(Integer(1)), [None, 1], [0], "None or an int in [1, inf)"),
        (OneOf("a", "b"), ["a"], ["c", 1], "one of 'a', 'b'"),
        (Flag(), [True, np.False_], [0, "yes"], "True or False"),
        (Schedule(), [abs], [1.0], "a schedule such as Sqrt(scale=1.0), or a callable of t"),
    ],
)
def test_constraints(constraint, good, bad, text):
    assert all(constraint.holds(value) for value in good)
    assert not any(constraint.holds(value) for value in bad)
    assert str(constraint) == text


def test_a_constraint_between_parameters():
    with pytest.raises(InvalidParameterError, match="'horizon' parameter of BayesUCB must be an int in"):
        BayesUCB(n_features=2, c=1.0)
