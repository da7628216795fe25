"""What the checks of policies have in common: some rounds to learn from, and when two policies know the same."""

import numpy as np

from rbmle.policies.base import Policy
from rbmle.testing.tools import coin_rewards, unit_contexts
from rbmle.types import FloatArray

ROUNDS, ARMS = 60, 5


def learnt(policy: Policy, rounds: int = ROUNDS, seed: int = 1) -> Policy:
    """The policy after some rounds by its own choices."""
    contexts, rewards = unit_contexts(seed, rounds, ARMS, policy.n_features), coin_rewards(seed, rounds, ARMS)
    for X, r in zip(contexts, rewards, strict=True):
        arm = policy.choose(X)
        policy.update(X[arm], r[arm])
    return policy


def is_random(policy: Policy) -> bool:
    """Whether the policy has a generator of its own."""
    return hasattr(policy, "seed")


def forgets(policy: Policy) -> bool:
    """Whether not all rewards count."""
    return getattr(policy, "forgetting", None) is not None


def close(left: Policy, right: Policy) -> bool:
    """Whether two policies predict the same, up to rounding."""
    mine, theirs = plain_state(left), plain_state(right)
    return left.t == right.t and all(np.allclose(mine[key], theirs[key], rtol=1e-6, atol=1e-8) for key in mine)


def plain_state(policy: Policy) -> dict[str, FloatArray]:
    """The state, with the logarithm of a determinant in one piece: how it is cut depends on the way to it."""
    state = policy.state()
    if "volume" in state:
        state["volume"] = state["volume"][:1] + np.log(state["volume"][1:])
    return state
