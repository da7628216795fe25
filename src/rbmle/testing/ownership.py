"""Checks of who owns what is learnt: states are copies, reading is only reading, copies are independent."""

import copy
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rbmle.policies.base import Policy
from rbmle.random import state_of
from rbmle.testing.rounds import ARMS, close, learnt
from rbmle.testing.tools import coin_rewards, expect, same_state, sums_of, unit_contexts


def states_are_copies(policy: Policy) -> None:
    """Snapshot, learn, restore gives what was; writing into a state that was handed out or in changes nothing."""
    learnt(policy, 20)
    snapshot = policy.state()
    kept = {name: np.array(array) for name, array in snapshot.items()}
    learnt(policy, 5, seed=2)
    expect(same_state(snapshot, kept), "a state that was handed out changes with what is learnt later")
    policy.restore(snapshot)
    expect(same_state(policy.state(), kept) and policy.n_observed == 20, "restore does not give what was")
    for name, array in snapshot.items():
        array[...] = -1.0
        expect(same_state(policy.state(), kept), f"the model goes on using the array {name} that it was restored from")
    for name, array in policy.state().items():
        array[...] = -1.0
        expect(same_state(policy.state(), kept), f"state()[{name!r}] is the model's own array")


def reading_changes_nothing(policy: Policy) -> None:
    """Of two twins one is read after every step: state, repr, scores, chances, what the model shows, files.

    Their later arms, states and generators are the same to the last bit, with a catalogue in use too.
    """
    for n_arms in (ARMS, 50):
        X, r = unit_contexts(21, 40, n_arms, policy.n_features), coin_rewards(21, 40, n_arms)
        left, right = policy.copy(), policy.copy()
        mine, theirs = left.fix_arms(X[0]), right.fix_arms(X[0])
        with tempfile.TemporaryDirectory() as folder:
            for t in range(40):
                if t % 4 == 3:
                    arms = left.choose(X[t]), right.choose(X[t])
                    left.update(X[t, arms[0]], r[t, arms[0]])
                    right.update(X[t, arms[1]], r[t, arms[1]])
                else:
                    arms = mine.choose(), theirs.choose()
                    mine.update(arms[0], r[t, arms[0]])
                    theirs.update(arms[1], r[t, arms[1]])
                expect(arms[0] == arms[1], f"reading changed the arm of round {t + 1}")
                read_all(right, theirs, X[t])
                if t % 13 == 0:
                    right.save(Path(folder) / "policy.npz")
        expect(same_state(sums_of(left.state()), sums_of(right.state())), "reading changed what was learnt later")
        read_all(left, mine, X[-1])
        read_all(right, theirs, X[-1])
        expect(same_state(left.state(), right.state()), "reading changed what was read later")
        expect(state_of(left.rng) == state_of(right.rng), "reading drew random numbers")


def read_all(policy: Policy, arms: Any, X: np.ndarray) -> None:
    """Everything that only looks."""
    _ = repr(policy), repr(arms), policy.t, policy.params
    for _ in range(2):
        policy.state()
    for look in (policy.scores, policy.probabilities, policy.model.predict):
        look(X)
    arms.scores(), arms.probabilities()
    model = type(policy.model)
    for name in dir(model):
        if isinstance(getattr(model, name), property):
            getattr(policy.model, name)


def copies_are_independent(policy: Policy) -> None:
    """What a copy learns, the original does not; both would choose the same. So for deep copies and pickles too."""
    learnt(policy)
    arms = policy.fix_arms(X := unit_contexts(22, ARMS, policy.n_features))
    arms.update(1, 1.0)  # a catalogue is in use from here on
    for what, make in COPIES.items():
        before = {name: np.array(array) for name, array in policy.state().items()}
        twin: Policy = make(policy)
        expect(type(twin) is type(policy) and twin.params == policy.params, f"{what} is another policy")
        expect(same_state(before, twin.state()), f"{what} knows something else")
        expect(twin.copy().choose(X) == policy.copy().choose(X), f"{what} chooses another arm")
        learnt(twin, 10, seed=9)
        expect(same_state(before, policy.state()), f"teaching {what} changed the original")


def catalogues_are_copied_with_their_policy(policy: Policy) -> None:
    """A copy of a catalogue has a policy of its own, knows what that knows, and tells the original nothing."""
    X, r = unit_contexts(23, ARMS, policy.n_features), coin_rewards(23, 12)
    arms = policy.fix_arms(X)
    for number, reward in enumerate(r):  # catalogue and policy learn in turns, so that either may be behind
        arms.scores()
        for _ in range(number % 3):
            policy.update(X[number % ARMS], reward)
        arms.update(number % ARMS, reward)
        policy.update(X[0], reward)
        before = policy.state()
        for what in ("a deep copy", "a pickle"):
            twin: Any = COPIES[what](arms)
            expect(twin.policy is not policy, f"{what} of a catalogue shares its policy")
            expected = policy.copy().scores(X)
            expect(np.allclose(twin.scores(), expected, rtol=1e-7, atol=1e-9), f"{what} of a catalogue is out of date")
            twin.update(1, 1.0)
            expect(twin.policy.n_observed == policy.n_observed + 1, f"{what} of a catalogue lost a reward")
            expect(same_state(before, policy.state()), f"teaching {what} of a catalogue changed the original")
    expect(close(policy, policy.copy()), "a copy of a policy with a catalogue in use knows something else")


COPIES: dict[str, Callable[[Any], Any]] = {
    "a copy": lambda policy: policy.copy(),
    "a deep copy": copy.deepcopy,
    "a pickle": lambda policy: pickle.loads(pickle.dumps(policy)),
}
