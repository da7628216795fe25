"""GLM-RBMLE against a straightforward SciPy implementation, and how its cost grows: ``python -m benchmarks.glm``.

Ratios are of times measured in turns within one run. The reference keeps the whole history and calls
`scipy.optimize.root` once for every arm and round, with a vectorised score.
"""

import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.optimize import root
from threadpoolctl import threadpool_limits

from benchmarks.timing import best_seconds, readable
from rbmle.families import Logistic
from rbmle.policies.glm_rbmle import GLMRBMLE
from rbmle.types import FloatArray, IntArray

LOGISTIC = Logistic()


def unit(rng: np.random.Generator, *shape: int) -> FloatArray:
    X = rng.normal(size=shape)
    return np.asarray(X / np.linalg.norm(X, axis=-1, keepdims=True))


NEAR_TIE = 1e-6
"""Indices closer than this, relative to their size, are equal: `root` is no more exact."""


def reference(X: FloatArray, rewards: FloatArray, played: IntArray) -> tuple[float, float]:
    """One root per arm and round, X (T, K, d), learning from the arms played: seconds, and how often it agrees.

    Both decide on one history. Two runs of their own would part for good at the first tie, of which the first round is
    one, and then differ although every decision is right.
    """
    T, K, d = X.shape
    start = time.perf_counter()
    history, learnt, right = np.empty((T, d)), np.empty(T), 0
    for t, arm in enumerate(played):
        H, r, alpha, eta = history[:t], learnt[:t], np.sqrt(t + 1.0), 1.0 + np.log(t + 1.0)
        index = np.empty(K)
        for a, x in enumerate(X[t]):

            def score(
                theta: FloatArray, H: FloatArray = H, r: FloatArray = r, push: FloatArray = alpha * x
            ) -> FloatArray:
                return H.T @ (r - 1.0 / (1.0 + np.exp(-H @ theta))) - theta + push

            theta = root(score, np.zeros(d)).x
            z = H @ theta
            index[a] = r @ z - np.logaddexp(0.0, z).sum() + eta * alpha * theta @ x - 0.5 * theta @ theta
        right += bool(index[arm] >= index.max() - NEAR_TIE * (1.0 + abs(index.max())))
        history[t], learnt[t] = X[t, arm], rewards[t, arm]
    return time.perf_counter() - start, right / T


def ours(X: FloatArray, rewards: FloatArray) -> tuple[float, IntArray]:
    """Play X (T, K, d), or (1, K, d) where the arms stay: seconds and the arms."""
    policy = GLMRBMLE(n_features=X.shape[2])
    if len(X) > 1:
        start = time.perf_counter()
        arms = policy.play(X, rewards)
        return time.perf_counter() - start, arms
    fixed = policy.fix_arms(X[0])
    start = time.perf_counter()
    arms = fixed.play(rewards)
    return time.perf_counter() - start, arms


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def against_scipy(console: Console) -> None:
    table = Table(title="one decision, GLM-RBMLE: SciPy root per arm against rbmle")
    for name in ("setting", "SciPy µs", "rbmle µs", "ratio", "target", "same decisions"):
        table.add_column(name, justify="right")
    for K, T, static, target in ((10, 1000, True, 300), (10, 1000, False, 50), (30, 100, True, 300)):
        rng = np.random.default_rng(46)
        d = 5
        theta = unit(rng, d)
        X = unit(rng, 1 if static else T, K, d)
        rewards = LOGISTIC.sample(rng, np.broadcast_to(X @ theta, (T, K)))
        rounds = np.ascontiguousarray(np.broadcast_to(X, (T, K, d)))
        played = ours(X, rewards)[1]  # compiles, the first time
        mine = [ours(X, rewards)[0] for _ in range(10)]
        slow, same = reference(rounds, rewards, played)
        mine += [ours(X, rewards)[0] for _ in range(10)]
        fast = float(np.median(mine))
        kind = "static" if static else "varying"
        table.add_row(
            f"K={K} d=5 T={T} {kind}", f"{slow / T * 1e6:.0f}", f"{fast / T * 1e6:.2f}", f"{slow / fast:.0f}×",
            f"≥ {target}×", f"{same:.1%}",
        )  # fmt: skip
    console.print(table)


def over_arms(console: Console) -> None:
    """Decisions at t ≈ 1000 among K arms, after random contexts and after a policy's own play from K arms a round."""
    table = Table(title="scaling in arms: d=5, t ≈ 1000, varying contexts; history of random contexts / of own play")
    for name in ("K", "random: µs", "of K=10", "arms solved", "own play: µs", "of K=10", "arms solved"):
        table.add_column(name, justify="right")
    rng = np.random.default_rng(7)
    theta = unit(rng, 5)

    def rounds(count: int, K: int) -> tuple[FloatArray, FloatArray]:
        X = unit(rng, count, K, 5)
        return X, LOGISTIC.sample(rng, X @ theta)

    first: list[float] = []
    for K in (10, 30, 100, 300, 1000, 3000, 10_000):
        random, own = GLMRBMLE(n_features=5), GLMRBMLE(n_features=5)
        X, R = rounds(1000, 1)
        random.update_many(X[:, 0], R[:, 0])
        while own.t <= 1000:
            own.play(*rounds(50, K))
        cells = [str(K)]
        for which, history in enumerate((random, own)):
            X, R = rounds(30, K)
            copies = [history.copy() for _ in range(9)]
            costs = [seconds(lambda p=p, X=X, R=R: p.play(X, R)) / len(X) for p in copies]  # type: ignore[misc]
            cost = float(np.median(costs))
            if K == 10:
                first.append(cost)
            solved = []
            for contexts in X:
                history.choose(contexts)
                solved.append(history.arms_solved)
            cells += [f"{cost * 1e6:.0f}", f"{cost / first[which]:.1f}×", f"{np.mean(solved):.1f}"]
        table.add_row(*cells)
    console.print(table)


FEATURES = (
    (16, 10, 200, 1.0), (16, 100, 1000, 1.0), (20, 50, 1000, 1.0), (40, 50, 100, 1.0), (60, 200, 5000, 1.0),
    (30, 50, 100, 0.01),
)  # fmt: skip


def over_features(console: Console) -> None:
    """Decisions of many features, beside solving every arm in full: processor time."""
    table = Table(title="many features: a decision among new arms, and solving all of them")
    for name in ("d, K, t, λ", "a decision", "solving all", "ratio", "arms looked at"):
        table.add_column(name, justify="right")
    for d, K, t, lam in FEATURES:
        rng = np.random.default_rng(3)
        theta, policy = unit(rng, d), GLMRBMLE(n_features=d, regularization=lam)
        while policy.t <= t:
            X = unit(rng, 50, 20, d)
            policy.play(X, LOGISTIC.sample(rng, X @ theta))
        rounds = unit(rng, 4, K, d)
        looked: list[int] = []

        def deciding(policy: GLMRBMLE = policy, rounds: FloatArray = rounds, looked: list[int] = looked) -> None:
            for contexts in rounds:
                policy.choose(contexts)
                looked.append(policy.arms_solved)

        def solving(policy: GLMRBMLE = policy, rounds: FloatArray = rounds) -> None:
            for contexts in rounds:
                policy.scores(contexts)

        work = {"deciding": (deciding, len(rounds)), "solving": (solving, len(rounds))}
        took = best_seconds(work, turns=3, clock=time.process_time)
        table.add_row(
            f"{d}, {K}, {t}, {lam:g}", readable(took["deciding"]), readable(took["solving"]),
            f"{took['solving'] / took['deciding']:.1f}×", f"{np.mean(looked):.1f}",
        )  # fmt: skip
    console.print(table)


def over_time(console: Console) -> None:
    table = Table(title="scaling in time: µs per decision at round t, and of t = 10³")
    for name in ("t", "fixed arms K=100 d=10, exact", "of 10³", "varying K=10 d=5, online", "of 10³", "bytes"):
        table.add_column(name, justify="right")
    rng = np.random.default_rng(9)
    X, theta = unit(rng, 100, 10), unit(rng, 10)
    C, small = unit(rng, 1000, 10, 5), unit(rng, 5)
    exact, online = GLMRBMLE(n_features=10), GLMRBMLE(n_features=5, memory="online")
    fixed = exact.fix_arms(X)
    first: list[float] = []
    for t in (1000, 10_000, 100_000, 1_000_000):
        cells = [f"{t:,}"]
        if t <= 100_000:
            fixed.play(LOGISTIC.sample(rng, np.broadcast_to(X @ theta, (t - exact.t, 100))))
            R = LOGISTIC.sample(rng, np.broadcast_to(X @ theta, (500, 100)))
            cost = seconds(lambda R=R: fixed.play(R)) / 500  # type: ignore[misc]
            first.append(cost)
            cells += [f"{cost * 1e6:.1f}", f"{cost / first[0]:.2f}×"]
        else:
            cells += ["", ""]
        while online.t < t:
            online.play(C, LOGISTIC.sample(rng, C @ small))
        R = LOGISTIC.sample(rng, C @ small)
        cost = min(seconds(lambda R=R: online.play(C, R)) / 1000 for _ in range(3))  # type: ignore[misc]
        if t == 1000:
            start = cost
        bytes_used = sum(array.nbytes for array in online.state().values())
        table.add_row(*cells, f"{cost * 1e6:.2f}", f"{cost / start:.2f}×", str(bytes_used))
    console.print(table)


def main() -> None:
    console = Console(width=130)
    with threadpool_limits(1):  # one core each, or small matrix products would wait for threads
        against_scipy(console)
        over_arms(console)
        over_features(console)
        over_time(console)


if __name__ == "__main__":
    main()
