"""Figure 3 and Tables 7 to 10: the regret of three methods for successes and failures."""

from rbmle.paper.experiments import glm_experiment
from rbmle.paper.plan import Plan
from rbmle.paper.printed import printed_tables
from rbmle.paper.regret.part import RegretPart
from rbmle.paper.settings import GLM

EXACT = ("GLM-RBMLE", "Laplace-TS")


def glm_regret_part(plan: Plan, variant: str) -> RegretPart:
    """The part, ready to be run."""
    return RegretPart(
        name="glm-regret",
        heading="Generalized linear bandits: regret",
        own="GLM-RBMLE",
        tables={setting.key: number for setting, number in zip(GLM, (7, 8, 9, 10), strict=True)},
        figure=3,
        printed=printed_tables()["glm_regret"],
        scale=1.0,
        exact=EXACT,
        experiment=glm_experiment,
        plan=plan,
        settings=plan.glm,
        variant=variant,
    )
