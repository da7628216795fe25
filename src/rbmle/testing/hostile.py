"""Checks that need a process of their own: what they look for are crashes, torn files and lost rewards.

The class of the policy must be importable there: of a module, not of a script or a notebook.
"""

import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rbmle.errors import RbmleError
from rbmle.policies import load
from rbmle.policies.base import Policy
from rbmle.policies.linear import LinearPolicy
from rbmle.testing.rounds import ARMS, forgets, learnt, plain_state
from rbmle.testing.subprocesses import expect_survived
from rbmle.testing.tools import coin_rewards, expect, same_state, spoilt, sums_of, unit_contexts
from rbmle.types import FloatArray

# Of faults that show only after a first good call.
LATER = ", from the second time on"


def names_are_not_shadowed(policy: Policy) -> None:
    """Where a module of a user's has a class of the same name, a file of this policy still loads as this policy."""
    learnt(policy, 5)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "policy.npz")
        policy.save(path)
        expect_survived("loading beside a class of the same name", load_beside_a_namesake, type(policy), path)


def load_beside_a_namesake(cls: type[Policy], path: str) -> None:
    """Define a class of the same name elsewhere, then load."""
    namesake = type(cls.__name__, (cls,), {"__module__": "somewhere.else", "title": "an impostor"})
    loaded = load(path)
    expect(type(loaded) is not namesake, f"a file of {cls.__module__}.{cls.__name__} was loaded as an impostor")
    expect(type(loaded) is cls, f"a file of {cls.__module__}.{cls.__name__} was loaded as {type(loaded)}")


def saves_are_never_torn(policy: Policy, files: int = 200) -> None:
    """One thread learns, another saves: every file loads, and holds what was learnt at one moment."""
    expect_survived("saving while another thread learns", save_while_learning, policy, files)


def save_while_learning(policy: Policy, files: int) -> None:
    """Save and load `files` times; what is loaded must be what exactly so many of the rewards given teach a copy."""
    d, many = policy.n_features, 50
    X, r = unit_contexts(31, many, d), coin_rewards(31, many)
    first, follower = policy.n_observed, policy.copy()
    stop = threading.Event()
    failed: list[Exception] = []
    seen = set()
    sys.setswitchinterval(1e-4)  # threads take turns often; this process is ours
    policy.update(X[0], r[0])  # or the first files would be written while the other thread still loads its code

    def learn() -> None:
        number = 1
        try:
            while not stop.is_set():
                policy.update(X[number % many], r[number % many])
                number += 1
                if number % 10 == 0:
                    time.sleep(1e-5)  # lets the other thread write its file
        except Exception as reason:  # noqa: BLE001 - told to the thread that waits
            failed.append(reason)

    learner = threading.Thread(target=learn)
    with tempfile.TemporaryDirectory() as folder:
        learner.start()
        try:
            for _ in range(files):
                policy.save(path := Path(folder) / "policy.npz")
                loaded = load(path)
                seen.add(loaded.n_observed)
                for number in range(follower.n_observed - first, loaded.n_observed - first):
                    follower.update(X[number % many], r[number % many])
                for name, right in sums_of(plain_state(follower)).items():
                    found = plain_state(loaded)[name]
                    same = found.shape == right.shape and np.allclose(found, right, rtol=1e-6, atol=1e-8)
                    expect(same, f"a file holds {name} of another moment")
        finally:
            stop.set()
            learner.join()
    expect(not failed, f"learning failed meanwhile: {failed}")
    expect(len(seen) > 1, "nothing was learnt while files were written: this says nothing")


def threads_lose_nothing(policy: Policy, threads: int = 4, rounds: int = 500) -> None:
    """Threads that choose and learn on one policy: no crash, no reward lost, and V is the sum of what they learnt."""
    expect_survived("threads on one policy", learn_in_threads, policy, threads, rounds)


def learn_in_threads(policy: Policy, threads: int, rounds: int) -> None:
    """Choose and learn in threads, and compare with the dense sum of what they report to have learnt."""
    X, r = unit_contexts(32, threads, 20, ARMS, policy.n_features), coin_rewards(32, threads, 20, ARMS)
    start, first = policy.state().get("V"), policy.n_observed
    taught = np.zeros((threads, 20, ARMS))
    failed: list[Exception] = []

    def work(number: int) -> None:
        try:
            arms = policy.fix_arms(X[number, 0])
            for step in range(rounds):
                i = step % 20
                arm = arms.choose() if i == 0 else policy.choose(X[number, i])
                policy.update(X[number, i, arm], r[number, i, arm])
                taught[number, i, arm] += 1.0
        except Exception as reason:  # noqa: BLE001 - told to the thread that waits
            failed.append(reason)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    expect(not failed, f"a thread failed: {failed}")
    state, n = policy.state(), first + threads * rounds
    expect(policy.n_observed == n == taught.sum() + first, f"{policy.n_observed} rewards are counted, {n} were given")
    if start is not None:
        expect(np.array_equal(state["V"], state["V"].T), "V is not symmetric")
    if start is not None and "feature_scale" not in state and not forgets(policy):
        rows, weight = X.reshape(-1, policy.n_features), taught.reshape(-1, 1)
        dense = start + rows.T @ (weight * rows)
        expect(np.allclose(state["V"], dense, rtol=1e-9), "V is not the sum of what was learnt")
    if "counts" in state:
        kept, due = state["counts"].sum(), getattr(policy.model, "n_effective", n)
        expect(np.isclose(kept, due, rtol=1e-5), f"{kept:g} rewards are in the rows, {due:g} should be")


def wrong_numbers_are_refused(policy: Policy) -> None:
    """Where a subclass's `coefficients`, `draws` or `bank` give wrong arrays, compiled code never sees them."""
    if isinstance(policy, LinearPolicy):
        expect_survived("wrong numbers for a formula", meet_wrong_numbers, type(policy), policy.params)


def meet_wrong_numbers(cls: type[LinearPolicy], arguments: dict[str, Any]) -> None:
    """Build subclasses with each fault and ask them everything."""
    X, r = unit_contexts(33, 8, ARMS, arguments["n_features"]), coin_rewards(33, 8, ARMS)
    for what, body in faulty_bodies(cls).items():
        policy = type(cls.__name__, (cls,), {"title": "", **body})(**arguments)
        arms = policy.fix_arms(X[0])
        if LATER in what:
            policy.choose(X[0])
        before = policy.state()
        for how, call in {
            "choose": lambda p=policy: p.choose(X[0]),
            "scores": lambda p=policy: p.scores(X[0]),
            "decide": lambda p=policy: p.decide(X[0], samples=3),
            "choose_many": lambda p=policy: p.choose_many(X),
            "decide_many": lambda p=policy: p.decide_many(X, samples=3),
            "play": lambda p=policy: p.play(X, r),
            "choose of a catalogue": lambda a=arms: a.choose(),
            "decide of a catalogue": lambda a=arms: a.decide(samples=3),
            "play of a catalogue": lambda a=arms: a.play(r),
        }.items():
            refused = refuses(call, f"{how} with {what}")
            exact = cls.__dict__.get("_chances") and how.startswith("decide")  # a closed form may not need them
            expect(refused or bool(exact), f"{how} with {what}: accepted")
            expect(not refused or same_state(before, policy.state()), f"{how} with {what}: refused, but learnt from")
            before = policy.state()


def refuses(call: Callable[[], Any], what: str) -> bool:
    """Whether one of our errors is raised; any other is a fault."""
    try:
        call()
    except RbmleError:
        return True
    except Exception as reason:
        raise AssertionError(f"{what}: raised {type(reason).__name__} instead of a clear error: {reason}") from reason
    return False


def faulty_bodies(cls: type[LinearPolicy]) -> dict[str, dict[str, Any]]:
    """Methods that give wrong arrays, by what is wrong."""
    bodies: dict[str, dict[str, Any]] = {}
    for what, change in WRONG_TABLES.items():
        bodies[f"coefficients: {what}"] = {"coefficients": changed(cls.coefficients, change)}
        if cls.random:
            bodies[f"draws: {what}"] = {"draws": changed(cls.draws, change)}
            bodies[f"draws{LATER}: {what}"] = {"draws": changed(cls.draws, change, good=1)}
        if what not in ("a row too few", "a row too many", "a column too many"):
            bodies[f"bank: {what}"] = {"bank": property(changed(bank_of(cls), change))}
    return bodies


def bank_of(cls: type[LinearPolicy]) -> Callable[[LinearPolicy], FloatArray]:
    """The bank of a policy, or a small one."""

    def bank(policy: LinearPolicy) -> FloatArray:
        kept: FloatArray = cls.bank.fget(policy)  # type: ignore[attr-defined]
        return kept if kept.size else np.ones((2, 3))

    return bank


def changed(method: Callable[..., FloatArray], change: Callable[[FloatArray], Any], good: int = 0) -> Any:
    """The method with its result changed, after `good` calls of each policy."""
    calls: dict[int, int] = {}

    def wrong(self: LinearPolicy, *arguments: Any) -> Any:
        calls[id(self)] = calls.get(id(self), 0) + 1
        values = method(self, *arguments)
        return values if calls[id(self)] <= good else change(values)

    return wrong


WRONG_TABLES: dict[str, Callable[[FloatArray], Any]] = {
    "a row too few": lambda a: a[1:],
    "a row too many": lambda a: np.concatenate([a, a]),
    "a column too many": lambda a: np.concatenate([a, np.ones((len(a), 1))], axis=1),
    "an axis too few": lambda a: a.reshape(-1),
    "an axis too many": lambda a: a[None],
    "None": lambda a: None,
    "a number": lambda a: 1.0,
    "complex numbers": lambda a: a * 1j,
    "text": lambda a: a.astype(str),
    "NaN": lambda a: spoilt(np.concatenate([a, np.ones((len(a), 0 if a.size else 1))], axis=1), np.nan),
}
