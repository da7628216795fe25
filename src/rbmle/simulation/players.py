"""Whatever is compared, made ready for one trial: ours run compiled, anything else round by round."""

import copy
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.inputs import as_arm, describe
from rbmle.policies.base import Policy
from rbmle.policies.lanes import may_go_side_by_side
from rbmle.problems.base import Problem, Rounds
from rbmle.random import generator
from rbmle.types import FloatArray, IntArray


class Learner(Protocol):
    """The least a policy must offer to be compared."""

    def choose(self, contexts: FloatArray) -> int:
        """The arm to play for contexts (K, d)."""
        ...

    def update(self, context: FloatArray, reward: float) -> Any:
        """Learn that an arm with `context` (d,) gave `reward`."""
        ...


Clock = Callable[[], float]
Candidate = Policy | Learner | Callable[[int], Policy | Learner]


def named(policies: Mapping[str, Candidate] | Iterable[Candidate]) -> dict[str, Candidate]:
    """Policies by name. Names of a list come from the classes: "LinUCB", "LinUCB 2"."""
    if isinstance(policies, Mapping):
        result = {str(name): policy for name, policy in policies.items()}
    elif isinstance(policies, Iterable):
        result = {}
        for policy in policies:
            name = base = getattr(policy, "__name__", type(policy).__name__)
            count = 1
            while name in result:
                count += 1
                name = f"{base} {count}"
            result[name] = policy
    else:
        raise InvalidInputError(f"policies must be a dict of names or a list. Got {describe(policies)}.")
    if not result:
        raise InvalidInputError("policies must hold at least one policy. Got none.")
    return result


def is_factory(policy: object) -> bool:
    """Tell whether the object makes policies from seeds."""
    return callable(policy) and (isinstance(policy, type) or not hasattr(policy, "choose"))


def check(name: str, policy: object, problem: Problem) -> None:
    """Raise unless the policy can play the problem."""
    if isinstance(policy, type) and issubclass(policy, Policy):
        raise InvalidInputError(
            f"policies['{name}'] must be a policy such as {policy.__name__}(n_features={problem.n_features}). "
            f"Got the class {policy.__name__}."
        )
    if is_factory(policy):
        return
    missing = [method for method in ("choose", "update") if not callable(getattr(policy, method, None))]
    if missing:
        raise InvalidInputError(
            f"policies['{name}'] must have choose(contexts) and update(context, reward), or be a function of a seed "
            f"that makes such an object. Got {describe(policy)} without {' and '.join(missing)}."
        )
    n_features = getattr(policy, "n_features", problem.n_features)
    if n_features != problem.n_features:
        raise InvalidInputError(
            f"policies['{name}'] must have n_features={problem.n_features} as the problem has. Got {n_features}."
        )


class Played(NamedTuple):
    """A block as played: the arms, the seconds that the policy itself took, the chance with which each arm was played.

    A chance is NaN where nobody knows it.
    """

    arms: IntArray
    seconds: float
    chances: FloatArray


def player(
    name: str, policy: Any, problem: Problem, seed: int, trial: int, log: bool = False
) -> "CompiledPlayer | PythonPlayer":
    """A fresh copy of the policy for one trial, with a generator that depends on (seed, trial, name) alone.

    log: let the policy play by `decide`, which knows the chance of the arm, if it has that. Of upper bounds everybody
        knows it: they play the best arm.
    """
    path = (trial, zlib.crc32(name.encode()))
    if is_factory(policy):
        policy = policy(int(generator(seed, *path).integers(2**31)))
        check(name, policy, problem)
    policy = policy.copy() if isinstance(policy, Policy) else copy.deepcopy(policy)
    if hasattr(policy, "reseed"):
        policy.reseed(seed, *path)
    decides = log and callable(getattr(policy, "decide", None))
    if isinstance(policy, Policy) and (not decides or may_go_side_by_side(policy)):
        return CompiledPlayer(policy, problem, chance=1.0 if decides else np.nan)
    return PythonPlayer(name, policy, decides=decides)


FIRST_ROUNDS, WARM_ROUNDS = 64, 2
"""Rounds played on a copy before the clock starts: the first time in a process, and before every other trial."""

_WARMED: set[tuple[type, bool]] = set()


class CompiledPlayer:
    """One of our policies: a block of rounds is one call of compiled code."""

    def __init__(self, policy: Policy, problem: Problem, chance: float = np.nan) -> None:
        self.policy = policy
        self.chance = chance
        self.static = problem.static
        self.arms: Any = None
        self.warm = False

    def play(self, rounds: Rounds, clock: Clock) -> Played:
        """Play a block."""
        self.warm_up(rounds)
        start = clock()
        if self.arms is None and self.static:
            self.arms = self.policy.fix_arms(rounds.contexts[0])
        if self.arms is not None:
            chosen: IntArray = self.arms.play(rounds.rewards)
        else:
            chosen = self.policy.play(rounds.contexts, rounds.rewards)
        return Played(chosen, clock() - start, np.full(len(chosen), self.chance))

    def warm_up(self, rounds: Rounds) -> None:
        """Compile what will be used, once, on a copy, so that the clock measures decisions.

        More rounds the first time in a process: a function of SciPy needs milliseconds for its first longer array.
        """
        if self.warm:
            return
        self.warm = True
        kind = (type(self.policy), self.static)
        few = WARM_ROUNDS if kind in _WARMED else FIRST_ROUNDS
        twin = self.policy.copy()
        if self.static:
            twin.fix_arms(rounds.contexts[0]).play(rounds.rewards[:few])
        else:
            twin.play(rounds.contexts[:few], rounds.rewards[:few])
        _WARMED.add(kind)


class PythonPlayer:
    """Any object with choose and update, one round after the other; with `decides`, with decide and update."""

    def __init__(self, name: str, policy: Any, *, decides: bool = False) -> None:
        self.name = name
        self.policy = policy
        self.decides = decides

    def play(self, rounds: Rounds, clock: Clock) -> Played:
        """Play a block."""
        policy, seconds, count = self.policy, 0.0, len(rounds.rewards)
        chosen, chances = np.empty(count, dtype=np.int64), np.full(count, np.nan)
        for number, rewards in enumerate(rounds.rewards):
            # A copy: whoever keeps or changes what it is given must not touch the path of the others.
            contexts = rounds.contexts_of(number).copy()
            start = clock()
            answer = policy.decide(contexts) if self.decides else policy.choose(contexts)
            seconds += clock() - start
            try:
                arm = chosen[number] = as_arm(answer.arm if self.decides else answer, len(rewards))
            except (InvalidInputError, AttributeError) as reason:
                method = "decide" if self.decides else "choose"
                raise InvalidInputError(f"policies['{self.name}'].{method} returned no arm: {reason}") from reason
            if self.decides:
                chances[number] = getattr(answer, "probability", np.nan)
            reward = float(rewards[arm])
            start = clock()
            policy.update(contexts[arm], reward)
            seconds += clock() - start
        return Played(chosen, seconds, chances)
