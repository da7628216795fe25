"""Messages about bad input name the argument, the rule and what came."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from rbmle import LinUCB
from rbmle.errors import InvalidInputError
from rbmle.inputs import (
    LARGEST_CONTEXT,
    LARGEST_REWARD,
    LIMITS,
    as_arm,
    as_batch,
    as_block,
    as_catalogue,
    as_context,
    as_contexts,
    as_count,
    as_observation,
    as_observations,
    as_reward,
    as_rewards,
    as_round,
    as_share,
    refuse_values,
    require_contexts,
)


@pytest.mark.parametrize(
    ("contexts", "message"),
    [
        ([1.0, 2.0], r"contexts must have shape \(n_arms, 2\). Got shape \(2,\)."),
        ([[1.0, 2.0, 3.0]], r"contexts must have shape \(n_arms, 2\). Got shape \(1, 3\)."),
        (np.empty((0, 2)), r"contexts must hold at least one arm. Got shape \(0, 2\)."),
        ([[1.0], [1.0, 2.0]], r"contexts must be an array of real numbers. Got \[\[1.0\], \[1.0, 2.0\]\]"),
        ([["a", "b"]], "contexts must be an array of real numbers"),
        (np.eye(2) * 1j, "contexts must be an array of real numbers"),
    ],
)
def test_contexts(contexts, message):
    with pytest.raises(InvalidInputError, match=message):
        as_contexts(contexts, 2)


def test_what_is_accepted():
    assert as_contexts([[1, 2], [3, 4]], 2).dtype == np.float64
    assert as_contexts(np.asfortranarray(np.ones((3, 2))), 2).flags.c_contiguous
    assert as_contexts(np.ones((3, 2), dtype=np.float32), 2).dtype == np.float64
    assert as_context((1, 2), 2).shape == (2,)
    assert as_reward(np.float32(0.5)) == 0.5
    assert as_reward(True) == 1.0
    assert as_arm(np.int64(1), 2) == 1
    assert as_rewards([1, 2], 2).dtype == np.float64


def test_rewards_and_arms():
    with pytest.raises(InvalidInputError, match=r"reward must be a finite number. Got nan."):
        as_reward(float("nan"))
    with pytest.raises(InvalidInputError, match=r"rewards must have shape \(3,\), one per context. Got shape \(2,\)."):
        as_rewards([1.0, 2.0], 3)
    with pytest.raises(InvalidInputError, match=r"arm must be an int from 0 to 1. Got 2."):
        as_arm(2, 2)


def test_fixed_arms_refuse_what_would_overflow():
    policy = LinUCB(n_features=2)
    with pytest.raises(InvalidInputError, match="contexts must stay within ±1e70"):
        policy.fix_arms(np.full((2, 2), 1e80))
    arms = policy.fix_arms(np.eye(2))
    with pytest.raises(InvalidInputError, match="rewards within ±1e140"):
        arms.update(0, 1e150)
    assert policy.t == 1


class Raises:
    """Like a tensor that needs gradients: it has an array, but does not give it."""

    def __array__(self, *arguments, **named):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")


@pytest.mark.parametrize(
    ("contexts", "message"),
    [
        (np.ma.masked_equal([[1.0, 2.0]], 2.0), "contexts must not be masked.*filled"),
        ([np.ma.masked_equal([1.0, 2.0], 2.0)], "contexts must not be masked"),
        (np.ma.array([[1.0, 2.0]]), "contexts must not be masked"),
        (scipy.sparse.csr_matrix(np.eye(2)), r"contexts must be an array, not a sparse matrix.*toarray\(\)"),
        (scipy.sparse.coo_array(np.eye(2)), r"contexts must be an array, not a sparse matrix.*toarray\(\)"),
        (Raises(), r"contexts must be an array of real numbers.*detach\(\)"),
        ([[10**400, 1.0]], "contexts must be an array of real numbers"),
        (np.array([[1, 2]], dtype="m8[s]"), r"an array of timedelta64\[s\]"),
        (np.array([[1, 2]], dtype="M8[s]"), r"an array of datetime64\[s\]"),
        (np.array([["1e4000", "1"]]).astype(np.longdouble), "a number too large for float64"),
        ({"a": 1}, "contexts must be an array of real numbers"),
        (None, "contexts must be an array of real numbers. Got None"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_would_lose_something_in_silence(contexts, message):
    with pytest.raises(InvalidInputError, match=message):
        as_contexts(contexts, 2)
    with pytest.raises(InvalidInputError, match=message):
        LinUCB(n_features=2).choose(contexts)


def test_pandas():
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})
    np.testing.assert_array_equal(as_contexts(frame, 2), [[1.0, 0.5], [2.0, 1.5]])
    extension = pd.DataFrame({"a": pd.array([1, 2], dtype="Int64"), "b": pd.array([True, False], dtype="boolean")})
    np.testing.assert_array_equal(as_contexts(extension, 2), [[1.0, 1.0], [2.0, 0.0]])
    np.testing.assert_array_equal(as_rewards(extension["a"], 2), [1.0, 2.0])
    np.testing.assert_array_equal(as_context(frame.loc[0], 2), [1.0, 0.5])
    extension.loc[1, "b"] = pd.NA
    with pytest.raises(
        InvalidInputError, match=r"contexts must have no missing values. Got pandas.NA .* at contexts\[1, 1\]"
    ):
        as_contexts(extension, 2)
    with pytest.raises(InvalidInputError, match="contexts must be an array of real numbers"):
        as_contexts(pd.DataFrame({"a": pd.array([1, 2], dtype="Int64"), "b": ["1", "2"]}), 2)
    with pytest.raises(InvalidInputError, match="reward must be a finite number. Got <NA>"):
        as_reward(pd.NA)


@pytest.mark.parametrize("reward", [np.array(1.0), np.longdouble(1.0), np.float32(1.0), np.bool_(True), 1])
def test_numbers_that_are_rewards(reward):
    assert as_reward(reward) == 1.0
    assert type(as_reward(reward)) is float


@pytest.mark.parametrize(
    "reward",
    [
        *(10**400, 10**9999, np.longdouble("1e4000"), np.timedelta64(1), np.datetime64(1, "s"), "1", None, 1j, -np.inf),
        *(np.array([1.0]), np.array(np.nan), np.array("1"), np.ma.masked, np.ma.array(1.0, mask=True), Raises(), [1.0]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_reward(reward):
    with pytest.raises(InvalidInputError, match="reward must be a finite number. Got "):
        as_reward(reward)


def test_the_limits_are_said_as_they_are():
    assert f"±{LARGEST_CONTEXT:.0e} and rewards within ±{LARGEST_REWARD:.0e}".replace("+", "") in LIMITS
    good, bad = np.full((1, 2), 1e70), np.full((1, 2), np.nextafter(1e70, np.inf))
    calls = {
        "catalogue": lambda X: as_catalogue(X, 2),
        "batch": lambda X: as_batch(X[None], 2),
        "list": lambda X: as_batch([X], 2),
        "block": lambda X: as_block(X[None], np.ones((3, 1)), 2),
        "observation": lambda X: as_observation(X[0], 1.0, 2),
        "observations": lambda X: as_observations(X, [1.0], 2),
        "contexts": lambda X: require_contexts(X),
    }
    for call in calls.values():
        call(good)
        call(-good)
        for X in (bad, -bad):
            with pytest.raises(InvalidInputError, match=r"contexts must stay within ±1e70 and rewards within ±1e140"):
                call(X)
    for call in (lambda r: as_observation([1.0], r, 1), lambda r: as_observations([[1.0]], [r], 1)):
        call(-1e140)
        with pytest.raises(InvalidInputError, match="rewards within ±1e140"):
            call(-1.001e140)
    assert "±1e70" in str(refuse_values(np.array([1e75]), 1.0))
    assert "±1e140" in str(refuse_values(np.array([1.0]), 1e141))
    assert "regularization is too small" in str(refuse_values(np.array([1e60]), 1.0))


@pytest.mark.parametrize("d", [1, 2, 3, 20])
def test_one_reward_and_many_have_the_same_limits(d):
    beyond = np.nextafter(1e70, np.inf), np.nextafter(1e140, np.inf)
    for learn in (
        lambda p, x, r: p.update(x, r),
        lambda p, x, r: p.update_many([x], [r]),
        lambda p, x, r: p.play([[x]], [[r]]),
        lambda p, x, r: p.fix_arms([x]).update(0, r),
    ):
        policy = LinUCB(n_features=d)
        learn(policy, np.full(d, -1e70), 1e140)
        assert policy.n_observed == 1
        policy, spoilt = LinUCB(n_features=d), np.zeros(d)
        spoilt[-1] = beyond[0]
        for x, r in ((spoilt, 1.0), (-spoilt, 1.0), (np.ones(d), beyond[1]), (np.ones(d), -beyond[1])):
            with pytest.raises(InvalidInputError, match="contexts must stay within ±1e70 and rewards within ±1e140"):
                learn(policy, x, r)
        assert policy.n_observed == 0
        assert all(np.isfinite(array).all() for array in policy.state().values())


@pytest.mark.parametrize("d", [2, 3, 20])
def test_a_regularization_too_small_for_contexts_is_no_silent_loss(d):
    for learn in (lambda p, x: p.update(x, 1.0), lambda p, x: p.update_many([x], [1.0])):
        policy = LinUCB(n_features=d, regularization=1e-300)
        with pytest.raises(InvalidInputError, match="regularization is too small"):
            learn(policy, np.full(d, 1e30))
        assert policy.n_observed == 0
        assert np.isfinite(policy.state()["theta_hat"]).all()


def test_many_decisions_at_once():
    rng = np.random.default_rng(0)
    array = rng.standard_normal((4, 3, 2))
    X, offsets = as_batch(array, 2)
    np.testing.assert_array_equal(X, array.reshape(12, 2))
    assert offsets.tolist() == [0, 3, 6, 9, 12]
    sets = [rng.standard_normal((K, 2)) for K in (3, 1, 4)]
    X, offsets = as_batch(sets, 2)
    assert (X.dtype, offsets.dtype, offsets.tolist()) == (np.float64, np.int64, [0, 3, 4, 8])
    for i, each in enumerate(sets):
        np.testing.assert_array_equal(X[offsets[i] : offsets[i + 1]], each)
    assert as_batch(array.astype(np.float32)[:, ::2], 2)[0].flags.c_contiguous


@pytest.mark.parametrize(
    ("contexts", "message"),
    [
        (np.ones((4, 3)), r"contexts must have shape \(n_decisions, n_arms, 2\) or be a list.*Got shape \(4, 3\)"),
        (np.ones((4, 3, 3)), r"Got shape \(4, 3, 3\)"),
        (np.ones((4, 0, 2)), r"Got shape \(4, 0, 2\)"),
        ([np.ones((1, 2)), np.ones((1, 3))], r"contexts\[1\] must have shape \(n_arms, 2\)"),
        ([np.ones((1, 2)), np.empty((0, 2))], r"contexts\[1\] must hold at least one arm"),
        (
            [np.ones((2, 2)), [[1.0, 1.0], [np.nan, 0.0]]],
            r"contexts\[1\] must be finite. Got nan at contexts\[1\]\[1, 0\]",
        ),
        (np.full((2, 1, 2), np.inf), r"contexts\[0\] must be finite"),
        (np.ma.array(np.ones((1, 1, 2))), "contexts must not be masked"),
        (3, "contexts must be an array .* or a list of arrays"),
        ([], "contexts must be those of at least one decision. Got none."),
        (np.ones((0, 3, 2)), "contexts must be those of at least one decision. Got none."),
        ("text", "contexts must be an array .* or a list of arrays"),
    ],
)
def test_what_is_no_batch(contexts, message):
    with pytest.raises(InvalidInputError, match=message):
        as_batch(contexts, 2)


def test_a_block_is_what_compiled_code_takes():
    contexts, rewards = np.ones((4, 3, 2)), np.ones((4, 3))
    X, r = as_block(contexts, rewards, 2)
    assert X is contexts
    assert r is rewards
    assert as_block(contexts[:1], rewards, 2)[0].shape == (1, 3, 2)
    contexts.flags.writeable = False
    unaligned = np.frombuffer(bytes(1) + rewards.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(4, 3)
    for X, r in (
        (contexts, unaligned),
        (contexts.astype(np.float32), rewards[:, ::-1]),
        (contexts.tolist(), rewards > 0),
    ):
        for array in as_block(X, r, 2):
            assert array.dtype == np.float64
            assert array.flags.carray
            np.testing.assert_array_equal(array, 1.0)


@pytest.mark.parametrize(
    ("contexts", "rewards", "message"),
    [
        (np.ones((4, 3, 3)), np.ones((4, 3)), r"contexts must have shape \(n_rounds, n_arms, 2\)"),
        (np.ones((4, 2)), np.ones((4, 3)), r"contexts must have shape \(n_rounds, n_arms, 2\)"),
        (np.ones((4, 0, 2)), np.ones((4, 0)), r"contexts must have shape"),
        (
            np.ones((4, 3, 2)),
            np.ones((5, 3)),
            "contexts must be of 5 rounds, as the rewards are, or of 1 where arms stay. Got 4.",
        ),
        (np.ones((2, 3, 2)), np.ones((1, 3)), "contexts must be of 1 rounds"),
        (np.ones((1, 3, 2)), np.ones((50, 1)), r"rewards must have shape \(n_rounds, 3\)"),
        (np.ones((1, 3, 2)), np.ones((50, 0)), r"rewards must have shape \(n_rounds, 3\)"),
        (np.ones((1, 3, 2)), np.ones(3), r"rewards must have shape \(n_rounds, 3\)"),
        (np.full((1, 3, 2), np.nan), np.ones((2, 3)), r"contexts must be finite. Got nan at contexts\[0, 0, 0\]"),
        (np.ones((1, 3, 2)), np.full((2, 3), -np.inf), r"rewards must be finite. Got -inf at rewards\[0, 0\]"),
        (np.ones((1, 3, 2)), np.full((2, 3), 1e141), "rewards within ±1e140"),
        (np.ones((1, 3, 2)) * 1j, np.ones((2, 3)), "contexts must be an array of real numbers"),
    ],
)
def test_what_is_no_block(contexts, rewards, message):
    with pytest.raises(InvalidInputError, match=message):
        as_block(contexts, rewards, 2)


def test_rounds_counts_and_shares():
    assert (as_round(np.int64(3)), as_count(1), as_share(0), as_share(np.float32(1))) == (3, 1, 0, 1)
    assert as_share(np.array(0.5)[()]) == 0.5
    for bad in (2**53 + 1, 10**400, np.uint64(2**63)):
        with pytest.raises(InvalidInputError, match="t must be an int from 1 to 2⁵³. Got "):
            as_round(bad)
    for bad in (0, -1, 1.0, True, "1", np.timedelta64(1)):
        with pytest.raises(InvalidInputError, match="t must be an int from 1 on. Got "):
            as_round(bad)
        with pytest.raises(InvalidInputError, match="samples must be an int from 1 on. Got "):
            as_count(bad)
    with pytest.raises(InvalidInputError, match="samples must be an int from 1 on. Got None"):
        as_count(None)
    for bad in (-0.1, 1.1, np.nan, "0", None, 1j, np.timedelta64(1)):
        with pytest.raises(InvalidInputError, match="floor must be a number from 0 to 1. Got "):
            as_share(bad)
    for bad in (-1, 2, True, np.timedelta64(1), 10**9999):
        with pytest.raises(InvalidInputError, match="arm must be an int from 0 to 1. Got "):
            as_arm(bad, 2)
