"""The real data: sets that packages carry, all prepared in the same way."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from rbmle import datasets
from rbmle.datasets import Choices
from rbmle.errors import InvalidInputError
from rbmle.problems import ChoiceProblem, ClassificationProblem, Problem
from rbmle.types import FloatArray


@dataclass(frozen=True)
class RealSet:
    """A data set as a bandit.

    about    what it is
    make     the problem
    columns  of a context that are not the same in every round, for those who are shown the contexts of all arms
    choices  whether every arm has a context of its own; otherwise all see one row, and each has a block of its own
    """

    key: str
    about: str
    make: Callable[[], Problem]
    columns: int = 0

    @property
    def choices(self) -> bool:
        """Whether every arm has a context of its own."""
        return self.columns > 0


def scaled(X: FloatArray) -> FloatArray:
    """Divided by one number, so that the mean square of the norm of a context is 1."""
    norm = np.sqrt((X**2).sum(axis=-1).mean())
    return np.asarray(X / norm)


def classes(name: str) -> Problem:
    """Columns of mean 0 and deviation 1, and a column of ones; a block for each arm; a right answer pays 1."""
    data = datasets.load_classes(name)
    columns = quartered(data.X) if name == "digits" else data.X
    spread = columns.std(axis=0)
    X = (columns - columns.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    X = scaled(np.column_stack([X, np.ones(len(X))]))
    return ClassificationProblem.from_arrays(X, data.y)


def quartered(pixels: FloatArray) -> FloatArray:
    """Pictures of 8 × 8 pixels as 4 × 4 larger ones: a quarter of the columns, which dense models can bear."""
    return np.asarray(pixels.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(-1, 16))


def choices(name: str) -> Problem:
    """Columns of mean 0 and deviation 1 over all alternatives, and a unit vector for each of them."""
    data = datasets.load(name)
    if not isinstance(data, Choices):
        raise InvalidInputError(f"The data set {name!r} must be one of choices. Got {data!r}.")
    return ChoiceProblem(scaled(data.contexts()), data.chosen)


ALL = (
    RealSet("digits", "handwritten digits in 4 × 4 grey squares", partial(classes, "digits")),
    RealSet("segments", "patches of outdoor pictures", partial(classes, "segments")),
    RealSet("phishing", "web sites, some of them fraudulent", partial(classes, "phishing")),
    RealSet("breast_cancer", "tumours, benign or not", partial(classes, "breast_cancer")),
    RealSet("wine", "wines of three growers", partial(classes, "wine")),
    RealSet("iris", "flowers of three species", partial(classes, "iris")),
    RealSet("travel", "travellers between plane, train, bus and car", partial(choices, "travel"), 4),
    RealSet("electricity", "households between four suppliers of electricity", partial(choices, "electricity"), 6),
    RealSet("swissmetro", "travellers between train, Swissmetro and car", partial(choices, "swissmetro"), 3),
)
SETS = {each.key: each for each in ALL}
