"""OFUGLB beside a general optimiser called for every arm, as its authors do: ``python -m benchmarks.confidence``.

Both decide on one history, in turns within one run. The optimiser gets exact gradients and starts from θ̂, once.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import optimize
from scipy.special import expit
from threadpoolctl import threadpool_limits

from benchmarks.glm import unit
from benchmarks.timing import readable
from rbmle import OFUGLB
from rbmle.types import FloatArray

NORM, DELTA, ARMS, TURNS = 4.0, 0.05, 10, 5
TARGET = 50
minimize: Any = optimize.minimize


def by_slsqp(X: FloatArray, r: FloatArray, arms: FloatArray) -> FloatArray:
    """max xᵀθ over L(θ) − L(θ̂) ≤ β², ‖θ‖ ≤ S for every arm, by SLSQP."""

    def loss(theta: FloatArray) -> tuple[float, FloatArray]:
        z = X @ theta
        return float(np.logaddexp(0.0, z).sum() - r @ z), X.T @ (expit(z) - r)

    ball: dict[str, Any] = {"type": "ineq", "fun": lambda th: NORM**2 - th @ th, "jac": lambda th: -2.0 * th}
    how: dict[str, Any] = {"method": "SLSQP", "jac": True, "options": {"ftol": 1e-12, "maxiter": 500}}
    n, d = X.shape
    best = minimize(loss, np.zeros(d), constraints=[ball], **how)
    steepness = (1.0 + 0.5 * NORM) * (n - 1)
    level = best.fun + np.log(1.0 / DELTA) + d * np.log(max(np.e, 2.0 * np.e * NORM * steepness / d))
    likely: dict[str, Any] = {"type": "ineq", "fun": lambda th: level - loss(th)[0], "jac": lambda th: -loss(th)[1]}

    def highest(x: FloatArray) -> float:
        found = minimize(lambda th: (-x @ th, -x), best.x, constraints=[likely, ball], **how)
        return -float(found.fun)

    return np.array([highest(x) for x in arms])


def seconds(run: Callable[[], object]) -> float:
    """Of one call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    table = Table(
        title=f"OFUGLB, a decision over {ARMS} arms after n rewards", title_justify="left", caption_justify="left",
        caption=f"target: {TARGET} times as fast; the gap is the largest between the indices of the two",
    )  # fmt: skip
    for column in ("d", "n", "ours", "SLSQP", "times as long", "gap"):
        table.add_column(column, justify="right")
    with threadpool_limits(1):
        for d, n in ((2, 100), (2, 1000), (5, 1000), (10, 1000)):
            rng = np.random.default_rng(d * n)
            X, arms = unit(rng, n, d), unit(rng, ARMS, d)
            r = (rng.random(n) < expit(2.0 * X.sum(axis=1) / np.sqrt(d))).astype(np.float64)
            policy = OFUGLB(n_features=d, norm_bound=NORM, delta=DELTA)
            policy.update_many(X, r)
            gap = np.abs(policy.scores(arms) - by_slsqp(X, r, arms)).max()
            policy.choose(arms)

            def ours(policy: OFUGLB = policy, X: FloatArray = X, r: FloatArray = r, arms: FloatArray = arms) -> None:
                policy.update(X[0], r[0])  # so that θ̂ is solved again
                policy.choose(arms)

            pairs = [(seconds(ours), seconds(lambda X=X, r=r, arms=arms: by_slsqp(X, r, arms))) for _ in range(TURNS)]  # type: ignore[misc]
            mine, theirs = np.min(pairs, axis=0)
            table.add_row(str(d), str(n), readable(mine), readable(theirs), f"{theirs / mine:.0f}", f"{gap:.0e}")
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
