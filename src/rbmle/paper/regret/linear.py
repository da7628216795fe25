"""Figure 1 and Tables 1, 3, 4 and 5: the regret of nine linear methods."""

from rbmle.paper.experiments import linear_experiment
from rbmle.paper.plan import Plan
from rbmle.paper.printed import printed_tables
from rbmle.paper.regret.part import RegretPart
from rbmle.paper.settings import LINEAR

EXACT = ("RBMLE", "LinUCB", "BUCB", "GPUCB", "GPUCBT", "KG", "KG*")


def linear_regret(plan: Plan, variant: str) -> RegretPart:
    """The part, ready to be run."""
    return RegretPart(
        name="linear-regret",
        heading="Linear bandits: regret",
        own="RBMLE",
        tables={setting.key: number for setting, number in zip(LINEAR, (1, 3, 4, 5), strict=True)},
        figure=1,
        printed=printed_tables()["linear_regret"],
        scale=100.0,
        exact=EXACT,
        experiment=linear_experiment,
        plan=plan,
        settings=plan.linear,
        variant=variant,
    )
