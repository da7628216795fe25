"""Eight trials in vector lanes: the same bits as one alone, and a stop before anything unusual is learnt."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbmle import kernels
from rbmle.models import RidgeModel
from rbmle.models.ridge_lanes import RidgeLanes, rows_of_eight

Floats = npt.NDArray[np.float64]


def in_lanes(arrays: list[Floats]) -> Floats:
    """Arrays as rows of eight, the last one again where there are fewer."""
    flat = [arrays[min(lane, len(arrays) - 1)].ravel() for lane in range(8)]
    rows = rows_of_eight(arrays[0].size)
    kernels.linear.lanes.interleave(tuple(flat), 0, rows)
    return rows


def one_by_one(bound: object, models: list[RidgeModel], X: list[Floats], R: list[Floats]) -> list[list[int]]:
    found = []
    for model, contexts, rewards in zip(models, X, R, strict=True):
        arms = np.empty(len(rewards), dtype=np.int64)
        start = 0
        while start < len(rewards):
            stop = start + min(len(rewards) - start, model.left_to_refresh())
            now = bound.after(start)  # type: ignore[attr-defined]
            assert model.play(now, contexts[start:stop], rewards[start:stop], arms[start:stop]) == stop - start
            start = stop
        found.append(arms.tolist())
    return found


@settings(deadline=None, max_examples=40)
@given(
    d=st.integers(1, 12),
    K=st.integers(1, 9),
    B=st.integers(1, 80),
    trials=st.integers(1, 8),
    lam=st.sampled_from([1e-3, 0.7, 1.0, 50.0]),
    rooted=st.booleans(),
    kind=st.sampled_from(["sphere", "ties", "norms"]),
    seed=st.integers(0, 99),
)
def test_every_lane_has_the_bits_of_a_single_trial(
    d: int, K: int, B: int, trials: int, lam: float, rooted: bool, kind: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X = [rng.standard_normal((B, K, d)) for _ in range(trials)]
    if kind == "ties":
        X = [np.rint(each) for each in X]
    else:
        X = [each / np.linalg.norm(each, axis=-1, keepdims=True) for each in X]
    if kind == "norms":
        X = [each * 10.0 ** rng.uniform(-3, 3, (B, K, 1)) for each in X]
    R = [rng.standard_normal((B, K)) for _ in range(trials)]
    weights = np.column_stack([rng.uniform(0, 2, B), rng.uniform(0, 2, B)])
    bound = kernels.linear.index.Bound(weights, rooted)
    together = [RidgeModel(n_features=d, regularization=lam) for _ in range(trials)]
    alone = [RidgeModel(n_features=d, regularization=lam) for _ in range(trials)]
    lanes, arms = RidgeLanes(together), np.empty((B, 8))
    assert lanes.play(bound, 0, in_lanes(X), in_lanes(R), arms) == B
    assert lanes.t == B + 1
    lanes.give_back()
    assert one_by_one(bound, alone, X, R) == arms.T[:trials].astype(int).tolist()
    for mine, own in zip(together, alone, strict=True):
        assert mine.n == own.n == B
        assert np.array_equal(mine.settle(), own.settle())


def test_arms_are_those_of_dense_algebra() -> None:
    """Not only the same as our other loop: the definition, in plain NumPy."""
    rng, d, K, B = np.random.default_rng(3), 4, 6, 60
    X, R = [rng.standard_normal((B, K, d)) for _ in range(8)], [rng.standard_normal((B, K)) for _ in range(8)]
    lanes, arms = RidgeLanes([RidgeModel(n_features=d) for _ in range(8)]), np.empty((B, 8))
    bound = kernels.linear.index.Bound(np.tile([0.7, 1.0], (B, 1)), True)
    assert lanes.play(bound, 0, in_lanes(X), in_lanes(R), arms) == B
    for lane in range(8):
        V, b = np.eye(d), np.zeros(d)
        for t in range(B):
            inverse, now = np.linalg.inv(V), X[lane][t]
            arm = int(np.argmax(now @ inverse @ b + 0.7 * np.sqrt(np.einsum("ki,ij,kj->k", now, inverse, now))))
            assert arms[t, lane] == arm
            V += np.outer(now[arm], now[arm])
            b += R[lane][t, arm] * now[arm]


@pytest.mark.parametrize("d", [3, 5])
@pytest.mark.parametrize(
    ("x", "r"), [(np.nan, 0.0), (1e60, 0.0), (1.0, np.inf), (1.0, 1e141), (1e80, 0.0), (math.inf, 0.0)]
)
def test_what_is_unusual_in_one_lane_stops_all_before_it(d: int, x: float, r: float) -> None:
    rng, B, K = np.random.default_rng(1), 20, 4
    X, R = [rng.standard_normal((B, K, d)) for _ in range(3)], [rng.standard_normal((B, K)) for _ in range(3)]
    X[1][13] *= x
    R[1][13] = r if r else R[1][13]
    models = [RidgeModel(n_features=d) for _ in range(3)]
    lanes, arms = RidgeLanes(models), np.empty((B, 8))
    bound = kernels.linear.index.Bound(np.ones((B, 2)), False)
    assert lanes.play(bound, 0, in_lanes(X), in_lanes(R), arms) == 13
    assert [model.n for model in models] == [13] * 3
    fresh = [RidgeModel(n_features=d) for _ in range(3)]
    one_by_one(bound, fresh, [each[:13] for each in X], [each[:13] for each in R])
    assert all(np.array_equal(a.settle(), b.settle()) for a, b in zip(models, fresh, strict=True))


def test_large_determinants_are_kept_as_logarithms() -> None:
    rng, d, B, K = np.random.default_rng(2), 3, 200, 2
    X, R = [1e5 * rng.standard_normal((B, K, d)) for _ in range(8)], [rng.standard_normal((B, K)) for _ in range(8)]
    models = [RidgeModel(n_features=d, regularization=1e-3 * 1e9) for _ in range(8)]
    lanes = RidgeLanes(models)
    bound = kernels.linear.index.Bound(np.ones((B, 2)), False)
    assert lanes.play(bound, 0, in_lanes(X), in_lanes(R), np.empty((B, 8))) == B
    lanes.give_back()
    for model in models:
        _, expected = np.linalg.slogdet(model.V / 1e6)
        assert model.log_det == pytest.approx(expected, rel=1e-10)
