"""Constraints and their one wording."""

import copy
import inspect
import math
import pickle
import pydoc
import subprocess
import sys
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pytest

from rbmle import BayesUCB, LinRBMLE, LinUCB
from rbmle.docstrings import meanings
from rbmle.errors import FrozenParameterError, InvalidParameterError
from rbmle.params import Count, Flag, FunctionOfRound, Integer, OneOf, Optional, Real, constraints, undeclared
from rbmle.policies.base import Policy
from rbmle.policies.linear import LinearPolicy


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
    signature = (
        "(*, n_features: int, regularization: float = 1.0, forgetting: Forgetting | None = None, alpha: float = 1.0)"
    )
    assert shown[3] == f" |  LinUCB{signature} -> None"
    assert f" |  __init__{signature.replace('(*', '(self, *')} -> None" in shown
    assert " |      alpha: width of the bound in standard deviations. Must be a float in [0, inf)." in shown


def test_help_is_words_and_not_what_only_a_type_checker_reads():
    for policy in Policy.registry.values():
        if policy.__module__.startswith("rbmle."):
            shown = pydoc.render_doc(policy, renderer=pydoc.plaintext).split("Data and other attributes")[0]
            assert not [word for word in ("ndarray[", "Annotated", "Callable[") if word in shown]
    shown = str(inspect.signature(LinRBMLE))
    assert "regularization: float | None = None" in shown
    assert "bias: ScheduleLike | 'auto' = Sqrt(scale=1.0)" in shown


def test_every_parameter_of_every_method_is_explained():
    for policy in Policy.registry.values():
        if policy.__module__.startswith("rbmle."):
            told, rules = meanings(policy), constraints(policy)
            assert set(inspect.signature(policy).parameters) - told.keys() == set(), policy
            for name, rule in rules.items():
                assert f"{name}: " in policy.__init__.__doc__
                rule = str(rule).split(" or one of ")[0]  # families that another test has named since are not in it
                assert f"Must be {rule}" in " ".join(policy.__init__.__doc__.split())


def test_meanings_are_read_from_docstrings():
    class Base:
        """Something.

        a, b: both
            of them
        c: of the base

        Prose: is none, for it has no name of one word before it ends.
        """

    class Derived(Base):
        """c:   its own, 1: and more."""

    assert meanings(Derived) == {
        "a": "both of them", "b": "both of them", "c": "its own, 1: and more.",
        "Prose": "is none, for it has no name of one word before it ends.",
    }  # fmt: skip


def test_constructors_of_users_are_explained_too():
    @dataclass(kw_only=True, eq=False)
    class Mine(LinearPolicy):
        """Mine.

        width: how wide.
        """

        formula = LinUCB.formula
        width: "Annotated[float, Real(0.0)]" = 1.0
        steps: Annotated[int | None, Optional(Integer(2))] = None

    assert "width: Annotated[float, Real(0.0)] = 1.0, steps: int | None = None" in str(inspect.signature(Mine))
    assert "width: how wide.\nsteps: Must be None or an int in [2, inf)." in Mine.__init__.__doc__


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


SENT = """
import sys
from dataclasses import dataclass
from typing import Annotated
import cloudpickle
from rbmle import LinUCB
from rbmle.params import Real
from rbmle.policies import LinearPolicy

@dataclass(kw_only=True, eq=False)
class Sent(LinearPolicy):
    '''Sent.

    width: how wide.
    '''
    formula = LinUCB.formula
    width: Annotated[float, Real(0.0)] = 1.0

sys.stdout.buffer.write(cloudpickle.dumps(Sent))
"""


def test_a_class_of_a_script_that_is_sent_elsewhere_explains_itself_there():
    pytest.importorskip("cloudpickle")
    sent = subprocess.run([sys.executable, "-c", SENT], capture_output=True, check=True).stdout
    code = "import inspect, pickle, sys; it = pickle.load(sys.stdin.buffer); print(inspect.signature(it)); "
    code += "print(it.__init__.__doc__); print(it(n_features=2, width=3.0).width)"
    told = subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True, check=True).stdout.decode()
    assert told.splitlines()[0].endswith("forgetting: Forgetting | None = None, width: float = 1.0) -> None")
    assert told.splitlines()[-2:] == ["width: how wide. Must be a float in [0, inf).", "3.0"]
