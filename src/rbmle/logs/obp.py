"""The feedback dictionary of Open Bandit Pipeline (its datasets' `obtain_batch_bandit_feedback`)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError

NEEDED = ("action", "reward", "n_actions")


def columns_of(feedback: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Our columns of it, and K. Slates (several positions) are several decisions to us, and are taken row by row."""
    missing = [name for name in NEEDED if name not in feedback]
    if missing:
        raise InvalidInputError(f"feedback must hold {', '.join(NEEDED)}. Missing: {', '.join(missing)}.")
    columns: dict[str, Any] = {
        "arm": np.asarray(feedback["action"]),
        "reward": np.asarray(feedback["reward"], dtype=np.float64),
    }
    if feedback.get("pscore") is not None:
        columns["probability"] = np.asarray(feedback["pscore"], dtype=np.float64)
    context = feedback.get("context")
    if context is not None:
        columns["context"] = np.asarray(context, dtype=np.float64)
    chances = feedback.get("pi_b")
    if chances is not None and np.ndim(chances) == 3 and np.shape(chances)[2] == 1:
        columns["probabilities"] = np.asarray(chances, dtype=np.float64)[:, :, 0]
    return columns, int(feedback["n_actions"])
