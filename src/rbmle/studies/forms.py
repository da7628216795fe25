"""Methods in their three forms: as theory says, by default, and with every value of the parameter that is tuned.

All of it follows from what the classes say of themselves (`rbmle.policies.about`): no method is named here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from rbmle.errors import InvalidParameterError
from rbmle.policies import Policy
from rbmle.policies.about import Facts, Tuning
from rbmle.problems import Problem
from rbmle.studies.settings import Setting

FORMS = ("theory", "default", "tuned")
REFERENCES = {"gaussian": "LinRBMLE", "logistic": "GLMRBMLE"}


@dataclass(frozen=True)
class Method:
    """What of a method is played in one setting.

    default, theory  policies; theory is None where there is none, and the same object where it is the default
    grid             by value, the policies among which the tuned one is chosen
    """

    name: str
    default: Policy
    theory: Policy | None
    grid: Mapping[float, Policy]
    tuning: Tuning | None


def known_methods(names: Iterable[str] | None = None, own: bool = False) -> dict[str, type[Policy]]:
    """Public methods by name: all but the costly ones, or those that are named; `own`: those of users too."""
    public = {
        name: cls
        for name, cls in Policy.registry.items()
        if cls.__module__.startswith("rbmle.policies.") or (own and not cls.__module__.startswith("rbmle."))
    }
    if names is None:
        return {name: cls for name, cls in public.items() if not cls.costly}
    by_lower = {name.lower(): name for name in public}
    chosen = {}
    for name in names:
        if name.lower() not in by_lower:
            raise InvalidParameterError(f"Unknown method {name!r}. Known: {', '.join(public)}.")
        chosen[by_lower[name.lower()]] = public[by_lower[name.lower()]]
    return chosen


def suits(cls: type[Policy], setting: Setting, problem: Problem) -> bool:
    """Whether a method is made for the rewards and the arms of a setting."""
    return setting.family in cls.rewards and (problem.static or not cls.fixed_arms)


def methods_for(
    setting: Setting, problem: Problem, facts: Facts, classes: Mapping[str, type[Policy]]
) -> dict[str, Method]:
    """The methods of a setting: those that suit it, their variants, and what is shown there only."""
    found = {}
    for name, cls in classes.items():
        if suits(cls, setting, problem):
            found[name] = method(name, cls, facts)
            for label, arguments in cls.variants.items():
                found[label] = alone(label, cls, facts, arguments)
    for label, (name, arguments) in setting.extras.items():
        found[label] = alone(label, Policy.registry[name], facts, arguments)
    return found


def method(name: str, cls: type[Policy], facts: Facts) -> Method:
    """A class in its three forms. Where θ drifts, theory and tuning forget too."""
    required, forget = facts.required(cls), forgetting(cls, facts)
    default, theory, tuning = cls(**required), cls.theory(facts), cls.tuning
    by_theory = None if theory is None else cls(**{**required, **forget, **theory})
    if by_theory is not None and same(by_theory, default):
        by_theory = default
    values = () if tuning is None else tuning.values
    grid = {value: cls(**{**required, **cls.tuning.argument(value), **forget}) for value in values if cls.tuning}
    return Method(name, default, by_theory, grid, tuning)


def alone(name: str, cls: type[Policy], facts: Facts, arguments: Mapping[str, Any]) -> Method:
    """A policy with arguments of its own, which is its only form."""
    return Method(name, cls(**{**facts.required(cls), **arguments}), None, {}, None)


def forgetting(cls: type[Policy], facts: Facts) -> dict[str, Any]:
    """Arguments for problems that drift: the theorem's discount, where the method can forget."""
    able = facts.variation > 0.0 and "forgetting" in {each.name for each in fields(cls)}
    return {"forgetting": facts.discount()} if able else {}


def same(one: Policy, other: Policy) -> bool:
    """Whether two policies are the same but for what they are called."""
    return type(one) is type(other) and repr(one.params) == repr(other.params)
