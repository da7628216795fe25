"""Figure 4 and Table 11: what a decision of the generalized linear methods costs."""

from rbmle.paper.experiments import glm_experiment
from rbmle.paper.plan import Plan
from rbmle.paper.printed import printed_tables
from rbmle.paper.published.glm import authors_glm_policies
from rbmle.paper.time.part import Printed, TimePart
from rbmle.paper.time.plain import PlainGLM
from rbmle.paper.time.sizes import TimeStudy
from rbmle.problems import GLMProblem


def glm_time(plan: Plan, variant: str, all_trials: bool) -> TimePart:
    """The part, ready to be run."""
    study = TimeStudy(
        part="glm-time",
        timing=plan.glm_time,
        policies=authors_glm_policies,
        plain=PlainGLM,
        problem=lambda theta, K: GLMProblem(theta, K),
    )
    return TimePart(
        part="glm-time",
        heading="Generalized linear bandits: time",
        figure=4,
        tables=(11,),
        plan=plan,
        settings=plan.glm,
        definition="authors" if variant == "authors" else "published",
        experiment=glm_experiment,
        study=study,
        printed=Printed(
            lambda d, K: f"K={K}, d = {d}" if K == 5 else f"K={K}, d={d}",
            printed_tables()["glm_seconds_per_decision"],
            1.0,
        ),
        all_trials=all_trials,
        few=20,
        remark=": GLM-RBMLE runs one `scipy.optimize.root` per arm over the whole history",
    )
