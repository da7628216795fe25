"""Logs without probabilities: what is estimated is near what was, adds up, and is said wherever numbers are."""

import numpy as np
import pytest

from rbmle.evaluation import behaviour as module
from rbmle.evaluation import evaluate
from rbmle.evaluation.behaviour import BehaviourFit
from rbmle.logs import Log


def softmax_log(n=4000, shared=False, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3, 2))
    if shared:
        X = X[:, :1].repeat(3, axis=1)
        scores = np.einsum("nkd,kd->nk", X, np.array([[1.0, 0.0], [0.0, 1.0], [-0.5, -0.5]])) + np.array([0.5, 0, 0])
    else:
        scores = X @ np.array([1.2, -0.7]) + np.array([0.5, 0.0, -0.3])
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    arms = (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    mu = 1.0 / (1.0 + np.exp(-X @ np.array([1.0, 1.0])))
    rewards = (rng.random(n) < mu[np.arange(n), arms]).astype(float)
    log = Log.from_arrays(arms=arms, rewards=rewards, contexts=X[:, 0] if shared else X, n_arms=3)
    return log, p, mu


def estimated(log, folds=3):
    rows = BehaviourFit(folds).learner()
    for batch in log:
        rows.add(batch)
    return rows.finish()


@pytest.mark.parametrize("shared", [False, True])
def test_chances_of_a_softmax_logger_are_found(shared):
    log, p, _ = softmax_log(shared=shared)
    (batch,) = log
    found = estimated(log).chances(batch).reshape(-1, 3)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    assert np.abs(found - p).mean() < 0.02 and np.abs(found - p).max() < 0.12
    # Calibrated: in bins of the estimated chance, arms are served as often.
    served = np.zeros_like(found)
    served[np.arange(len(found)), batch.arm] = 1.0
    for low in np.arange(0.0, 0.9, 0.15):
        own = (found >= low) & (found < low + 0.15)
        if own.sum() > 500:
            assert abs(served[own].mean() - found[own].mean()) < 0.04


def test_too_sure_scores_are_cooled():
    # Noise in place of features, many of them: the model would be sure of what is chance.
    rng = np.random.default_rng(0)
    log = Log.from_arrays(
        arms=rng.integers(0, 3, 400), rewards=np.zeros(400), contexts=rng.standard_normal((400, 60)), n_arms=3
    )
    found = estimated(log)
    assert (found.temperatures > 1.5).all()
    (batch,) = log
    assert np.abs(found.chances(batch) - 1 / 3).mean() < 0.2


def test_without_contexts_chances_are_shares():
    rng = np.random.default_rng(1)
    arms = rng.choice(3, 3000, p=[0.6, 0.3, 0.1])
    (batch,) = log = Log.from_arrays(arms=arms, rewards=np.zeros(3000), n_arms=3)
    found = estimated(log).chances(batch).reshape(-1, 3)
    np.testing.assert_allclose(found, np.tile(np.bincount(arms) / 3000, (3000, 1)), atol=0.03)


def test_the_sample_does_not_hang_on_order_or_parts(monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", 150)
    log, _, _ = softmax_log(1000)
    (batch,) = log
    whole, split = BehaviourFit(2).learner(), BehaviourFit(2).learner()
    whole.add(batch)
    for part in list(batch.cut(90))[::-1]:
        other = BehaviourFit(2).learner()
        other.add(part)
        split.merge(other)
    keys = [
        np.sort(np.concatenate([each.keys for each in rows.kept])) for rows in (whole, split) if rows._prune() is None
    ]
    np.testing.assert_array_equal(*keys)
    assert len(keys[0]) == 150


def test_an_evaluation_without_probabilities_says_so_everywhere():
    log, _, mu = softmax_log(6000)
    scores = np.exp(2.0 * mu)
    pi = scores / scores.sum(axis=1, keepdims=True)
    found = evaluate(log, pi, estimators=("ips", "snips", "dr"))
    value = float((pi * mu).sum(axis=1).mean())
    assert abs(found.value("dr") - value) < 0.03
    assert found.estimated and any("they were estimated" in line for line in found.verdict.lines)
    assert "probabilities estimated" in str(found) and "probabilities estimated" in found._repr_html_()
    assert found.to_frame()["estimated_probabilities"].all()
    assert found.interval("ips").assumptions[0] == "estimated probabilities are those that were"
    texts = [text.get_text() for axes in found.plot().axes for text in (axes.title, axes._left_title)]
    assert any("probabilities estimated" in text for text in texts)
    logging = evaluate(log, "logging", estimators=("ips",))
    assert logging.value("ips") == pytest.approx(found.mean_reward, rel=1e-12)
