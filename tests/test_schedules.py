"""Schedules against plain arithmetic."""

import math

import numpy as np
import pytest

from rbmle import EpsilonGreedy, LinRBMLE
from rbmle.errors import InvalidInputError, InvalidParameterError, StateFileError
from rbmle.schedules import Constant, OnePlusLog, Power, Schedule, Sqrt, evaluate, from_plain, to_plain


@pytest.mark.parametrize(
    ("schedule", "expected", "text"),
    [
        (Constant(0.5), lambda t: 0.5, "Constant(value=0.5)"),
        (Sqrt(), lambda t: math.sqrt(t), "Sqrt(scale=1.0)"),
        (Power(3.0, 0.25), lambda t: 3.0 * t**0.25, "Power(scale=3.0, exponent=0.25)"),
        (OnePlusLog(2.0), lambda t: 1.0 + 2.0 * math.log(t), "OnePlusLog(scale=2.0)"),
    ],
)
def test_values_repr_and_plain_data(schedule, expected, text):
    rounds = np.arange(1.0, 50.0)
    np.testing.assert_allclose(schedule(rounds), [expected(t) for t in rounds], rtol=1e-14)
    assert schedule(7) == pytest.approx(expected(7))
    assert isinstance(schedule(7), float)
    assert repr(schedule) == text
    assert from_plain(to_plain(schedule, "bias")) == schedule
    assert Schedule.registry[type(schedule).__name__] is type(schedule)


def test_any_callable_of_t():
    np.testing.assert_allclose(evaluate(lambda t: 2 * t, np.array([1.0, 4.0]), "bias"), [2.0, 8.0])
    with pytest.raises(InvalidInputError, match="bias must be finite in every round, but is nan at t = 4"):
        evaluate(lambda t: math.nan if t == 4 else 1.0, np.array([3.0, 4.0]), "bias")
    with pytest.raises(InvalidInputError, match="bias must be finite"):
        LinRBMLE(n_features=1, bias=lambda t: math.inf).choose([[1.0]])


def test_bad_schedules():
    with pytest.raises(InvalidParameterError, match="'scale' parameter of Sqrt must be a float in"):
        Sqrt(scale=-1.0)
    with pytest.raises(InvalidInputError, match=r"epsilon must lie in \[0, 1\]. Got 2.0 at t = 1"):
        EpsilonGreedy(n_features=1, epsilon=lambda t: 2.0).choose([[1.0]])
    with pytest.raises(StateFileError, match="Unknown schedule"):
        from_plain({"schedule": "os.system"})
