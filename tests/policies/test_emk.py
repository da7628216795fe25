"""EMK against a general constrained optimiser, step by step, and against its promise: the set holds θ*."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import expit

from rbmle import EMK
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.models.sequential_glm import SequentialGLM
from rbmle.problems import GLMProblem


@dataclass(kw_only=True, eq=False)
class Seeing(EMK):
    """θ̂_s has seen r_s, as in the code of nick-jhlee/logistic_bandit."""

    title = ""
    predictable = False


def estimator(constrained, X, r, S, lam, seen):
    """θ̂ of the last context, made of the rewards before and of ½ in the place of its own, by SLSQP."""
    rows, sums = (X, r) if seen else (X[:-1], r[:-1])
    return constrained(np.vstack([rows, X[-1:]]), np.append(sums, 0.5), S).likeliest(2.0 * lam)[0]


@pytest.mark.parametrize("kind", [EMK, Seeing])
@pytest.mark.parametrize(("d", "S", "lam"), [(1, 0.5, 1.0), (2, 4.0, 1.0), (2, 10.0, 0.1), (4, 2.0, 3.0)])
def test_weights_and_losses_are_those_of_a_constrained_optimiser(kind, d, S, lam, coins, constrained):
    X, r, _ = coins(d, 25, S, 3)
    policy = kind(n_features=d, norm_bound=S, regularization=lam)
    weights, lost, V, slope = [], 0.0, lam * np.eye(d), expit(S) * expit(-S)
    for s, (x, reward) in enumerate(zip(X, r, strict=True)):
        policy.update(x, reward)
        V += slope * np.outer(x, x)
        weights.append(1.0 / (1.0 + 0.25 * 2.0 * lam * S**2 * x @ np.linalg.solve(V, x)))
        z = x @ estimator(constrained, X[: s + 1], r[: s + 1], S, lam, kind is Seeing)
        lost += weights[-1] * (np.logaddexp(0.0, z) - reward * z)
        assert policy.model.loss == pytest.approx(lost, rel=1e-5, abs=1e-6)
    assert policy.model.weights == pytest.approx(np.array(weights), rel=1e-12)


@pytest.mark.parametrize(("d", "n", "S"), [(1, 30, 3.0), (2, 3, 3.0), (2, 40, 10.0), (2, 200, 0.5), (5, 100, 3.0)])
def test_scores_are_those_of_a_constrained_optimiser(d, n, S, coins, constrained):
    for seed in range(2):
        X, r, rng = coins(d, n, S, seed)
        policy = EMK(n_features=d, norm_bound=S, delta=0.1)
        policy.update_many(X, r)
        arms = rng.normal(size=(5, d))
        problem = constrained(X, r, S, policy.model.weights)
        level = policy.model.loss + np.log(10.0)
        expected = [problem.highest(x, level, problem.likeliest()[0]) for x in arms]
        assert policy.scores(arms) == pytest.approx(expected, rel=1e-6, abs=1e-6)
        assert policy.choose(arms) == int(np.argmax(policy.scores(arms)))


@pytest.mark.parametrize(("seed", "trial"), [(0, 2), (0, 17), (1, 7)])
def test_points_of_the_central_path_are_found_close_to_the_edge(seed, trial, constrained):
    """Histories after which the steps from one point to the next were too bold, and a decision was refused."""
    problem = GLMProblem(np.full(5, 5**-0.5), 10)
    rounds, policy = problem.rounds(seed, trial, 0, 80), EMK(n_features=5)
    policy.play(rounds.contexts, rounds.rewards)
    weights, sums = policy.model.state()["weighted"]
    rows, _, _ = policy.model.rows
    solver = constrained(rows, sums / weights, 1.0, weights)
    level = policy.model.loss + np.log(20.0)
    expected = [solver.highest(x, level, solver.likeliest()[0]) for x in rounds.contexts[0]]
    assert policy.scores(rounds.contexts[0]) == pytest.approx(expected, rel=1e-6)


def test_a_context_seen_again_takes_no_room_and_changes_nothing(coins):
    X, r, rng = coins(2, 60, 3.0, 4)
    X[30:] = X[:30]
    policy = EMK(n_features=2, norm_bound=3.0)
    policy.update_many(X, r)
    apart = EMK(n_features=2, norm_bound=3.0)
    apart.update_many(X + 1e-13 * rng.normal(size=X.shape), r)
    assert (policy.model.n_rows, apart.model.n_rows) == (30, 60)
    arms = rng.normal(size=(4, 2))
    assert policy.scores(arms) == pytest.approx(apart.scores(arms), rel=1e-9)


def test_the_set_holds_theta_in_all_rounds_together():
    """Contexts are longer than 1, which this set, unlike others, allows. θ̂ that saw rewards break the promise."""
    rng, star, missed, trials = np.random.default_rng(6), np.array([1.2, -0.9]), np.zeros(2), 100
    for _ in range(trials):
        policies = [kind(n_features=2, norm_bound=1.5, delta=0.1, regularization=0.01) for kind in (EMK, Seeing)]
        held = np.ones(2, dtype=bool)
        for _ in range(80):
            x = 2.0 * rng.normal(size=2)
            r = float(rng.random() < expit(x @ star))
            for k, policy in enumerate(policies):
                policy.update(x, r)
                model = policy.model
                contexts, _, _ = model.rows
                weights, sums = model.state()["weighted"]
                z = contexts @ star
                held[k] &= weights @ np.logaddexp(0.0, z) - sums @ z - model.loss <= np.log(10.0)
        missed += ~held
    assert missed[0] <= 0.1 * trials
    assert missed[1] > missed[0]


def test_an_empty_set_leaves_the_likeliest(coins, constrained):
    """Rewards can be such that no θ in the ball is plausible; here the estimators are said to have lost nothing."""
    X, r, rng = coins(3, 300, 1.0, 5)
    policy, arms = EMK(n_features=3, norm_bound=1.0), rng.normal(size=(6, 3))
    policy.update_many(X, r)
    problem = constrained(X, r, 1.0, policy.model.weights)
    theta, least = problem.likeliest()
    for lost in (least - np.log(20.0) - 1e-3, 0.0):
        policy.restore({**policy.state(), "loss": np.array(lost)})
        assert policy.scores(arms) == pytest.approx(arms @ theta, abs=1e-6)
        assert policy.choose(arms) == int(np.argmax(arms @ theta))
    policy.restore({**policy.state(), "loss": np.array(least - np.log(20.0) + 1e-3)})
    expected = [problem.highest(x, least + 1e-3, theta) for x in arms]
    assert policy.scores(arms) == pytest.approx(expected, abs=1e-6)


def test_sets_on_which_steps_creep_are_solved(constrained):
    """Little weight in a large ball: the norm of the residual has minima of its own there, where no step helps."""
    rng = np.random.default_rng(0)
    u = rng.normal(size=(10, 2))
    arms = rng.uniform(size=(10, 1)) ** 0.5 * u / np.linalg.norm(u, axis=1)[:, None]
    chances = expit(9.0 * arms.sum(axis=1) / np.sqrt(2.0))
    for seed in (0, 5):
        policy = Seeing(n_features=2, norm_bound=10.0)
        policy.play(arms[None], (np.random.default_rng(seed).random((60, 1)) < chances).astype(float))
        contexts = policy.model.rows[0]
        weights, sums = policy.state()["weighted"]
        problem = constrained(contexts, sums / weights, 10.0, weights)
        level = policy.model.loss + np.log(20.0)
        expected = [problem.highest(x, level, problem.likeliest()[0]) for x in arms]
        assert policy.scores(arms) == pytest.approx(expected, rel=1e-6)


def test_merging_adds_weighted_losses(coins):
    X, r, _ = coins(3, 40, 2.0, 8)
    first, second = EMK(n_features=3, norm_bound=2.0), EMK(n_features=3, norm_bound=2.0)
    first.update_many(X[:25], r[:25])
    second.update_many(X[15:], r[15:])
    mine, theirs = dict(zip(map(bytes, X[:25]), first.model.weights, strict=True)), second.model.weights
    lost = first.model.loss + second.model.loss
    first.merge(second)
    assert (first.t, first.model.n_rows) == (51, 40)
    assert first.model.loss == pytest.approx(lost)
    for x, w in zip(X[15:], theirs, strict=True):
        mine[bytes(x)] = mine.get(bytes(x), 0.0) + w
    assert dict(zip(map(bytes, first.model.rows[0]), first.model.weights, strict=True)) == pytest.approx(mine)
    with pytest.raises(InvalidInputError, match="the same norm_bound"):
        first.merge(EMK(n_features=3, norm_bound=3.0))
    with pytest.raises(InvalidInputError, match="the same norm_bound, regularization and predictable"):
        first.model.merge(SequentialGLM(n_features=3, norm_bound=2.0, predictable=False))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weighted": np.ones((2, 3))}, "shape"),
        ({"weighted": -np.ones((2, 2))}, "from 0 to the count"),
        ({"weighted": np.array([[3.0, 0.1], [0.0, 0.0]])}, "from 0 to the count"),
        ({"weighted": np.array([[0.5, 0.5], [0.6, 0.0]])}, "from 0 to the weight"),
        ({"loss": np.array(-1.0)}, "at least 0"),
        ({"loss": np.array(np.nan)}, "finite"),
    ],
)
def test_a_state_that_cannot_be_is_refused(change, words):
    policy = EMK(n_features=2)
    policy.update_many([[1.0, 0.0], [0.0, 1.0]], [1.0, 0.0])
    before = policy.state()
    with pytest.raises(InvalidInputError, match=words):
        policy.restore({**before, **change})
    for name, array in policy.state().items():
        np.testing.assert_array_equal(array, before[name])


def test_only_the_logistic_family_has_a_place():
    with pytest.raises(InvalidParameterError, match="'family' parameter of EMK must be 'logistic'"):
        EMK(n_features=2, family="poisson")
