"""Regret over the tuned parameter: how much hangs on its value."""

from typing import TYPE_CHECKING

import numpy as np

from rbmle.report import Figure
from rbmle.report.plots import sensitivity
from rbmle.studies.experiments import Found
from rbmle.studies.forms import REFERENCES

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

MOST = 8
"""So many curves stay legible."""


def shown_methods(found: Found) -> list[str]:
    """The reference, and the others that do best once tuned."""
    reference = REFERENCES[found.setting.family]
    order = [name for name in found.means("tuned") if name in found.curves]
    first = [reference] if reference in order else []
    return first + [name for name in order if name != reference][: MOST - len(first)]


def sensitivity_figure(found: Found) -> Figure:
    """Mean regret of the tuning trials over the parameter, in multiples of the method's default."""
    names = shown_methods(found)
    curves = {}
    for name in names:
        curve, tuning = found.curves[name], found.methods[name].tuning
        unit = 1.0 if tuning is None or tuning.default is None else tuning.default
        values = np.array(list(curve))
        curves[name] = values / unit, np.array([float(final.mean()) for final in curve.values()])
    drawing: Drawing = sensitivity(curves, title=found.setting.title)
    return Figure(
        caption=found.setting.key,
        drawing=drawing,
        name=f"sensitivity-{found.setting.key}",
        alt=f"Mean final regret over the tuned parameter of {', '.join(names)}, {found.setting.title}.",
    )
