"""Schedules against plain arithmetic."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from rbmle import EpsilonGreedy, LinRBMLE
from rbmle.errors import InvalidInputError, InvalidParameterError, StateFileError
from rbmle.plain import from_plain, to_plain
from rbmle.schedules import Constant, OnePlusLog, Power, Schedule, Sqrt, evaluate


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


def test_any_callable_is_asked_for_the_rounds_given_alone():
    asked = []
    evaluate(lambda t: asked.append(t) or 1.0, np.array([3.0, 4.0]), "bias")
    assert asked == [3, 4]
    assert all(type(t) is int for t in asked)


@pytest.mark.parametrize("value", [2, np.float32(2.0), np.int64(2), True, np.array(2.0), np.longdouble(2)])
def test_numbers_that_a_callable_may_return(value):
    values = evaluate(lambda t: value, np.array([1.0]), "bias")
    assert values.dtype == np.float64
    assert values[0] == float(value)


@pytest.mark.parametrize(
    "value",
    ["2.0", None, 1j, [1.0], np.ones(1), np.ones(2), np.timedelta64(2), np.ma.masked, 10**400, "raise"],
    ids=repr,
)
def test_what_is_no_number_is_an_error_that_names_the_parameter(value):
    def schedule(t):
        if isinstance(value, str) and value == "raise":
            raise ZeroDivisionError("of mine")
        return value

    with pytest.raises(InvalidInputError, match="^bias .* at t = 7"):
        evaluate(schedule, np.array([7.0]), "bias")


@dataclass(frozen=True)
class Faulty(Schedule):
    """A schedule of a user, which may be wrong."""

    kind: str = "good"

    def formula(self, t):
        if self.kind == "raises":
            raise KeyError("of mine")
        wrong = {"scalar": 1.0, "short": t[:-1], "text": t.astype(str), "nan": np.where(t == 2.0, np.nan, t)}
        return wrong.get(self.kind, t)


def test_a_schedule_of_ones_own_is_asked_once_and_checked():
    rounds = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(evaluate(Faulty(), rounds, "bias"), rounds)
    for kind, message in {
        "scalar": "bias must give one number for each of 3 rounds. Got 1.0",
        "short": r"bias must give one number for each of 3 rounds. Got an array of shape \(2,\)",
        "text": "bias must give one number for each of 3 rounds",
        "nan": "bias must be finite in every round, but is nan at t = 2",
        "raises": r"bias could not be computed: KeyError\('of mine'\)",
    }.items():
        with pytest.raises(InvalidInputError, match=message):
            evaluate(Faulty(kind), rounds, "bias")


def test_bad_schedules():
    with pytest.raises(InvalidParameterError, match="'scale' parameter of Sqrt must be a float in"):
        Sqrt(scale=-1.0)
    with pytest.raises(InvalidInputError, match=r"epsilon must lie in \[0, 1\]. Got 2.0 at t = 1"):
        EpsilonGreedy(n_features=1, epsilon=lambda t: 2.0).choose([[1.0]])
    with pytest.raises(StateFileError, match="Unknown schedule"):
        from_plain({"schedule": "os.system"})
