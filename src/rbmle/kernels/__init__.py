"""Compiled array functions with no policy in them.

Modules of this package import numba, which takes most of a second, so they are loaded when first used:
``from rbmle import kernels`` costs nothing, ``kernels.ridge.observe`` loads the module of that name.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rbmle.kernels import (
        fixed,
        formula,
        glm_bounds,
        glm_choose,
        glm_code,
        glm_fixed,
        glm_index,
        glm_link,
        glm_look,
        glm_narrow,
        glm_newton,
        glm_online,
        glm_rounds,
        glm_rows,
        glm_start,
        glm_tensors,
        greedy_glm,
        laplace,
        laplace_published,
        normal,
        ridge,
        rounds,
        ucb_glm,
        vids,
    )

__all__ = [
    "fixed",
    "formula",
    "glm_bounds",
    "glm_choose",
    "glm_code",
    "glm_fixed",
    "glm_index",
    "glm_link",
    "glm_look",
    "glm_narrow",
    "glm_newton",
    "glm_online",
    "glm_rounds",
    "glm_rows",
    "glm_start",
    "glm_tensors",
    "greedy_glm",
    "laplace",
    "laplace_published",
    "normal",
    "ridge",
    "rounds",
    "ucb_glm",
    "vids",
]


def __getattr__(name: str) -> ModuleType:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as missing:
        if missing.name != f"{__name__}.{name}":
            raise
        raise AttributeError(f"rbmle.kernels has no module {name!r}") from missing
