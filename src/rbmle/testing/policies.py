"""Checks of policies. Each is a function of a fresh policy and raises CheckFailed with what is wrong."""

import tempfile
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np

from rbmle.errors import RbmleError, StateFileError
from rbmle.params import constraints
from rbmle.policies import Policy, load
from rbmle.random import state_of
from rbmle.testing.tools import (
    CheckFailed,
    bad_contexts,
    bad_observations,
    coin_rewards,
    expect,
    expect_refused,
    same_state,
    unit_contexts,
)
from rbmle.types import FloatArray, IntArray

ROUNDS, ARMS = 60, 5
# Settings that make every policy quick enough to be checked and its required parameters known.
STANDARD = {"horizon": 200, "samples": 200, "n_arms": ARMS}


def standard_policies(n_features: int = 3) -> dict[str, Policy]:
    """One instance of every policy known here, your own imported ones included."""
    found = {}
    for name, cls in sorted(Policy.registry.items()):
        known = cls.__dataclass_fields__
        found[name] = cls(n_features=n_features, **{key: value for key, value in STANDARD.items() if key in known})
    return found


def check_policy(policy: Policy) -> None:
    """Run every check on copies of a policy; the first fault raises CheckFailed."""
    for check in POLICY_CHECKS:
        check(policy.copy())


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


def parameters_read_back(policy: Policy) -> None:
    """Every argument reads back, and makes an equal policy."""
    arguments = {field.name for field in fields(policy)}
    expect(set(policy.params) == arguments, f"params must name every argument: {sorted(arguments)}")
    twin = type(policy)(**policy.params)
    expect(twin.params == policy.params, "params do not read back")
    expect(type(policy).__name__ in repr(policy), "repr does not name the policy")


def parameters_are_checked(policy: Policy) -> None:
    """Every constrained parameter refuses a value outside of its constraint."""
    for name, constraint in constraints(type(policy)).items():
        for bad in (-1.0, -7, 0, float("nan"), float("inf"), "nonsense", object()):
            if constraint.holds(bad):
                continue
            try:
                type(policy)(**{**policy.params, name: bad})
            except RbmleError as error:
                expect(f"'{name}'" in str(error), f"the error about {name}={bad!r} does not name it: {error}")
            else:
                raise CheckFailed(f"{name}={bad!r} was accepted")


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
    """A deterministic policy plays the first arm of the largest score; of identical arms, the first."""
    if is_random(policy):
        return
    learnt(policy)
    for seed in range(20):
        X = unit_contexts(seed, ARMS, policy.n_features)
        expect(policy.choose(X) == int(np.argmax(policy.scores(X))), "choose is not the arg max of scores")
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


def play_online(policy: Policy, contexts: np.ndarray, rewards: np.ndarray) -> list[int]:
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


def files_go_on_bit_for_bit(policy: Policy) -> None:
    """A saved and loaded policy makes the same choices and ends in the same state, to the last bit."""
    learnt(policy)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.npz"
        policy.save(path)
        twin = load(path)
        expect([p.name for p in Path(folder).iterdir()] == [path.name], "saving left something else behind")
        whole = path.read_bytes()
        for position in np.linspace(0, len(whole) - 1, 40).astype(int):
            path.write_bytes(whole[:position] + bytes([whole[position] ^ 0xFF]) + whole[position + 1 :])
            expect(refused_or_same(path, policy), f"a file with byte {position} damaged was loaded as something else")
        path.write_bytes(whole[: len(whole) // 2])
        expect(refused_or_same(path, policy), "half a file was loaded")
    expect(twin.params == policy.params and same_state(twin.state(), policy.state()), "the file lost something")
    learnt(policy, seed=8)
    learnt(twin, seed=8)
    expect(same_state(twin.state(), policy.state()), "the loaded policy went another way")


def refused_or_same(path: Path, policy: Policy) -> bool:
    """Whether a damaged file is refused, or the damage is in a byte that carries nothing."""
    try:
        twin = load(path)
    except StateFileError:
        return True
    same = type(twin) is type(policy) and twin.params == policy.params and same_state(twin.state(), policy.state())
    return same and state_of(twin.rng) == state_of(policy.rng)


def copies_are_independent(policy: Policy) -> None:
    """What a copy learns, the original does not; both would choose the same."""
    learnt(policy)
    before = {name: np.array(array) for name, array in policy.state().items()}
    learnt(policy.copy(), seed=9)
    expect(same_state(before, policy.state()), "teaching a copy changed the original")


def merging_adds_up(policy: Policy) -> None:
    """Two policies that learnt a half each, merged, know what one that learnt all knows."""
    X, r = unit_contexts(10, ROUNDS, policy.n_features), coin_rewards(10, ROUNDS)
    whole, first, second = policy.copy(), policy.copy(), policy.copy()
    whole.update_many(X, r)
    first.update_many(X[:20], r[:20])
    second.update_many(X[20:], r[20:])
    first.merge(second)
    expect(first.t == whole.t, "merge lost count")
    if policy.merge_is_exact:
        expect(close(first, whole), "merge does not add up")
    expect_refused("merging with itself", lambda: first.merge(first), first.state)


def probabilities_are_chances(policy: Policy) -> None:
    """Chances are not negative, add up to one, and match how often each arm is chosen."""
    learnt(policy)
    X = unit_contexts(11, ARMS, policy.n_features)
    chances = policy.probabilities(X)
    expect(chances.shape == (ARMS,) and bool((chances >= 0).all()), "chances must not be negative, one per arm")
    expect(abs(chances.sum() - 1.0) < 1e-9, "chances must add up to one")
    draws = 400
    shares = np.bincount([policy.choose(X) for _ in range(draws)], minlength=ARMS) / draws
    expect(bool(np.abs(shares - chances).max() < 0.13), f"chances {chances} do not match the choices {shares}")


def bad_input_is_refused(policy: Policy) -> None:
    """NaN, infinities, wrong shapes, ragged or empty contexts, bad rewards: a clear error and an unchanged state."""
    learnt(policy, 10)
    for what, contexts in bad_contexts(policy.n_features).items():
        for method in (policy.choose, policy.scores, policy.probabilities, policy.fix_arms):
            expect_refused(f"{method.__name__} with {what}", lambda m=method, c=contexts: m(c), policy.state)  # type: ignore[misc]
    for what, (context, reward) in bad_observations(policy.n_features).items():
        expect_refused(f"update with {what}", lambda x=context, r=reward: policy.update(x, r), policy.state)  # type: ignore[misc]
    X, r = unit_contexts(12, 3, policy.n_features), coin_rewards(12, 3)
    holed = r.copy()
    holed[2] = np.nan
    expect_refused("update_many with a NaN reward", lambda: policy.update_many(X, holed), policy.state)
    expect_refused("update_many with a reward too few", lambda: policy.update_many(X, r[:2]), policy.state)
    ragged = bad_contexts(policy.n_features)["ragged contexts"]
    expect_refused("update_many with ragged contexts", lambda: policy.update_many(ragged, r[:2]), policy.state)
    expect_refused("update_many with a NaN context", lambda: policy.update_many(X * np.nan, r), policy.state)


POLICY_CHECKS: tuple[Callable[[Policy], None], ...] = (
    parameters_read_back,
    parameters_are_checked,
    choice_is_an_arm,
    choosing_changes_nothing,
    best_score_is_played,
    seeds_matter,
    batches_equal_single_updates,
    compiled_rounds_agree,
    fixed_arms_agree,
    files_go_on_bit_for_bit,
    copies_are_independent,
    merging_adds_up,
    probabilities_are_chances,
    bad_input_is_refused,
)
