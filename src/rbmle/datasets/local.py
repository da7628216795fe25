"""Data sets of the UCI repository that are read from files you have: we ship none and fetch none."""

import os
from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from rbmle.datasets.base import Dataset
from rbmle.datasets.readers import read_arff, read_csv
from rbmle.errors import MissingFileError

VARIABLE = "RBMLE_DATA"
TERMS = "CC BY 4.0"
# Each of three parts of the shuttle stands in the files under two names.
SPELLINGS = {"Bipropellant Valve": "Bpv", "Flow Proportioning Valve": "Fpv", "Radiator": "Rad"}


def mushroom(folder: Path) -> Dataset:
    """8124 × 22 categories, by their places in the file's lists, and 2 classes."""
    found = read_arff(folder / "mushroom.arff", "mushroom")
    return replace(found, source="Mushroom, UCI Machine Learning Repository", licence=TERMS)


def magic(folder: Path) -> Dataset:
    """19 020 × 10 numbers, 2 classes."""
    found = read_csv(folder / "magic04.data", "magic")
    return replace(found, source="MAGIC Gamma Telescope, UCI Machine Learning Repository", licence=TERMS)


def shuttle(folder: Path) -> Dataset:
    """58 000 × 9 whole numbers (both files), 7 classes once the spellings are one."""
    found = read_csv([folder / "shuttle.trn", folder / "shuttle.tst"], "shuttle")
    names = [str(label) for label in found.classes]
    for long, short in SPELLINGS.items():
        names = [label.replace(long, short) for label in names]
    classes, merged = np.unique(names, return_inverse=True)
    return replace(
        found,
        y=merged.astype(np.int64)[found.y],
        classes=tuple(classes.tolist()),
        source="Statlog (Shuttle), UCI Machine Learning Repository",
        licence=TERMS,
    )


SETS: dict[str, Callable[[Path], Dataset]] = {"magic": magic, "mushroom": mushroom, "shuttle": shuttle}
FILES = {
    "magic": ("magic04.data",),
    "mushroom": ("mushroom.arff",),
    "shuttle": ("shuttle.trn", "shuttle.tst"),
}


def load_local(name: str, folder: str | PathLike[str] | None) -> Dataset:
    """One of SETS, from the folder given or from the one that the environment variable RBMLE_DATA names."""
    place = folder if folder is not None else os.environ.get(VARIABLE)
    wanted = " and ".join(FILES[name])
    if place is None:
        raise MissingFileError(
            f"The data set {name!r} is read from {wanted} of the UCI repository: say where with folder=…, or set the "
            f"environment variable {VARIABLE}."
        )
    absent = [file for file in FILES[name] if not (Path(place) / file).is_file()]
    if absent:
        raise MissingFileError(f"The data set {name!r} is read from {wanted}. There is no {absent[0]} in {place}.")
    return SETS[name](Path(place))
