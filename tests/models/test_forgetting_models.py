"""Models that forget, against dense algebra and an optimiser on the whole history with its weights written out."""

import copy

import numpy as np
import pytest
from scipy.optimize import minimize

from rbmle import Discount, Window
from rbmle.errors import InvalidInputError, InvalidParameterError, NotMergeableError
from rbmle.models import ForgettingGLM, ForgettingRidge, GLMModel, RidgeModel
from rbmle.testing import check_model

LAWS = (Discount(0.97), Discount(0.97, sandwich=True), Discount(0.3, sandwich=True), Window(1), Window(7), Window(100))
EXACT_LAWS = (Discount(0.95), Window(15))


def name_of(value):
    return repr(value) if isinstance(value, Discount | Window) else None


def weights_of(law, n):
    """w_1 … w_n, written out."""
    if isinstance(law, Discount):
        return np.array([law.gamma ** (n - s) for s in range(1, n + 1)])
    return np.array([float(s > n - law.length) for s in range(1, n + 1)])


def data(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.standard_normal(n)


@pytest.mark.parametrize("law", LAWS, ids=name_of)
@pytest.mark.parametrize("d", [1, 3, 13])
@pytest.mark.parametrize("n", [1, 6, 1500])
def test_ridge_is_the_weighted_sum(law, d, n):
    """V, V⁻¹, b, θ̂, the determinant, n_effective and the sandwich; across refreshes of the inverse."""
    (X, r), lam = data(n, d), 0.7
    model = ForgettingRidge(n_features=d, regularization=lam, forgetting=law)
    model.observe_many(X, r)
    w = weights_of(law, n)
    V, b = np.diag(model.prior) + (X.T * w) @ X, (X.T * w) @ r
    V_inv = np.linalg.inv(V)
    for found, expected in (
        (model.V, V),
        (model.b, b),
        (model.V_inv, V_inv),
        (model.theta_hat, V_inv @ b),
        (model.log_det, np.linalg.slogdet(V / lam)[1]),
        (model.n_effective, w.sum()),
        (law.squares(np.array([float(n)])), [np.sum(w**2)]),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    spread = V_inv
    if isinstance(law, Discount) and law.sandwich:
        spread = V_inv @ (np.diag(model.prior**2 / lam) + (X.T * w**2) @ X) @ V_inv
    arms, _ = data(4, d, seed=1)
    mean, variance = model.predict(arms)
    np.testing.assert_allclose(mean, arms @ V_inv @ b, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(variance, np.einsum("ki,ij,kj->k", arms, spread, arms), rtol=1e-9, atol=1e-11)


def test_one_feature_is_russacs_recursion_to_the_digit():
    """V ← γV + x² + (1 − γ)λ and Ṽ ← γ²Ṽ + x² + (1 − γ²)λ: with one feature the prior comes back with every reward."""
    (X, r), lam, gamma = data(300, 1), 0.1, 0.9
    model = ForgettingRidge(n_features=1, regularization=lam, forgetting=Discount(gamma, sandwich=True))
    V, squares, b = lam, lam, 0.0
    for x, y in zip(X[:, 0], r, strict=True):
        model.observe([x], y)
        V = gamma * V + x * x + (1 - gamma) * lam
        squares = gamma**2 * squares + x * x + (1 - gamma**2) * lam
        b = gamma * b + y * x
        np.testing.assert_allclose(
            [model.V.item(), model.spread.item(), model.theta_hat.item()], [V, squares / V**2, b / V], rtol=1e-11
        )


@pytest.mark.parametrize("gamma", [0.999, 0.9, 0.5, 0.01])
def test_the_prior_never_falls_below_half_while_it_waits(gamma):
    model = ForgettingRidge(n_features=12, regularization=2.0, forgetting=Discount(gamma))
    X, r = data(100, 12)
    least = 2.0
    for x, y in zip(X, r, strict=True):
        model.observe(x, y)
        least = min(least, model.prior.min())
        assert model.prior.max() <= 2.0
    assert (least + 1e-12 >= 1.0 and least >= 2.0 * min(gamma**11, 1.0) * (1 - 1e-12)) or gamma < 0.9


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_long_runs_keep_the_inverse(law):
    """20 000 rewards in one direction and then another, d = 5: what an unregularised filter blows up at."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 5)) * [1.0, 1e-3, 10.0, 1.0, 1.0]
    X[:10_000, 3:] = 0.0
    model = ForgettingRidge(n_features=5, forgetting=law)
    model.observe_many(X, rng.standard_normal(20_000))
    assert np.abs(model.V @ model.V_inv - np.eye(5)).max() < 1e-8


def test_a_huge_context_leaves_no_trace_in_a_window():
    X, r = data(40, 3)
    X[5] *= 1e8
    model, clean = (ForgettingRidge(n_features=3, forgetting=Window(10)) for _ in range(2))
    model.observe_many(X, r)
    clean.observe_many(X[6:], r[6:])
    np.testing.assert_allclose(model.theta_hat, clean.theta_hat, rtol=1e-9)
    np.testing.assert_allclose(model.V_inv, clean.V_inv, rtol=1e-9)


def test_rewards_age_in_the_order_of_arrival():
    """A reward that comes late counts as new: what matters is when it is learnt."""
    X, r = data(20, 2)
    late = np.r_[1:20, 0]
    model, other = (ForgettingRidge(n_features=2, forgetting=Discount(0.8)) for _ in range(2))
    model.observe_many(X[late], r[late])
    w = weights_of(Discount(0.8), 20)
    np.testing.assert_allclose(model.b, (X[late].T * w) @ r[late], rtol=1e-12)
    other.observe_many(X, r)
    assert np.abs(model.b - other.b).max() > 0.1


@pytest.mark.parametrize("law", EXACT_LAWS, ids=name_of)
@pytest.mark.parametrize("family", ["logistic", "poisson", "gaussian"])
def test_generalized_estimates_are_those_of_the_weighted_likelihood(law, family):
    """θ̂ by a general optimiser, where contexts repeat, then never do, then repeat again; 600 rewards."""
    rng, n = np.random.default_rng(3), 600
    few = 0.7 * rng.standard_normal((5, 3))
    X = few[rng.integers(5, size=n)]
    X[200:400] = 0.7 * rng.standard_normal((200, 3))
    r = {"logistic": rng.random(n) < 0.4, "poisson": rng.poisson(1.0, n), "gaussian": rng.standard_normal(n)}[family]
    r = r.astype(np.float64)
    model = ForgettingGLM(n_features=3, family=family, regularization=0.5, forgetting=law)
    one_by_one = copy.deepcopy(model)
    b = {"logistic": lambda z: np.logaddexp(0, z), "poisson": np.exp, "gaussian": lambda z: z**2 / 2}[family]
    mean = {"logistic": lambda z: 1 / (1 + np.exp(-z)), "poisson": np.exp, "gaussian": lambda z: z}[family]
    start = 0
    for stop in (1, 50, 256, 300, 512, 600):
        model.observe_many(X[start:stop], r[start:stop])
        for x, y in zip(X[start:stop], r[start:stop], strict=True):
            one_by_one.observe(x, y)
        start, w = stop, weights_of(law, stop)
        seen, rewards = X[:stop], r[:stop]

        def loss(theta, seen=seen, rewards=rewards, w=w):
            z = seen @ theta
            return w @ (b(z) - rewards * z) + 0.25 * theta @ theta, seen.T @ (w * (mean(z) - rewards)) + 0.5 * theta

        found = minimize(loss, np.zeros(3), jac=True, method="BFGS", options={"gtol": 1e-9})
        np.testing.assert_allclose(model.theta_hat, found.x, atol=1e-7)
        np.testing.assert_allclose(model.n_effective, w.sum(), rtol=1e-12)
        np.testing.assert_allclose(model.squares, w @ rewards**2, rtol=1e-9, atol=1e-9)
        for name, array in model.state().items():
            np.testing.assert_array_equal(array, one_by_one.state()[name])


def test_memory_is_bounded_where_contexts_never_repeat():
    """Rows that weigh nothing go: log(1e-9)/log(0.95) = 404 are left, and those of the last 256 rewards."""
    X, _ = data(5000, 3)
    faded = ForgettingGLM(n_features=3, family="gaussian", forgetting=Discount(0.95))
    moved = ForgettingGLM(n_features=3, family="gaussian", forgetting=Window(30))
    for model in (faded, moved):
        for start in range(0, 5000, 100):
            model.observe_many(X[start : start + 100], np.zeros(100))
    assert 404 <= faded.n_rows <= 404 + 256 and moved.n_rows == 30
    assert faded.n == moved.n == 5000


@pytest.mark.parametrize("law", (*LAWS[:2], Window(15)), ids=name_of)
def test_ridge_models_pass_the_checks_of_models(law):
    check_model(lambda: ForgettingRidge(n_features=3, forgetting=law))


@pytest.mark.parametrize("law", EXACT_LAWS, ids=name_of)
def test_generalized_models_pass_the_checks_of_models(law):
    check_model(lambda: ForgettingGLM(n_features=3, forgetting=law))


def test_merging_is_refused_with_a_reason():
    for cls in (ForgettingRidge, ForgettingGLM):
        one, other = (cls(n_features=2, forgetting=Window(5)) for _ in range(2))
        with pytest.raises(NotMergeableError, match="no common order"):
            one.merge(other)


def test_without_forgetting_all_rewards_count():
    X, r = data(9, 2)
    for model in (RidgeModel(n_features=2), GLMModel(n_features=2, family="gaussian")):
        model.observe_many(X, r)
        assert model.n_effective == model.n == 9


def test_the_theorems_choices():
    """γ = 1 − (B_T/(dT))^⅔ and τ = (dT/B_T)^⅔: Russac's abrupt problem, T = 6000, d = 2, B_T = 4 + √2."""
    known = {"n_features": 2, "horizon": 6000, "variation": 4 + np.sqrt(2)}
    assert Discount.theory(**known).gamma == pytest.approx(1 - ((4 + np.sqrt(2)) / 12000) ** (2 / 3), rel=1e-12)
    assert Window.theory(**known).length == int((12000 / (4 + np.sqrt(2))) ** (2 / 3))
    assert Discount.theory(**known, sandwich=True).sandwich


@pytest.mark.parametrize(
    "make, match",
    [
        (lambda: Discount(1.0), r"'gamma' parameter of Discount must be a float in \(0, 1\). Got 1.0"),
        (lambda: Discount("fast"), "'gamma' parameter of Discount"),
        (lambda: Discount(0.9, sandwich=1), "'sandwich' parameter of Discount must be True or False"),
        (lambda: Window(0), "'length' parameter of Window"),
        (lambda: Window(2.5), "'length' parameter of Window"),
        (lambda: ForgettingRidge(n_features=2, forgetting=0.9), "'forgetting' parameter of ForgettingRidge"),
        (lambda: ForgettingGLM(n_features=2, forgetting=0.9), "'forgetting' parameter of ForgettingGLM"),
        (lambda: Discount.theory(n_features=2, horizon=10, variation=0.0), "'variation' parameter of Discount.theory"),
    ],
)
def test_what_cannot_be_is_refused(make, match):
    with pytest.raises(InvalidParameterError, match=match):
        make()


def test_states_of_another_window_are_refused():
    model = ForgettingRidge(n_features=2, forgetting=Window(3))
    model.observe_many(*data(5, 2))
    state = model.state()
    for name, value in (
        ("window_rewards", state["window_rewards"][:2]),
        ("prior", np.full(2, 5.0)),
    ):
        rest = state | {name: value}
        if name == "window_rewards":
            rest["window_contexts"] = state["window_contexts"][:2]
        with pytest.raises(InvalidInputError, match=name):
            model.restore(rest)
    for name, large in (("window_contexts", 1e71), ("window_rewards", 1e141)):
        with pytest.raises(InvalidInputError, match="squares overflow"):
            model.restore(state | {name: np.full_like(state[name], large)})
    other = ForgettingGLM(n_features=2, forgetting=Window(3))
    other.observe_many(data(5, 2)[0], np.ones(5))
    with pytest.raises(InvalidInputError, match="window_rows"):
        other.restore(other.state() | {"window_rows": np.zeros(3)})
    with pytest.raises(InvalidInputError, match="counts"):
        other.restore(other.state() | {"counts": np.array([1.0, 1.0, 9.0])})
    equal = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0]])  # the first two are one row, and all rows after it others
    with pytest.raises(InvalidInputError, match="must be distinct"):
        other.restore(other.state() | {"contexts": equal})
