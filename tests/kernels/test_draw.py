"""Numbers by place: Philox against its published vectors, transforms against NumPy's functions, laws by tests."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rbmle.kernels import draw

N = 100_000


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ((2**32 - 1,) * 4, (2**32 - 1,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_philox_by_the_vectors_of_its_authors(counter: tuple[int, ...], key: tuple[int, ...], words: str) -> None:
    assert draw.philox(*counter, *key) == tuple(int(word, 16) for word in words.split())


def bits(key: int, stream: int, pairs: range) -> np.ndarray:
    return np.array([draw.bits_at(pair, stream, key) for pair in pairs], dtype=np.int64).view(np.uint64)


def normals(key: int, stream: int, first: int, count: int) -> np.ndarray:
    out = np.empty(count)
    draw.normals(key, stream, first, out)
    return out


def uniforms(key: int, stream: int, first: int, count: int) -> np.ndarray:
    out = np.empty(count)
    draw.uniforms(key, stream, first, out)
    return out


@given(key=st.integers(-(2**63), 2**63 - 1), stream=st.integers(0, 2**17), first=st.integers(0, 2**40))
def test_numbers_are_what_their_bits_say(key: int, stream: int, first: int) -> None:
    """Uniform numbers from the upper 52 bits, normal ones by Box and Muller, in plain NumPy."""
    two = bits(key, stream, range(first, first + 9))
    u = ((two >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
    np.testing.assert_array_equal(uniforms(key, stream, 2 * first, 18), u.ravel())
    radius, turn = np.sqrt(-2.0 * np.log(u[:, 0])), (u[:, 1] - 0.5) * math.pi / 2
    last = two[:, 1].astype(np.int64) & 7
    x, y = radius * np.cos(turn), radius * np.sin(turn)
    x, y = np.where(last & 1, y, x) * np.where(last & 2, -1, 1), np.where(last & 1, x, y) * np.where(last & 4, -1, 1)
    np.testing.assert_allclose(normals(key, stream, 2 * first, 18), np.column_stack([x, y]).ravel(), rtol=4e-15)


@given(first=st.integers(0, 2**33), cuts=st.lists(st.integers(0, 50), max_size=4))
def test_numbers_do_not_depend_on_how_they_are_cut(first: int, cuts: list[int]) -> None:
    ends = [0, *sorted(cuts), 50]
    for made in (normals, uniforms):
        parts = [made(5, 3, first + a, b - a) for a, b in itertools.pairwise(ends)]
        np.testing.assert_array_equal(np.concatenate(parts), made(5, 3, first, 50))


@pytest.mark.parametrize("key", [0, 1, -1])
def test_laws(key: int) -> None:
    assert stats.kstest(normals(key, 0, 0, N), "norm").pvalue > 1e-3
    assert stats.kstest(uniforms(key, 0, 0, N), "uniform").pvalue > 1e-3
    z = normals(key, 1, 1, N)
    for power, moment in enumerate((0.0, 1.0, 0.0, 3.0, 0.0, 15.0), start=1):
        sample = z**power
        assert abs(sample.mean() - moment) < 5 * sample.std() / math.sqrt(N)
    angles = np.arctan2(z[1::2][:-1], z[2::2][: len(z[1::2]) - 1])  # a pair's two, and all quarters of the turn
    assert stats.kstest(angles / (2 * math.pi) + 0.5, "uniform").pvalue > 1e-3


def test_the_tails_are_there() -> None:
    """Beyond 3.5 standard deviations, where rough methods have too few or too many."""
    beyond = int((np.abs(normals(9, 0, 0, 20 * N)) > 3.5).sum())
    assert stats.binomtest(beyond, 20 * N, 2 * stats.norm.sf(3.5)).pvalue > 1e-3


def test_keys_streams_and_neighbours_have_nothing_to_do_with_each_other() -> None:
    columns = [
        normals(0, 0, 0, N),
        normals(1, 0, 0, N),
        normals(0, 1, 0, N),
        normals(0, 0, N, N),
        normals(2**32, 0, 0, N),
    ]
    columns += [np.roll(columns[0], lag) for lag in (1, 2, 3, 8, 16)] + [column**2 for column in columns]
    off = np.corrcoef(columns) - np.eye(len(columns))
    assert np.abs(off).max() < 5 / math.sqrt(N)


@pytest.mark.parametrize("d", [1, 3, 7, 300])
def test_directions_are_normal_vectors_over_their_norm(d: int) -> None:
    rows, N = np.empty((600, d)), 600
    draw.directions(7, 2, 11 * d, 2.0, rows)
    z = normals(7, 2, 11 * d, N * d).reshape(N, d)
    np.testing.assert_allclose(rows, 2.0 * z / np.linalg.norm(z, axis=1)[:, None], rtol=1e-13)


def test_products_are_the_same_whichever_rows_stand_beside() -> None:
    rng = np.random.default_rng(0)
    X, theta, out, alone = rng.standard_normal((40, 37)), rng.standard_normal(37), np.empty(40), np.empty(1)
    draw.products(X, theta, out)
    np.testing.assert_allclose(out, X @ theta, rtol=1e-13, atol=1e-13)
    for a in range(40):
        draw.products(X[a : a + 1], theta, alone)
        assert alone[0] == out[a]
