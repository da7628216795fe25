"""How long decisions take: processor time, so that what else the machine does is not counted."""

import time
from collections.abc import Mapping

from rbmle.problems import Problem
from rbmle.problems.checked import checked_rounds
from rbmle.simulation.carrying import single_threaded_algebra
from rbmle.simulation.players import player
from rbmle.studies.real.entrants import Entrant
from rbmle.studies.real.sets import RealSet

MOST_ROUNDS = 500


def seconds_per_decision(
    real: RealSet, problem: Problem, methods: Mapping[str, Entrant], rounds: int, seed: int
) -> dict[str, float]:
    """Processor seconds of a decision, choosing and learning together, by method as it comes, in one trial of its own.

    The trials that count are not timed: on a busy machine a wall clock also counts the wait for a processor, which
    meets slow methods and spares those that are done within a time slice.
    """
    found = {}
    block = checked_rounds(problem, seed, 0, 0, min(rounds, MOST_ROUNDS, problem.horizon or rounds))
    with single_threaded_algebra():
        for name, each in methods.items():
            own = player(name, each.make(real, problem, None), problem, seed, 0)
            found[name] = own.play(block, time.process_time).seconds / len(block.rewards)
    return found
