"""Compiled array functions with no policy in them: of linear models in `kernels.linear`, of others in `kernels.glm`.

Modules of this package import numba, which takes most of a second, so they are loaded when first used:
``from rbmle import kernels`` costs nothing, ``kernels.linear.ridge.observe`` loads the module of that name.
"""

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rbmle.kernels import border, draw, gaps, glm, linear, logs, normal, regret, serve

__all__ = ["border", "draw", "gaps", "glm", "linear", "logs", "normal", "regret", "serve"]


def loads_when_used(package: str) -> Callable[[str], ModuleType]:
    """A package's ``__getattr__`` that imports its modules when they are first asked for."""

    def load(name: str) -> ModuleType:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return importlib.import_module(f"{package}.{name}")
        except ModuleNotFoundError as missing:
            if missing.name != f"{package}.{name}":
                raise
            raise AttributeError(f"{package} has no module {name!r}") from missing

    return load


__getattr__ = loads_when_used(__name__)
