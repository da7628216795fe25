"""From the settings of a comparison to a problem and policies."""

from dataclasses import MISSING, fields
from typing import Any

from rbmle import params
from rbmle.cli import known as shell
from rbmle.cli import values
from rbmle.cli.config import Comparison
from rbmle.errors import InvalidParameterError
from rbmle.policies import Policy
from rbmle.problems import LinearProblem, Problem

FAMILIES = ("gaussian", "logistic", "poisson")
# The length of the vectors that stand for classes in the embedded encoding.
EMBEDDED = 4


def problem(comparison: Comparison) -> Problem:
    """The problem of a comparison."""
    if comparison.family not in FAMILIES:
        raise InvalidParameterError(
            f"Unknown family {comparison.family!r}." + values.suggestion(comparison.family, FAMILIES)
        )
    if comparison.dataset is not None:
        return data(comparison)
    if comparison.family == "gaussian":
        return LinearProblem(
            comparison.theta, comparison.arms, static=comparison.static, noise=values.noise(comparison.noise)
        )
    if comparison.noise != "gaussian":
        raise InvalidParameterError(
            f"The setting 'noise' goes with the gaussian family only, not {comparison.family!r}."
        )
    from rbmle.problems import GLMProblem

    made: Problem = GLMProblem(comparison.theta, comparison.arms, family=comparison.family, static=comparison.static)
    return made


def data(comparison: Comparison) -> Problem:
    """A data set as a bandit, prepared as in published tables: rows of norm 1, −1 for what is missing."""
    from rbmle import datasets

    if comparison.family == "poisson" or comparison.noise != "gaussian":
        raise InvalidParameterError(
            "The setting 'dataset' goes without noise and with the family gaussian or logistic: right answers pay 1."
        )
    found = datasets.load(str(comparison.dataset), comparison.data)
    if not isinstance(found, datasets.Dataset):
        choices: Problem = found.as_problem()
        return choices
    embedding = min(found.n_classes, EMBEDDED) if comparison.encoding == "embedded" else None
    made: Problem = found.problem(encoding=comparison.encoding, embedding=embedding, normalize=True, missing=-1.0)
    return made


def horizon(comparison: Comparison, on: Problem) -> int:
    """The rounds of a trial: those of the comparison, or fewer where the data end."""
    return min(comparison.horizon, on.horizon or comparison.horizon)


def policies(comparison: Comparison, on: Problem | None = None) -> dict[str, Policy]:
    """The policies of a comparison by name: those of its tables, and its methods (by default all that suit).

    on: the problem of the comparison, where the caller has it already.
    """
    on = problem(comparison) if on is None else on
    chosen: dict[str, Policy] = {}
    methods = comparison.methods
    if methods == ["all"] or not (methods or comparison.policies):
        methods = suitable(comparison, on, with_slow=bool(methods))
    for method in methods:
        chosen[shell.method(method).__name__] = build(method, {}, context_of(comparison, on))
    for name, table in comparison.policies.items():
        arguments = dict(table)
        chosen[name] = build(str(arguments.pop("method", name)), arguments, context_of(comparison, on))
    return chosen


def suitable(comparison: Comparison, on: Problem, with_slow: bool) -> list[str]:
    """Methods for the family: linear ones for Gaussian rewards, generalized linear ones for the others."""
    names = []
    for name, cls in shell.methods().items():
        ours = cls.__module__.split(".")[0] == "rbmle"
        if (ours and not cls.__module__.startswith("rbmle.policies.")) or (not ours and not comparison.imports):
            continue
        if (cls.costly and not with_slow) or comparison.family not in families(cls):
            continue
        if cls.fixed_arms and not on.static:
            continue
        try:
            build(name, {}, context_of(comparison, on))
        except InvalidParameterError:  # needs a parameter that only the user can give
            continue
        names.append(name)
    return names


def families(cls: type[Policy]) -> tuple[str, ...]:
    """The families a method is made for; one that says nothing and has no choice is made for successes and failures."""
    return cls.rewards or ("logistic",)


def build(method: str, arguments: dict[str, Any], context: dict[str, Any]) -> Policy:
    """A policy by the name of its class. What is known (features, arms, horizon, family) need not be said."""
    cls = shell.method(method)
    given = known_to(cls, context) | settled(cls, arguments)
    missing = [
        each.name
        for each in fields(cls)
        if each.name not in given and each.default is MISSING and each.default_factory is MISSING
    ]
    if missing:
        raise InvalidParameterError(
            f"{method} needs the parameter {missing[0]!r}: give it in a [policies.{method}] table."
        )
    return cls(**given)


def context_of(comparison: Comparison, on: Problem) -> dict[str, Any]:
    """What a comparison says of policies."""
    return {
        "n_features": on.n_features,
        "n_arms": on.n_arms,
        "horizon": horizon(comparison, on),
        "family": comparison.family,
    }


def known_to(cls: type[Policy], context: dict[str, Any]) -> dict[str, Any]:
    """What of this a class takes."""
    known = {each.name for each in fields(cls)}
    return {name: value for name, value in context.items() if name in known}


def settled(cls: type[Policy], arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments that the class has, schedules made of their texts; a list stands for several values."""
    known, constraints = [each.name for each in fields(cls)], params.constraints(cls)
    given = {}
    for name, value in arguments.items():
        if name not in known:
            raise InvalidParameterError(f"{cls.__name__} has no parameter {name!r}.{values.suggestion(name, known)}")
        rule = constraints.get(name)
        if isinstance(rule, params.FunctionOfRound):
            value = [function(each, rule) for each in value] if isinstance(value, list) else function(value, rule)
        given[name] = value
    return given


def function(value: Any, rule: params.FunctionOfRound) -> Any:
    """A schedule, or "auto" where that is one."""
    return value if rule.auto and value == "auto" else values.schedule(value)
