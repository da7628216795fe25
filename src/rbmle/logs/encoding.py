"""Contexts of every arm made of one that all arms share."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError
from rbmle.inputs import as_numbers
from rbmle.logs.batch import BATCH_BYTES, Batch
from rbmle.logs.changed import ChangedPart
from rbmle.logs.columns import COLUMNS
from rbmle.params import Integer, OneOf, Optional
from rbmle.types import FloatArray

if TYPE_CHECKING:
    from rbmle.logs.log import Log


@dataclass(frozen=True, eq=False)
class Encode:
    """The context of arm a is e_a ⊗ x: the row's context once for every entry of the arm's vector, times that entry."""

    vectors: FloatArray

    def __call__(self, batch: Batch) -> Batch:
        """The batch with contexts of its arms."""
        if batch.context is None:
            return batch
        (_, d), numbers, (K, m) = batch.context.shape, batch.numbers, self.vectors.shape
        if len(numbers) and int(numbers.max()) >= K:
            raise InvalidInputError(f"per_arm needs n_arms above all numbers of arms. Got arm {numbers.max()}.")
        x = np.repeat(batch.context, batch.sizes, axis=0)
        contexts = np.zeros((len(numbers), m, d))
        for arm, place in np.argwhere(self.vectors):  # most entries are 0 where arms have little in common
            own = numbers == arm
            contexts[own, place] = self.vectors[arm, place] * x[own]
        return replace(batch, context=None, contexts=contexts.reshape(len(numbers), -1))


def per_arm(log: "Log", encoding: Any, n_arms: int | None) -> "Log":
    """See `Log.per_arm`."""
    params.require("per_arm", "n_arms", n_arms, Optional(Integer(1)))
    K, d = log.n_arms if n_arms is None else n_arms, log.n_features
    if "context" not in log.columns or d is None:
        raise InvalidInputError(f"per_arm needs a log with a shared context. This one has {', '.join(log.columns)}.")
    if K is None:
        raise InvalidInputError("per_arm needs n_arms=…, for the numbers of arms do not say how many there are.")
    vectors = vectors_of(encoding, K)
    rows = max(64, BATCH_BYTES // (8 * K * vectors.shape[1] * d))
    columns = set(log.columns) - {"context"} | {"contexts"}
    return replace(
        log,
        parts=tuple(ChangedPart(part, Encode(vectors), rows) for part in log.parts),
        reading=replace(log.reading, n_arms=K),
        columns=tuple(column.name for column in COLUMNS if column.name in columns),
        width=vectors.shape[1] * d,
    )


def vectors_of(encoding: Any, n_arms: int) -> FloatArray:
    """e_a of every arm, (K, m)."""
    if isinstance(encoding, str):
        params.require("per_arm", "encoding", encoding, OneOf("disjoint", "shared"))
        unit = np.eye(n_arms)
        return unit if encoding == "disjoint" else np.hstack([np.ones((n_arms, 1)), unit])
    vectors = as_numbers(encoding, "encoding")
    if vectors.ndim != 2 or len(vectors) != n_arms or not np.isfinite(vectors).all():
        raise InvalidInputError(
            f"encoding must be 'disjoint', 'shared' or finite vectors of {n_arms} arms. Got shape {vectors.shape}."
        )
    return vectors
