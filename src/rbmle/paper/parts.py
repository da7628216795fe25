"""The parts of the study, listed here and nowhere else: each is a folder, and a function that makes it."""

from collections.abc import Callable, Collection

from rbmle.paper.bias.part import BiasPart
from rbmle.paper.bounds.part import BoundsPart
from rbmle.paper.part import Part
from rbmle.paper.plan import Plan
from rbmle.paper.regret.glm import glm_regret_part
from rbmle.paper.regret.linear import linear_regret
from rbmle.paper.time.glm import glm_time
from rbmle.paper.time.linear import linear_time

# How much is run, whose definition of the methods, and which parts are run together.
Maker = Callable[[Plan, str, Collection[str]], Part]

PARTS: dict[str, Maker] = {
    "linear-regret": lambda plan, variant, _: linear_regret(plan, variant),
    "linear-time": lambda plan, variant, names: linear_time(plan, variant, all_trials="linear-regret" in names),
    "glm-regret": lambda plan, variant, _: glm_regret_part(plan, variant),
    "glm-time": lambda plan, variant, names: glm_time(plan, variant, all_trials="glm-regret" in names),
    "bounds": lambda plan, *_: BoundsPart(plan),
    "bias": lambda plan, *_: BiasPart(plan),
}
