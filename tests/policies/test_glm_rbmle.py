import math

import numpy as np
import pytest
from scipy.optimize import minimize

from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.families import Custom, Gaussian, Logistic, Poisson
from rbmle.paper.data import prepared
from rbmle.paper.published import PublishedGLMRBMLE
from rbmle.paper.settings import GLM
from rbmle.policies.glm_rbmle import GLMRBMLE
from rbmle.policies.lin_rbmle import LinRBMLE
from rbmle.schedules import Constant, OnePlusLog, Sqrt

FAMILIES = [Gaussian(), Logistic(), Poisson(), Logistic().extended(1.0), Poisson().extended(1.5)]


def unit(rng, *shape):
    X = rng.normal(size=shape)
    return X / np.linalg.norm(X, axis=-1, keepdims=True)


def learnt(rng, family, n, d, **arguments):
    """A policy that has learnt n random rewards, some contexts more than once, with what it has learnt."""
    policy = GLMRBMLE(n_features=d, family=family, **arguments)
    X = unit(rng, max(n, 1), d)[rng.integers(0, max(1, n // 2 + 1), size=n)]
    r = np.asarray(family.sample(rng, X @ (unit(rng, d) * 1.5)))
    if n:
        policy.update_many(X, r)
    return policy, X, r


def reference_index(family, X, r, lam, alpha, eta, x):
    """The paper's index by a general optimiser and the sums as written."""

    def loss(theta):
        return 0.5 * lam * theta @ theta - family.log_likelihood(X @ theta, r).sum() - alpha * theta @ x

    def slope(theta):
        return lam * theta - X.T @ (r - family.mean(X @ theta)) - alpha * x

    theta = minimize(loss, np.zeros(len(x)), jac=slope, method="BFGS", options={"gtol": 1e-7, "maxiter": 2000}).x
    for _ in range(3):  # polish: the optimiser stops at the noise of its line search
        H = (X * family.derivative(X @ theta)[:, None]).T @ X + lam * np.eye(len(x))
        theta = theta - np.linalg.solve(H, slope(theta))
    likelihood = family.log_likelihood(X @ theta, r).sum()
    return likelihood + eta * alpha * theta @ x - 0.5 * lam * theta @ theta, np.abs(slope(theta)).max()


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_scores_equal_a_general_optimisers(family):
    rng = np.random.default_rng(11)
    for n, d, lam in ((0, 2, 1.0), (1, 1, 1.0), (30, 3, 0.2), (200, 6, 1.0), (60, 12, 5.0)):
        policy, X, r = learnt(rng, family, n, d, regularization=lam)
        contexts = unit(rng, 4, d)
        alpha, eta = math.sqrt(n + 1), 1.0 + math.log(n + 1)
        scores, theta = policy.solve(contexts)
        for a, x in enumerate(contexts):
            want, _ = reference_index(family, X, r, lam, alpha, eta, x)
            assert scores[a] == pytest.approx(want, rel=1e-8)
            gradient = X.T @ (r - family.mean(X @ theta[a])) - lam * theta[a] + alpha * x
            terms = np.abs(X).T @ (np.abs(r) + np.abs(family.mean(X @ theta[a]))) + lam * np.abs(theta[a])
            assert (np.abs(gradient) <= 1e-9 * (terms + alpha * np.abs(x)) + 1e-13).all()


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_the_arm_played_is_the_argmax_of_the_solved_index(family):
    """420 random decisions a family, 2100 in all, through the general path and, for a part, that of fixed arms."""
    rng = np.random.default_rng(sum(map(ord, repr(family))))
    for k in range(420):
        d = int(rng.integers(1, 21 if k % 10 == 0 else 7))
        n = int(rng.choice([0, 1, 3, 10, 40, 150] if k % 20 else [500, 2000]))
        arms = int(rng.choice([2, 5, 20] if k % 30 else [200]))
        lam = float(rng.choice([0.1, 1.0, 10.0]))
        boost = Constant(1.0) if k % 4 == 0 else OnePlusLog()
        policy, _, _ = learnt(
            rng, family, n, d, regularization=lam, bias=Sqrt(float(rng.choice([0.3, 1.0, 3.0]))), boost=boost
        )
        contexts = unit(rng, arms, d) * rng.choice([0.3, 1.0, 2.0])
        if k % 5 == 0:
            contexts[-1] = contexts[0]
        best = int(np.argmax(policy.scores(contexts)))
        assert policy.choose(contexts) == best
        assert 0 <= policy.arms_solved <= arms
        if k % 3 == 0:
            fixed = policy.fix_arms(contexts)
            assert fixed.choose() == best
            for _ in range(3):
                arm = int(rng.integers(arms))
                fixed.update(arm, float(family.sample(rng, 0.3)))
                assert fixed.choose() == int(np.argmax(policy.scores(contexts)))


@pytest.mark.parametrize("memory", ["exact", "online"])
def test_gaussian_without_boost_is_lin_rbmle(memory):
    rng = np.random.default_rng(2)
    for lam in (0.3, 1.0, 4.0):
        glm = GLMRBMLE(n_features=4, family="gaussian", boost=Constant(1.0), regularization=lam, memory=memory)
        linear = LinRBMLE(n_features=4, regularization=lam)
        for t in range(1, 40):
            contexts = rng.normal(size=(6, 4))
            index = linear.scores(contexts)
            mine = glm.scores(contexts) / math.sqrt(t)
            assert np.allclose(mine - mine[0], index - index[0], atol=1e-9)
            arm = glm.choose(contexts)
            assert arm == linear.choose(contexts)
            reward = float(rng.normal())
            glm.update(contexts[arm], reward)
            linear.update(contexts[arm], reward)
        if memory == "exact":
            assert glm.arms_solved <= 2


def simulated(family, T, K, d, seed, static):
    rng = np.random.default_rng(seed)
    X = unit(rng, 1 if static else T, K, d)
    theta = unit(rng, d)
    return X, family.sample(rng, np.broadcast_to(X @ theta, (T, K)))


@pytest.mark.parametrize("family", [Logistic(), Poisson(), Logistic().extended(2.0)], ids=repr)
@pytest.mark.parametrize("memory", ["exact", "online"])
def test_all_paths_play_the_same_arms(family, memory):
    for static in (True, False):
        X, rewards = simulated(family, 120, 7, 4, 3, static)
        live, played = (GLMRBMLE(n_features=4, family=family, memory=memory) for _ in range(2))
        arms = []
        for t in range(120):
            contexts = X[0] if static else X[t]
            arms.append(live.choose(contexts))
            live.update(contexts[arms[-1]], rewards[t, arms[-1]])
        if static:
            fixed = played.fix_arms(X[0])
            got = np.concatenate([fixed.play(rewards[:50]), fixed.play(rewards[50:])])
        else:
            got = np.concatenate([played.play(X[:50], rewards[:50]), played.play(X[50:], rewards[50:])])
        assert got.tolist() == arms
        assert np.allclose(live.model.theta_hat, played.model.theta_hat, atol=1e-9)
        assert live.t == played.t == 121


def test_fixed_arms_notice_what_is_learnt_behind_their_back():
    rng = np.random.default_rng(8)
    X = unit(rng, 9, 4)
    policy = GLMRBMLE(n_features=4)
    fixed = policy.fix_arms(X)
    for t in range(60):
        best = int(np.argmax(policy.scores(X)))
        assert fixed.choose() == best
        assert fixed.probabilities()[best] == 1.0
        assert np.array_equal(fixed.scores(), policy.scores(X))
        if t % 5 == 0:
            policy.update(unit(rng, 4), 1.0)
        elif t % 7 == 0:
            policy.merge(policy.copy())
        else:
            fixed.update(int(rng.integers(9)), float(rng.integers(2)))
    with pytest.raises(InvalidInputError, match="arm must be"):
        fixed.update(9, 1.0)
    with pytest.raises(InvalidInputError, match="0 or 1"):
        fixed.update(0, 0.5)
    with pytest.raises(InvalidInputError, match="1e70"):
        policy.fix_arms([[1e80, 0.0, 0.0, 0.0]])


def test_equal_arms_are_played_by_number():
    policy = GLMRBMLE(n_features=3)
    contexts = np.tile(np.eye(3)[0], (5, 1))
    for _ in range(10):
        assert policy.choose(contexts) == policy.fix_arms(contexts).choose() == 0
        policy.update(contexts[0], 1.0)


def test_the_published_index_uses_the_gaussian_surrogate():
    rng = np.random.default_rng(5)
    X, r = unit(rng, 30, 3), rng.integers(0, 2, 30).astype(float)
    policy = PublishedGLMRBMLE(n_features=3)
    policy.update_many(X, r)
    contexts = unit(rng, 6, 3)
    scores, theta = policy.solve(contexts)
    alpha, eta = math.sqrt(31), 1.0 + math.log(31)
    for a, x in enumerate(contexts):
        score = X.T @ (r - Logistic().mean(X @ theta[a])) - theta[a] + alpha * x
        assert np.abs(score).max() < 1e-9
        want = -0.5 * ((X @ theta[a] - r) ** 2).sum() + eta * alpha * theta[a] @ x - 0.5 * theta[a] @ theta[a]
        assert scores[a] == pytest.approx(want, rel=1e-9)
    assert policy.choose(contexts) == np.argmax(scores)
    assert policy.arms_solved == 6
    C, rewards = simulated(Logistic(), 15, 4, 3, 1, static=True)
    one, two = (PublishedGLMRBMLE(n_features=3) for _ in range(2))
    assert one.fix_arms(C[0]).play(rewards).tolist() == two.play(np.repeat(C, 15, axis=0), rewards).tolist()
    with pytest.raises(InvalidParameterError, match="memory"):
        PublishedGLMRBMLE(n_features=3, memory="online")


def test_few_arms_are_solved_late_in_a_run():
    X, rewards = simulated(Logistic(), 1500, 10, 3, 4, static=True)
    policy = GLMRBMLE(n_features=3)
    fixed = policy.fix_arms(X[0])
    fixed.play(rewards)
    solved = []
    for row in rewards[:50]:
        arm = fixed.choose()
        solved.append(policy.arms_solved)
        fixed.update(arm, row[arm])
    assert np.mean(solved) < 3


@pytest.mark.parametrize(("dims", "runs"), [((2, 5), 20), ((12, 20), 5)], ids=["expansion", "gradients"])
def test_arms_that_tie_where_directions_are_hardly_known(dims, runs):
    """Long rows in a subspace: whitened numbers lose half of their digits, and bounds must allow for that."""
    rng = np.random.default_rng(21)
    for lam in [1.0] * runs + [0.01] * (runs // 4):
        d = int(rng.integers(*dims))
        known = int(rng.integers(1, d))
        U = np.linalg.qr(rng.normal(size=(d, d)))[0]
        X = 100.0 * rng.normal(size=(1000, known)) / math.sqrt(known) @ U[:known]
        policy = GLMRBMLE(n_features=d, regularization=lam)
        policy.update_many(X, Logistic().sample(rng, X @ U[0] * 0.003))
        inside = rng.normal(size=(24, known)) / math.sqrt(known) @ U[:known]
        outside = rng.normal(size=(24, d - known)) @ U[known:] * 10.0 ** rng.uniform(-3.0, 0.0, size=(24, 1))
        contexts = 50.0 * inside + 70.0 * outside
        target = np.median(policy.scores(contexts))
        low, high = np.zeros(24), np.full(24, 100.0)
        for _ in range(45):  # scale every arm until its index is about the median's
            middle = 0.5 * (low + high)
            above = policy.scores(middle[:, None] * contexts) > target
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        tied = high[:, None] * contexts
        for last in range(3, 25):
            assert policy.choose(tied[:last]) == int(np.argmax(policy.scores(tied[:last])))


@pytest.mark.parametrize("seed", [45, 210, 983, 1236, 1, 2, 3])
def test_long_arms_across_all_rows(seed):
    """Every product with a row is rounding here; that of fifth order came out negative and made bounds too close."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0.0, math.pi)
    along, across = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
    X = rng.normal(size=(100, 1)) * along
    policy = GLMRBMLE(n_features=2)
    policy.update_many(X, (rng.random(100) < 1.0 / (1.0 + np.exp(-X @ along))).astype(float))
    contexts = 200.0 * across * (1.0 + 1e-6 * rng.normal(size=(40, 1))) + 1e-3 * rng.normal(size=(40, 1)) * along
    assert policy.choose(contexts) == int(np.argmax(policy.scores(contexts)))


def test_few_of_many_arms_are_solved_with_a_history_of_its_own_play():
    """Its own play leaves directions nearly unknown, where θ̄ lies far from θ̂: the hardest case for bounds."""
    X, rewards = simulated(Logistic(), 900, 200, 4, 6, static=False)
    policy = GLMRBMLE(n_features=4)
    policy.play(X[:860], rewards[:860])
    solved = []
    for contexts in X[860:]:
        assert policy.choose(contexts) == int(np.argmax(policy.scores(contexts)))
        policy.choose(contexts)
        solved.append(policy.arms_solved)
    assert np.mean(solved) < 5


def test_a_family_of_ones_own_is_solved_in_full_or_pruned():
    def own(constant):
        return Custom(
            name="own",
            mu=lambda z: 1.0 / (1.0 + math.exp(-z)),
            dmu=lambda z: math.exp(-z) / (1.0 + math.exp(-z)) ** 2,
            potential=lambda z: math.log1p(math.exp(z)),
            self_concordance=constant,
        )

    X, rewards = simulated(Logistic(), 40, 5, 3, 6, static=False)
    want = GLMRBMLE(n_features=3).play(X, rewards).tolist()
    for family in (own(None), own(1.0)):
        policy = GLMRBMLE(n_features=3, family=family)
        assert policy.play(X, rewards).tolist() == want
    fixed = GLMRBMLE(n_features=3, family=own(None)).fix_arms(X[0])
    assert fixed.play(rewards).tolist() == GLMRBMLE(n_features=3).fix_arms(X[0]).play(rewards).tolist()


@pytest.mark.parametrize("scale", [1e-8, 1e-3, 30.0, 1e3])
@pytest.mark.parametrize("family", [Logistic(), Logistic().extended(1.0), Gaussian()], ids=repr)
def test_extreme_contexts_are_solved(family, scale):
    rng = np.random.default_rng(13)
    for n in (1, 60):
        X = unit(rng, n, 5) * scale * 10.0 ** rng.uniform(-2, 0, size=(n, 1))
        r = (X @ unit(rng, 5) > 0).astype(float)  # separable
        policy = GLMRBMLE(n_features=5, family=family, regularization=0.1)
        policy.update_many(X, r)
        contexts = unit(rng, 8, 5) * scale
        best = int(np.argmax(policy.scores(contexts)))
        assert policy.choose(contexts) == policy.fix_arms(contexts).choose() == best


def test_read_only_and_sliced_contexts():
    rng = np.random.default_rng(1)
    policy = GLMRBMLE(n_features=3)
    policy.update_many(unit(rng, 20, 3), rng.integers(0, 2, 20).astype(float))
    wide = rng.normal(size=(4, 6))
    X = wide[:, ::2].copy()
    want = policy.choose(X)
    X.flags.writeable = False
    assert policy.choose(X) == policy.choose(wide[:, ::2]) == policy.choose(X.tolist()) == want
    assert policy.probabilities(X)[want] == 1.0


@pytest.mark.parametrize("memory", ["exact", "online"])
def test_copy_and_merge(memory):
    X, rewards = simulated(Logistic(), 60, 5, 3, 7, static=False)
    policy = GLMRBMLE(n_features=3, memory=memory)
    policy.play(X[:30], rewards[:30])
    twin = policy.copy()
    assert np.array_equal(twin.scores(X[0]), policy.scores(X[0]))
    assert twin.play(X[30:], rewards[30:]).tolist() == policy.play(X[30:], rewards[30:]).tolist()
    with pytest.raises(InvalidInputError, match="itself"):
        policy.merge(policy)
    with pytest.raises(InvalidInputError, match="family"):
        policy.merge(GLMRBMLE(n_features=3, family="poisson", memory=memory))


def test_bad_contexts_are_refused():
    policy = GLMRBMLE(n_features=2)
    for contexts in ([[1.0, np.nan]], [[1.0]], [], [1.0, 2.0]):
        for method in (policy.choose, policy.scores, policy.probabilities, policy.fix_arms):
            with pytest.raises(InvalidInputError, match="contexts"):
                method(contexts)


@pytest.mark.parametrize("setting", GLM, ids=lambda setting: setting.key)
def test_online_memory_costs_little_regret_on_the_papers_data(setting):
    problem, trials = prepared(setting), 50
    totals = {"exact": 0.0, "online": 0.0}
    for trial in range(trials):
        rounds = problem.rounds(0, trial, 0, setting.horizon)
        means = np.broadcast_to(rounds.mean_rewards, rounds.rewards.shape)
        for memory in totals:
            policy = GLMRBMLE(n_features=len(setting.theta), memory=memory)
            if setting.static:
                arms = policy.fix_arms(rounds.contexts[0]).play(rounds.rewards)
            else:
                arms = policy.play(rounds.contexts, rounds.rewards)
            totals[memory] += (means.max(axis=1) - means[np.arange(len(arms)), arms]).sum()
    assert totals["online"] == pytest.approx(totals["exact"], rel=0.1)
