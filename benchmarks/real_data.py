"""Classification data as bandits: LinRBMLE(bias="auto"), untuned, against LinUCB over its α and three scalings.

    python -m benchmarks.real_data [--data FOLDER] [--sets digits,wine] [--shuffles 3] [--first-seed 100]

Every class is an arm; the context of arm a has the features in block a and 0 elsewhere: d = features × classes. A right
answer pays 1; wrong ones are counted. The first sets come with scikit-learn; mushroom, magic and shuttle (UCI) are read
from --data, and left out with a word where they are not there.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from rbmle import LinRBMLE, LinUCB, Policy, datasets
from rbmle.datasets import Dataset
from rbmle.errors import RbmleError
from rbmle.problems import ClassificationProblem
from rbmle.simulation import simulate

Floats = npt.NDArray[np.float64]

ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
MOST_ROUNDS = 5000
SETS = ("digits", "wine", "breast_cancer", "mushroom", "magic", "shuttle")
SCALINGS = ("raw", "divided by the largest", "unit norm")


def data_sets(names: list[str], folder: Path | None, console: Console) -> Iterator[Dataset]:
    """The sets that are there, one after the other."""
    for name in names:
        try:
            yield datasets.load_classes(name, folder)
        except RbmleError as missing:
            console.print(f"{name} is left out. {missing}")


def scaled(found: Dataset) -> dict[str, ClassificationProblem]:
    """The same features as they are, by their largest, and of unit norm."""
    X = np.nan_to_num(found.X, nan=-1.0)
    horizon = min(found.n_rows, MOST_ROUNDS)
    tables: tuple[Floats, ...] = (X, X / np.abs(X).max(), X)
    return {
        name: ClassificationProblem.from_arrays(table, found.y, normalize=name == "unit norm", horizon=horizon)
        for name, table in zip(SCALINGS, tables, strict=True)
    }


def compare(found: Dataset, seeds: range) -> dict[str, float]:
    """Mean wrong answers over shuffles: each method by name, LinUCB at every α in every scaling."""
    total: dict[str, float] = {}
    for scaling, problem in scaled(found).items():
        d, horizon = problem.n_features, problem.horizon or MOST_ROUNDS
        policies: dict[str, Policy] = {
            f"LinUCB(alpha={alpha}), {scaling}": LinUCB(n_features=d, alpha=alpha) for alpha in ALPHAS
        }
        if scaling == "raw":
            policies |= {
                'LinRBMLE(bias="auto")': LinRBMLE(n_features=d, bias="auto"),
                "LinRBMLE()": LinRBMLE(n_features=d),
            }
        for seed in seeds:
            results = simulate(policies, problem, horizon=horizon, trials=1, seed=seed, n_jobs=1)
            for name in policies:
                total[name] = total.get(name, 0.0) + float(results.final_regret(name)[0]) / len(seeds)
    return total


def shown(found: dict[str, float]) -> dict[str, float]:
    """Our methods, and LinUCB as it is by default and at its best, in each scaling."""
    lines = {method: value for method, value in found.items() if not method.startswith("LinUCB")}
    for scaling in SCALINGS:
        tried = {method: value for method, value in found.items() if method.endswith(f", {scaling}")}
        for method in (f"LinUCB(alpha=1.0), {scaling}", min(tried, key=lambda name: tried[name])):
            lines[method] = tried[method]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the UCI files; by default what RBMLE_DATA says")
    parser.add_argument("--sets", default=",".join(SETS), help="which, by name")
    parser.add_argument("--shuffles", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=100)
    asked, console = parser.parse_args(), Console()
    unknown = sorted(set(asked.sets.split(",")) - set(datasets.names()))
    if unknown:
        parser.error(f"--sets must name some of {', '.join(datasets.names())}. Got {', '.join(unknown)}.")
    for data in data_sets(asked.sets.split(","), asked.data, console):
        found = compare(data, range(asked.first_seed, asked.first_seed + asked.shuffles))
        best = min(value for method, value in found.items() if method.startswith("LinUCB"))
        rounds, d = min(data.n_rows, MOST_ROUNDS), data.n_columns * data.n_classes
        table = Table(
            title=f"{data.name}: {rounds} rounds, {data.n_classes} arms, d = {d}, {asked.shuffles} shuffles",
            title_justify="left",
        )
        for column in ("method", "wrong answers", "times the best LinUCB"):
            table.add_column(column, justify="left" if column == "method" else "right")
        for method, value in sorted(shown(found).items(), key=lambda item: item[1]):
            table.add_row(method, f"{value:.1f}", f"{value / best:.2f}")
        console.print(table)


if __name__ == "__main__":
    main()
