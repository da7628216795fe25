"""Compiled functions of generalized linear models: the estimate, the index of each arm, decisions and whole rounds."""

from typing import TYPE_CHECKING

from rbmle.kernels import loads_when_used

if TYPE_CHECKING:
    from rbmle.kernels.glm import (
        choose,
        code,
        fixed,
        greedy,
        index,
        laplace,
        link,
        named,
        newton,
        online,
        prune,
        root,
        rounds,
        rows,
        scalar,
        start,
        ucb,
    )

__all__ = [
    "choose",
    "code",
    "fixed",
    "greedy",
    "index",
    "laplace",
    "link",
    "named",
    "newton",
    "online",
    "prune",
    "root",
    "rounds",
    "rows",
    "scalar",
    "start",
    "ucb",
]

__getattr__ = loads_when_used(__name__)
