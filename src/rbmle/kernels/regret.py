"""What played arms lose against the best ones, in mean rewards (B, K), or (1, K) where these stay."""

from rbmle.kernels.compile import compiled
from rbmle.types import FloatArray, IntArray


@compiled
def largest(means: FloatArray, best: FloatArray) -> None:
    """The largest mean of each row."""
    for t in range(len(means)):
        top = means[t, 0]
        for a in range(1, means.shape[1]):
            top = means[t, a] if means[t, a] > top else top
        best[t] = top


@compiled
def accumulate(means: FloatArray, best: FloatArray, arms: IntArray, lost: float, regret: FloatArray) -> int:
    """Regret after every round, `lost` before the first; how many rounds had an arm that there is."""
    moving = len(means) > 1
    for t in range(len(arms)):
        row, arm = (t if moving else 0), arms[t]
        if not 0 <= arm < means.shape[1]:
            return t
        lost += best[row] - means[row, arm]
        regret[t] = lost
    return len(arms)
