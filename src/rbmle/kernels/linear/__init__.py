"""Compiled functions of linear models: ridge regression, formulas by address, decisions and whole rounds."""

from typing import TYPE_CHECKING

from rbmle.kernels import loads_when_used

if TYPE_CHECKING:
    from rbmle.kernels.linear import (
        blocks,
        catalogue,
        columns,
        constrained,
        ensemble,
        forgetting,
        forgetting_rounds,
        formula,
        index,
        lanes,
        lazy,
        perturbed,
        posterior,
        predict,
        ridge,
        rounds,
        search,
        sets,
        vids,
    )

__all__ = [
    "blocks",
    "catalogue",
    "columns",
    "constrained",
    "ensemble",
    "forgetting",
    "forgetting_rounds",
    "formula",
    "index",
    "lanes",
    "lazy",
    "perturbed",
    "posterior",
    "predict",
    "ridge",
    "rounds",
    "search",
    "sets",
    "vids",
]

__getattr__ = loads_when_used(__name__)
