"""Where many arms are bounded closer at once: by `prune.narrow` or by `prune.together`, as arms and features are many.

Tuples are described in kernels.glm.named.
"""

import math
from typing import Any

from numba import types

from rbmle.kernels.address import at_address
from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.link import CLOSER
from rbmle.kernels.glm.named import ARMS, LIKELIHOOD, POINTS, RULE, SCRATCH
from rbmle.kernels.glm.prune.look import HIGH, LOW
from rbmle.types import FloatArray, IntArray

CLOSER_SIGNATURE = types.void(LIKELIHOOD, RULE, ARMS, POINTS, SCRATCH)


@compiled
def contenders(known: FloatArray, alive: IntArray, count: int) -> int:
    """Keep of the first `count` arms in `alive` those that can be the best; returns how many."""
    best, few, kept = -math.inf, 0, 0
    for k in range(count):  # most are gone after one pass over what is known, which is more than fits the cache
        a = alive[k]
        best = max(best, known[a, LOW])
        if known[a, HIGH] >= best:
            alive[few] = a
            few += 1
    for k in range(few):
        if known[alive[k], HIGH] >= best:
            alive[kept] = alive[k]
            kept += 1
    return kept


closer_at = at_address(CLOSER_SIGNATURE)


@compiled
def come_closer(likelihood: Any, rule: Any, arms: Any, points: Any, scratch: Any) -> None:
    """Bound the arms that can be the best closer, unless one stands out, and give those that still can a point."""
    closer_at(rule.functions[CLOSER])(likelihood, rule, arms, points, scratch)
