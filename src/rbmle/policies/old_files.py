"""Files of version 0.1 (format 1): what was said differently there, and what it is now.

What a file becomes behaves as it did, with two exceptions, where 0.1 was wrong: `KGStar` is the corrected formula, and
its `noise`, documented as a variance there, becomes the standard deviation it is now; `IDS` is corrected for noise
other than 1. `KGStar(spread="variance")` is `PublishedKGStar`, number for number.
"""

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np

from rbmle.errors import StateFileError
from rbmle.params import parameter_names
from rbmle.policies.base import Policy
from rbmle.types import FloatArray

# Arguments of 0.1 that chose between a method and what the published tables were made with, and the class of each.
CHOICES: dict[str, tuple[str, dict[str, str]]] = {
    "BayesUCB": ("spread", {"std": "BayesUCB", "variance": "PublishedBayesUCB"}),
    "KnowledgeGradient": ("spread", {"std": "KnowledgeGradient", "variance": "PublishedKnowledgeGradient"}),
    "KGStar": ("spread", {"std": "KGStar", "variance": "PublishedKGStar"}),
    "VIDS": ("when_certain", {"least_regret": "VIDS", "least_gain": "PublishedVIDS"}),
    "GLMRBMLE": ("index", {"likelihood": "GLMRBMLE", "gaussian": "PublishedGLMRBMLE"}),
    "LaplaceTS": ("definition", {"authors": "LaplaceTS", "published": "PublishedLaplaceTS"}),
}


def description(name: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Class and parameters, from those that version 0.1 wrote."""
    arguments = dict(params)
    argument, classes = CHOICES.get(name, ("", {}))
    if name == "LinTS" and "scale" not in arguments:
        arguments["scale"] = None  # the authors' width was the only one
    if not classes or argument in parameter_names(Policy.registry[name]):
        return name, arguments
    choice = arguments.pop(argument, None)
    if choice not in classes:
        raise StateFileError(f"{name}({argument}={choice!r}) is not among the choices of version 0.1.")
    if name == "VIDS":
        grid = arguments.pop("grid", None)
        if (choice == "least_gain") != (grid is not None):
            raise StateFileError(
                f"VIDS(grid={grid!r}, when_certain={choice!r}) is not there any more: a grid goes with 'least_gain', "
                "which is rbmle.paper.published.PublishedVIDS."
            )
        arguments |= {} if grid is None else {"grid": grid}
    if classes[choice] == "KGStar":
        arguments["noise"] = sqrt(arguments["noise"])
    return f"rbmle.{classes[choice]}", arguments


def state(arrays: Mapping[str, FloatArray], wanted: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """What was learnt, with the names of today's models."""
    new = dict(arrays)
    if "volume" in wanted and "log_det" in new:
        new["volume"] = np.array([*new.pop("log_det"), 1.0])  # a factor beside the logarithm
    return new
