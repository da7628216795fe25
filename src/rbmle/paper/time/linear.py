"""Figure 2 and Tables 2 and 6: what a decision of the linear methods costs."""

from functools import partial

from rbmle.paper.experiments import linear_experiment
from rbmle.paper.plan import Plan
from rbmle.paper.printed import printed_tables
from rbmle.paper.published.linear import authors_policies
from rbmle.paper.time.part import Printed, TimePart
from rbmle.paper.time.plain import PlainLinear
from rbmle.paper.time.sizes import TimeStudy
from rbmle.policies import Policy
from rbmle.problems import LinearProblem


def linear_time(plan: Plan, variant: str, all_trials: bool) -> TimePart:
    """The part, ready to be run."""
    tables = printed_tables()
    study = TimeStudy(
        part="linear-time",
        timing=plan.linear_time,
        policies=lambda d, K, horizon: policies(d, horizon),
        plain=partial(plain, samples=plan.samples),
        problem=lambda theta, K: LinearProblem(theta, K),
        slow=frozenset({"VIDS"}),
    )
    return TimePart(
        part="linear-time",
        heading="Linear bandits: time",
        figure=2,
        tables=(2, 6),
        plan=plan,
        settings=plan.linear,
        definition="authors" if variant == "authors" else "published",
        experiment=linear_experiment,
        study=study,
        printed=Printed(
            lambda d, K: f"d = {d}, K = {K}",
            tables["linear_seconds_per_decision_x100"],
            1e-2,
            tables["linear_std_seconds_per_decision_x10000"],
            1e-4,
        ),
        all_trials=all_trials,
        remark=", V⁻¹ included, as the paper's complexity section counts",
    )


def policies(d: int, horizon: int) -> dict[str, Policy]:
    """All nine by their authors' definitions."""
    return authors_policies(d, horizon)


def plain(name: str, d: int, horizon: int, seed: int, samples: int) -> PlainLinear:
    """A method in plain NumPy."""
    return PlainLinear(name, d, horizon, seed, samples)
