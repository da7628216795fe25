"""Constraints and their one wording."""

import copy
import inspect
import math
import pickle
import pydoc
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from rbmle import BayesUCB, LinUCB
from rbmle.errors import FrozenParameterError, InvalidParameterError
from rbmle.params import Count, Flag, FunctionOfRound, Integer, OneOf, Optional, Real, undeclared
from rbmle.policies.base import Policy


def test_the_wording():
    with pytest.raises(InvalidParameterError) as error:
        LinUCB(n_features=2, alpha=-1.0)
    assert str(error.value) == "The 'alpha' parameter of LinUCB must be a float in [0, inf). Got -1.0 instead."


def test_numbers_too_long_to_be_written_are_refused_too():
    with pytest.raises(InvalidParameterError, match="Got an int of 33216 bits instead"):
        LinUCB(n_features=2, alpha=10**9999)


def test_parameters_are_keyword_only():
    with pytest.raises(TypeError):
        LinUCB(2)


NOT_POSITIVE = [-1e-9, math.nan, math.inf, 10**400, np.longdouble("1e4000")]
NO_NUMBERS = [True, "1", None, np.timedelta64(1)]


@pytest.mark.parametrize(
    ("constraint", "good", "bad", "text"),
    [
        (Real(0.0), [0, 1.5, np.float32(2)], [*NOT_POSITIVE, *NO_NUMBERS], "a float in [0, inf)"),
        (Real(0.0, 1.0, open_low=True, open_high=True), [0.5], [0.0, 1.0], "a float in (0, 1)"),
        (Real(), [-5.0], [-math.inf], "a float in (-inf, inf)"),
        (Integer(1), [1, np.int64(3)], [0, 1.0, *NO_NUMBERS], "an int in [1, inf)"),
        (Count(), [1, 2**53], [0, 2**53 + 1, 10**400, 1.0, *NO_NUMBERS], "an int in [1, 9007199254740992]"),
        (Optional(Integer(1)), [None, 1], [0], "None or an int in [1, inf)"),
        (OneOf("a", "b"), ["a"], ["c", 1], "one of 'a', 'b'"),
        (Flag(), [True, np.False_], [0, "yes"], "True or False"),
        (FunctionOfRound(), [abs], [1.0], "a schedule such as Sqrt(scale=1.0), or a callable of t"),
    ],
)
def test_constraints(constraint, good, bad, text):
    assert all(constraint.holds(value) for value in good)
    assert not any(constraint.holds(value) for value in bad)
    assert str(constraint) == text


def test_a_constraint_between_parameters():
    with pytest.raises(InvalidParameterError, match="'horizon' parameter of BayesUCB must be an int in"):
        BayesUCB(n_features=2, c=1.0)


def test_reprs_say_what_the_constraint_is():
    assert repr(Real(0.0, open_low=True)) == "Real(low=0.0, open_low=True)"
    assert repr(Optional(Integer(1))) == "Optional(inner=Integer(low=1))"
    assert repr(OneOf("a", "b")) == "OneOf('a', 'b')"
    for policy in Policy.registry.values():
        assert " object at 0x" not in str(inspect.signature(policy)), policy
        assert " at 0x" not in pydoc.render_doc(policy), policy


def test_help_shows_the_parameters():
    assert list(inspect.signature(LinUCB).parameters) == ["n_features", "regularization", "forgetting", "alpha"]
    shown = pydoc.render_doc(LinUCB, renderer=pydoc.plaintext).splitlines()
    assert "LinUCB(*, n_features: " in shown[3]
    assert "Real(low=0.0)" in shown[3]


def test_a_forgotten_decorator_is_noticed():
    class Forgot(LinUCB):
        title = ""
        constant: ClassVar[int] = 1
        text: "ClassVar[int]" = 1
        alpha: float = 2.0
        width: float = 2.0

    @dataclass(kw_only=True, eq=False)
    class Below(Forgot):
        depth: float = 1.0

    assert undeclared(Forgot) == undeclared(Below) == ["width"]
    assert not any(undeclared(cls) for cls in (LinUCB, BayesUCB, Plain, int))


@dataclass(kw_only=True, eq=False)
class Plain(LinUCB):
    """A user's policy, declared as everyone declares a dataclass, that derives a field after construction began."""

    title = ""
    width: float = 0.0

    def __post_init__(self):
        super().__post_init__()
        self.width = 2.0 * self.alpha


def frozen_policies():
    policy = Plain(n_features=2, alpha=3.0)
    return [policy, copy.copy(policy), copy.deepcopy(policy), pickle.loads(pickle.dumps(policy)), policy.copy()]


@pytest.mark.parametrize("policy", frozen_policies())
def test_parameters_cannot_be_changed_after_construction(policy):
    for name in policy.params:
        with pytest.raises(FrozenParameterError, match=f"'{name}' parameter of Plain cannot be changed.*new policy"):
            setattr(policy, name, 7)
        with pytest.raises(FrozenParameterError):
            delattr(policy, name)
    assert policy.params == {"n_features": 2, "regularization": 1.0, "forgetting": None, "alpha": 3.0, "width": 6.0}


def test_other_attributes_of_a_policy_are_free():
    policy = Plain(n_features=2)
    policy.note = "mine"
    assert policy.note == "mine"
    del policy.note
    assert not hasattr(policy, "note")


def test_a_refused_assignment_is_an_attribute_error_and_a_value_error():
    assert issubclass(FrozenParameterError, AttributeError)
    assert issubclass(FrozenParameterError, InvalidParameterError)
