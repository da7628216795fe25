"""Labels of a data set as numbers of arms."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.inputs import describe, unwrapped
from rbmle.types import IntArray

Label = int | str


def as_answers(y: Any, n_rows: int, classes: Sequence[Label] | None = None) -> tuple[IntArray, tuple[Label, ...]]:
    """The arm that is right in every row, and the class of every arm.

    y: (N,) whole numbers of any sign, or text.
    classes: which class is which arm; by default those that occur, sorted. May name some that do not occur.
    """
    labels = as_labels(y)
    if len(labels) != n_rows:
        raise InvalidInputError(f"y must hold one label for each of {n_rows} rows of X. Got {len(labels)}.")
    if classes is None:
        found, answers = np.unique(labels, return_inverse=True)
        names: tuple[Label, ...] = tuple(found.tolist())
    else:
        names = tuple(as_labels(classes, "classes").tolist())
        places = {label: arm for arm, label in enumerate(names)}
        if len(places) < len(names):
            raise InvalidInputError(f"classes must name every class once. Got {describe(names)}.")
        unknown = [(row, label) for row, label in enumerate(labels.tolist()) if label not in places]
        if unknown:
            row, label = unknown[0]
            raise InvalidInputError(f"y must hold labels among {describe(names)}. Got {label!r} at y[{row}].")
        answers = np.array([places[label] for label in labels.tolist()])
    if len(names) < 2:
        raise InvalidInputError(f"y must hold at least 2 classes, or nothing is to choose. Got only {names[0]!r}.")
    return answers.astype(np.int64), names


def as_labels(y: Any, name: str = "y") -> Any:
    """An array (N,) of int64 or of text."""
    given = unwrapped(y, name)
    try:
        labels = np.asarray(given)
    except ValueError as reason:  # ragged
        raise refused(name, y, "a ragged list") from reason
    if labels.ndim != 1 or labels.size == 0:
        raise refused(name, y, f"shape {labels.shape}")
    if labels.dtype.kind in "OU" and not isinstance(given, np.ndarray):
        labels = np.array(given, dtype=object)  # NumPy makes text of the numbers beside text
    if labels.dtype.kind in "OT":  # pandas keeps text as objects, NumPy 2 also as text of any length
        objects = labels.tolist()
        if all(isinstance(each, str) for each in objects):
            return np.array(objects, dtype=str)
        if not all(isinstance(each, int | np.integer) for each in objects):
            odd = next(each for each in objects if not isinstance(each, str if isinstance(objects[0], str) else int))
            raise refused(name, y, f"{odd!r} among them")
        labels = np.array(objects)
    if labels.dtype.kind == "U":
        return labels
    if labels.dtype.kind == "f":
        whole = np.isfinite(labels) & (labels == np.round(labels)) & (np.abs(labels) < 2.0**53)
        if not whole.all():
            where = int(np.argmin(whole))
            raise refused(name, y, f"{labels[where]} at {name}[{where}]")
    elif labels.dtype.kind not in "iub":
        raise refused(name, y, f"an array of {labels.dtype}")
    return labels.astype(np.int64)


def refused(name: str, value: Any, what: str) -> InvalidInputError:
    """The one wording for labels that are none."""
    return InvalidInputError(
        f"{name} must be one whole number or one text for each row. Got {what}: {describe(value)}."
    )
