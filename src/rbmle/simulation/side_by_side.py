"""Policies whose trials can be played in vector lanes, and the order of work that lets them share what is read."""

from collections.abc import Mapping, Sequence

import numpy as np

from rbmle.models.ridge_lanes import LANES
from rbmle.policies.lanes import Lanes, Part, are_bearable, may_go_side_by_side
from rbmle.policies.linear import LinearPolicy
from rbmle.problems.base import Problem, Rounds
from rbmle.simulation.players import Candidate, Clock, Played
from rbmle.types import IntArray

# Trials played side by side at most: as many as there are lanes. Fewer than FEWEST are quicker one by one.
TOGETHER, FEWEST = LANES, 3
# Rounds played on copies before the clock starts.
FEW = 64

_WARMED: set[type] = set()


def suitable(policies: Mapping[str, Candidate], problem: Problem) -> dict[str, LinearPolicy]:
    """The policies whose trials can be played side by side."""
    return {name: each for name, each in policies.items() if may_go_side_by_side(each) and not problem.static}


class SideBySide:
    """Some policies in the same trials."""

    def __init__(self, policies: Mapping[str, LinearPolicy], problem: Problem, trials: int, log: bool) -> None:
        self._lanes = {name: Lanes(policy, trials) for name, policy in policies.items()}
        self._part = Part(problem.n_arms, problem.n_features)
        self._chance = 1.0 if log else np.nan
        cold = {type(policy): policy for policy in policies.values() if type(policy) not in _WARMED}
        self._cold = {kind: Lanes(policy, 1) for kind, policy in cold.items()}

    def play(self, blocks: Sequence[Rounds], clock: Clock) -> dict[str, list[Played]]:
        """Play a block of every trial; the seconds of a policy are dealt out evenly to the trials."""
        if self._cold:  # compile what will be used, on copies, so that the clock measures decisions
            start = [Rounds(each.contexts[:FEW], each.mean_rewards[:FEW], each.rewards[:FEW]) for each in blocks[:1]]
            self._play({kind.__name__: twin for kind, twin in self._cold.items()}, start, clock)
            _WARMED.update(self._cold)
            self._cold = {}
        found, seconds = self._play(self._lanes, blocks, clock)
        return {
            name: [Played(one, seconds[name] / len(blocks), np.full(len(one), self._chance)) for one in arms]
            for name, arms in found.items()
        }

    def _play(
        self, lanes: Mapping[str, Lanes], blocks: Sequence[Rounds], clock: Clock
    ) -> tuple[dict[str, list[IntArray]], dict[str, float]]:
        contexts, rewards = [each.contexts for each in blocks], [each.rewards for each in blocks]
        rounds, n_arms = rewards[0].shape
        seconds, found = dict.fromkeys(lanes, 0.0), {}
        for name, each in lanes.items():
            before = clock()
            each.begin(rounds, n_arms)
            seconds[name] += clock() - before
        for first in range(0, rounds, self._part.most) if are_bearable(rewards) else ():
            count = min(self._part.most, rounds - first)
            self._part.fill(contexts, rewards, first, count)
            for name, each in lanes.items():
                before = clock()
                each.play(self._part, count)
                seconds[name] += clock() - before
        for name, each in lanes.items():
            before = clock()
            found[name] = each.end(contexts, rewards)
            seconds[name] += clock() - before
        return found, seconds
