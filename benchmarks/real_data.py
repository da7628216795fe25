"""Classification data as bandits: LinRBMLE(bias="auto"), untuned, against LinUCB over its α and three encodings.

    python -m benchmarks.real_data [--data FOLDER] [--sets digits,wine] [--shuffles 3] [--first-seed 100]

Every class is an arm; the context of arm a has the features in block a and 0 elsewhere: d = features × classes. A right
answer pays 1; wrong ones are counted. The first sets come with scikit-learn; mushroom, magic and shuttle (UCI) are read
from --data, and left out with a word where they are not there.
"""

import argparse
import csv
import importlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from rbmle import LinRBMLE, LinUCB, Policy

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Data = tuple[Floats, Labels]

ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
MOST_ROUNDS = 5000
BUNDLED = ("digits", "wine", "breast_cancer")
# Of one valve, two spellings each.
SPELLINGS = {"Bipropellant Valve": "Bpv", "Flow Proportioning Valve": "Fpv", "Radiator": "Rad"}


def bundled(name: str) -> Data:
    """A data set that scikit-learn ships."""
    X, y = getattr(importlib.import_module("sklearn.datasets"), f"load_{name}")(return_X_y=True)
    return np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.int64)


def mushroom(folder: Path) -> Data:
    """Categories as their place in the file's own lists; a missing one is −1."""
    head, body = (folder / "mushroom.arff").read_text().split("@data")
    lists = [re.findall(r"[^\s,']+", each) for each in re.findall(r"^@attribute[^{]*\{([^}]*)\}", head, re.M | re.I)]
    rows = [re.findall(r"[^\s,']+", line) for line in body.strip().splitlines()]
    codes = np.array(
        [[known.index(v) if v in known else -1 for known, v in zip(lists, row, strict=True)] for row in rows]
    )
    return codes[:, :-1].astype(np.float64), codes[:, -1]


def magic(folder: Path) -> Data:
    rows = list(csv.reader((folder / "magic04.data").open()))[1:]
    return numbered(rows)


def shuttle(folder: Path) -> Data:
    rows = list(csv.reader((folder / "shuttle.trn").open()))
    for row in rows:
        for long, short in SPELLINGS.items():
            row[-1] = row[-1].replace(long, short)
    return numbered(rows)


def numbered(rows: list[list[str]]) -> Data:
    """Rows of numbers that end in the name of a class."""
    _, labels = np.unique([row[-1].strip() for row in rows], return_inverse=True)
    return np.array([row[:-1] for row in rows], dtype=np.float64), labels.astype(np.int64)


FROM_FOLDER: dict[str, Callable[[Path], Data]] = {"mushroom": mushroom, "magic": magic, "shuttle": shuttle}


def data_sets(names: list[str], folder: Path | None, console: Console) -> Iterator[tuple[str, Data]]:
    """The sets that are there, one after the other."""
    for name in names:
        try:
            yield name, bundled(name) if name in BUNDLED else FROM_FOLDER[name]((folder or Path()).resolve())
        except FileNotFoundError as missing:
            console.print(f"{name} is left out: {missing.filename} is not there; name its folder with --data.")
        except ModuleNotFoundError:
            console.print(f"{name} is left out: it needs scikit-learn.")


def encodings(X: Floats) -> dict[str, Floats]:
    """The same features as they are, by their largest, and of unit norm."""
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return {"raw": X, "divided by the largest": X / np.abs(X).max(), "unit norm": X / np.where(norms > 0.0, norms, 1.0)}


def wrong_answers(policy: Policy, X: Floats, y: Labels, n_arms: int) -> int:
    """Play the rows in their order."""
    d, wrong = X.shape[1], 0
    for part in np.array_split(np.arange(len(X)), max(1, len(X) // 500)):  # few at a time: blocks are mostly zeros
        contexts, rewards = np.zeros((len(part), n_arms, n_arms, d)), np.zeros((len(part), n_arms))
        for arm in range(n_arms):
            contexts[:, arm, arm] = X[part]
        rewards[np.arange(len(part)), y[part]] = 1.0
        arms = policy.play(contexts.reshape(len(part), n_arms, n_arms * d), rewards)
        wrong += int((arms != y[part]).sum())
    return wrong


def compare(X: Floats, y: Labels, seeds: range) -> dict[str, float]:
    """Mean wrong answers over shuffles: each method by name, LinUCB at every α in every encoding."""
    n_arms = int(y.max()) + 1
    d = X.shape[1] * n_arms
    total: dict[str, float] = {}
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(X))[:MOST_ROUNDS]
        runs: dict[str, tuple[Policy, Floats]] = {
            'LinRBMLE(bias="auto")': (LinRBMLE(n_features=d, bias="auto"), X),
            "LinRBMLE()": (LinRBMLE(n_features=d), X),
        }
        for encoding, features in encodings(X).items():
            for alpha in ALPHAS:
                runs[f"LinUCB(alpha={alpha}), {encoding}"] = LinUCB(n_features=d, alpha=alpha), features
        for name, (policy, features) in runs.items():
            wrong = wrong_answers(policy, features[order], y[order], n_arms)
            total[name] = total.get(name, 0.0) + wrong / len(seeds)
    return total


def shown(found: dict[str, float]) -> dict[str, float]:
    """Our methods, and LinUCB as it is by default and at its best, in each encoding."""
    lines = {method: value for method, value in found.items() if not method.startswith("LinUCB")}
    for encoding in ("raw", "divided by the largest", "unit norm"):
        tried = {method: value for method, value in found.items() if method.endswith(f", {encoding}")}
        for method in (f"LinUCB(alpha=1.0), {encoding}", min(tried, key=lambda name: tried[name])):
            lines[method] = tried[method]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of mushroom.arff, magic04.data and shuttle.trn")
    parser.add_argument("--sets", default=",".join([*BUNDLED, *FROM_FOLDER]), help="which, by name")
    parser.add_argument("--shuffles", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=100)
    asked, console = parser.parse_args(), Console()
    unknown = sorted(set(asked.sets.split(",")) - {*BUNDLED, *FROM_FOLDER})
    if unknown:
        parser.error(f"--sets must name some of {', '.join([*BUNDLED, *FROM_FOLDER])}. Got {', '.join(unknown)}.")
    for name, (X, y) in data_sets(asked.sets.split(","), asked.data, console):
        found = compare(X, y, range(asked.first_seed, asked.first_seed + asked.shuffles))
        best = min(value for method, value in found.items() if method.startswith("LinUCB"))
        rounds, classes = min(len(X), MOST_ROUNDS), int(y.max()) + 1
        table = Table(
            title=f"{name}: {rounds} rounds, {classes} arms, d = {X.shape[1] * classes}, {asked.shuffles} shuffles",
            title_justify="left",
        )
        for column in ("method", "wrong answers", "times the best LinUCB"):
            table.add_column(column, justify="left" if column == "method" else "right")
        for method, value in sorted(shown(found).items(), key=lambda item: item[1]):
            table.add_row(method, f"{value:.1f}", f"{value / best:.2f}")
        console.print(table)


if __name__ == "__main__":
    main()
