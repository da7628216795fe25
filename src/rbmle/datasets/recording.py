"""Logs of policies that play a problem: what was known, the chance of every arm, what was served and what it earned."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rbmle import kernels, params
from rbmle.errors import InvalidInputError
from rbmle.inputs import as_numbers, as_share
from rbmle.logs import Log
from rbmle.params import Flag, Integer
from rbmle.policies import Policy
from rbmle.problems.base import Problem, Rounds
from rbmle.problems.checked import checked_rounds
from rbmle.random import generator
from rbmle.types import FloatArray, IntArray

# Rounds that are made at a time.
BLOCK = 1024


def record(
    problem: Problem, logging_policy: Any, *, n: int, seed: int = 0, floor: float = 0.0, learn: bool = False
) -> Log:
    """A log of n decisions on a problem, in memory.

    logging_policy: a policy, "uniform", or a function of contexts (K, d) that returns chances (K,).
    floor: the share of decisions that go to any arm, all alike, so that the log supports every arm.
    learn: whether the policy learns from each reward before the next decision (a copy of it does).

    >>> from rbmle import LinUCB
    >>> from rbmle.problems import LinearProblem
    >>> log = record(LinearProblem([1.0, 0.0], 3, static=False), LinUCB(n_features=2), n=100, floor=0.3, learn=True)
    >>> log.adaptive, log.columns
    (True, ('contexts', 'arm', 'probability', 'probabilities', 'reward'))
    """
    params.require("record", "n", n, Integer(1))
    params.require("record", "seed", seed, Integer(0))
    params.require("record", "learn", learn, Flag())
    share = as_share(floor)
    chooser = chances_by(logging_policy, problem.n_features)
    policy = logging_policy.copy() if isinstance(logging_policy, Policy) else None
    if learn and policy is None:
        raise InvalidInputError("learn=True needs a policy that learns.")
    if policy is not None:
        policy.reseed(seed, 1)
        chooser = policy.probabilities
    columns: dict[str, list[Any]] = {"contexts": [], "probabilities": [], "arm": [], "reward": []}
    rng = generator(seed, 2)
    for rounds in blocks(problem, seed, n):
        for number, rewards in enumerate(rounds.rewards):
            X = np.array(rounds.contexts_of(number))
            if policy is not None:
                decision = policy.decide(X, floor=share)
                arm, chances = decision.arm, decision.probabilities
            else:
                chances = (1.0 - share) * checked_chances(chooser(X), len(X)) + share / len(X)
                arm = int(served(chances[None], rng)[0])
            if learn and policy is not None:
                policy.update(X[arm], rewards[arm])
            for name, value in zip(columns, (X, chances, arm, rewards[arm]), strict=True):
                columns[name].append(value)
    chances = np.array(columns["probabilities"])
    arms = np.array(columns["arm"])
    return Log.read(
        {
            "contexts": np.array(columns["contexts"]),
            "arm": arms,
            "probability": chances[np.arange(n), arms],
            "probabilities": chances,
            "reward": np.array(columns["reward"]),
        },
        adaptive=bool(learn),
        name=type(problem).__name__,
    )


def blocks(problem: Problem, seed: int, n: int) -> Iterator[Rounds]:
    """n rounds of the problem's first trial, block by block."""
    for start in range(0, n, BLOCK):
        yield checked_rounds(problem, seed, 0, start, min(start + BLOCK, n))


def chances_by(logging_policy: Any, n_features: int) -> Callable[[FloatArray], Any]:
    """A function of contexts (K, d) that returns chances (K,)."""
    if isinstance(logging_policy, str) and logging_policy == "uniform":
        return lambda X: np.full(len(X), 1.0 / len(X))
    if isinstance(logging_policy, Policy):
        if logging_policy.n_features != n_features:
            raise InvalidInputError(
                f"logging_policy must have n_features={n_features}. Got {logging_policy.n_features}."
            )
        return logging_policy.probabilities
    if callable(logging_policy):
        return logging_policy  # type: ignore[no-any-return]
    raise InvalidInputError(f"logging_policy must be a policy, 'uniform' or a function. Got {logging_policy!r}.")


def checked_chances(chances: Any, n_arms: int) -> FloatArray:
    """Chances (K,) that add up to 1."""
    array = as_numbers(chances, "logging_policy(contexts)")
    if array.shape != (n_arms,) or not bool((array >= 0.0).all()) or not abs(float(array.sum()) - 1.0) <= 1e-6:
        raise InvalidInputError(f"logging_policy(contexts) must be {n_arms} chances that add up to 1. Got {array}.")
    return array


def served(chances: FloatArray, rng: np.random.Generator) -> IntArray:
    """An arm of each row (n, K), drawn from its chances."""
    n, K = chances.shape
    arms = np.empty(n, dtype=np.int64)
    kernels.serve.serve(chances.reshape(-1), np.arange(0, n * K + 1, K), np.asarray(rng.random(n)), arms)
    return arms
