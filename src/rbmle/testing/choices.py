"""Checks of `choose` and `scores`: an arm, the best one, the same one however it is asked for."""

import numpy as np

from rbmle.policies.base import Policy
from rbmle.random import state_of
from rbmle.testing.rounds import ARMS, ROUNDS, is_random, learnt
from rbmle.testing.tools import expect, same_state, unit_contexts


def choice_is_an_arm(policy: Policy) -> None:
    """`choose` gives an int from 0 to K−1 for any K, and scores have one number per arm."""
    for n_arms in (1, 2, 7):
        X = unit_contexts(n_arms, n_arms, policy.n_features)
        arm = policy.choose(X)
        expect(isinstance(arm, int) and 0 <= arm < n_arms, f"choose gave {arm!r} for {n_arms} arms")
        expect(policy.scores(X).shape == (n_arms,), "scores must have one number per arm")
        learnt(policy, 3)


def choosing_changes_nothing(policy: Policy) -> None:
    """Asking for a decision leaves the state as it is; a deterministic policy repeats it."""
    learnt(policy)
    X = unit_contexts(3, ARMS, policy.n_features)
    before = {name: np.array(array) for name, array in policy.state().items()}
    arms = {policy.choose(X) for _ in range(3)}
    expect(same_state(before, policy.state()), "choose changed the state")
    expect(is_random(policy) or len(arms) == 1, "a deterministic policy changed its mind")


def best_score_is_played(policy: Policy) -> None:
    """The next `choose` plays the first arm of the largest score that `scores` shows; of identical arms, the first.

    So for deterministic policies and for those whose scores are samples. Where scores are chances, the arm has one.
    """
    learnt(policy)
    for seed in range(20):
        X = unit_contexts(seed, ARMS, policy.n_features)
        scores = policy.scores(X)
        arm, later = policy.choose(X), policy.scores(X)
        if is_random(policy) and np.array_equal(scores, later):
            continue  # the draw decides between arms, not between scores: ε-greedy
        if is_random(policy) and (scores >= 0.0).all() and abs(scores.sum() - 1.0) < 1e-9:
            expect(scores[arm] > 0.0, f"choose gave an arm without a chance: {arm} of {scores}")
        else:
            expect(arm == int(np.argmax(scores)), f"choose gave {arm}, not the arg max of the scores {scores}")
    if not is_random(policy):
        same = np.tile(unit_contexts(9, 1, policy.n_features), (ARMS, 1))
        expect(policy.choose(same) == 0, "among identical arms the first must be played")


def seeds_matter(policy: Policy) -> None:
    """Same seed, same arms; another seed, other arms somewhere."""
    X = unit_contexts(4, ROUNDS, ARMS, policy.n_features)

    def arms(seed: int) -> list[int]:
        twin = policy.copy()
        twin.reseed(seed)
        return [twin.choose(x) for x in X]

    expect(arms(5) == arms(5), "the same seed gave other arms")
    if is_random(policy):
        expect(arms(5) != arms(6), "two seeds gave the same arms in every round")


def many_choices_equal_single_ones(policy: Policy) -> None:
    """`choose_many` gives the arms of `choose` for one set after the other, and draws what they draw."""
    learnt(policy)
    equal = unit_contexts(20, 30, ARMS, policy.n_features)
    ragged = [unit_contexts(30 + i, 1 + i % 7, policy.n_features) for i in range(30)]
    for sets in (equal, ragged):
        one, many = policy.copy(), policy.copy()
        arms = [one.choose(X) for X in sets]
        expect(arms == [int(arm) for arm in many.choose_many(sets)], "choose_many gave other arms than choose")
        expect(state_of(one.rng) == state_of(many.rng), "choose_many drew other random numbers than choose")
        if not is_random(policy):
            decided = [int(arm) for arm in many.decide_many(sets).arm]
            expect(arms == decided, "decide_many of a deterministic policy gave other arms than choose")
