"""Keys of ids: the same for the same text wherever it comes from, and evenly spread."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from rbmle import kernels
from rbmle.logs.arrow import keys_of
from rbmle.logs.raw import Faults, Reading
from rbmle.logs.rows import keys_of_texts


def keys_of_arrow(array):
    return keys_of(array, Faults("x", np.arange(len(array)), Reading()))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20))
def test_a_whole_number_has_the_key_of_its_digits(numbers):
    keys = np.empty(len(numbers), dtype=np.uint64)
    kernels.logs.keys.of_numbers(np.array(numbers, dtype=np.int64), keys)
    np.testing.assert_array_equal(keys, keys_of_texts([str(number) for number in numbers]))
    np.testing.assert_array_equal(keys, keys_of_arrow(pa.array(numbers, pa.int64())))


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=40), min_size=2, max_size=20), st.integers(0, 1))
def test_a_text_has_one_key_in_every_type_and_slice(texts, start):
    keys = keys_of_texts(texts)
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        np.testing.assert_array_equal(keys[start:], keys_of_arrow(pa.array(texts, kind)[start:]))
    np.testing.assert_array_equal(keys, keys_of_arrow(pa.array(texts).dictionary_encode()))
    assert len(set(keys.tolist())) == len(set(texts))


def test_keys_are_spread_evenly():
    keys = np.empty(64_000, dtype=np.uint64)
    kernels.logs.keys.of_numbers(np.arange(64_000), keys)
    for shift in (0, 20, 58):
        counts = np.bincount((keys >> np.uint64(shift)).astype(np.int64) & 63, minlength=64)
        chi_square = ((counts - 1000.0) ** 2 / 1000.0).sum()
        assert 25.0 < chi_square < 120.0  # 63 degrees of freedom
    # Neighbours differ in half of their bits.
    flips = np.bitwise_count(keys[1:] ^ keys[:-1]).mean()
    assert abs(flips - 32.0) < 0.2
