"""One contender of `benchmarks.logs` in a process of its own: prints seconds, peak memory in GiB and estimates."""

import json
import resource
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rbmle.logs import Batch

Floats = npt.NDArray[np.float64]

ARMS, FEATURES, FOLDS, ROWS = 10, 10, 5, 16_384
COLUMNS = ["contexts", "arm", "probability", "reward"]


def theta() -> Floats:
    """What rewards hang on."""
    return np.asarray(np.random.default_rng(7).standard_normal(FEATURES) / np.sqrt(FEATURES))


def target(batch: Batch) -> Any:
    """The policy to be evaluated: the best arm by the true means."""
    return (batch.cube @ theta()).argmax(axis=1)


def batches(path: str, rows: int = ROWS) -> Iterator[Any]:
    """Record batches of the columns, as Arrow reads them by default."""
    import pyarrow.parquet as pq

    yield from pq.ParquetFile(path, pre_buffer=False, buffer_size=2**20).iter_batches(batch_size=rows, columns=COLUMNS)


def reading(path: str) -> dict[str, float]:
    for _ in batches(path):
        pass
    return {}


def ours(path: str) -> dict[str, float]:
    from rbmle.evaluation import evaluate

    found = evaluate(path, target, estimators=("ips", "snips", "dr"))
    return {name: found.value(name) for name in found.estimates}


def arrays(path: str) -> Iterator[tuple[Floats, Any, Floats, Floats, Any]]:
    """Contexts, arms, chances, rewards and folds of batches."""
    for number, batch in enumerate(batches(path)):
        n = batch.num_rows
        X = batch["contexts"].values.values.to_numpy().reshape(n, ARMS, FEATURES).astype(np.float64)
        yield X, batch["arm"].to_numpy(), batch["probability"].to_numpy(), batch["reward"].to_numpy(), (
            np.arange(number * ROWS, number * ROWS + n) % FOLDS
        )  # fmt: skip


def plain(path: str) -> dict[str, float]:
    """Without any check of the rows."""
    D = FEATURES + 1
    V, b = np.zeros((FOLDS, D, D)), np.zeros((FOLDS, D))
    for X, arm, _, r, fold in arrays(path):
        x = np.column_stack([X[np.arange(len(X)), arm], np.ones(len(X))])
        for f in range(FOLDS):
            own = x[fold == f]
            V[f] += own.T @ own
            b[f] += own.T @ r[fold == f]
    model = np.array([np.linalg.solve(V.sum(0) - V[f] + np.eye(D), b.sum(0) - b[f]) for f in range(FOLDS)])
    n, weights, ips, dr, squares = 0, 0.0, 0.0, 0.0, np.zeros(3)
    for X, arm, p, r, fold in arrays(path):
        every = np.arange(len(X))
        chosen = (X @ theta()).argmax(axis=1)
        w = (chosen == arm) / p
        q = np.einsum("nd,nd->n", X[every, arm], model[fold, :-1]) + model[fold, -1]
        v = np.einsum("nd,nd->n", X[every, chosen], model[fold, :-1]) + model[fold, -1]
        terms = v + w * (r - q)
        n, weights, ips, dr = n + len(X), weights + w.sum(), ips + w @ r, dr + terms.sum()
        squares += [w @ w, (w * r) @ (w * r), terms @ terms]  # for the standard errors
    return {"ips": ips / n, "snips": ips / weights, "dr": dr / n}


def warm_up() -> None:
    """Compile, and import what is needed, on a log of a few rows."""
    import tempfile
    from pathlib import Path

    from benchmarks.logs import write

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "few.parquet"
        write(path, 1000)
        ours(str(path))


def main() -> None:
    contender, path = sys.argv[1:]
    run = {"reading": reading, "rbmle": ours, "numpy": plain}[contender]
    if contender == "rbmle":
        warm_up()
    start, cpu = time.perf_counter(), time.process_time()
    found = run(path)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": peak, **found}))


if __name__ == "__main__":
    main()
