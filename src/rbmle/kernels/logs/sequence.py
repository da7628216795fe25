"""What a confidence sequence keeps of rows X in their order: their sum, and squares around a guess made before each.

The guess is X̂ = min(c, (c/2 + Σ X so far)/(t + 1)), where rows are never below c − 1 (c = 1 for rows that are never
negative): X − X̂ ≥ −1, on which all hangs.

past   (2,)  t and Σ X of the shard
total  (3,)  t, Σ X and v = Σ (X − X̂)² of all shards
"""

from rbmle.kernels.compile import compiled
from rbmle.types import FloatArray


@compiled
def follow(values: FloatArray, cap: float, past: FloatArray, total: FloatArray) -> None:
    """Take in rows of one shard."""
    t, summed, spread = past[0], past[1], 0.0
    start = summed
    for value in values:
        guess = min(cap, (0.5 * cap + summed) / (t + 1.0))
        spread += (value - guess) * (value - guess)
        summed += value
        t += 1.0
    total[0] += t - past[0]
    total[1] += summed - start
    total[2] += spread
    past[0], past[1] = t, summed
