"""A bandit as a classifier: scikit-learn's own checks, and the game it says it plays."""

from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from rbmle import EpsilonGreedy, LinRBMLE, LinTS, LinUCB
from rbmle.adapters import BanditClassifier
from rbmle.errors import InvalidInputError, InvalidParameterError


@pytest.fixture
def flowers():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    return X[order], np.array(["setosa", "versicolor", "virginica"])[y[order]]


def test_estimator_keeps_to_the_rules_of_scikit_learn():
    results = check_estimator(BanditClassifier(), on_fail=None, on_skip=None)
    failed = [(each["check_name"], each["exception"]) for each in results if each["status"] == "failed"]
    assert not failed
    assert sum(each["status"] == "passed" for each in results) >= 45


def test_fit_is_the_bandit_game_with_one_round_for_each_row(flowers):
    """Played by hand: blocks by a Kronecker product, one choice and one reward after the other."""
    X, y = flowers
    model = BanditClassifier(partial(LinUCB, alpha=0.5)).fit(X, y)
    policy, names, right = LinUCB(n_features=15, alpha=0.5), np.unique(y), 0
    for x, label in zip(X, y, strict=True):
        contexts = np.kron(np.eye(3), np.append(1.0, x))
        arm = policy.choose(contexts)
        policy.update(contexts[arm], float(names[arm] == label))
        right += names[arm] == label
    np.testing.assert_allclose(model.policy_.model.state()["theta_hat"], policy.model.state()["theta_hat"], atol=1e-12)
    assert model.online_accuracy_ == right / len(X)
    assert model.n_rounds_ == len(X) == model.policy_.n_observed
    assert 0.6 < model.online_accuracy_ < model.score(X, y)


def test_wrong_answers_do_not_tell_the_right_one(flowers):
    """The same rows, with the labels of wrongly answered ones exchanged: nothing else is learnt."""
    X, y = flowers
    model = BanditClassifier(partial(LinUCB, alpha=0.5)).fit(X[:60], y[:60])
    names, policy, others = np.unique(y), LinUCB(n_features=15, alpha=0.5), y[:60].copy()
    for row, x in enumerate(X[:60]):
        contexts = np.kron(np.eye(3), np.append(1.0, x))
        arm = policy.choose(contexts)
        if names[arm] != y[row]:
            others[row] = next(name for name in names if name not in (names[arm], y[row]))
        policy.update(contexts[arm], float(names[arm] == y[row]))
    assert (others != y[:60]).any()
    again = BanditClassifier(partial(LinUCB, alpha=0.5)).partial_fit(X[:60], others, classes=names)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_logged_decisions_are_ridge_regressions(flowers):
    X, y = flowers
    rng = np.random.default_rng(1)
    chosen, paid = rng.choice(np.unique(y), size=len(X)), rng.normal(size=len(X))
    model = BanditClassifier(partial(LinRBMLE, regularization=0.7)).fit(X, chosen, rewards=paid)
    Z = np.column_stack([np.ones(len(X)), X])
    for place, name in enumerate(np.unique(y)):
        own = chosen == name
        theta = np.linalg.solve(Z[own].T @ Z[own] + 0.7 * np.eye(5), Z[own].T @ paid[own])
        np.testing.assert_allclose(model.expected_rewards(X)[:, place], Z @ theta, atol=1e-9)
    assert model.online_accuracy_ == pytest.approx(paid.mean())
    best = model.classes_[model.expected_rewards(X).argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(X), best)


def test_learning_in_parts_is_learning_at_once(flowers, monkeypatch):
    X, y = flowers
    whole = BanditClassifier(LinTS, random_state=3, encoding="shared").fit(X, y)
    parts = BanditClassifier(LinTS, random_state=3, encoding="shared")
    for start in range(0, len(X), 50):
        parts.partial_fit(X[start : start + 50], y[start : start + 50], classes=np.unique(y))
    monkeypatch.setattr("rbmle.adapters.sklearn.AT_ONCE", 100)  # a few rows at a time
    small = BanditClassifier(LinTS, random_state=3, encoding="shared").fit(X, y)
    for other in (parts, small):
        np.testing.assert_allclose(other.expected_rewards(X), whole.expected_rewards(X), atol=1e-12)
        assert other.online_accuracy_ == whole.online_accuracy_
    assert whole.contexts(X[:2]).shape == (2, 3, 20)


def test_patterns_stay_as_they_are(flowers):
    X, y = flowers
    pattern = EpsilonGreedy(n_features=15, seed=7)
    model = BanditClassifier(pattern)
    twin = clone(model)
    model.fit(X, y)
    assert pattern.n_observed == 0
    assert model.policy_.n_observed == len(X)
    twin.fit(X, y)
    np.testing.assert_array_equal(twin.expected_rewards(X), model.expected_rewards(X))
    assert clone(model).get_params().keys() == {"policy", "encoding", "fit_intercept", "random_state"}
    assert model.set_params(fit_intercept=False, policy=LinUCB).fit(X, y).policy_.n_features == 12
    other = BanditClassifier(LinTS, random_state=1).fit(X, y), BanditClassifier(LinTS, random_state=2).fit(X, y)
    assert not np.array_equal(other[0].expected_rewards(X), other[1].expected_rewards(X))


def test_estimator_in_pipelines_and_searches():
    X, y = load_digits(return_X_y=True)
    widths = [partial(LinUCB, alpha=alpha) for alpha in (0.1, 3.0)]
    search = GridSearchCV(
        make_pipeline(StandardScaler(), BanditClassifier()),
        {"banditclassifier__policy": widths},
        cv=2,
        error_score="raise",
    )
    search.fit(X[:600], y[:600])
    assert search.best_score_ > 0.6


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"policy": LinUCB(n_features=4)}, "policy must have n_features=15"),
        ({"policy": dict}, "policy must be a policy or make one of n_features"),
        ({"encoding": "none"}, "The 'encoding' parameter of BanditClassifier must be one of"),
        ({"fit_intercept": 1}, "The 'fit_intercept' parameter of BanditClassifier must be True or False"),
    ],
)
def test_settings_that_are_none(flowers, settings, message):
    with pytest.raises((InvalidInputError, InvalidParameterError), match=message):
        BanditClassifier(**settings).fit(*flowers)


def test_labels_and_rewards_that_do_not_fit(flowers):
    X, y = flowers
    model = BanditClassifier().fit(X, y)
    before = model.expected_rewards(X)
    with pytest.raises(InvalidInputError, match="y must hold the classes of the first call, .*Got .*'rosa'"):
        model.partial_fit(X[:2], ["setosa", "rosa"])
    with pytest.raises(InvalidInputError, match="classes must be those of the first call"):
        model.partial_fit(X[:2], y[:2], classes=["a", "b"])
    with pytest.raises(InvalidInputError, match="rewards must have shape"):
        model.partial_fit(X[:2], y[:2], rewards=[1.0])
    np.testing.assert_array_equal(model.expected_rewards(X), before)
