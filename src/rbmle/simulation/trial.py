"""One trial: every policy on the same sample path, block after block."""

import copy
import time
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rbmle.problems.base import Problem
from rbmle.problems.checked import checked_rounds
from rbmle.simulation.log import TrialLog
from rbmle.simulation.players import Candidate, Clock, CompiledPlayer, player
from rbmle.types import FloatArray, IntArray

# Rounds in memory at once, and the most bytes they may take.
BLOCK = 4096
MOST_BYTES = 64 * 2**20


class Trial(NamedTuple):
    """What one policy did in one trial: cumulative regret at the recorded rounds, seconds per decision, and its log."""

    regret: FloatArray
    seconds: float
    log: TrialLog | None = None


def block_size(problem: Problem) -> int:
    """How many rounds are held at once: fewer where a round is large."""
    per_round = 8 * problem.n_arms * (1 if problem.static else problem.n_features + 2)
    return max(1, min(BLOCK, MOST_BYTES // per_round))


def clock_for(compiled: bool) -> Clock:
    """One clock for all policies of a trial.

    Compiled code runs in threads, where a wall clock would also count the wait for the interpreter: there it is the
    processor time of the thread, if the system measures that finely. Anything else may wait or use threads of its own.
    """
    fine = time.get_clock_info("thread_time").resolution <= 1e-6
    return time.thread_time if compiled and fine else time.perf_counter


def run_trial(
    policies: Mapping[str, Candidate],
    problem: Problem,
    horizon: int,
    trial: int,
    seed: int,
    record: IntArray,
    log: bool = False,
) -> dict[str, Trial]:
    """Play `horizon` rounds of one trial with every policy. A function of its arguments alone, whoever calls it.

    record: the rounds (from 1, ascending) at which cumulative regret is noted.
    log: note every arm with its chance and its reward.
    """
    problem = copy.copy(problem)  # what a problem keeps for the next block is this trial's own
    players = {name: player(name, policy, problem, seed, trial, log) for name, policy in policies.items()}
    curves = {name: np.empty(len(record)) for name in players}
    totals = dict.fromkeys(players, 0.0)
    clocks = dict.fromkeys(players, 0.0)
    logs = {name: TrialLog.empty(horizon) for name in players} if log else {}
    clock = clock_for(all(isinstance(one, CompiledPlayer) for one in players.values()))
    size = block_size(problem)
    for start in range(0, horizon, size):
        stop = min(horizon, start + size)
        rounds = checked_rounds(problem, seed, trial, start, stop)
        first, last = np.searchsorted(record, (start, stop), side="right")
        for name, one in players.items():
            arms, seconds, chances = one.play(rounds, clock)
            if log:
                logs[name].note(start, arms, chances, rounds.rewards)
            regret = rounds.cumulative_regret(arms, totals[name])
            curves[name][first:last] = regret[record[first:last] - start - 1]
            totals[name] = float(regret[-1])
            clocks[name] += seconds
    return {name: Trial(curves[name], clocks[name] / horizon, logs.get(name)) for name in players}
