"""Reward models: the right folds, the right estimates, and none that has seen the row it speaks of."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.tree import DecisionTreeRegressor

from rbmle.errors import InvalidInputError
from rbmle.evaluation import evaluate
from rbmle.evaluation.rewards.base import folds_of
from rbmle.evaluation.rewards.given import as_model
from rbmle.logs import Log
from rbmle.models.glm import GLMModel
from rbmle.models.ridge import RidgeModel


def learnt(model, log, folds=4, regularization=0.5):
    """The model learnt from a log, and the log's only batch."""
    learner = as_model(model, folds, regularization).learner()
    (batch,) = log
    learner.add(batch)
    return learner.finish(), batch


def dense(X, r, lam):
    """Ridge regression around the mean with an intercept, by dense algebra."""
    Z = np.column_stack([X, np.ones(len(X))])
    theta = np.linalg.solve(Z.T @ Z + lam * np.eye(Z.shape[1]), Z.T @ (r - r.mean()))
    theta[-1] += r.mean()
    return theta


def test_every_row_is_predicted_by_a_model_of_the_other_folds(world):
    log, _ = world.log(0, 300)
    predictor, batch = learnt("ridge", log)
    folds, q = folds_of(batch.keys, 4), predictor.predict(batch).reshape(300, -1)
    assert sorted(set(folds.tolist())) == [0, 1, 2, 3] and np.bincount(folds).min() > 50
    x = batch.contexts[batch.played]
    for fold in range(4):
        others = folds != fold
        theta = dense(x[others], batch.reward[others], 0.5)
        expected = batch.cube[~others] @ theta[:-1] + theta[-1]
        np.testing.assert_allclose(q[~others], expected, rtol=1e-9)
    # A row's own reward does not change what is said of it.
    changed = batch.reward.copy()
    changed[7] += 1000.0
    again, _ = learnt("ridge", Log.from_arrays(arms=batch.arm, rewards=changed, contexts=batch.cube))
    np.testing.assert_array_equal(again.predict(batch).reshape(300, -1)[7], q[7])


def test_arms_that_share_a_context_have_a_model_each():
    rng = np.random.default_rng(0)
    x, arms = rng.standard_normal((400, 2)), rng.integers(0, 3, 400)
    r = x[:, 0] * (arms - 1.0) + 0.1 * rng.standard_normal(400)
    log = Log.from_arrays(arms=arms, rewards=r, probabilities=np.full(400, 1 / 3), contexts=x, n_arms=3)
    predictor, batch = learnt("ridge", log)
    folds, q = folds_of(batch.keys, 4), predictor.predict(batch).reshape(400, 3)
    for fold in (0, 3):
        for arm in range(3):
            others = (folds != fold) & (arms == arm)
            Z = np.column_stack([x, np.ones(400)])
            mean = r[folds != fold].mean()
            theta = np.linalg.solve(Z[others].T @ Z[others] + 0.5 * np.eye(3), Z[others].T @ (r[others] - mean))
            np.testing.assert_allclose(q[folds == fold, arm], Z[folds == fold] @ theta + mean, rtol=1e-9, atol=1e-9)
    best = np.where(x[:, 0] > 0, 2, 0)
    found = evaluate(log, best, estimators=("dm", "dr", "ips"))
    assert found.value("dm") == pytest.approx(np.abs(x[:, 0]).mean(), abs=0.05)
    assert found.standard_error("dr") < 0.5 * found.standard_error("ips")


def test_without_contexts_the_model_is_a_mean_per_arm():
    arms, r = np.tile([0, 1], 200), np.tile([0.0, 1.0], 200)
    log = Log.from_arrays(arms=arms, rewards=r, probabilities=np.full(400, 0.5), n_arms=3)
    predictor, batch = learnt("ridge", log, regularization=1e-9)
    q = predictor.predict(batch).reshape(400, 3)
    np.testing.assert_allclose(q[:, :2], np.tile([0.0, 1.0], (400, 1)), atol=1e-6)
    np.testing.assert_allclose(q[:, 2], 0.5, atol=0.1)  # never served: what the others have in common


@pytest.mark.parametrize("kind", ["per arm", "shared"])
def test_generalized_linear_models_agree_with_one_that_saw_the_other_folds(world, kind):
    s, arms, r = world.draw(2, 400)
    X = world.X[s] if kind == "per arm" else world.X[s, 0]
    log = Log.from_arrays(arms=arms, rewards=r, contexts=X, n_arms=4)
    predictor, batch = learnt("logistic", log, regularization=1.0)
    folds, q = folds_of(batch.keys, 4), predictor.predict(batch).reshape(400, 4)
    for arm in range(4) if kind == "shared" else (0,):
        own = np.ones(400, dtype=bool) if kind == "per arm" else arms == arm
        x = world.X[s, arms] if kind == "per arm" else X
        model = GLMModel(n_features=4, family="logistic")
        rows = np.column_stack([x, np.ones(400)])[own & (folds != 1)]
        model.observe_many(rows, r[own & (folds != 1)])
        seen = np.flatnonzero(folds == 1)[:20]
        asked = X[seen, arm] if kind == "per arm" else X[seen]
        np.testing.assert_allclose(q[seen, arm], model.means(np.column_stack([asked, np.ones(20)])), atol=1e-6)


def test_any_regressor_is_cloned_and_cross_fitted(world):
    log, pi = world.log(3, 500)
    own = Ridge(alpha=0.5)
    predictor, batch = learnt(own, log)
    assert not hasattr(own, "coef_")
    folds, x = folds_of(batch.keys, 4), batch.contexts[batch.played]
    for fold in range(4):
        expected = Ridge(alpha=0.5).fit(x[folds != fold], batch.reward[folds != fold])
        got = predictor.predict(batch).reshape(500, -1)[folds == fold]
        np.testing.assert_allclose(got, expected.predict(batch.cube[folds == fold].reshape(-1, 3)).reshape(got.shape))
    tree = evaluate(log, pi, estimators=("dr", "ips"), reward_model=DecisionTreeRegressor(max_depth=4, random_state=0))
    assert tree.settings["reward_model"] == "DecisionTreeRegressor"
    assert abs(tree.value("dr") - world.value) < 4.0 * tree.standard_error("dr")


def test_a_regressor_knows_the_arm_where_arms_share_a_context():
    rng = np.random.default_rng(0)
    arms = rng.integers(0, 2, 200)
    log = Log.from_arrays(arms=arms, rewards=arms * 1.0, contexts=rng.standard_normal((200, 1)), n_arms=2)
    predictor, batch = learnt(LinearRegression(), log)
    np.testing.assert_allclose(predictor.predict(batch).reshape(200, 2), np.tile([0.0, 1.0], (200, 1)), atol=1e-9)


def test_models_that_learnt_elsewhere_are_used_as_they_are(world):
    log, pi = world.log(5, 200)
    (batch,) = log
    model = RidgeModel(n_features=3)
    model.observe_many(world.X[:, 0], world.mu[:, 0])
    mean, _ = model.predict(batch.contexts)
    values = {
        name: evaluate(log, pi, estimators="dr", reward_model=given).value("dr")
        for name, given in (
            ("model", model),
            ("array", mean.reshape(200, 4)),
            ("function", lambda batch: model.predict(batch.contexts)[0]),
        )
    }  # fmt: skip
    assert values["model"] == values["array"] == values["function"]
    fresh = evaluate(log, pi, estimators="dr", reward_model=RidgeModel(n_features=3, regularization=2.0))
    assert fresh.value("dr") == evaluate(log, pi, estimators="dr", regularization=2.0).value("dr")


def test_what_is_no_reward_model_is_refused(world):
    log, pi = world.log(5, 20)
    for given, words in (
        ("forest", "reward_model must be 'ridge'"),
        (np.zeros((19, 4)), "must have a row for each of the log"),
        (np.zeros((20, 3)), "a prediction for every arm"),
        (np.full((20, 4), np.nan), "must be finite, in row 0"),
        (lambda batch: 3, "a prediction for every arm"),
        (3, "reward_model must be"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            evaluate(log, pi, estimators="dr", reward_model=given)
