"""A batch of the log with what the target and the reward model say of it."""

from dataclasses import dataclass

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidInputError
from rbmle.evaluation.behaviour import Behaviour
from rbmle.evaluation.rewards.base import Predictor
from rbmle.evaluation.targets import Target
from rbmle.logs import Batch
from rbmle.types import FloatArray


@dataclass(frozen=True, eq=False)
class Rows:
    """n rows, for estimators.

    chances      (ΣK,) of the target
    probability  (n,) of the arm served, as logged or as estimated
    of_all       (ΣK,) the same of all arms, or None
    w            (n,) π / p of the arm served
    predictions  (ΣK,) of the reward model, or None
    q, v         (n,) of the arm served, and Σ_a π_a q_a; or None
    """

    batch: Batch
    chances: FloatArray
    probability: FloatArray
    of_all: FloatArray | None
    w: FloatArray
    predictions: FloatArray | None = None
    q: FloatArray | None = None
    v: FloatArray | None = None

    @property
    def r(self) -> FloatArray:
        """(n,) rewards."""
        return self.batch.reward


def rows_of(
    batch: Batch, target: Target, behaviour: Behaviour | None = None, predictor: Predictor | None = None
) -> Rows:
    """What is known of a batch."""
    chances = target.chances(batch)
    of_all = batch.probabilities if behaviour is None else behaviour.chances(batch)
    if behaviour is not None and of_all is not None:
        probability = of_all[batch.played]
    elif batch.probability is not None:
        probability = batch.probability
    elif target.name == "logging":
        probability = np.ones(len(batch))
    else:
        raise InvalidInputError("The log has no probabilities, and none were estimated.")
    w = np.array(target.weights(batch, chances, probability))
    if predictor is None:
        return Rows(batch, chances, probability, of_all, w)
    predictions = predictor.predict(batch)
    v = np.empty(len(batch))
    kernels.logs.sums.dots(chances, predictions, batch.offsets, v)
    return Rows(batch, chances, probability, of_all, w, predictions, predictions[batch.played], v)


def match_of(rows: Rows, least: float, seed: int) -> FloatArray:
    """1 where the target would have served the same arm, by a draw: with chance π · p_min / p.

    Rejection makes what is left a log of the target itself. Where all arms were served alike (p = p_min) and the target
    is deterministic, nothing is left to chance: rows match where it chooses the arm served, as in Li et al. 2011.
    """
    places = np.empty(len(rows.w))
    kernels.logs.multipliers.uniform(rows.batch.keys, seed, places)
    return (places < rows.w * least).astype(np.float64)
