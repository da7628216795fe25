"""Compiled functions of linear models: ridge regression, formulas by address, decisions and whole rounds."""

from typing import TYPE_CHECKING

from rbmle.kernels import loads_when_used

if TYPE_CHECKING:
    from rbmle.kernels.linear import (
        catalogue,
        columns,
        constrained,
        ensemble,
        forgetting,
        forgetting_rounds,
        formula,
        index,
        lanes,
        perturbed,
        predict,
        ridge,
        rounds,
        vids,
    )

__all__ = [
    "catalogue",
    "columns",
    "constrained",
    "ensemble",
    "forgetting",
    "forgetting_rounds",
    "formula",
    "index",
    "lanes",
    "perturbed",
    "predict",
    "ridge",
    "rounds",
    "vids",
]

__getattr__ = loads_when_used(__name__)
