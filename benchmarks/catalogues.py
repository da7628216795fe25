"""Many arms at once, many users at once; `python -m benchmarks.catalogues`.

Each row is measured beside a plain way to the same arms, in turns, and beside what the machine could do at best: bytes
that must be read at the bandwidth of this run, or multiplications and additions at its peak, whichever takes longer.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks.linear import Floats
from benchmarks.rows import unit
from benchmarks.timing import readable
from rbmle import LinRBMLE, LinTS
from rbmle.kernels.linear import blocks, predict
from rbmle.models import RidgeModel
from rbmle.models.ridge_catalogue import COLUMNS, GRAM, RidgeCatalogue, fastest

Work = Callable[[], object]
NEW = "new"


@dataclass(frozen=True)
class Machine:
    """What one core does in a second."""

    bytes: float
    operations: float

    def limit(self, read: float, operations: float) -> float:
        """Seconds at best."""
        return max(read / self.bytes, operations / self.operations)


@dataclass(frozen=True)
class Measured:
    """Seconds a decision by us, by the plain way and at best."""

    name: str
    ours: float
    plain: float
    limit: float
    target: str


def turns(works: list[Work], repeats: int = 9) -> list[float]:
    """Processor seconds of the fastest call of each, in turns: on a busy machine one waits, and that is no work."""
    best = [float("inf")] * len(works)
    for work in works:
        work()
    for _ in range(repeats):
        for number, work in enumerate(works):
            start = time.process_time()
            work()
            best[number] = min(best[number], time.process_time() - start)
    return best


def this_machine() -> Machine:
    large, square = np.ones(2**25), np.ones((512, 512))
    read, multiplied = turns([large.sum, lambda: square @ square], 15)
    return Machine(large.nbytes / read, 2 * 512**3 / multiplied)


def learnt(method: type, X: Floats, n: int = 500) -> LinRBMLE:
    rng = np.random.default_rng(1)
    policy: LinRBMLE = method(n_features=X.shape[1])
    policy.update_many(X[:n].astype(np.float64), rng.standard_normal(len(X[:n])))
    return policy


def by_products(policy: LinRBMLE, X: Floats) -> int:
    """LinRBMLE's choice in NumPy."""
    model = policy.model
    variance = np.einsum("ij,ij->i", X @ model.V_inv, X)
    return int(np.argmax(X @ model.theta_hat + 0.5 * np.sqrt(policy.t) * variance))


def once(machine: Machine, K: int, d: int, kind: type) -> Measured:
    X = unit(np.random.default_rng(0), K, d)
    policy = learnt(LinRBMLE, X)
    mine: Floats = X.astype(kind)
    ours, plain = turns([lambda: policy.choose(mine), lambda: by_products(policy, X)], 5)
    return Measured(
        f"once, {K} x {d}, {kind.__name__}",
        ours,
        plain,
        machine.limit(mine.nbytes, K * d * d / 2),
        "4 times version 0.1",
    )


def staying(machine: Machine, K: int, d: int, after: int, kind: str) -> Measured:
    rng = np.random.default_rng(0)
    X = unit(rng, K, d)
    if kind == "norms vary":
        X *= np.exp(0.5 * rng.standard_normal((K, 1)))
    elif kind == "low rank":
        X = rng.standard_normal((K, 8)) @ rng.standard_normal((8, d)) / 8 + 0.05 * rng.standard_normal((K, d))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    policy, theta = LinRBMLE(n_features=d), unit(rng, d)
    arms = policy.fix_arms(X)

    def rounds(count: int) -> None:
        for _ in range(count):
            arm = arms.choose()
            arms.update(arm, X[arm] @ theta + rng.standard_normal())

    rounds(after + 1)
    ours, plain = turns([lambda: rounds(50), lambda: by_products(policy, X)], 5)
    limit = machine.limit(X.nbytes if after < 100 else 24 * K, 4 * d * d)
    target = "8 times version 0.1" if after < 100 else "25 times version 0.1"
    return Measured(f"stays, {K} x {d}, {kind}, t = {after}", ours / 50, plain, limit, target)


def sampled(machine: Machine, K: int, d: int) -> Measured:
    X = unit(np.random.default_rng(0), K, d)
    policy, rng = learnt(LinTS, X), np.random.default_rng(2)

    def ours() -> None:
        for _ in range(20):
            policy.update(X[policy.choose(X)], 0.3)

    def plain() -> None:
        model = policy.model
        root = np.linalg.solve(np.linalg.cholesky(model.V), X.T).T
        int(np.argmax(X @ model.theta_hat + root @ rng.standard_normal(d)))

    mine, theirs = turns([ours, plain])
    limit = machine.limit(8 * (3 * d * d + K * d), 9 * d * d + 4 * K * d)
    return Measured(f"LinTS, {K} x {d}, choose and update", mine / 20, theirs, limit, "4 times version 0.1")


def many(machine: Machine, method: type, K: int, d: int, users: int = 2000) -> Measured:
    X = unit(np.random.default_rng(0), users, K, d)
    policy = learnt(method, X[:, 0])

    def loop() -> None:
        for each in X:
            policy.choose(each)

    def together() -> None:
        for _ in range(10):
            policy.choose_many(X)

    ours, plain = turns([together, loop], 15)
    limit = machine.limit(8 * K * d, K * d * d if method is LinRBMLE else 4 * K * d)
    name, target = f"{method.__name__}, choose_many, {K} x {d}, a user", "15" if d == 10 else "2.5"
    return Measured(name, ours / 10 / users, plain / users, limit, f"{target} times the loop")


def prepared(X: Floats, form: str, rewards: Floats, count: int) -> Work:
    """Rounds among arms that stay, in one of the forms, or with new arms in every round; so many times."""
    policies = [LinRBMLE(n_features=X.shape[1]) for _ in range(count)]
    if form == NEW:
        varying = np.tile(X, (len(rewards), 1, 1))
        return lambda: policies.pop().play(varying, rewards)
    catalogues = [policy.fix_arms(X) for policy in policies]
    for catalogue in catalogues:
        catalogue._held = catalogue.policy.model.known(RidgeCatalogue(X, form))
    return lambda: catalogues.pop().play(rewards)


def forms() -> Table:
    """Both forms of arms that stay, and new arms in every round, on a grid."""
    table = Table(title="Arms that stay, a round of choose and learn", title_justify="left")
    for column in ("d", "K", "all pairs", "by columns", "new arms", "taken", "times the best"):
        table.add_column(column, justify="right")
    for d in (3, 5, 10, 20, 50, 100):
        for K in (10, 32, 40, 70, 100, 150, 200, 300, 1000):
            rng = np.random.default_rng(0)
            rounds = int(min(4000, max(100, 4 * 10**6 // (K * d))))
            X, rewards = unit(rng, K, d), rng.standard_normal((rounds, K))
            counts = {GRAM: rounds, COLUMNS: rounds, NEW: max(20, min(rounds, 4 * 10**7 // (K * d * d)))}
            works = [prepared(X, form, rewards[:n], 9) for form, n in counts.items()]
            pairs, columns, new = (each / n for each, n in zip(turns(works, 8), counts.values(), strict=True))
            form = fastest(K, d, False)
            ratio = (pairs if form == GRAM else columns) / min(pairs, columns, new)
            table.add_row(str(d), str(K), *map(readable, (pairs, columns, new)), form, f"{ratio:.2f}")
    return table


def curve() -> Table:
    """Means and variances of K arms: arm by arm, in blocks, by a product; a decision's largest part."""
    table = Table(title="Means and variances", title_justify="left")
    for column in ("d", "K", "arm by arm", "in blocks", "product", "taken"):
        table.add_column(column, justify="right")
    for d in (13, 20, 50, 100, 300):
        for K in (2, 8, 16, 32, 100, 1000):
            rng = np.random.default_rng(0)
            X, model = unit(rng, K, d), RidgeModel(n_features=d)
            V_inv, theta = model.V_inv, model.theta_hat
            mean, variance, repeats = np.empty(K), np.empty(K), max(1, 2 * 10**6 // (K * d * d))

            given = (X, theta, V_inv, mean, variance)

            def run(kernel: Callable[..., object], repeats: int = repeats, given: tuple[Floats, ...] = given) -> Work:
                return lambda: [kernel(*given) for _ in range(repeats)]

            def product(X: Floats, theta: Floats, V_inv: Floats, mean: Floats, variance: Floats) -> None:
                np.dot(X, theta, mean)
                np.einsum("ij,ij->i", X @ V_inv, X, out=variance)

            kernels = (predict.predict_few, blocks.predict_blocks, product, predict.predict)
            seconds = turns([run(kernel) for kernel in kernels], 5)
            table.add_row(str(d), str(K), *(readable(each / repeats) for each in seconds))
    return table


def main() -> None:
    """Print the tables."""
    console, rows = Console(width=140), []
    with threadpool_limits(limits=1):
        machine = this_machine()
        for K, d in ((100_000, 64), (1_000_000, 32)):
            rows += [once(machine, K, d, kind) for kind in (np.float64, np.float32)]
        rows += [staying(machine, 100_000, 64, 50, "norms vary")]
        rows += [staying(machine, 100_000, 64, 2000, kind) for kind in ("norms vary", "low rank", "sphere")]
        rows += [sampled(machine, 100, d) for d in (64, 128)]
        rows += [many(machine, method, K, d) for method in (LinRBMLE, LinTS) for K, d in ((10, 10), (50, 20))]
        rows += [once(machine, 3000, 20, np.float64)]
        table = Table(title="Many arms, many users: one core", title_justify="left")
        for column in ("decision", "rbmle", "plain way", "times", "at best", "times that", "target"):
            table.add_column(column, justify="left" if column in ("decision", "target") else "right")
        for row in rows:
            ratios = f"{row.plain / row.ours:.1f}", f"{row.ours / row.limit:.1f}"
            cells = readable(row.ours), readable(row.plain), ratios[0], readable(row.limit), ratios[1]
            table.add_row(row.name, *cells, row.target)
        console.print(table)
        console.print(
            f"At best: {machine.bytes / 1e9:.0f} GB and {machine.operations / 1e9:.0f} G operations a second."
        )
        console.print(forms())
        console.print(curve())


if __name__ == "__main__":
    main()
