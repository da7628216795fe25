"""What every reward model is made of: sums that add up over parts, and predictions for the arms of a row."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.inputs import LARGEST_REWARD, within
from rbmle.logs import Batch
from rbmle.types import FloatArray, IntArray, KeyArray

# Folds hang on these bits of a row's key; the bootstrap and others mix the key first.
FOLD_BITS = np.uint64(23)


def folds_of(keys: KeyArray, folds: int) -> IntArray:
    """(n,) the fold of each row, a function of its id."""
    own: IntArray = ((keys >> FOLD_BITS) % np.uint64(folds)).astype(np.int64)
    return own


def shared_of(batch: Batch) -> FloatArray | None:
    """The context (n, d) that the arms of a row share, d = 0 where the log has none; None where each has its own."""
    if batch.contexts is not None:
        return None
    return np.empty((len(batch), 0)) if batch.context is None else batch.context


class Predictor(ABC):
    """Predicts the reward of every arm of rows; light enough to be sent."""

    name: str
    learnt_here: bool = True
    """Whether it learnt from the log itself: predictions of a row then hang on other rows, later ones too."""

    @abstractmethod
    def predict(self, batch: Batch) -> FloatArray:
        """(ΣK,)."""


class Learner(ABC):
    """What a part of the log teaches, in a form that adds up."""

    @abstractmethod
    def add(self, batch: Batch) -> None:
        """Take in rows."""

    @abstractmethod
    def merge(self, other: Self) -> None:
        """Take in what another has taken in; parts are merged in their order."""

    @abstractmethod
    def finish(self) -> Any:
        """The model of every fold, which has seen all other folds: a `Predictor`, for rewards."""


class Fit(ABC):
    """A reward model that is to be learnt from the log; light enough to be sent."""

    name: str

    @abstractmethod
    def learner(self) -> Learner:
        """One that has seen nothing."""


def checked(values: Any, batch: Batch, name: str) -> FloatArray:
    """Predictions (ΣK,) from an array (n, K) or (ΣK,), finite."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 2 and len(array) == len(batch) and (not len(batch) or array.shape[1] >= int(batch.sizes.max())):
        array = array[np.arange(array.shape[1]) < batch.sizes[:, None]]
    if array.shape != (int(batch.offsets[-1]),):
        raise InvalidInputError(
            f"{name} must have a prediction for every arm, shape ({len(batch)}, {batch.n_arms or 'K'}). "
            f"Got shape {np.shape(values)}."
        )
    if not within(array, LARGEST_REWARD):
        place = int(np.flatnonzero(~(np.abs(array) <= LARGEST_REWARD))[0])
        row = int(np.searchsorted(batch.offsets, place, side="right")) - 1
        raise InvalidInputError(f"{name} must be finite, in row {batch.rows[row]} of the log. Got {array[place]}.")
    return np.ascontiguousarray(array)
