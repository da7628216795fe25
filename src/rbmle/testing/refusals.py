"""Checks of bad input: a clear error; state and generator are what they were."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rbmle.policies.base import Policy
from rbmle.random import state_of
from rbmle.testing.rounds import ARMS, learnt
from rbmle.testing.tools import (
    bad_contexts,
    bad_observations,
    coin_rewards,
    expect,
    expect_untouched,
    spoilt,
    unit_contexts,
)


def bad_input_is_refused(policy: Policy) -> None:
    """NaN, infinities, wrong shapes, ragged or empty contexts, bad rewards: an error; nothing learnt, nothing drawn."""
    learnt(policy, 10)
    for what, contexts in bad_contexts(policy.n_features).items():
        looks = policy.choose, policy.scores, policy.decide, policy.probabilities, policy.fix_arms, policy.model.predict
        for method in looks:
            expect_untouched(f"{method.__name__} with {what}", lambda m=method, c=contexts: m(c), policy)  # type: ignore[misc]
    for what, (context, reward) in bad_observations(policy.n_features).items():
        expect_untouched(f"update with {what}", lambda x=context, r=reward: policy.update(x, r), policy)  # type: ignore[misc]
        expect_untouched(f"update_many with {what}", lambda x=context, r=reward: policy.update_many([x], [r]), policy)  # type: ignore[misc]
    X, r = unit_contexts(12, 3, policy.n_features), coin_rewards(12, 3)
    holed = r.copy()
    holed[2] = np.nan
    expect_untouched("update_many with a NaN reward", lambda: policy.update_many(X, holed), policy)
    expect_untouched("update_many with a reward too few", lambda: policy.update_many(X, r[:2]), policy)
    ragged = bad_contexts(policy.n_features)["ragged contexts"]
    expect_untouched("update_many with ragged contexts", lambda: policy.update_many(ragged, r[:2]), policy)
    expect_untouched("update_many with a NaN context", lambda: policy.update_many(X * np.nan, r), policy)


def bad_rounds_are_refused(policy: Policy) -> None:
    """Rounds that are no count from 1 on, no number of samples and no share are refused, and no number is drawn."""
    learnt(policy, 10)
    X = unit_contexts(24, ARMS, policy.n_features)
    arms, sets = policy.fix_arms(X), X[None]
    ways = deciders(policy, arms, X)
    rounds: dict[str, Callable[..., Any]] = {
        "choose": lambda t: policy.choose(X, t=t),
        "scores": lambda t: policy.scores(X, t=t),
        "choose_many": lambda t: policy.choose_many(sets, t=t),
        "choose of a catalogue": lambda t: arms.choose(t=t),
        **{name: lambda t, d=decide: d(t=t) for name, decide in ways.items()},
        **{f"samples of {name}": lambda s, d=decide: d(samples=s) for name, decide in ways.items()},
    }
    for bad in (0, -1, 1.5, "3", True, float("nan")):
        for what, call in rounds.items():
            expect_untouched(f"{what} of {bad!r}", lambda c=call, b=bad: c(b), policy)  # type: ignore[misc]
    shares: tuple[Any, ...] = (-0.1, 1.1, float("nan"), "1", None)
    for share in shares:
        for what, decide in ways.items():
            if "probabilities" not in what:
                expect_untouched(f"{what} with floor {share!r}", lambda f=share, d=decide: d(floor=f), policy)  # type: ignore[misc]


def deciders(policy: Policy, arms: Any, X: np.ndarray) -> dict[str, Callable[..., Any]]:
    """The ways to a probability."""
    return {
        "decide": lambda **more: policy.decide(X, **more),
        "decide of a catalogue": lambda **more: arms.decide(**more),
        "decide_many": lambda **more: policy.decide_many(X[None], **more),
        "probabilities": lambda **more: policy.probabilities(X, **more),
        "probabilities of a catalogue": lambda **more: arms.probabilities(**more),
    }


def bad_blocks_are_refused(policy: Policy) -> None:
    """`play`, a catalogue's `play`, `choose_many` and `decide_many` refuse wrong shapes and bad numbers."""
    learnt(policy, 10)
    X, r = unit_contexts(25, 12, ARMS, policy.n_features), coin_rewards(25, 12, ARMS)
    arms = policy.fix_arms(X[0])
    for what, contexts in bad_blocks(X).items():
        expect_untouched(f"play with contexts: {what}", lambda c=contexts: policy.play(c, r), policy)  # type: ignore[misc]
        if what not in ("a round too few", "an arm too few", "an arm too many"):
            for many in (policy.choose_many, policy.decide_many):
                expect_untouched(f"{many.__name__}: {what}", lambda c=contexts, m=many: m(c), policy)  # type: ignore[misc]
    for what, rewards in bad_blocks(r).items():
        expect_untouched(f"play with rewards: {what}", lambda b=rewards: policy.play(X, b), policy)  # type: ignore[misc]
        if what != "a round too few":
            expect_untouched(f"play of a catalogue: {what}", lambda b=rewards: arms.play(b), policy)  # type: ignore[misc]


def bad_blocks(good: np.ndarray) -> dict[str, Any]:
    """What no block (B, K, d) or (B, K) may be, by what is wrong with it."""
    return {
        "NaN": spoilt(good, np.nan),
        "infinity": spoilt(good, -np.inf),
        "too large": spoilt(good, 1e200),
        "a round too few": good[1:],
        "an arm too few": good[:, 1:],
        "an arm too many": np.concatenate([good, good], axis=1),
        "the last axis too long": np.concatenate([good, good], axis=-1),
        "the last axis too short": good[..., :-1],
        "the last axis empty": good[..., :0],
        "an axis too many": good[None],
        "an axis too few": good[0],
        "complex numbers": good * 1j,
        "text": good.astype(str),
        "None": None,
        "a number": 1.0,
    }


def looking_draws_nothing(policy: Policy) -> None:
    """`scores` and `probabilities` leave the generator alone, on a catalogue too."""
    learnt(policy, 10)
    X = unit_contexts(26, ARMS, policy.n_features)
    arms = policy.fix_arms(X)
    before = state_of(policy.rng)
    looks: tuple[Callable[[], Any], ...] = (
        lambda: policy.scores(X),
        lambda: policy.probabilities(X),
        arms.scores,
        arms.probabilities,
    )
    for look in looks:
        expect(np.array_equal(look(), look()), "looking twice shows two things")
        expect(state_of(policy.rng) == before, "looking draws random numbers")
