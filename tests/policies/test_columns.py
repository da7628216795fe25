"""Tables name their columns: a policy keeps the names of the first and refuses tables of others."""

import pickle

import numpy as np
import pandas as pd
import pytest

from rbmle import GLMRBMLE, LinTS, LinUCB, Window, load
from rbmle.errors import InvalidInputError, NotMergeableError, StateFileError
from rbmle.policies import storage
from rbmle.random import state_of
from rbmle.testing.tools import same_state

FRAME = pd.DataFrame({"age": [0.3, 0.5], "visits": [1.0, 4.0]})
TURNED = FRAME[["visits", "age"]]


def ways(policy, table):
    """Every method that takes contexts."""
    return {
        "choose": lambda: policy.choose(table),
        "scores": lambda: policy.scores(table),
        "decide": lambda: policy.decide(table),
        "probabilities": lambda: policy.probabilities(table),
        "choose_many": lambda: policy.choose_many([FRAME, table]),
        "decide_many": lambda: policy.decide_many([FRAME, table]),
        "probabilities_many": lambda: policy.probabilities_many([FRAME, table]),
        "fix_arms": lambda: policy.fix_arms(table),
        "update": lambda: policy.update(table.iloc[0], 1.0),
        "update_many": lambda: policy.update_many(table, [1.0, 0.0]),
    }


@pytest.mark.parametrize("policy", [LinUCB(n_features=2), LinTS(n_features=2), GLMRBMLE(n_features=2)], ids=repr)
def test_columns_that_were_reordered(policy):
    for way in ways(policy.copy(), FRAME):
        fresh = policy.copy()
        ways(fresh, FRAME)[way]()
        assert fresh.feature_names == ("age", "visits"), way
    policy = policy.copy()
    policy.update_many(FRAME, [1.0, 0.0])
    before, drawn = policy.state(), state_of(policy.rng)
    for name, call in ways(policy, TURNED).items():
        with pytest.raises(InvalidInputError, match="must have the columns age, visits, in this order.* Got visits, a"):
            call()
        assert same_state(policy.state(), before), name
        assert state_of(policy.rng) == drawn, name
    for call in ways(policy, FRAME.rename(columns={"visits": "clicks"})).values():
        with pytest.raises(InvalidInputError, match="Got age, clicks"):
            call()


HOLED = pd.DataFrame({"age": [0.3, np.nan], "visits": [np.nan, 4.0]})


@pytest.mark.parametrize("policy", [LinUCB(n_features=2), LinTS(n_features=2), GLMRBMLE(n_features=2)], ids=repr)
def test_a_refused_call_notes_no_names(policy):
    fresh = policy.copy()
    refused = {
        **ways(fresh, HOLED),
        "a list of tables of different columns": lambda: fresh.choose_many([FRAME, TURNED]),
        "round 0": lambda: fresh.choose(FRAME, t=0),
        "scores of round 0": lambda: fresh.scores(FRAME, t=0),
        "many in round 0": lambda: fresh.choose_many([FRAME], t=0),
        "no samples": lambda: fresh.decide(FRAME, samples=0),
        "no share": lambda: fresh.decide(FRAME, floor=2.0),
        "no share of many": lambda: fresh.decide_many([FRAME], floor=2.0),
        "chances of no samples": lambda: fresh.probabilities(FRAME, samples=0),
        "a NaN reward": lambda: fresh.update(FRAME.iloc[0], np.nan),
        "a reward too few": lambda: fresh.update_many(FRAME, [1.0]),
    }
    for what, call in refused.items():
        with pytest.raises(InvalidInputError):
            call()
        assert fresh.feature_names is None, what


def test_a_refused_merge_notes_no_names():
    one, other = (LinUCB(n_features=2, forgetting=Window(5)) for _ in range(2))
    other.update_many(FRAME, [1.0, 0.0])
    with pytest.raises(NotMergeableError):
        one.merge(other)
    assert one.feature_names is None


def test_what_has_no_names_is_taken_as_it_is():
    policy = LinUCB(n_features=2)
    policy.update_many(FRAME, [1.0, 0.0])
    plain = pd.DataFrame(FRAME.to_numpy())
    for contexts in (FRAME.to_numpy(), FRAME.to_numpy().tolist(), plain):
        assert policy.choose(contexts) == policy.choose(FRAME)
    policy.update(FRAME.iloc[0].to_numpy(), 1.0)
    policy.update([1.0, 2.0], 1.0)
    unnamed = LinUCB(n_features=2)
    unnamed.update_many(plain, [1.0, 0.0])
    assert unnamed.feature_names is None


def test_a_refused_table_gives_no_names():
    policy = LinUCB(n_features=3)
    with pytest.raises(InvalidInputError, match="shape"):
        policy.choose(FRAME)
    with pytest.raises(InvalidInputError, match="shape"):
        policy.update_many(FRAME, [1.0, 0.0])
    assert policy.feature_names is None


def test_names_go_with_the_policy(tmp_path):
    policy = LinUCB(n_features=2)
    policy.update_many(FRAME, [1.0, 0.0])
    policy.save(tmp_path / "p.npz")
    for twin in (load(tmp_path / "p.npz"), policy.copy(), pickle.loads(pickle.dumps(policy))):
        assert twin.feature_names == ("age", "visits")
        with pytest.raises(InvalidInputError, match="columns"):
            twin.choose(TURNED)
    policy.name_features(None)
    assert policy.choose(TURNED) in (0, 1)
    for wrong in (["age"], "ab", [1, 2], 3):
        with pytest.raises(InvalidInputError, match="names must be 2 texts, or None"):
            policy.name_features(wrong)


def test_files_with_other_names_are_refused(tmp_path):
    path = tmp_path / "p.npz"
    LinUCB(n_features=2).save(path)
    header, arrays = storage.read(path)
    for names in (["a"], [1, 2], "ab", {"a": 1}):
        storage.files.write_arrays(path, {**header, "feature_names": names}, arrays)
        with pytest.raises(StateFileError, match="names must be 2 texts"):
            load(path)


def test_merging_needs_the_same_names():
    one, other, unnamed = (LinUCB(n_features=2) for _ in range(3))
    one.update_many(FRAME, [1.0, 0.0])
    other.update_many(TURNED, [1.0, 0.0])
    before = one.state()
    with pytest.raises(InvalidInputError, match="merge needs the same columns. Got age, visits and visits, age"):
        one.merge(other)
    assert same_state(one.state(), before)
    unnamed.update_many(np.ones((1, 2)), [1.0])
    unnamed.merge(one)
    assert unnamed.feature_names == ("age", "visits")
    assert unnamed.n_observed == 3
