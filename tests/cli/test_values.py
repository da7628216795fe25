"""Values as people write them: read, never executed."""

import pytest

from rbmle.cli import values
from rbmle.errors import InvalidParameterError, RbmleError
from rbmle.problems import BoundedReward, Gaussian, Uniform
from rbmle.schedules import Constant, OnePlusLog, Power, Sqrt


def test_numbers() -> None:
    assert values.numbers("-0.3, 0.5 ,0.8", "theta") == [-0.3, 0.5, 0.8]
    assert values.numbers("1 2e-1", "theta") == [1.0, 0.2]
    with pytest.raises(InvalidParameterError, match="theta must be numbers such as"):
        values.numbers("1,two", "theta")


@pytest.mark.parametrize(
    ("text", "schedule"),
    [
        ("Sqrt", Sqrt()),
        ("Sqrt()", Sqrt()),
        (" Sqrt(scale=2.0) ", Sqrt(scale=2.0)),
        ("Power(0.5, exponent=-1)", Power(scale=0.5, exponent=-1)),
        ({"schedule": "OnePlusLog", "scale": 3.0}, OnePlusLog(scale=3.0)),
        (2, Constant(value=2.0)),
        (0.25, Constant(value=0.25)),
    ],
)
def test_schedules(text: object, schedule: object) -> None:
    assert values.schedule(text) == schedule


@pytest.mark.parametrize(
    ("text", "noise"),
    [
        ("gaussian", Gaussian()),
        ("Gaussian(scale=0.5)", Gaussian(scale=0.5)),
        ("uniform(0.5)", Uniform(half_width=0.5)),
        ({"name": "bounded", "bound": 2.0}, BoundedReward(bound=2.0)),
    ],
)
def test_noises(text: object, noise: object) -> None:
    assert values.noise(text) == noise


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "Sqrt(scale=__import__('os').getpid())",
        "Sqrt(**{'scale': 2.0})",
        "Sqrt(scale=(lambda: 2.0)())",
        "(1).__class__",
        "Sqrt(scale=",
        "Sqrt(scale=2.0); print(1)",
        "",
        "(" * 500,
    ],
)
def test_nothing_is_executed(text: str) -> None:
    with pytest.raises(InvalidParameterError, match=r"Cannot read .*: write a name such as Sqrt, or Sqrt\(scale=2.0\)"):
        values.schedule(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Sqr(scale=2)", r"Unknown schedule 'Sqr'. Did you mean Sqrt\?"),
        ("zzzzzz", "Unknown schedule 'zzzzzz'. Known: .*Sqrt"),
        ("Sqrt(speed=2)", "Sqrt does not take these arguments"),
        ("Sqrt(scale=-1)", "The 'scale' parameter of Sqrt must be"),
        ({"scale": 2.0}, "Unknown schedule ''"),
    ],
)
def test_bad_schedules(text: object, words: str) -> None:
    with pytest.raises(RbmleError, match=words):
        values.schedule(text)


def test_suggestions_do_not_mind_capitals() -> None:
    assert values.suggestion("linucb", ["LinUCB", "VIDS"]) == " Did you mean LinUCB?"
