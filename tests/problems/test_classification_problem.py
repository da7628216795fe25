"""ClassificationProblem: encodings against a dense construction, shuffles, labels of every kind, hostile input."""

import math
import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rbmle import LinRBMLE
from rbmle.errors import InvalidInputError, InvalidParameterError, RbmleError
from rbmle.problems import ClassificationProblem
from rbmle.schedules import Constant
from rbmle.simulation import simulate
from rbmle.simulation.trial import MOST_BYTES, block_size
from rbmle.testing import check_problem

RNG = np.random.default_rng(0)
N, D, K = 60, 4, 3
X = RNG.standard_normal((N, D))
Y = RNG.integers(0, K, N)
EMBEDDING = ((1.0, 0.0), (0.0, 2.0), (-0.5, 0.5))
make = ClassificationProblem.from_arrays


def options(encoding: str) -> dict[str, Any]:
    return {"encoding": encoding, **({"embedding": EMBEDDING} if encoding == "embedded" else {})}


def dense(encoding: str, x: np.ndarray, arm: int) -> np.ndarray:
    """A context by its definition, one number after the other."""
    if encoding == "disjoint":
        return np.concatenate([x if block == arm else np.zeros(D) for block in range(K)])
    if encoding == "shared":
        return np.concatenate([x, *[x if block == arm else np.zeros(D) for block in range(K)]])
    return np.array([entry * value for entry in EMBEDDING[arm] for value in x])


@pytest.mark.parametrize("encoding", ["disjoint", "shared", "embedded"])
def test_contexts_and_rewards_by_their_definition(encoding: str) -> None:
    problem = make(X, Y, **options(encoding))
    block, rows = problem.rounds(3, 1, 0, N), problem.rows(3, 1, 0, N)
    assert problem.n_features == {"disjoint": K * D, "shared": (K + 1) * D, "embedded": 2 * D}[encoding]
    expected = [[dense(encoding, X[row], arm) for arm in range(K)] for row in rows]
    np.testing.assert_array_equal(block.contexts, expected)
    np.testing.assert_array_equal(block.rewards, [[float(Y[row] == arm) for arm in range(K)] for row in rows])
    np.testing.assert_array_equal(block.mean_rewards, block.rewards)
    assert block.regret(np.zeros(N, dtype=np.int64)).sum() == (Y != 0).sum()


@pytest.mark.parametrize("encoding", ["disjoint", "shared", "embedded"])
@pytest.mark.parametrize("cycle", [False, True])
def test_passes_the_shipped_checks(encoding: str, cycle: bool) -> None:
    check_problem(make(X, Y, cycle=cycle, **options(encoding)), horizon=150)


def test_trials_are_shuffles_of_all_rows() -> None:
    problem = make(X, Y)
    orders = [problem.rows(seed, trial, 0, N) for seed, trial in ((0, 0), (0, 1), (1, 0))]
    for order in orders:
        assert sorted(order) == list(range(N))
    assert len({tuple(order) for order in orders}) == 3
    assert problem.horizon == N


def test_every_row_comes_first_equally_often() -> None:
    problem = make(X[:6], [0, 1, 2, 0, 1, 2])
    first = np.bincount([problem.rows(0, trial, 0, 1)[0] for trial in range(3000)], minlength=6)
    assert stats.chisquare(first).pvalue > 1e-3


def test_cutting_and_cycling() -> None:
    problem = make(X, Y, cycle=True)
    whole = problem.rounds(2, 0, 0, 3 * N)
    for start, stop in pairwise((0, 1, N - 1, N + 1, 2 * N + 5, 3 * N)):
        part = make(X, Y, cycle=True).rounds(2, 0, start, stop)
        np.testing.assert_array_equal(part.contexts, whole.contexts[start:stop])
        np.testing.assert_array_equal(part.rewards, whole.rewards[start:stop])
    passes = [problem.rows(2, 0, turn * N, (turn + 1) * N) for turn in range(3)]
    assert all(sorted(order) == list(range(N)) for order in passes)
    assert not np.array_equal(passes[0], passes[1])
    assert problem.horizon is None
    np.testing.assert_array_equal(make(X, Y).rows(2, 0, 0, N), passes[0])  # the first pass is the same without cycling
    assert make(X, Y, cycle=True, horizon=100).horizon == 100


def test_holds_no_more_than_the_data() -> None:
    """64 classes and 64 columns: contexts of all rows would be 2000 · 64 · 4096 numbers, 4 GB."""
    big, labels = np.ones((2000, 64)), np.arange(2000) % 64
    problem = make(big, labels)
    assert len(pickle.dumps(problem)) < 1.2 * (big.nbytes + labels.nbytes + 64 * 64 * 8)
    size = block_size(problem)
    assert problem.rounds(0, 0, 0, size).contexts.nbytes <= MOST_BYTES


def test_a_play_of_its_blocks_is_a_play_of_dense_rows() -> None:
    """The formula as NeuralTS codes it, m + v, in plain NumPy: LinRBMLE with the constant bias 2 makes its choices."""
    problem = make(X, Y, normalize=True)
    rows = problem.rows(0, 0, 0, N)
    V, b, wrong = np.eye(K * D), np.zeros(K * D), 0
    for row in rows:
        contexts = np.array([dense("disjoint", X[row] / math.sqrt(sum(X[row] ** 2)), arm) for arm in range(K)])
        inverse = np.linalg.inv(V)
        arm = int(np.argmax(contexts @ inverse @ b + np.diag(contexts @ inverse @ contexts.T)))
        V += np.outer(contexts[arm], contexts[arm])
        b += contexts[arm] * float(arm == Y[row])
        wrong += arm != Y[row]
    policy = LinRBMLE(n_features=K * D, bias=Constant(2.0))
    assert simulate({"m + v": policy}, problem, horizon=N, trials=1).final_regret("m + v")[0] == wrong


def test_normalized_rows_and_missing_values() -> None:
    spoilt = [[3.0, math.nan], [0.0, 0.0], [0.0, -2.0]]
    problem = make(spoilt, [0, 1, 1], normalize=True, missing=-4.0)
    np.testing.assert_allclose(problem.features, [[0.6, -0.8], [0.0, 0.0], [0.0, -1.0]], rtol=1e-15)
    np.testing.assert_array_equal(make(spoilt, [0, 1, 1], missing=-1).features[0], [3.0, -1.0])


@pytest.mark.parametrize(
    ("labels", "classes", "answers"),
    [
        ([5, -1, 5], (-1, 5), [1, 0, 1]),
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        (np.array([True, False, True]), (0, 1), [1, 0, 1]),
        (np.array([2.0, 0.0, 2.0]), (0, 2), [1, 0, 1]),
        (np.array(["b", "a", "b"], dtype=object), ("a", "b"), [1, 0, 1]),
        (np.array([7, 3, 7], dtype=object), (3, 7), [1, 0, 1]),
        (pd.Series(["b", "a", "b"]), ("a", "b"), [1, 0, 1]),
        (pd.Series(["b", "a", "b"], dtype="category"), ("a", "b"), [1, 0, 1]),
        (np.array([200, 100, 200], dtype=np.uint8), (100, 200), [1, 0, 1]),
    ],
)
def test_labels_of_every_kind(labels: Any, classes: tuple[Any, ...], answers: list[int]) -> None:
    problem = make(X[:3], labels)
    assert (problem.classes, problem.answers.tolist()) == (classes, answers)


def test_classes_in_an_order_of_ones_own() -> None:
    problem = make(X[:3], ["b", "a", "b"], classes=["c", "b", "a"])
    assert (problem.n_arms, problem.answers.tolist(), problem.classes) == (3, [1, 2, 1], ("c", "b", "a"))


def test_an_embedding_by_its_length() -> None:
    one, other = make(X, Y, encoding="embedded", embedding=2), make(X, Y, encoding="embedded", embedding=2)
    assert one.n_features == 2 * D
    np.testing.assert_allclose(np.linalg.norm(one.vectors, axis=1), 1.0)
    assert one.params == other.params


def test_takes_tables_and_lists_and_leaves_them_alone() -> None:
    array = X.copy()
    problem = make(array, Y)
    array[:] = 0.0
    np.testing.assert_array_equal(problem.features, X)
    np.testing.assert_array_equal(make(pd.DataFrame(X), pd.Series(Y)).features, X)
    np.testing.assert_array_equal(make(X.tolist(), Y.tolist()).features, X)
    assert make(X, Y).params == make(X.tolist(), Y.tolist()).params
    assert make(X, Y).params != make(X, (Y + 1) % K).params
    assert repr(problem) == "ClassificationProblem(60 rows of 4, n_arms=3, n_features=12, horizon=60)"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"X": [[1.0, 2.0], [3.0]], "y": [0, 1]}, "X must be an array of real numbers"),
        ({"X": X[0]}, r"X must have shape \(n_rows, n_columns\). Got shape \(4,\)"),
        ({"X": np.empty((0, 3)), "y": []}, "X must have shape"),
        ({"X": np.where(X[2, 1] == X, np.nan, X)}, r"say what stands for a missing value.* Got nan at X\[2, 1\]"),
        ({"X": np.where(X[2, 1] == X, np.inf, X), "missing": 0.0}, r"X must be finite. Got inf at X\[2, 1\]"),
        ({"X": X * 1e200}, "squares overflow"),
        ({"X": [["a"] * D] * N}, "X must be an array of real numbers"),
        ({"X": np.ma.masked_less(X, 0.0)}, "X must not be masked"),
        ({"y": Y[:-1]}, "y must hold one label for each of 60 rows of X. Got 59"),
        ({"y": np.eye(K)[Y]}, r"y must be one whole number or one text for each row. Got shape \(60, 3\)"),
        ({"y": np.zeros(N, dtype=int)}, "y must hold at least 2 classes, .* Got only 0"),
        ({"y": np.where(Y == 0, 0.5, Y)}, "y must be one whole number .* Got 0.5 at y"),
        ({"y": np.where(Y == 0, np.nan, Y)}, "y must be one whole number .* Got nan at y"),
        ({"y": ["a", 1] * (N // 2)}, "Got 1 among them"),
        ({"y": [1, "a"] * (N // 2)}, "Got 'a' among them"),
        ({"y": [None, "a"] * (N // 2)}, "among them"),
        ({"y": [[1], [2, 3]]}, "Got a ragged list"),
        ({"y": Y.astype(complex)}, "an array of complex128"),
        ({"y": np.arange(N).astype("M8[D]")}, "an array of datetime64"),
        ({"classes": (0, 1)}, "y must hold labels among .* Got 2 at y"),
        ({"classes": (0, 1, 2, 1)}, "classes must name every class once"),
        ({"encoding": "blocks"}, "'encoding' parameter of ClassificationProblem must be one of 'disjoint'"),
        ({"embedding": EMBEDDING}, "'embedding' .* goes with encoding='embedded' only"),
        ({"encoding": "embedded"}, "'embedding' .* must be a vector of finite numbers for each of 3 classes"),
        ({"encoding": "embedded", "embedding": EMBEDDING[:2]}, "'embedding'"),
        ({"encoding": "embedded", "embedding": 0}, "'embedding'"),
        ({"normalize": 1}, "'normalize' parameter"),
        ({"missing": math.nan}, "'missing' parameter"),
        ({"horizon": 0}, "'horizon' parameter"),
        ({"horizon": N + 1}, "'horizon' .* at most the number of rows, 60, unless cycle=True. Got 61"),
        ({"cycle": "yes"}, "'cycle' parameter"),
    ],
)
def test_hostile_input(changed: dict[str, Any], words: str) -> None:
    given = {"X": X, "y": Y} | changed
    with pytest.raises(RbmleError, match=words):
        make(given.pop("X"), given.pop("y"), **given)


def test_hostile_places_and_constructor() -> None:
    problem = make(X, Y, horizon=50)
    with pytest.raises(InvalidInputError, match="rounds must lie between 0 and 50"):
        problem.rounds(0, 0, 0, 51)
    with pytest.raises(InvalidParameterError, match="'start' parameter of rounds"):
        problem.rounds(0, 0, -1, 5)
    with pytest.raises(InvalidInputError, match="classes must name 3 arms. Got 2"):
        ClassificationProblem(X, Y, np.eye(3), classes=("a", "b"))
    with pytest.raises(InvalidInputError, match="y must hold labels among"):
        ClassificationProblem(X, Y, np.eye(2))
