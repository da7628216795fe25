"""NumPy's legacy generator behind our policies: what a published method drew, ours draws."""

from typing import Any

import numpy as np

from rbmle.paper.data import draw_contexts, prepared
from rbmle.paper.settings import SEED, TRIALS, Setting
from rbmle.types import FloatArray


class LegacyDraws:
    """A legacy stream with the names by which policies ask a generator for numbers."""

    def __init__(self, stream: np.random.RandomState) -> None:
        self.stream = stream

    def standard_normal(self, size: Any) -> FloatArray:
        """Standard normal numbers."""
        drawn: FloatArray = self.stream.standard_normal(size)
        return drawn

    def integers(self, high: int) -> int:
        """One of 0 … high−1, drawn as the published code draws an arm."""
        return int(self.stream.choice(high, 1)[0])


def stream_after_data(setting: Setting) -> np.random.RandomState:
    """The legacy stream from where methods with randomness go on: after the data of a GLM table were drawn."""
    stream, problem = np.random.RandomState(SEED), prepared(setting)
    draw_contexts(stream, setting, setting.horizon)
    chances = problem.mean_rewards[:, None, :] if setting.static else problem.mean_rewards
    stream.binomial(1, np.broadcast_to(chances, (TRIALS, setting.horizon, setting.n_arms)))
    return stream
