"""Logs of other libraries, against rows worked out by hand."""

import json

import numpy as np
import pytest

from rbmle.errors import InvalidInputError, LogError
from rbmle.logs import Log

EVENT = {
    "_label_cost": -0.75,
    "_label_probability": 0.7,
    "_label_Action": 3,
    "Timestamp": "2026-11-18T12:00:00.5Z",
    "EventId": "e1",
    "a": [3, 1, 2],
    "p": [0.7, 0.2, 0.1],
    "c": {
        "User": {"age": 30, "vip": True, "gone": False, "_tag": "x"},
        "_multi": [{"Item": {"id": "a"}}, {"Item": {"id": "b"}}, {"x": 2.5}],
    },
}  # fmt: skip


def written(path, *events):
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


def test_dsjson(tmp_path):
    log = Log.from_dsjson(written(tmp_path / "log.dsjson", EVENT, {**EVENT, "EventId": "e2", "_label_cost": 0}))
    (batch,) = log
    assert log.columns == ("id", "time", "eligible", "arm", "probability", "probabilities", "reward")
    assert batch.arm.tolist() == [2, 2] and batch.reward.tolist() == [0.75, 0.0]
    assert batch.probabilities.tolist() == [0.2, 0.1, 0.7] * 2 and batch.probability.tolist() == [0.7, 0.7]
    assert batch.time.tolist() == [1795003200.5] * 2


def test_features_of_dsjson_are_hashed(tmp_path):
    path = written(tmp_path / "log.dsjson", EVENT, {**EVENT, "EventId": "e2"})
    (batch,) = Log.from_dsjson(path, n_features=50)
    assert batch.cube.shape == (2, 3, 50)
    first, second, third = batch.cube[0]
    # Shared: age and vip. Own: a category (1 of "Item|id=a"), another, and a number.
    shared = np.minimum(np.abs(first), np.abs(second))
    assert sorted(shared[shared > 0]) == [1.0, 30.0]
    assert np.abs(first).sum() == 32.0 == np.abs(second).sum() and np.abs(third).sum() == 33.5
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(batch.cube[0], batch.cube[1])


@pytest.mark.parametrize(
    "change, words",
    [
        ({"a": [1, 2]}, "must have actions a = 1 … K with a chance p each"),
        ({"a": [1, 2, 4]}, "must have actions a = 1"),
        ({"_label_cost": None}, "must be a dsjson event"),
        ({"p": [0.7, 0.2, 0.2]}, "must add up to 1"),
        ({"_label_probability": 0.0}, r"must be in \(0, 1\]"),
        ({"c": {}}, "features of 3 actions"),
        ({"_skipLearn": True}, "was not activated"),
    ],
)
def test_events_that_are_no_decisions(change, words, tmp_path):
    path = written(tmp_path / "log.dsjson", EVENT, {**EVENT, "EventId": "e2", **change})
    with pytest.raises(LogError, match=rf"line 2.*: .*{words}"):
        list(Log.from_dsjson(path, n_features=3))
    (batch,) = Log.from_dsjson(path, n_features=3, on_error="drop")
    assert len(batch) == 1 and sum(batch.skipped.values()) == 1


@pytest.mark.parametrize("n_features", [None, 8])
def test_events_of_different_numbers_of_actions(n_features, tmp_path):
    two = {**EVENT, "EventId": "e2", "a": [2, 1], "_p": [0.6, 0.4], "_label_probability": 0.6,
           "c": {"_multi": [{"x": 1.0}, {"x": 2.0}]}}  # fmt: skip
    del two["p"]  # newer services call it _p
    (batch,) = Log.from_dsjson(written(tmp_path / "log.dsjson", EVENT, two), n_features=n_features)
    assert batch.sizes.tolist() == [3, 2] and batch.arm.tolist() == [2, 1]
    assert batch.probabilities.tolist() == [0.2, 0.1, 0.7, 0.4, 0.6]


@pytest.mark.parametrize("on_error", ["raise", "drop"])
def test_events_that_were_thinned_out_unevenly_are_refused(on_error, tmp_path):
    """Of 100 events without a click 10 are there, of 10 with one all: their mean is not that of all."""
    thinned = [{**EVENT, "EventId": f"e{i}", "pdrop": 0.9} for i in range(3)]
    assert sum(map(len, Log.from_dsjson(written(tmp_path / "log.dsjson", *thinned)))) == 3
    path = written(tmp_path / "log.dsjson", *thinned, EVENT)
    with pytest.raises(LogError, match="line 4, column 'pdrop': must be 0.9 as in the events before.*Got 0.0"):
        list(Log.from_dsjson(path, on_error=on_error))


TEXT = """shared |User age:3 new
|Item a:0.5
0:-1.5:0.25 |Item b
|Item c x:2

0:0:0.5 |Item a
|Item b

"""


def test_text_of_cb_explore_adf(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text(TEXT)
    (batch,) = Log.from_cb_text(path)
    assert batch.arm.tolist() == [1, 0] and batch.sizes.tolist() == [3, 2]
    assert batch.reward.tolist() == [1.5, 0.0] and batch.probability.tolist() == [0.25, 0.5]
    assert batch.contexts is None
    path.write_text(TEXT.rstrip())
    (batch,) = Log.from_cb_text(path, n_features=40)
    sums = np.abs(batch.contexts).sum(axis=1)
    assert sums.tolist() == [4.5, 5.0, 7.0, 1.0, 1.0]
    np.testing.assert_array_equal(batch.contexts[1] - batch.contexts[4], batch.contexts[0] - 0.5 * batch.contexts[3])


@pytest.mark.parametrize(
    "lines, words",
    [
        ("|Item a\n|Item b\n", "must have one action with a label"),
        ("0:1:0.5 |a\n0:1:0.5 |b\n", "Got 2 in 2 lines"),
        ("0:one:0.5 |a\n|b\n", "must have a label action:cost:probability"),
        ("0:1:0.5 | a:x\n| b\n", "must have features name or name:value"),
        ("0:1:0 | a\n| b\n", "must be in"),
    ],
)
def test_text_that_is_no_decision(lines, words, tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("0:1:0.5 | a\n| b\n\n" + lines)
    with pytest.raises(LogError, match=f"line 4.*: .*{words}"):
        list(Log.from_cb_text(path, n_features=4))


def test_feedback_of_open_bandit_pipeline():
    rng = np.random.default_rng(0)
    pi = rng.dirichlet(np.ones(3), 5)
    feedback = {
        "n_rounds": 5, "n_actions": 3, "context": rng.standard_normal((5, 2)), "action_context": np.eye(3),
        "action": np.array([0, 1, 2, 1, 0]), "position": None, "reward": rng.random(5), "pi_b": pi[:, :, None],
        "pscore": pi[np.arange(5), [0, 1, 2, 1, 0]],
    }  # fmt: skip
    (batch,) = Log.from_obp(feedback)
    assert batch.n_arms == 3
    np.testing.assert_array_equal(batch.context, feedback["context"])
    np.testing.assert_array_equal(batch.probability, feedback["pscore"])
    np.testing.assert_array_equal(batch.probabilities.reshape(5, 3), pi)
    with pytest.raises(InvalidInputError, match="Missing: reward"):
        Log.from_obp({"action": [0], "n_actions": 2})
    with pytest.raises(LogError, match="row 2, column 'arm'"):
        Log.from_obp({**feedback, "n_actions": 3, "action": [0, 1, 3, 1, 0]})
