"""Trials: every policy on the same sample path, block after block."""

import copy
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rbmle.problems.base import Problem, Rounds
from rbmle.problems.checked import checked_rounds
from rbmle.simulation.log import TrialLog
from rbmle.simulation.players import Candidate, Clock, CompiledPlayer, Played, player
from rbmle.simulation.side_by_side import FEWEST, SideBySide, suitable
from rbmle.types import FloatArray, IntArray

# Rounds in memory at once, and the most bytes they may take.
BLOCK = 4096
MOST_BYTES = 64 * 2**20


class Trial(NamedTuple):
    """What one policy did in one trial: cumulative regret at the recorded rounds, seconds per decision, and its log."""

    regret: FloatArray
    seconds: float
    log: TrialLog | None = None


def block_size(problem: Problem, trials: int = 1) -> int:
    """How many rounds of each trial are held at once: fewer where a round is large."""
    per_round = 8 * trials * problem.n_arms * (1 if problem.static else problem.n_features + 2)
    return max(1, min(BLOCK, MOST_BYTES // per_round))


def clock_for(compiled: bool) -> Clock:
    """One clock for all policies of a trial.

    Compiled code runs in threads, where a wall clock would also count the wait for the interpreter: there it is the
    processor time of the thread, if the system measures that finely. Anything else may wait or use threads of its own.
    """
    fine = time.get_clock_info("thread_time").resolution <= 1e-6
    return time.thread_time if compiled and fine else time.perf_counter


class Account:
    """What is noted of one policy in one trial, block after block."""

    def __init__(self, record: IntArray, horizon: int, log: bool) -> None:
        self.curve, self.total, self.seconds = np.empty(len(record)), 0.0, 0.0
        self.log = TrialLog.empty(horizon) if log else None

    def note(self, start: int, rounds: Rounds, played: Played, record: IntArray) -> None:
        """Add a block that begins in round `start` (from 0)."""
        arms, seconds, chances = played
        if self.log is not None:
            self.log.note(start, arms, chances, rounds.rewards)
        regret = rounds.cumulative_regret(arms, self.total)
        first, last = np.searchsorted(record, (start, start + len(arms)), side="right")
        self.curve[first:last] = regret[record[first:last] - start - 1]
        self.total = float(regret[-1])
        self.seconds += seconds


def run_trials(
    policies: Mapping[str, Candidate],
    problem: Problem,
    horizon: int,
    trials: Sequence[int],
    seed: int,
    record: IntArray,
    log: bool = False,
) -> list[dict[str, Trial]]:
    """Play `horizon` rounds of some trials with every policy. A function of its arguments alone, whoever calls it.

    What is found of a trial does not depend on the others: policies that can are played in all of them side by side.

    record: the rounds (from 1, ascending) at which cumulative regret is noted.
    log: note every arm with its chance and its reward.
    """
    problems = [copy.copy(problem) for _ in trials]  # what a problem keeps for the next block is the trial's own
    together = suitable(policies, problem) if len(trials) >= FEWEST else {}
    lanes = SideBySide(together, problem, len(trials), log) if together else None
    players = [
        {name: player(name, each, problem, seed, trial, log) for name, each in policies.items() if name not in together}
        for trial in trials
    ]
    accounts = [{name: Account(record, horizon, log) for name in policies} for _ in trials]
    clock = clock_for(all(isinstance(one, CompiledPlayer) for row in players for one in row.values()))
    size = block_size(problem, len(trials))
    for start in range(0, horizon, size):
        stop = min(horizon, start + size)
        blocks = [checked_rounds(own, seed, trial, start, stop) for own, trial in zip(problems, trials, strict=True)]
        played = {} if lanes is None else lanes.play(blocks, clock)
        for i, rounds in enumerate(blocks):
            for name, account in accounts[i].items():
                done = played[name][i] if name in together else players[i][name].play(rounds, clock)
                account.note(start, rounds, done, record)
    return [
        {name: Trial(each.curve, each.seconds / horizon, each.log) for name, each in row.items()} for row in accounts
    ]


def run_trial(
    policies: Mapping[str, Candidate],
    problem: Problem,
    horizon: int,
    trial: int,
    seed: int,
    record: IntArray,
    log: bool = False,
) -> dict[str, Trial]:
    """Play one trial of a simulation by itself: every policy's curve, time and, with `log`, its decisions.

    The same to the last bit as that trial of `simulate`, whatever else runs: for a scheduler of your own.

    record: the rounds, ascending from 1, at which regret is noted.

    >>> from rbmle import LinUCB
    >>> from rbmle.problems import LinearProblem
    >>> from rbmle.simulation import simulate
    >>> policies, problem = {"ucb": LinUCB(n_features=2)}, LinearProblem([1.0, 0.0], 5)
    >>> one = run_trial(policies, problem, horizon=100, trial=2, seed=7, record=np.array([50, 100]))
    >>> all_three = simulate(policies, problem, horizon=100, trials=3, seed=7, record=[50, 100])
    >>> bool((one["ucb"].regret == all_three.regret["ucb"][2]).all())
    True
    """
    return run_trials(policies, problem, horizon, [trial], seed, record, log)[0]
