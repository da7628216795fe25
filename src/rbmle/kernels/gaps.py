"""Inverse gap weighting: the further an arm's predicted reward is below the best one, the less often it is played.

mean      (K,)          ŷ_a, predicted rewards
numbers   (1,) or (3,)  γ; and the least and the largest reward, where the rule is FastCB's
chances   (K,)          output: p_a
"""

from rbmle.kernels.compile import compiled, inlined
from rbmle.types import FloatArray


@inlined
def weigh(mean: FloatArray, numbers: FloatArray, chances: FloatArray) -> None:
    """SquareCB: p_a = 1/(K + γ gap_a), gap_a = ŷ_b − ŷ_a, and the rest is that of the best arm b, the first of equals.

    FastCB: p_a = y/(Ky + γ gap_a) with predictions held within the bounds of rewards and y = ŷ_b − low; 1/K where
    y = 0.
    """
    K, gamma, fast = len(mean), numbers[0], len(numbers) > 1
    low, high = (numbers[1], numbers[2]) if fast else (0.0, 0.0)
    for a in range(K):
        chances[a] = min(max(mean[a], low), high) if fast else mean[a]
    best, top = 0, chances[0]
    for a in range(1, K):
        if chances[a] > top:
            best, top = a, chances[a]
    unit = top - low if fast else 1.0
    others = 0.0
    for a in range(K):
        p = unit / (K * unit + gamma * (top - chances[a])) if unit > 0.0 else 1.0 / K
        chances[a] = p
        others += p
    chances[best] = 1.0 - (others - chances[best])


@compiled
def served(chances: FloatArray, place: float) -> int:
    """The arm at a place in [0, 1) of all chances side by side; never one without a chance."""
    below, arm = 0.0, 0
    for a in range(len(chances)):
        if chances[a] > 0.0:
            arm = a
            below += chances[a]
            if place < below:
                break
    return arm
