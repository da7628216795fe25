"""Features against contexts written down by hand, in every shape that rows come in, and what is refused."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix

from rbmle import LinRBMLE
from rbmle.errors import InvalidInputError, InvalidParameterError, RbmleError
from rbmle.features import Category, Features, Hashed, Number
from rbmle.plain import from_plain, to_plain

FEATURES = Features(
    shared=[Number("age", center=30.0, scale=10.0), Category("country", ["de", "fr"])],
    arm=[Number("price"), Category("kind", ["news", "sport"])],
    cross=[("age", "price"), ("country", "kind")],
)
VISITOR = {"age": 45, "country": "fr"}
ARMS = [{"price": 2.0, "kind": "sport"}, {"price": 3.0, "kind": "news"}]
# 1, age, de, fr, price, news, sport, age × price, de × news, de × sport, fr × news, fr × sport
CONTEXTS = [[1, 1.5, 0, 1, 2, 0, 1, 3.0, 0, 0, 0, 1], [1, 1.5, 0, 1, 3, 1, 0, 4.5, 0, 0, 1, 0]]


class PolarsLike:
    """What a table of polars offers, as far as it is used."""

    def __init__(self, columns):
        self._columns = columns
        self.columns = list(columns)
        self.shape = (len(next(iter(columns.values()))), len(columns))

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, name):
        return pd.Series(self._columns[name])


def test_contexts_by_hand():
    assert FEATURES.n_features == len(FEATURES.names) == 12
    np.testing.assert_array_equal(FEATURES.encode(VISITOR, ARMS), CONTEXTS)


@pytest.mark.parametrize("n_arms", [1, 2, 3])
@pytest.mark.parametrize(
    "settings", [{"cross": "all"}, {"cross": "all", "alone": "none", "intercept": False}, {}], ids=str
)
@pytest.mark.parametrize("norm", ["none", "clip"])
def test_contexts_are_what_compiled_code_takes(n_arms, settings, norm):
    features = Features(shared=[Number("age")], arm=[Number("price"), Number("size")], norm=norm, **settings)
    X = features.encode({"age": 2.0}, [{"price": i, "size": 1.0} for i in range(n_arms)])
    assert X.flags.carray and X.dtype == np.float64


@pytest.mark.parametrize(
    ("visitor", "arms"),
    [
        ({"country": "fr", "age": 45}, [{"kind": "sport", "price": 2}, {"kind": "news", "price": 3}]),
        (pd.Series({"country": "fr", "age": 45}), pd.DataFrame(ARMS)[["kind", "price"]]),
        (pd.DataFrame([VISITOR]), list(pd.DataFrame(ARMS).itertuples())),
        (PolarsLike({"country": ["fr"], "age": [45]}), PolarsLike({"kind": ["sport", "news"], "price": [2.0, 3.0]})),
        ([45, "fr"], [(2.0, "sport"), (3.0, "news")]),
    ],
    ids=["dicts", "pandas", "tables", "polars", "by order"],
)
def test_every_shape_of_rows_gives_the_same(visitor, arms):
    np.testing.assert_array_equal(FEATURES.encode(visitor, arms), CONTEXTS)


def test_arrays_and_sparse_matrices():
    features = Features(shared=[Number("a"), Number("b")], arm=[Number("c")], intercept=False)
    expected = [[1.0, 0.0, 5.0], [1.0, 0.0, 0.0]]
    for row in (np.array([1.0, 0.0]), np.array([[1.0, 0.0]]), csr_matrix([[1.0, 0.0]]), csr_array([[1.0, 0.0]])):
        np.testing.assert_array_equal(features.encode(row, csr_matrix([[5.0], [0.0]])), expected)
    with pytest.raises(InvalidInputError, match="one row. Got 2"):
        features.encode(np.zeros((2, 2)), [[1.0]])


def test_names_are_matched_and_wrong_ones_named():
    for visitor, told in [
        ({"age": 1}, "Missing: country"),
        ({"age": 1, "country": "de", "height": 3}, "Unknown: height"),
        ({"age": 1, "contry": "de"}, "Did you mean country"),
        (pd.DataFrame([{"age": 1}]), "Missing: country"),
        ([1, "de", 3], "must have 2 values .age, country.*Got 3"),
        ("age", "must be a dict"),
        (3.0, "must be a dict"),
    ]:
        with pytest.raises(InvalidInputError, match=told):
            FEATURES.encode(visitor, ARMS)
    with pytest.raises(InvalidInputError, match=r"arms\[1\].*Missing: price"):
        FEATURES.encode(VISITOR, [ARMS[0], {"kind": "news"}])
    with pytest.raises(InvalidInputError, match="one of them twice"):
        FEATURES.encode(pd.DataFrame([[1, "de", 1]], columns=["age", "country", "age"]), ARMS)


@pytest.mark.parametrize("missing", [None, math.nan, np.float64("nan"), pd.NA, pd.NaT])
def test_missing_values(missing):
    numbers = [Number("a", center=1.0, missing="indicator"), Number("b", center=1.0, scale=2.0, missing=5.0)]
    features = Features(shared=[*numbers, Category("c", ["x"], missing="level")], arm=[Number("d")], intercept=False)
    row = {"a": missing, "b": missing, "c": missing}
    np.testing.assert_array_equal(features.encode(row, [[0.0]]), [[0.0, 1.0, 2.0, 0.0, 1.0, 0.0]])
    zeros = Features(shared=[Category("c", ["x"], missing="zeros")], intercept=True, arm_ids=1)
    np.testing.assert_array_equal(zeros.encode({"c": missing}, ids=["z"]), [[1.0, 0.0, 1.0]])
    for column in (Number("a"), Category("a", ["x"])):
        with pytest.raises(InvalidInputError, match="a must be .*It is missing"):
            Features(shared=[column], arm_ids=1).encode({"a": missing}, ids=["z"])


@pytest.mark.parametrize("value", [math.inf, -math.inf, 1e300, "3", [1.0], 1j, 10**400, np.datetime64("2020-01-01")])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(InvalidInputError, match="a must be a finite number"):
        Features(shared=[Number("a")], arm_ids=1).encode({"a": value}, ids=["z"])


def test_categories_tell_types_apart_and_refuse_what_is_not_listed():
    features = Features(shared=[Category("c", [1, "1", True])], arm_ids=1, intercept=False, alone="all")
    for place, value in enumerate([1, "1", True]):
        assert features.encode({"c": value}, ids=[0])[0].argmax() == place
    assert features.encode({"c": np.int64(1)}, ids=[0])[0].argmax() == 0
    with pytest.raises(InvalidInputError, match="c must be one of 1, '1', True. Got 2"):
        features.encode({"c": 2}, ids=[0])
    passing = Features(shared=[Category("c", ["x"], unknown="zeros")], arm_ids=1)
    assert passing.encode({"c": "y"}, ids=[0])[0].tolist() == [1.0, 0.0, 1.0]
    with pytest.raises(InvalidInputError, match="text or a number"):
        passing.encode({"c": object()}, ids=[0])


def test_hashed_values_are_the_same_in_every_process_and_spread():
    column = Hashed("word", 50)
    places = []
    for i in range(5000):
        row = np.zeros(50)
        column.put(f"w{i}", row, 0)
        places.append(int(row.argmax()))
        assert row.sum() == 1.0
    counts = np.bincount(places, minlength=50)
    assert ((counts - 100) ** 2 / 100).sum() < 86  # chi-square of 49 degrees, one in a thousand
    # The first 8 bytes, little end first, of BLAKE2b("word\0\"w0\"") as b2sum prints them, modulo 50.
    import hashlib

    assert places[0] == int.from_bytes(hashlib.blake2b(b'word\0"w0"', digest_size=8).digest(), "little") % 50


def test_disjoint_blocks_learn_as_separate_models():
    """K models of their own give the same means and variances as one model of disjoint blocks."""
    rng = np.random.default_rng(0)
    features = Features.disjoint(["a", "b", "c"], [Number("x"), Number("y")])
    whole = LinRBMLE(n_features=features.n_features)
    own = {arm: LinRBMLE(n_features=3) for arm in "abc"}
    for _ in range(60):
        visitor, arm, reward = rng.normal(size=2), "abc"[rng.integers(3)], rng.normal()
        whole.update(features.encode(visitor, ids=[arm])[0], reward)
        own[arm].update([1.0, *visitor], reward)
    visitor = rng.normal(size=2)
    mean, variance = whole.model.predict(features.encode(visitor, ids=["a", "b", "c"]))
    for place, arm in enumerate("abc"):
        m, v = own[arm].model.predict([[1.0, *visitor]])
        np.testing.assert_allclose([mean[place], variance[place]], [m[0], v[0]], rtol=1e-10)


def test_fit_takes_scales_and_the_longest_context():
    features = Features(
        shared=[Number("x")], arm=[Number("y", missing="indicator")], arm_ids=["a", "b"], cross="all", norm="unit"
    )
    shared, arms = [{"x": 1.0}, {"x": 3.0}], [{"y": 10.0}, {"y": None}]
    fitted = features.fit(shared, arms)
    assert (fitted.shared[0].center, fitted.shared[0].scale) == (2.0, 1.0)
    assert (fitted.arm[0].center, fitted.arm[0].scale) == (10.0, 1.0)
    lengths = [
        np.linalg.norm(fitted.encode(row, arms, ids=ids), axis=1) for row in shared for ids in (["a", "b"], ["b", "a"])
    ]
    assert np.max(lengths) == pytest.approx(1.0, abs=1e-15)
    assert np.linalg.norm(fitted.encode({"x": 1000.0}, [{"y": 0.0}], ids=["a"])) == pytest.approx(1.0)
    assert fitted.encode({"x": 2.5}, [{"y": 10.0}], ids=["a"])[0, 1] == pytest.approx(0.5 / fitted.radius)
    with pytest.raises(InvalidInputError, match="x must be there in some row"):
        Features(shared=[Number("x", missing=0.0)], arm_ids=1).fit([{"x": None}])
    with pytest.raises(InvalidInputError, match="shared must hold at least one row"):
        features.fit([], arms)


def test_clipping_shortens_only_what_is_too_long():
    features = Features(shared=[Number("x"), Number("y")], arm_ids=1, intercept=False, norm="clip", radius=5.0)
    np.testing.assert_allclose(features.encode([30.0, 40.0], ids=[0])[0, :2], [3.0, 4.0], rtol=1e-3)
    np.testing.assert_array_equal(features.encode([1.0, 2.0], ids=[0])[0, :2], [1.0, 2.0])


@pytest.mark.parametrize(
    "arguments",
    [
        {"shared": ["age"]},
        {"shared": [Number("a"), Number("a")]},
        {"shared": [Number("arm")], "arm_ids": ["x"]},
        {"cross": "some"},
        {"shared": [Number("a")], "arm": [Number("b")], "cross": [("b", "a")]},
        {"intercept": False},
        {"norm": "l2"},
        {"arm_ids": 0},
        {"arm_ids": ["x", "x"]},
    ],
)
def test_bad_settings(arguments):
    with pytest.raises(InvalidParameterError):
        Features(**arguments)


@pytest.mark.parametrize("make", [lambda: Number(""), lambda: Number("a", scale=0.0), lambda: Number("a", missing="x"),
                                  lambda: Category("a", []), lambda: Category("a", "ab"), lambda: Hashed("a", 0),
                                  lambda: Category("a", [object()])])  # fmt: skip
def test_bad_columns(make):
    with pytest.raises(RbmleError):
        make()


def test_ids_are_needed_where_features_depend_on_them():
    features = Features.disjoint(["a"], [Number("x")])
    with pytest.raises(InvalidInputError, match="ids must be given"):
        features.arm_numbers(())
    with pytest.raises(InvalidInputError, match=r"arms\[0\]: arm must be one of 'a'. Got 'b'"):
        features.encode([1.0], ids=["b"])
    with pytest.raises(InvalidInputError, match="at least one arm"):
        features.encode([1.0], ids=[])


def test_plain_data_and_back():
    assert from_plain(to_plain(FEATURES)) == FEATURES
    hashed = Features(shared=[Hashed("q", 8)], arm_ids=["a", ("b", 1)], cross="all", norm="clip", radius=2.0)
    assert from_plain(to_plain(hashed)) == hashed


names = st.text(max_size=8) | st.sampled_from(["age", "country", "price", "kind"])
leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=3)
anything = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=6
)


@given(visitor=anything, arms=anything)
def test_whatever_comes_in_is_encoded_or_refused(visitor, arms):
    try:
        X = FEATURES.encode(visitor, arms)
    except RbmleError:
        return
    assert X.shape[1] == 12
    assert np.isfinite(X).all()
