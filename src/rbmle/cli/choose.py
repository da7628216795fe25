"""From the settings of a study to a problem and policies."""

from dataclasses import MISSING, fields
from typing import Any

from rbmle import params
from rbmle.cli import known as shell
from rbmle.cli import values
from rbmle.cli.study import Study
from rbmle.errors import InvalidParameterError
from rbmle.policies import LinearPolicy, Policy
from rbmle.problems import LinearProblem, Problem

FAMILIES = ("gaussian", "logistic", "poisson")
# Left out unless asked for: thousands of samples for every decision.
SLOW = ("VIDS",)


def problem(study: Study) -> Problem:
    """The problem of a study."""
    if study.family not in FAMILIES:
        raise InvalidParameterError(f"Unknown family {study.family!r}.{values.suggestion(study.family, FAMILIES)}")
    if study.family == "gaussian":
        return LinearProblem(study.theta, study.arms, static=study.static, noise=values.noise(study.noise))
    if study.noise != "gaussian":
        raise InvalidParameterError(f"The setting 'noise' goes with the gaussian family only, not {study.family!r}.")
    from rbmle.problems import GLMProblem

    made: Problem = GLMProblem(study.theta, study.arms, family=study.family, static=study.static)
    return made


def policies(study: Study) -> dict[str, Policy]:
    """The policies of a study, by name: those of its tables, and its methods (by default all that suit the family)."""
    chosen: dict[str, Policy] = {}
    methods = study.methods
    if methods == ["all"] or not (methods or study.policies):
        methods = suitable(study, with_slow=bool(methods))
    for method in methods:
        chosen[shell.method(method).__name__] = build(method, {}, study)
    for name, table in study.policies.items():
        arguments = dict(table)
        chosen[name] = build(str(arguments.pop("method", name)), arguments, study)
    return chosen


def suitable(study: Study, with_slow: bool) -> list[str]:
    """Methods for the family: linear ones for Gaussian rewards, generalized linear ones for the others."""
    names = []
    for name, cls in shell.methods().items():
        ours = cls.__module__.split(".")[0] == "rbmle"
        if (ours and not cls.__module__.startswith("rbmle.policies.")) or (not ours and not study.imports):
            continue
        if name in SLOW and not with_slow:
            continue
        if name != "Uniform" and study.family not in families(cls):
            continue
        try:
            build(name, {}, study)
        except InvalidParameterError:  # needs a parameter that only the user can give
            continue
        names.append(name)
    return names


def families(cls: type[Policy]) -> tuple[str, ...]:
    """The families a method is made for; one that has no choice of family is made for successes and failures."""
    if issubclass(cls, LinearPolicy):
        return ("gaussian",)
    return ("logistic", "poisson") if "family" in {each.name for each in fields(cls)} else ("logistic",)


def build(method: str, arguments: dict[str, Any], study: Study) -> Policy:
    """A policy by the name of its class. What the study knows (features, arms, horizon, family) need not be said."""
    cls = shell.method(method)
    known = {each.name: each for each in fields(cls)}
    for name in arguments:
        if name not in known:
            raise InvalidParameterError(f"{method} has no parameter {name!r}.{values.suggestion(name, known)}")
    constraints = params.constraints(cls)
    given = {
        name: values.schedule(value) if isinstance(constraints.get(name), params.Schedule) else value
        for name, value in arguments.items()
    }
    context: dict[str, Any] = {
        "n_features": len(study.theta),
        "n_arms": study.arms,
        "horizon": study.horizon,
        "family": study.family,
    }
    given = {name: value for name, value in context.items() if name in known} | given
    missing = [
        name
        for name, each in known.items()
        if name not in given and each.default is MISSING and each.default_factory is MISSING
    ]
    if missing:
        raise InvalidParameterError(
            f"{method} needs the parameter {missing[0]!r}: give it in a [policies.{method}] table."
        )
    return cls(**given)
