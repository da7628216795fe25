"""UCBGLM against general optimisers, dense algebra, and linear programs that decide whether its estimate exists."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from rbmle import UCBGLM
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.families import Custom, Family, Logistic, get
from rbmle.problems import GLMProblem
from rbmle.simulation import simulate
from rbmle.testing import check_policy


def estimated(X: np.ndarray, r: np.ndarray, family: Family, ridge: float) -> np.ndarray:
    """The (regularised) maximum-likelihood estimate by a general optimiser."""
    d = X.shape[1]

    def gradient(theta):
        return X.T @ (family.mean(X @ theta) - r) + ridge * theta

    def hessian(theta):
        return (X.T * family.derivative(X @ theta)) @ X + ridge * np.eye(d)

    def value(theta):
        return -family.log_likelihood(X @ theta, r).sum() + 0.5 * ridge * theta @ theta

    found = minimize(value, np.zeros(d), jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-10})
    return found.x - np.linalg.solve(hessian(found.x), gradient(found.x))


def index(policy: UCBGLM, theta: np.ndarray, V: np.ndarray, arms: np.ndarray) -> np.ndarray:
    return arms @ theta + policy.chi * np.sqrt(np.einsum("ki,ij,kj->k", arms, np.linalg.inv(V), arms))


@pytest.mark.parametrize("n_features", [3, 14])
@pytest.mark.parametrize(
    "options", [{}, {"regularization": 1.0, "sigma": 1.0, "fallback": 1e-14}, {"family": "poisson", "tau": 20}]
)
def test_passes_the_shipped_checks(n_features: int, options: dict[str, object]) -> None:
    check_policy(UCBGLM(n_features=n_features, horizon=200, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("regularization", [0.0, 1.0])
@pytest.mark.parametrize("family", ["logistic", "poisson", "gaussian", Logistic().extended(1.0)])
def test_the_index(family: str, regularization: float) -> None:
    problem = GLMProblem((0.6, -0.9, 0.3, 0.2), 8, family, static=False)
    for seed, n in enumerate((40, 300, 1500)):
        block = problem.rounds(seed, 0, 0, n)
        X, r = block.contexts[:, 0], block.rewards[:, 0]
        policy = UCBGLM(n_features=4, family=family, horizon=1000, regularization=regularization)
        policy.update_many(X, r)
        arms = block.contexts[0]
        assert policy.estimate_exists
        theta, V = estimated(X, r, get(family), 0.0), regularization * np.eye(4) + X.T @ X
        np.testing.assert_allclose(policy.scores(arms), index(policy, theta, V, arms), rtol=1e-8)
        assert policy.choose(arms) == np.argmax(policy.scores(arms))


def exists(X: np.ndarray, r: np.ndarray, family: str) -> bool:
    """Whether a maximum-likelihood estimate exists and is unique, by linear programming (Albert & Anderson 1984).

    It does unless some direction never lowers the likelihood: for 0/1 rewards y xᵀβ ≥ 0 in all rows, for counts xᵀβ = 0
    where r > 0 and xᵀβ ≤ 0 elsewhere. A direction that changes nothing at all shows as a rank below d.
    """
    if np.linalg.matrix_rank(X) < X.shape[1]:
        return False
    if family == "logistic":
        Z = (2.0 * r - 1.0)[:, None] * X
        found = linprog(-Z.sum(axis=0), A_ub=-Z, b_ub=np.zeros(len(Z)), bounds=(-1, 1))
        return bool(-found.fun < 1e-9)
    zero, some = X[r == 0], X[r > 0]
    equal = {"A_eq": some, "b_eq": np.zeros(len(some))} if len(some) else {}
    below = {"A_ub": zero, "b_ub": np.zeros(len(zero))} if len(zero) else {}
    if not len(zero):
        return True
    found = linprog(zero.sum(axis=0), bounds=(-1, 1), **equal, **below)
    return bool(-found.fun < 1e-9)


@pytest.mark.parametrize("family", ["logistic", "poisson"])
def test_existence_is_what_linear_programs_say(family: str) -> None:
    rng, answers = np.random.default_rng(3), []
    for case in range(150):
        d = int(rng.integers(1, 5))
        n = int(rng.integers(1, 8 * d + 2))
        X = rng.standard_normal((n, d)) if case % 3 else rng.integers(-1, 2, (n, d)).astype(float)
        size = 3.0 if family == "logistic" else 1.0
        r = get(family).sample(rng, X @ rng.standard_normal(d) * size - (family == "poisson"))
        policy = UCBGLM(n_features=d, horizon=100, family=family)
        policy.update_many(X, r)
        answers.append(exists(X, r, family))
        assert policy.estimate_exists == answers[-1], (X, r)
    assert 30 < sum(answers) < 120


def test_while_no_estimate_exists_a_ridge_stands_in() -> None:
    X, arms = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), np.eye(3)
    r = np.array([1.0, 0.0, 1.0])
    for regularization in (0.0, 3.0):
        policy = UCBGLM(n_features=3, horizon=100, tau=0, regularization=regularization)
        policy.update_many(X, r)
        assert not policy.estimate_exists
        theta, V = estimated(X, r, Logistic(), 1.0), (regularization or 1.0) * np.eye(3) + X.T @ X
        np.testing.assert_allclose(policy.scores(arms), index(policy, theta, V, arms), rtol=1e-9)
    fresh = UCBGLM(n_features=3, horizon=100, tau=0)
    assert not fresh.estimate_exists
    np.testing.assert_allclose(fresh.scores(arms), fresh.chi)


def test_a_streak_of_bad_luck_does_not_end_an_arm() -> None:
    """One zero from the better arm: the estimate would be −∞, and a run-away estimate never tries it again."""
    rewards = (np.random.default_rng(0).random((2000, 2)) < [0.9, 0.2]).astype(float)
    for fallback, tries in ((1.0, True), (1e-14, False)):
        policy = UCBGLM(n_features=2, horizon=2000, tau=0, kappa=0.25, fallback=fallback)
        policy.update_many([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [0.0, 1.0, 0.0])
        arms = policy.fix_arms(np.eye(2)).play(rewards)
        assert ((arms == 0).mean() > 0.9) == tries


def test_arms_that_never_span_the_space_are_still_told_apart() -> None:
    rewards = (np.random.default_rng(1).random((1000, 2)) < [0.2, 0.8]).astype(float)
    policy = UCBGLM(n_features=4, horizon=1000)
    arms = policy.fix_arms(np.eye(4)[:2]).play(rewards)
    assert not policy.estimate_exists
    assert (arms[500:] == 1).mean() > 0.75


def test_the_first_rounds_are_random() -> None:
    X = np.eye(3)
    policy = UCBGLM(n_features=3, horizon=100)
    for t in range(1, 6):
        assert (policy.probabilities(contexts).max() < 1.0) == (t <= 3)
        assert policy.probabilities(X).max() == (1 / 3 if t <= 3 else 1.0)
        policy.update(X[0], float(t % 2))
    assert policy.fix_arms(X).probabilities().tolist() == policy.probabilities(X).tolist()
    long = UCBGLM(n_features=3, horizon=100, tau=3000)
    arms = long.fix_arms(X).play(np.ones((3000, 3)))
    assert np.bincount(arms).min() > 900
    eager = UCBGLM(n_features=3, horizon=100, tau=0)
    assert {eager.choose(X) for _ in range(20)} == {0}


def test_the_weight_of_the_width() -> None:
    published = UCBGLM(n_features=5, horizon=1000, sigma=1.0, kappa=0.1, delta=0.1)
    assert published.chi == pytest.approx(10.0 * math.sqrt(2.5 * math.log(401.0) + math.log(10.0)), rel=1e-14)
    default = UCBGLM(n_features=5, horizon=1000)
    assert default.chi == pytest.approx(0.5 * published.chi, rel=1e-14)
    assert UCBGLM(n_features=5, horizon=1000, family=Logistic().extended(2.0)).chi == default.chi
    assert UCBGLM(n_features=5, horizon=1000, family="gaussian").chi == pytest.approx(published.chi, rel=1e-14)


def test_a_family_of_your_own_without_known_concordance() -> None:
    own = Custom(
        name="cubic", mu=lambda z: z + z**3, dmu=lambda z: 1.0 + 3.0 * z**2, potential=lambda z: z**2 / 2 + z**4 / 4
    )
    rng = np.random.default_rng(5)
    X, r = rng.standard_normal((50, 3)), rng.standard_normal(50)
    policy = UCBGLM(n_features=3, horizon=100, family=own)
    assert not policy.estimate_exists
    policy.update_many(X, r)
    assert policy.estimate_exists
    np.testing.assert_allclose(
        policy.scores(X[:5]), index(policy, estimated(X, r, own, 0.0), X.T @ X, X[:5]), rtol=1e-7
    )


@pytest.mark.parametrize(("family", "bad", "words"), [("logistic", 0.5, "0 or 1"), ("poisson", -1.0, "whole number")])
def test_rewards_outside_the_support_are_refused(family: str, bad: float, words: str) -> None:
    policy = UCBGLM(n_features=2, horizon=10, family=family)
    before = policy.state()
    with pytest.raises(InvalidInputError, match=words):
        policy.update([1.0, 0.0], bad)
    with pytest.raises(InvalidInputError, match=words):
        policy.fix_arms(np.eye(2)).update(0, bad)
    with pytest.raises(InvalidInputError, match=words):
        policy.fix_arms(np.eye(2)).play(np.array([[1.0, bad]]))
    assert all(np.array_equal(array, before[name]) for name, array in policy.state().items())


def test_bad_parameters() -> None:
    for name, bad in (("kappa", 0.0), ("sigma", -1.0), ("delta", 0.0), ("tau", -1), ("fallback", 0.0), ("family", "?")):
        with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of UCBGLM"):
            UCBGLM(**{"n_features": 2, "horizon": 10, name: bad})  # type: ignore[arg-type]


def test_learns() -> None:
    policies = {"ucb": UCBGLM(n_features=3, horizon=2000), "random": UCBGLM(n_features=3, horizon=2000, tau=2000)}
    results = simulate(policies, GLMProblem((1.5, -2.0, 1.0), 10), horizon=2000, trials=5)
    assert results.final_regret("ucb").mean() < 0.3 * results.final_regret("random").mean()
