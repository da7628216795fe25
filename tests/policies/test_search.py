"""Very many arms, searched in single precision: the arm of all scores in double precision, whatever the contexts."""

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbmle import GPUCB, KGStar, LinRBMLE, LinTS, LinUCB
from rbmle.errors import InvalidInputError
from rbmle.policies import threads
from rbmle.policies.linear import MANY_ARMS

POLICIES: list[Callable[..., LinRBMLE | LinUCB]] = [LinRBMLE, LinUCB]
KINDS = ["sphere", "sizes", "near", "twins", "tiny", "huge", "zero", "apart"]


def arms_of(rng: np.random.Generator, K: int, d: int, kind: str) -> np.ndarray:
    X = rng.standard_normal((K, d))
    if kind == "sizes":
        return X * np.exp(2.0 * rng.standard_normal((K, 1)))
    if kind == "apart":  # features of sizes that single precision cannot hold side by side
        return X * np.exp(rng.uniform(-40.0, 40.0, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    if kind == "near":  # single precision cannot tell these apart
        return X[rng.integers(0, 3, K)] * (1.0 + 1e-9 * rng.standard_normal((K, d)))
    if kind == "twins":
        return X[rng.integers(0, K // 3, K)]
    return X * {"sphere": 1.0, "tiny": 1e-40, "huge": 1e45, "zero": 0.0}[kind]


def learnt(make: Callable[..., LinRBMLE | LinUCB], X: np.ndarray, lam: float, n: int) -> LinRBMLE | LinUCB:
    rng = np.random.default_rng(n)
    policy = make(n_features=X.shape[1], regularization=lam)
    if n:
        policy.update_many(X[rng.integers(0, len(X), n)], rng.standard_normal(n))
    return policy


@settings(max_examples=40, deadline=None)
@given(
    make=st.sampled_from(POLICIES),
    d=st.sampled_from([13, 16, 31]),
    extra=st.sampled_from([0, 1, 29, 128, 300]),
    lam=st.sampled_from([1e-6, 1.0, 1e4]),
    kind=st.sampled_from(KINDS),
    n=st.sampled_from([0, 3, 200]),
    seed=st.integers(0, 10**6),
)
def test_the_arm_is_that_of_all_scores(make, d, extra, lam, kind, n, seed):
    X = arms_of(np.random.default_rng(seed), MANY_ARMS + extra, d, kind)
    policy = learnt(make, X, lam, n)
    for t in (1, 50, 10**6):
        assert policy.choose(X, t=t) == np.argmax(policy.scores(X, t=t))


@pytest.mark.parametrize("make", POLICIES)
@pytest.mark.parametrize("kind", ["sphere", "sizes", "near", "tiny"])
def test_single_precision_is_widened(make, kind):
    X = arms_of(np.random.default_rng(5), MANY_ARMS + 5, 17, kind).astype(np.float32)
    policy, wide = learnt(make, X.astype(np.float64), 1.0, 50), X.astype(np.float64)
    assert policy.choose(X) == policy.choose(wide) == np.argmax(policy.scores(X))
    np.testing.assert_array_equal(policy.scores(X), policy.scores(wide))


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (700, 16), (MANY_ARMS - 1, 3)])
def test_a_bad_number_is_found_where_it_is(kind, bad, place):
    X = np.ones((MANY_ARMS, 17), kind)
    X[place] = bad
    with pytest.raises(
        InvalidInputError, match=rf"must be finite. Got -?(nan|inf) at contexts\[{place[0]}, {place[1]}\]"
    ):
        LinUCB(n_features=17).choose(X)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("d", [10, 40])
def test_nothing_as_large_as_the_arms_is_kept(kind, d):
    X = np.random.default_rng(1).standard_normal((20_000, d)).astype(kind)
    if d == 10:
        X = X.astype(np.float64)
    policy = learnt(LinRBMLE, X[:100].astype(np.float64), 1.0, 30)
    policy.choose(X)
    tracemalloc.start()
    policy.choose(X)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most <= 0.1 * X.nbytes


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sphere", "sizes", "near", "twins"])
def test_ten_thousand_decisions(kind):
    rng = np.random.default_rng(2)
    for make in POLICIES:
        X = arms_of(rng, MANY_ARMS + 77, 14, kind)
        policy = learnt(make, X, 1.0, 10)
        for _ in range(1300):
            arm = policy.choose(X)
            assert arm == np.argmax(policy.scores(X))
            policy.update(X[arm], rng.standard_normal())


@pytest.mark.parametrize("d", [2, 3, 7, 10, 13, 20])
@pytest.mark.parametrize("make", [*POLICIES, GPUCB, LinTS])
def test_many_users_get_the_arms_of_one_after_the_other(make, d):
    """Sets of all sizes, whose ends lie anywhere in a block; equal arms among them."""
    rng = np.random.default_rng(d)
    policy = make(n_features=d)
    policy.update_many(rng.standard_normal((20, d)), rng.standard_normal(20))
    sets = [rng.standard_normal((int(K), d))[rng.integers(0, K, K)] for K in rng.integers(1, 90, 60)]
    twin = policy.copy()
    assert policy.choose_many(sets).tolist() == [twin.choose(each) for each in sets]
    equal = rng.standard_normal((40, 11, d))
    assert policy.choose_many(equal).tolist() == [twin.choose(each) for each in equal]


@pytest.mark.parametrize("make", [LinRBMLE, LinTS, KGStar])
def test_threads_change_nothing(make, monkeypatch):
    rng = np.random.default_rng(0)
    policy = make(n_features=14, **({"horizon": 100} if make is KGStar else {}))
    policy.update_many(rng.standard_normal((20, 14)), rng.standard_normal(20))
    X, twin = rng.standard_normal((101, 5, 14)), policy.copy()
    monkeypatch.setattr(threads, "ENOUGH", 10**12)
    alone = policy.choose_many(X)
    monkeypatch.setattr(threads, "ENOUGH", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    np.testing.assert_array_equal(alone, twin.choose_many(X))


@pytest.mark.long
@pytest.mark.parametrize(("K", "d"), [(10, 10), (50, 20), (7, 3)])
@pytest.mark.parametrize("make", [LinRBMLE, LinTS])
def test_ten_thousand_users(make, K, d):
    rng = np.random.default_rng(1)
    policy = make(n_features=d)
    policy.update_many(rng.standard_normal((50, d)), rng.standard_normal(50))
    near = rng.standard_normal((10_000, 1, d)) * (1.0 + 1e-12 * rng.standard_normal((10_000, K, d)))
    for X in (rng.standard_normal((10_000, K, d)), near):
        twin = policy.copy()
        np.testing.assert_array_equal(policy.choose_many(X), [twin.choose(each) for each in X])
