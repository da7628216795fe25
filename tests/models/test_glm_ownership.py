"""Only the model writes what it has learnt, and takes over nothing that cannot be a state."""

import math

import numpy as np
import pytest

from rbmle import GLMRBMLE, UCBGLM, EpsilonGreedyGLM
from rbmle.errors import ConvergenceError, InvalidInputError
from rbmle.families import Custom, Logistic
from rbmle.models import GLMModel
from rbmle.models.laplace import LaplaceModel
from rbmle.paper.published.laplace_model import PublishedLaplaceModel
from rbmle.schedules import Constant

MAKERS = [
    lambda: GLMModel(n_features=2),
    lambda: GLMModel(n_features=2, memory="online"),
    lambda: LaplaceModel(n_features=2),
    lambda: PublishedLaplaceModel(n_features=2),
]


def learnt(make):
    model = make()
    model.observe_many([[1.0, 0.5], [0.2, -1.0], [1.0, 0.5]], [1.0, 0.0, 0.0])
    return model


def same(a, b):
    return set(a) == set(b) and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("make", MAKERS)
def test_nobody_else_writes(make):
    model = learnt(make)
    for name in ("n", "version", "n_features"):
        with pytest.raises(AttributeError):
            setattr(model, name, 7)
    before, version = model.state(), model.version
    for array in model.state().values():
        array[...] = 99.0
    assert same(model.state(), before)
    model.observe([1.0, 1.0], 1.0)
    assert model.version > version
    model.restore(before)
    assert model.version > version + 1  # n fell, the version did not
    assert same(model.state(), before)


def test_settings_are_read_only():
    model = GLMModel(n_features=2)
    for name in ("n_rows", "family", "regularization", "memory", "squares"):
        with pytest.raises(AttributeError):
            setattr(model, name, 7)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("n", [-1.0, 2.5, 1e300, math.nan])
def test_counts_that_cannot_be(make, n):
    model = learnt(make)
    before = model.state()
    with pytest.raises(InvalidInputError, match="n'"):
        model.restore({**before, "n": np.array(n)})
    assert same(model.state(), before)


@pytest.mark.parametrize("make", MAKERS)
def test_missing_names(make):
    model = learnt(make)
    before = model.state()
    with pytest.raises(InvalidInputError, match="Missing"):
        model.restore({})
    for name in before:
        if name not in ("counts", "contexts", "sums"):  # rows are missed together
            with pytest.raises(InvalidInputError, match=f"Missing: .*{name}"):
                model.restore({other: array for other, array in before.items() if other != name})
    assert same(model.state(), before)


@pytest.mark.parametrize("memory", ["exact", "online"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("counts", [-1.0, 4.0]),
        ("counts", [1.5, 1.5]),
        ("counts", [2.0, 2.0]),
        ("sums", [3.0, 0.0]),
        ("sums", [0.5, 0.0]),
        ("sums", [-1.0, 0.0]),
        ("squares", -1.0),
        ("contexts", [[1e80, 0.5], [0.2, -1.0]]),
        ("contexts", [[1.0, 0.5]]),
        ("sums", [np.inf, 0.0]),
    ],
)
def test_rows_that_cannot_be(memory, name, value):
    model = learnt(lambda: GLMModel(n_features=2, memory=memory))
    before = model.state()
    with pytest.raises(InvalidInputError, match="state"):
        model.restore({**before, name: np.array(value)})
    assert same(model.state(), before)


def test_curvatures_that_cannot_be():
    model = learnt(lambda: GLMModel(n_features=2, memory="online"))
    before = model.state()
    for name, value in (("H_inv", -np.eye(2)), ("folded", np.diag([1.0, -1.0])), ("H_inv", [[1.0, 0.5], [0.0, 1.0]])):
        with pytest.raises(InvalidInputError, match=f"'{name}'.*(symmetric|definite)"):
            model.restore({**before, name: np.array(value)})
    old = {name: before[name] for name in ("n", "squares", "theta_hat", "H_inv")}
    with pytest.raises(InvalidInputError, match="inverse to each other"):
        model.restore({**old, "H": 3.0 * np.linalg.inv(old["H_inv"])})
    assert same(model.state(), before)


@pytest.mark.parametrize(("memory", "n"), [("exact", 5), ("online", 4)])
def test_a_block_that_stops_half_way_is_counted_as_far_as_it_came(memory, n):
    """μ is no number from score 1 on, where the fourth reward leads: exact memory notices when it decides next."""
    family = Custom(
        name="to 1", mu=lambda z: z if z < 1.0 else math.nan, dmu=lambda z: 1.0, potential=lambda z: 0.5 * z * z
    )
    X, rewards = (
        np.array([[[0.1]], [[0.2]], [[0.1]], [[50.0]], [[0.1]]]),
        np.array([[1.0], [1.0], [1.0], [300.0], [1.0]]),
    )
    policy = EpsilonGreedyGLM(n_features=1, family=family, memory=memory, epsilon=Constant(0.0))
    policy.update([0.5], 0.9)
    with pytest.raises(ConvergenceError):
        policy.play(X, rewards)
    _, counts, sums = policy.model.rows
    got = [0.9, *rewards[: n - 1, 0]]
    assert policy.model.n == counts.sum() == n
    assert sums.sum() == pytest.approx(sum(got))
    assert policy.model.squares == pytest.approx(np.dot(got, got))


@pytest.mark.parametrize("how", ["raises", "gives no number", "raises, in Python"])
def test_a_function_of_a_family_that_raises_is_named(how):
    """It was learnt as 0."""
    seen = []

    def divides(z):
        return 1.0 / (z - z)

    def nothing(z):
        return None

    def remembers(z):
        seen.append(z)  # beyond numba
        raise KeyError("no such score")

    mu = {"raises": divides, "gives no number": nothing, "raises, in Python": remembers}[how]
    family = Custom(name="broken", mu=mu, dmu=lambda z: 1.0, potential=lambda z: 0.5 * z * z)
    exact, online = GLMModel(n_features=1, family=family), GLMModel(n_features=1, family=family, memory="online")
    exact.observe([1.0], 2.0)
    with pytest.raises(ConvergenceError, match="function 'mu' of Custom\\('broken'\\)"):
        exact.theta_hat  # noqa: B018
    with pytest.raises(ConvergenceError, match="function 'mu' of Custom\\('broken'\\)"):
        online.observe([1.0], 2.0)
    assert online.n == 0
    policy = GLMRBMLE(n_features=1, family=family)
    policy.update([1.0], 2.0)
    with pytest.raises(ConvergenceError, match="function 'mu'"):
        policy.choose([[1.0], [2.0]])


def test_no_address_is_missing():
    """A12: decisions cannot be asked for with functions that are not there."""
    from rbmle import kernels
    from rbmle.models.link import link_of

    assert (link_of(Logistic())[2] != 0).all()
    for arms, features in ((3, 3), (40, 3), (1000, 50)):  # bounds by tensors, and by gradients
        functions = kernels.glm.code.rule_functions(arms, features)
        assert (functions != 0).all()
        assert len(set(functions.tolist())) == 4


def test_rows_without_room_are_refused():
    """Were a caller to forget to make room, nothing is written beyond the arrays."""
    from rbmle import kernels

    model = GLMModel(n_features=1)
    X = np.arange(1.0, 200.0)[:, None]
    done = kernels.glm.rows.observe_many(model._rows(), X, np.ones(len(X)))
    assert done == model.n == model.n_rows == len(model.rows[0]) == 64


def test_policies_leave_counting_to_the_model():
    rng = np.random.default_rng(0)
    X, R = rng.normal(size=(40, 4, 2)), (rng.random((40, 4)) < 0.5).astype(float)
    for policy in (GLMRBMLE(n_features=2), UCBGLM(n_features=2, horizon=100), EpsilonGreedyGLM(n_features=2)):
        arms = policy.play(X, R)
        played = X[np.arange(40), arms]
        contexts, counts, sums = policy.model.rows
        assert policy.model.n == counts.sum() == 40
        assert sums.sum() == policy.model.squares == R[np.arange(40), arms].sum()
        assert np.array_equal(contexts, played)


@pytest.mark.parametrize("make", MAKERS[2:])
def test_laplace_predicts_rewards(make):
    model = learnt(make)
    X = np.array([[1.0, 0.0], [0.3, -2.0]])
    mean, variance = model.predict(X)
    z = X @ model.mean
    p = 1.0 / (1.0 + np.exp(-z))
    assert np.allclose(mean, p)
    assert np.allclose(variance, (p * (1 - p)) ** 2 * (X**2 / model.precision).sum(axis=1))


@pytest.mark.parametrize("N", [100, 1000])
def test_the_order_matters_for_laplace_as_its_docstring_says(N):
    model = LaplaceModel(n_features=1)
    model.observe_many(np.ones((2 * N, 1)), np.repeat([1.0, 0.0], N))
    assert model.predict([[1.0]])[0][0] == pytest.approx({100: 0.30, 1000: 0.15}[N], abs=0.005)
