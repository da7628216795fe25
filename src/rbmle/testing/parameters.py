"""Checks of a policy's parameters: they read back, are constrained, and stay."""

import copy
import pickle
from dataclasses import fields

from rbmle.errors import RbmleError
from rbmle.params import constraints
from rbmle.policies.base import Policy
from rbmle.testing.tools import CheckFailed, expect, expect_refused


def parameters_read_back(policy: Policy) -> None:
    """Every argument reads back, and makes an equal policy."""
    arguments = {field.name for field in fields(policy)}
    expect(set(policy.params) == arguments, f"params must name every argument: {sorted(arguments)}")
    twin = type(policy)(**policy.params)
    expect(twin.params == policy.params, "params do not read back")
    expect(type(policy).__name__ in repr(policy), "repr does not name the policy")


def parameters_are_checked(policy: Policy) -> None:
    """Every constrained parameter refuses a value outside of its constraint."""
    for name, constraint in constraints(type(policy)).items():
        for bad in (-1.0, -7, 0, float("nan"), float("inf"), "nonsense", object()):
            if constraint.holds(bad):
                continue
            try:
                type(policy)(**{**policy.params, name: bad})
            except RbmleError as error:
                expect(f"'{name}'" in str(error), f"the error about {name}={bad!r} does not name it: {error}")
            else:
                raise CheckFailed(f"{name}={bad!r} was accepted")


def parameters_are_frozen(policy: Policy) -> None:
    """No parameter of a policy, of a copy or of a pickle can be assigned or deleted."""
    told = dict(policy.params)
    copies = {
        "a policy": policy,
        "a copy": policy.copy(),
        "a deep copy": copy.deepcopy(policy),
        "a pickle": pickle.loads(pickle.dumps(policy)),
    }
    for what, each in copies.items():
        for name, value in told.items():
            assign, delete = f"assigning {name} of {what}", f"deleting {name} of {what}"
            expect_refused(assign, lambda p=each, n=name, v=value: setattr(p, n, v), each.state)  # type: ignore[misc]
            expect_refused(delete, lambda p=each, n=name: delattr(p, n), each.state)  # type: ignore[misc]
        expect(each.params == told, f"the parameters of {what} have changed")
        expect(each.model.n_features == each.n_features, f"the model of {what} has another n_features")
