"""NumPy's legacy generator behind our policies: what a published method drew, ours draws."""

import struct
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from rbmle.paper.data import draw_contexts, prepared
from rbmle.paper.settings import SEED, TRIALS, Setting
from rbmle.policies import Policy
from rbmle.problems.base import Problem
from rbmle.simulation.players import CompiledPlayer
from rbmle.simulation.store import Outcome
from rbmle.simulation.trial import clock_for
from rbmle.types import FloatArray, IntArray


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


def play_chain(
    policy: Policy, setting: Setting, rounds: IntArray, problem: Problem, trials: Sequence[int], state: bytes
) -> Iterator[Outcome]:
    """Trials one after the other, each drawing where the one before it stopped; `state` is where the first goes on."""
    stream, horizon = restored(state) if state else stream_after_data(setting), int(rounds[-1])
    for trial in trials:
        path, player = problem.rounds(SEED, trial, 0, horizon), CompiledPlayer(policy.copy(), problem)
        player.warm_up(path)  # on a copy, with random numbers of its own
        player.policy.rng = cast(np.random.Generator, LegacyDraws(stream))
        arms, seconds, _ = player.play(path, clock_for(True))
        yield Outcome(np.cumsum(path.regret(arms))[rounds - 1], seconds / horizon, frozen(stream))


def stream_after_data(setting: Setting) -> np.random.RandomState:
    """The legacy stream from where methods with randomness go on: after the data of a GLM table were drawn."""
    stream, problem = np.random.RandomState(SEED), prepared(setting, setting.horizon)
    draw_contexts(stream, setting, setting.horizon)
    chances = problem.mean_rewards[:, None, :] if setting.static else problem.mean_rewards
    stream.binomial(1, np.broadcast_to(chances, (TRIALS, setting.horizon, setting.n_arms)))
    return stream


def frozen(stream: np.random.RandomState) -> bytes:
    """Where a legacy generator stands, as bytes."""
    _, keys, position, has_gauss, gauss = cast(tuple[str, Any, int, int, float], stream.get_state())
    return bytes(keys.astype("<u4").tobytes() + struct.pack("<iid", position, has_gauss, gauss))


def restored(state: bytes) -> np.random.RandomState:
    """A legacy generator that goes on from there."""
    stream, keys = np.random.RandomState(), np.frombuffer(state[: 624 * 4], dtype="<u4")
    stream.set_state(("MT19937", keys, *struct.unpack("<iid", state[624 * 4 :])))
    return stream
