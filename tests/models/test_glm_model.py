import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from rbmle.errors import ConvergenceError, InvalidInputError, InvalidParameterError
from rbmle.families import Custom, Gaussian, Logistic, Poisson
from rbmle.models import GLMModel, RidgeModel
from rbmle.models.glm import WINDOW

FAMILIES = [Gaussian(), Logistic(), Poisson(), Logistic().extended(1.0), Poisson().extended(1.5)]


def data(family, n=120, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 0.6
    return X, family.sample(rng, X @ rng.normal(size=d))


def optimum(family, X, r, lam):
    """The estimate by a general optimiser that knows only the function and its gradient."""

    def loss(theta):
        return 0.5 * lam * theta @ theta - family.log_likelihood(X @ theta, r).sum()

    def slope(theta):
        return lam * theta - X.T @ (r - family.mean(X @ theta))

    return minimize(loss, np.zeros(X.shape[1]), jac=slope, method="BFGS", options={"gtol": 1e-8}).x


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("lam", [0.1, 1.0, 30.0])
def test_estimate_equals_a_general_optimisers(family, lam):
    X, r = data(family)
    model = GLMModel(n_features=4, family=family, regularization=lam)
    model.observe_many(X, r)
    theta = model.theta_hat
    assert np.allclose(theta, optimum(family, X, r, lam), atol=1e-6)
    gradient = X.T @ (r - family.mean(X @ theta)) - lam * theta
    assert np.abs(gradient).max() < 1e-9 * (np.abs(X).T @ (r + np.abs(family.mean(X @ theta)))).max() + 1e-11
    H = (X * family.derivative(X @ theta)[:, None]).T @ X + lam * np.eye(4)
    assert np.allclose(model.H, H, rtol=1e-9)
    assert np.allclose(model.H_inv @ H, np.eye(4), atol=1e-9)
    score, variance = model.predict_score(X[:7])
    assert np.allclose(score, X[:7] @ theta)
    assert np.allclose(variance, np.einsum("ki,ij,kj->k", X[:7], np.linalg.inv(H), X[:7]))
    assert np.allclose(model.means(X[:7]), family.mean(X[:7] @ theta))
    mean, spread = model.predict(X[:7])  # in units of the reward: the score's variance times the link's slope squared
    assert np.allclose(mean, family.mean(X[:7] @ theta))
    assert np.allclose(spread, family.derivative(X[:7] @ theta) ** 2 * variance)


@pytest.mark.parametrize("memory", ["exact", "online"])
def test_gaussian_is_ridge_regression(memory):
    X, r = data(Gaussian())
    model, ridge = GLMModel(n_features=4, family="gaussian", memory=memory), RidgeModel(n_features=4)
    model.observe_many(X, r)
    ridge.observe_many(X, r)
    assert np.allclose(model.theta_hat, ridge.theta_hat, atol=1e-11)
    assert np.allclose(model.H, ridge.V)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("memory", ["exact", "online"])
def test_batch_and_one_by_one_agree(family, memory):
    X, r = data(family, n=60)
    batch = GLMModel(n_features=4, family=family, memory=memory)
    single = GLMModel(n_features=4, family=family, memory=memory)
    batch.observe_many(X, r)
    for x, reward in zip(X, r, strict=True):
        single.observe(x, reward)
        single.theta_hat  # noqa: B018  the estimate is kept warm on the way
    assert np.allclose(batch.theta_hat, single.theta_hat, rtol=1e-9, atol=1e-11)
    assert np.allclose(batch.H, single.H, rtol=1e-9)
    assert batch.n == single.n == 60


def test_identical_contexts_are_one_row():
    model = GLMModel(n_features=2)
    model.observe_many([[1.0, 0.0], [0.5, 0.5], [1.0, -0.0], [1.0, 0.0]], [1.0, 0.0, 0.0, 1.0])
    contexts, counts, sums = model.rows
    assert contexts.tolist() == [[1.0, 0.0], [0.5, 0.5]]
    assert counts.tolist() == [3.0, 1.0]
    assert sums.tolist() == [2.0, 0.0]
    assert (model.n, model.n_rows) == (4, 2)


def test_many_rows_are_found_again():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(700, 3))
    model = GLMModel(n_features=3)
    model.observe_many(X, np.ones(700))
    model.observe_many(X[::-1], np.zeros(700))
    contexts, counts, sums = model.rows
    assert np.array_equal(contexts, X)
    assert (counts == 2.0).all()
    assert (sums == 1.0).all()


@pytest.mark.parametrize("memory", ["exact", "online"])
def test_merge(memory):
    X, r = data(Logistic())
    whole, left, right = (GLMModel(n_features=4, memory=memory) for _ in range(3))
    whole.observe_many(X, r)
    left.observe_many(X[:70], r[:70])
    right.observe_many(X[70:], r[70:])
    left.merge(right)
    assert left.n == 120
    if memory == "exact":
        assert np.allclose(left.theta_hat, whole.theta_hat, atol=1e-10)
    else:  # all contexts are in the window still
        assert np.abs(left.theta_hat - optimum(Logistic(), X, r, 1.0)).max() < 1e-6
    with pytest.raises(InvalidInputError, match="same n_features"):
        left.merge(GLMModel(n_features=4, regularization=2.0, memory=memory))


@pytest.mark.parametrize("memory", ["exact", "online"])
def test_state_and_back(memory):
    X, r = data(Poisson(), n=90)
    model = GLMModel(n_features=4, family="poisson", memory=memory)
    model.observe_many(X, r)
    twin = GLMModel(n_features=4, family="poisson", memory=memory)
    twin.restore(model.state())
    assert np.allclose(twin.theta_hat, model.theta_hat, rtol=1e-12)
    twin.observe(X[0], 2.0)
    model.observe(X[0], 2.0)
    assert np.allclose(twin.theta_hat, model.theta_hat, rtol=1e-12)
    assert twin.n == 91
    before = model.theta_hat
    for broken in ({**model.state(), "contexts": np.zeros((2, 3))}, {**model.state(), "n": np.array(np.nan)}):
        with pytest.raises(InvalidInputError, match="state"):
            model.restore(broken)
    assert np.array_equal(model.theta_hat, before)


def test_separable_data_and_extreme_scores():
    model = GLMModel(n_features=2, regularization=1e-3)
    model.observe_many(np.tile([[1000.0, 1.0]], (500, 1)), np.ones(500))
    model.observe_many(np.tile([[-1000.0, 1.0]], (500, 1)), np.zeros(500))
    theta = model.theta_hat
    assert np.isfinite(theta).all()
    assert (model.means([[1000.0, 1.0], [-1000.0, 1.0]]) == [1.0, 0.0]).all() or np.allclose(
        model.means([[1000.0, 1.0], [-1000.0, 1.0]]), [1.0, 0.0], atol=1e-3
    )
    counts = GLMModel(n_features=1, family="poisson", regularization=1e-6)
    counts.observe([1.0], 1e6)
    z = counts.theta_hat[0]
    assert 1e6 - math.exp(z) - 1e-6 * z == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("reward", [0.0, 409.0, 500.0, 50_000.0, 1e6, 1e15])
def test_online_memory_takes_large_counts(reward):
    """Newton's method alone ended at 50.5 for a count of 500, where eᶻ + z = 500 has the solution 6.202."""
    online = GLMModel(n_features=1, family="poisson", memory="online")
    online.observe([1.0], reward)
    expected = brentq(lambda z: math.exp(z) + z - reward, -1.0, 40.0, xtol=1e-14)
    assert online.theta_hat[0] == pytest.approx(expected, rel=1e-12)
    assert online.H[0, 0] == pytest.approx(1.0 + math.exp(expected), rel=1e-11)


def test_a_reward_that_cannot_be_learnt_is_an_error_and_changes_nothing():
    broken = Custom(name="no mean", mu=lambda z: math.nan, dmu=lambda z: 1.0, potential=lambda z: 0.0)
    model = GLMModel(n_features=2, family=broken, memory="online")
    before = model.state()
    with pytest.raises(ConvergenceError, match="GLMModel was not reached with reward 2"):
        model.observe([1.0, 0.0], 2.0)
    with pytest.raises(ConvergenceError, match="GLMModel was not reached with reward 3"):
        model.observe_many([[1.0, 0.0]], [3.0])
    assert all(np.array_equal(before[name], array) for name, array in model.state().items())


def test_online_estimate_is_close_and_its_memory_constant():
    X, r = data(Logistic(), n=3000, seed=5)
    exact, online = GLMModel(n_features=4), GLMModel(n_features=4, memory="online")
    exact.observe_many(X, r)
    online.observe_many(X, r)
    assert np.abs(exact.theta_hat - online.theta_hat).max() < 0.05
    assert np.abs(exact.H_inv - online.H_inv).max() < 0.1 * np.abs(exact.H_inv).max()
    assert np.allclose(online.H @ online.H_inv, np.eye(4), atol=1e-10)
    assert online.n_rows < WINDOW
    assert sum(array.nbytes for array in online.state().values()) < 8 * (WINDOW * 6 + 2 * 16 + 16)


@pytest.mark.parametrize("memory", ["exact", "online"])
@pytest.mark.parametrize(
    ("context", "reward", "message"),
    [
        ([1.0, np.nan], 1.0, "finite|below"),
        ([1.0, 2.0, 3.0], 1.0, "shape"),
        ([1.0, 2.0], np.inf, "reward must be a finite number"),
        ([1.0, 2.0], 0.5, "0 or 1"),
        ([1e80, 2.0], 1.0, "overflow"),
    ],
)
def test_bad_input_leaves_the_state(memory, context, reward, message):
    model = GLMModel(n_features=2, memory=memory)
    model.observe([1.0, 0.5], 1.0)
    before = model.state()
    with pytest.raises(InvalidInputError, match=message):
        model.observe(context, reward)
    with pytest.raises(InvalidInputError):
        model.observe_many([[0.1, 0.2], context], [1.0, reward])
    for name, array in model.state().items():
        assert np.array_equal(array, before[name])


def test_bad_parameters():
    for arguments in ({"family": "gamma"}, {"regularization": 0.0}, {"memory": "none"}, {"n_features": 0}):
        with pytest.raises(InvalidParameterError, match=next(iter(arguments))):
            GLMModel(**{"n_features": 2, **arguments})


def test_a_family_of_ones_own_compiled_or_not():
    X, r = data(Logistic(), n=40)
    table = {}  # a function that uses a dictionary outside is beyond numba

    def looked_up(z):
        return table.setdefault(z, 1.0 / (1.0 + math.exp(-z)))

    compiled = Custom(
        name="own logistic",
        mu=lambda z: 1.0 / (1.0 + math.exp(-z)),
        dmu=lambda z: math.exp(-z) / (1.0 + math.exp(-z)) ** 2,
        potential=lambda z: math.log1p(math.exp(z)),
    )
    slow = Custom(name="slow logistic", mu=looked_up, dmu=compiled.dmu, potential=compiled.potential)
    reference = GLMModel(n_features=4)
    reference.observe_many(X, r)
    for family in (compiled, slow):
        model = GLMModel(n_features=4, family=family)
        model.observe_many(X, r)
        assert np.allclose(model.theta_hat, reference.theta_hat, atol=1e-10)
    assert table


def test_no_answer_rather_than_a_wrong_one():
    lying = Custom(name="not a derivative", mu=lambda z: math.exp(z), dmu=lambda z: 1e-9, potential=lambda z: -z)
    model = GLMModel(n_features=1, family=lying)
    model.observe([1.0], 3.0)
    with pytest.raises(ConvergenceError, match="not reached"):
        model.theta_hat  # noqa: B018
