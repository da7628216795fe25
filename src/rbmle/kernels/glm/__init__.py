"""Compiled functions of generalized linear models: the estimate, the index of each arm, decisions and whole rounds."""

from typing import TYPE_CHECKING

from rbmle.kernels import loads_when_used

if TYPE_CHECKING:
    from rbmle.kernels.glm import (
        augmented,
        ball,
        choose,
        code,
        confidence,
        ecolog,
        ellipsoid,
        fixed,
        gaps,
        greedy,
        index,
        interior,
        laplace,
        link,
        named,
        newton,
        online,
        path,
        perturb,
        prune,
        root,
        rounds,
        rows,
        scalar,
        sequential,
        start,
        ucb,
    )

__all__ = [
    "augmented",
    "ball",
    "choose",
    "code",
    "confidence",
    "ecolog",
    "ellipsoid",
    "fixed",
    "gaps",
    "greedy",
    "index",
    "interior",
    "laplace",
    "link",
    "named",
    "newton",
    "online",
    "path",
    "perturb",
    "prune",
    "root",
    "rounds",
    "rows",
    "scalar",
    "sequential",
    "start",
    "ucb",
]

__getattr__ = loads_when_used(__name__)
