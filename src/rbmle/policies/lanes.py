"""Trials of one index method side by side, a trial in each lane: the arms that each policy would play alone."""

import copy
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidInputError
from rbmle.inputs import LARGEST_REWARD, require_contexts
from rbmle.models.ridge import RidgeModel
from rbmle.models.ridge_lanes import LANES, RidgeLanes, rows_of_eight
from rbmle.policies.base import Policy
from rbmle.policies.formulas import BoundFormula
from rbmle.policies.linear import LinearPolicy
from rbmle.types import FloatArray, IntArray

# Bytes of contexts and rewards that all methods of a trial play before the next are put in lanes: what a cache holds.
PART = 2**19


class Part:
    """Some rounds of eight trials in lanes; `fill` puts others in the same place."""

    def __init__(self, n_arms: int, n_features: int) -> None:
        self.K, self.d = n_arms, n_features
        self.most = max(1, PART // (8 * LANES * n_arms * (n_features + 1)))
        self._X = rows_of_eight(self.most * n_arms * n_features)
        self._R = rows_of_eight(self.most * n_arms)
        self.X, self.R = self._X, self._R

    def fill(self, contexts: Sequence[FloatArray], rewards: Sequence[FloatArray], first: int, count: int) -> None:
        """Rounds first … first+count−1 of contexts (B, K, d) and rewards (B, K), of eight trials at most."""
        self.X, self.R = self._X[: count * self.K * self.d], self._R[: count * self.K]
        for arrays, each, target in ((contexts, self.K * self.d, self.X), (rewards, self.K, self.R)):
            flat = [arrays[min(lane, len(arrays) - 1)].reshape(-1) for lane in range(LANES)]
            if min(map(len, flat)) < (first + count) * each:
                raise InvalidInputError(f"A problem must keep its n_arms={self.K} and n_features={self.d}. It did not.")
            kernels.linear.lanes.interleave(tuple(flat), first * each, target)


def may_go_side_by_side(policy: object) -> TypeGuard[LinearPolicy]:
    """Whether a policy's formula, model and loop are such that trials of it can be played in lanes."""
    if not isinstance(policy, LinearPolicy) or type(policy.model) is not RidgeModel:
        return False
    own = type(policy)
    usual = (own.play, own._play, own._play_parts) == (Policy.play, LinearPolicy._play, LinearPolicy._play_parts)
    return bool(usual and policy._is_bound)


def are_bearable(rewards: Sequence[FloatArray]) -> bool:
    """Whether rewards are such as a policy takes; which are not, it says itself when it is played alone."""
    return all(kernels.border.all_within(each, LARGEST_REWARD) for each in rewards)


class Lanes:
    """One policy in several trials, played side by side by blocks: `begin`, `play` part after part, `end`."""

    def __init__(self, policy: LinearPolicy, trials: int) -> None:
        self._policy = policy.copy()
        self._models = RidgeLanes([copy.deepcopy(self._policy.model) for _ in range(trials)])
        self._single: list[LinearPolicy] = []
        self._weights: Any = None
        self._played, self._stopped, self._arms = 0, True, np.empty((0, LANES))

    def begin(self, rounds: int, n_arms: int) -> None:
        """A block of so many rounds is coming."""
        formula = self._policy.formula
        if isinstance(formula, BoundFormula):
            self._weights = formula.bound(self._policy._coefficients(self._models.t, rounds), n_arms)
        self._played, self._stopped, self._arms = 0, False, np.empty((rounds, LANES))

    def play(self, part: Part, count: int) -> None:
        """Choose and learn in the next rounds; once something is not as usual, nothing more of the block."""
        if not self._stopped:
            arms = self._arms[self._played : self._played + count]
            done = self._models.play(self._weights, self._played, part.X, part.R, arms)
            self._played, self._stopped = self._played + done, done < count

    def end(self, contexts: Sequence[FloatArray], rewards: Sequence[FloatArray]) -> list[IntArray]:
        """The arms of the whole block in each trial; what was not played in lanes is played by one after the other."""
        done, found = self._played, []
        for lane, (X, r) in enumerate(zip(contexts, rewards, strict=True)):
            arms = np.empty(len(r), dtype=np.int64)
            arms[:done] = self._arms[:done, lane]
            if done < len(r):
                arms[done:] = self._alone(lane, X, r)
            found.append(arms)
        return found

    def _alone(self, lane: int, X: FloatArray, r: FloatArray) -> IntArray:
        """The rest of a block in one trial, as the policy alone plays it."""
        self._models.give_back()
        while len(self._single) <= lane:
            self._single.append(self._policy.copy())
            self._single[-1].model = self._models.models[len(self._single) - 1]
        try:
            return self._single[lane].play(X[self._played :], r[self._played :])
        except InvalidInputError:
            require_contexts(X)  # says where in the whole block
            raise
