"""Checks of learning: one by one, in batches, compiled, on a catalogue and merged, it is the same that is learnt."""

import numpy as np

from rbmle.errors import NotMergeableError
from rbmle.policies.base import Policy
from rbmle.testing.rounds import ARMS, ROUNDS, close, forgets
from rbmle.testing.tools import coin_rewards, expect, expect_refused, unit_contexts
from rbmle.types import FloatArray, IntArray


def batches_equal_single_updates(policy: Policy) -> None:
    """`update_many` and `update` end in the same state; an empty batch changes nothing."""
    X, r = unit_contexts(5, ROUNDS, policy.n_features), coin_rewards(5, ROUNDS)
    single, batch = policy.copy(), policy.copy()
    for x, reward in zip(X, r, strict=True):
        single.update(x, reward)
    batch.update_many(X, r)
    batch.update_many(np.empty((0, policy.n_features)), np.empty(0))
    expect(single.t == batch.t == ROUNDS + 1, "t must be one plus the number of rewards")
    for name, array in single.state().items():
        expect(np.allclose(array, batch.state()[name], rtol=1e-8, atol=1e-10), f"{name} differs after a batch")


def play_online(policy: Policy, contexts: FloatArray, rewards: FloatArray) -> list[int]:
    """Round by round through `choose` and `update`."""
    arms = []
    for t, r in enumerate(rewards):
        X = contexts[t % len(contexts)]
        arms.append(policy.choose(X))
        policy.update(X[arms[-1]], r[arms[-1]])
    return arms


def compiled_rounds_agree(policy: Policy) -> None:
    """`play` chooses the arms that `choose` and `update` would, with arms that change and with arms that stay."""
    for n_arms in (ARMS, 50):
        contexts, rewards = unit_contexts(6, ROUNDS, n_arms, policy.n_features), coin_rewards(6, ROUNDS, n_arms)
        online, compiled = policy.copy(), policy.copy()
        expect(play_online(online, contexts, rewards) == agreed(compiled.play(contexts, rewards)), "play disagrees")
        expect(close(online, compiled), "play ends in another state")
        online, fixed = policy.copy(), policy.copy()
        expected = play_online(online, contexts[:1], rewards)
        expect(expected == agreed(fixed.fix_arms(contexts[0]).play(rewards)), "play with fixed arms disagrees")
        expect(close(online, fixed), "play with fixed arms ends in another state")


def agreed(arms: IntArray) -> list[int]:
    """Arms as a plain list."""
    return [int(arm) for arm in arms]


def fixed_arms_agree(policy: Policy) -> None:
    """`fix_arms` follows the general path, also when both are used in turn on one policy."""
    X, rewards = unit_contexts(7, ARMS, policy.n_features), coin_rewards(7, ROUNDS, ARMS)
    general, bound = policy.copy(), policy.copy()
    arms = bound.fix_arms(X)
    for t in range(ROUNDS):
        left, right = general.copy().scores(X), bound.copy().fix_arms(X).scores()
        expect(np.allclose(left, right, rtol=1e-7, atol=1e-9), f"scores differ at t = {t + 1}")
        expect(general.choose(X) == (choice := arms.choose()), f"arms differ at t = {t + 1}")
        general.update(X[choice], rewards[t, choice])
        if t % 10 == 9:
            bound.update(X[choice], rewards[t, choice])
        else:
            arms.update(choice, rewards[t, choice])
    expect(close(general, bound), "the states differ in the end")
    for bad in (-1, ARMS, 1.5, None, True):
        expect_refused(f"arm {bad!r}", lambda arm=bad: arms.update(arm, 1.0), bound.state)  # type: ignore[misc]
    expect_refused("a NaN reward of a fixed arm", lambda: arms.update(0, float("nan")), bound.state)


def merging_adds_up(policy: Policy) -> None:
    """Two policies that learnt a half each, merged, know what one that learnt all knows; or merging is refused."""
    X, r = unit_contexts(10, ROUNDS, policy.n_features), coin_rewards(10, ROUNDS)
    whole, first, second = policy.copy(), policy.copy(), policy.copy()
    whole.update_many(X, r)
    first.update_many(X[:20], r[:20])
    second.update_many(X[20:], r[20:])
    try:
        first.copy().merge(second)
    except NotMergeableError:
        expect(not policy.merge_is_exact, "merge_is_exact is True, but merging is refused")
        expect_refused("merging what cannot be merged", lambda: first.merge(second), first.state)
        return
    first.merge(second)
    expect(first.t == whole.t, "merge lost count")
    if policy.merge_is_exact:
        expect(close(first, whole), "merge does not add up")
    expect_refused("merging with itself", lambda: first.merge(first), first.state)


def counts_are_told(policy: Policy) -> None:
    """`t`, `n_observed`, the state and `repr` say how many rewards were learnt, whichever way they came."""
    X, r = unit_contexts(14, 7, ARMS, policy.n_features), coin_rewards(14, 7, ARMS)
    arms, n = policy.fix_arms(X[0]), 0
    expect("after" not in repr(policy), f"repr speaks of rewards before there are any: {policy!r}")
    for learn, count in (
        (lambda: policy.update(X[0, 0], r[0, 0]), 1),
        (lambda: arms.update(1, r[0, 1]), 1),
        (lambda: policy.update_many(X[1], r[1]), ARMS),
        (lambda: policy.play(X, r), 7),
        (lambda: policy.play(X[:1], r), 7),
        (lambda: arms.play(r[:4]), 4),
    ):
        learn()
        n += count
        expect(policy.t == n + 1 and policy.n_observed == n, f"t is {policy.t} after {n} rewards")
        expect(int(policy.state()["n"].item()) == n, f"the state says {policy.state()['n']} after {n} rewards")
        expect(f"after {n} reward" in repr(policy), f"repr does not say what was learnt: {policy!r}")


def failures_leave_a_true_count(policy: Policy) -> None:
    """After a call that failed half way, `n` is the number of rewards that are in the sums: neither more nor less.

    All contexts have norm 1, so that the trace of V grows by 1 with every reward, whatever arms were played.
    """
    X, r = unit_contexts(15, 40, ARMS, policy.n_features), coin_rewards(15, 40, ARMS)
    arms = policy.fix_arms(X[0])
    base = weight_of(policy)
    holed = r.copy()
    holed[23] = np.nan
    for what, call in {
        "play": lambda: policy.play(X, holed),
        "play with arms that stay": lambda: policy.play(X[:1], holed),
        "play of a catalogue": lambda: arms.play(holed),
        "update_many": lambda: policy.update_many(X[:, 0], holed[:, 0]),
        "update": lambda: policy.update(X[0, 0], float("nan")),
        "update of a catalogue": lambda: arms.update(2, float("nan")),
    }.items():
        arms.update(0, 1.0)
        policy.update(X[0, 1], 0.0)
        before = policy.n_observed
        expect_refused(f"{what} with a NaN reward", call, lambda: {})
        n, weight = policy.n_observed, weight_of(policy)
        expect(before <= n <= before + 23, f"{what} with a NaN reward counts {n - before} of 23 good ones")
        if base is not None and weight is not None:
            expect(abs(weight - base - n) < 1e-6, f"after {what} failed, n is {n} but {weight - base:.6f} were learnt")


def weight_of(policy: Policy) -> float | None:
    """How many rewards of unit contexts are in the sums that are learnt; None where it cannot be told."""
    state = policy.state()
    if "feature_scale" in state or forgets(policy):  # V is of scaled contexts, or what is in it fades
        return None
    if "V" in state:
        return float(np.trace(state["V"]))
    return float(state["counts"].sum()) if "counts" in state else None


# Data on which rank-one updates alone lose everything: (features, λ, contexts) by what they are like.
def hard_data() -> dict[str, tuple[int, float | None, FloatArray]]:
    """Contexts (300, d) that make V⁻¹ hard to follow, with the regularization that makes it so."""
    timestamps = unit_contexts(16, 300, 20)
    timestamps[:, 4] = 1.7e9 + 60.0 * np.arange(300)
    return {
        "a feature like a Unix timestamp": (20, None, timestamps),
        "features of size 1e8": (3, None, unit_contexts(17, 300, 3) * 1e8),
        "a regularization of 1e-16": (3, 1e-16, unit_contexts(18, 300, 3)),
    }


def hard_data_is_learnt(policy: Policy) -> None:
    """Features of very different size, or hardly any λ: `update` and `update_many` learn every reward.

    V is the sum it should be, and predictions are numbers with variances that are not negative.
    """
    if not {"V", "b"} <= policy.state().keys() or "regularization" not in policy.params:
        return
    for what, (d, lam, X) in hard_data().items():
        more = {"n_features": d} | ({} if lam is None else {"regularization": lam})
        single, batch = (type(policy)(**{**policy.params, **more}) for _ in range(2))
        r = coin_rewards(16, len(X))
        for x, reward in zip(X, r, strict=True):
            single.update(x, reward)
        batch.update_many(X, r)
        for how, each in (("update", single), ("update_many", batch)):
            expect(each.n_observed == len(X), f"{what}: {how} learnt {each.n_observed} of {len(X)}")
            mean, variance = each.model.predict(X[:50])
            expect(bool(np.isfinite(mean).all()), f"{what}: after {how} means are {mean}")
            expect(bool((variance >= 0.0).all()), f"{what}: after {how} the least variance is {variance.min()}")
            if "feature_scale" not in each.state() and not forgets(each):
                dense = X.astype(np.longdouble).T @ X.astype(np.longdouble) + each.regularization * np.eye(d)  # type: ignore[attr-defined]
                size = np.sqrt(np.outer(np.diag(dense), np.diag(dense)))
                wrong = float((np.abs(each.state()["V"] - dense) / size).max())
                expect(wrong < 1e-12, f"{what}: after {how} V is wrong by {wrong:.1e}")
        expect(single.choose(X[:ARMS]) == batch.copy().choose(X[:ARMS]), f"{what}: update_many chooses another arm")
