"""Learning from a log is learning its rewards one by one; over parts it is the same up to rounding."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rbmle import GLMRBMLE, EpsilonGreedy, LaplaceTS, LinRBMLE, LinTS, LinUCB
from rbmle.errors import InvalidInputError, LogError, NotMergeableError
from rbmle.evaluation import fit, merge, partition_sums
from rbmle.logs import Log

METHODS = {
    "LinRBMLE": lambda: LinRBMLE(n_features=3),
    "auto": lambda: LinRBMLE(n_features=3, bias="auto"),
    "LinTS": lambda: LinTS(n_features=3, seed=1),
    "GLMRBMLE": lambda: GLMRBMLE(n_features=3, memory="online"),
    "EpsilonGreedy": lambda: EpsilonGreedy(n_features=3),
}


def engine(task, parts):
    return merge([partition_sums(task, part) for part in parts])


def parquet(world, path, n=900, groups=200):
    s, arms, r = world.draw(4, n)
    table = pa.table({
        "id": [f"d{i}" for i in range(n)], "contexts": world.X[s].tolist(), "arm": arms, "reward": r,
        "probability": world.p[s, arms],
    })  # fmt: skip
    pq.write_table(table, path, row_group_size=groups)
    return path


@pytest.mark.parametrize("name", METHODS)
def test_to_the_last_bit_as_if_rewards_had_come_one_by_one(world, name, tmp_path, monkeypatch):
    monkeypatch.setattr("rbmle.logs.parquet.PART_ROWS", 1)
    log = Log.read(parquet(world, tmp_path / "log.parquet"))
    assert len(log.parts) == 5
    fitted, single = METHODS[name](), METHODS[name]()
    assert fit(log, fitted) is fitted
    for batch in log:
        for contexts, arm, reward in zip(batch.cube, batch.arm, batch.reward, strict=True):
            single.update(contexts[arm].copy(), reward)
    assert fitted.n_observed == 900
    for key, array in single.state().items():
        np.testing.assert_array_equal(fitted.state()[key], array, err_msg=key)


def test_over_parts_the_same_up_to_rounding(world, tmp_path, monkeypatch):
    monkeypatch.setattr("rbmle.logs.parquet.PART_ROWS", 1)
    log = Log.read(parquet(world, tmp_path / "log.parquet"))
    for method in (LinRBMLE, LinUCB):
        start = method(n_features=3)
        start.update([1.0, 0.5, 0.0], 2.0)
        whole, parts = fit(log, start.copy()), fit(log, start.copy(), engine=engine)
        assert whole.n_observed == parts.n_observed == 901
        for key, array in whole.state().items():
            other = parts.state()[key]
            if key == "volume":  # a determinant as log and factor
                array, other = (each[0] + np.log(each[1]) for each in (array, other))
            np.testing.assert_allclose(other, array, rtol=1e-12, atol=1e-12, err_msg=key)
    with pytest.raises(NotMergeableError, match="depends on the order of rewards"):
        fit(log, LinRBMLE(n_features=3, bias="auto"), engine=engine)
    with pytest.raises(NotMergeableError):
        fit(log, LaplaceTS(n_features=3), engine=engine)


@pytest.mark.parametrize("name", ["LinRBMLE", "auto", "GLMRBMLE"])
def test_a_bad_row_at_the_end_leaves_the_policy_as_it_was(world, name, tmp_path, monkeypatch):
    monkeypatch.setattr("rbmle.logs.parquet.PART_ROWS", 1)
    path = parquet(world, tmp_path / "log.parquet")
    table = pq.read_table(path)
    for column, values in (
        ("reward", [*table["reward"].to_pylist()[:-1], float("inf")]),
        ("id", [*table["id"].to_pylist()[:-1], "d5"]),
    ):
        bad = table.set_column(table.schema.get_field_index(column), column, pa.array(values))
        pq.write_table(bad, tmp_path / "bad.parquet", row_group_size=200)
        policy = METHODS[name]()
        policy.update([1.0, 0.0, 0.0], 1.0)
        before = policy.state()
        with pytest.raises(LogError, match=f"row 899, column '{column}'"):
            fit(tmp_path / "bad.parquet", policy)
        assert policy.n_observed == 1
        for key, array in policy.state().items():
            np.testing.assert_array_equal(array, before[key])
        assert fit(Log.read(tmp_path / "bad.parquet", on_error="drop"), policy).n_observed == 1 + 899


def test_only_settled_rewards_teach(world):
    columns = {
        "contexts": world.X[[0, 1, 2, 3]].tolist(), "arm": [0, 1, 2, 3], "reward": [1.0, None, None, 1.0],
        "time": [1.0, 2.0, 3.0, 4.0], "settled": [True, True, False, True],
    }  # fmt: skip
    policy = fit(Log.read(columns), LinRBMLE(n_features=3))
    assert policy.n_observed == 1  # the second row is void, the last is beyond the first open one


def test_rewards_that_are_none_of_the_family_are_found(world):
    rewards = np.ones(20)
    rewards[12] = 0.5
    log = Log.from_arrays(arms=np.zeros(20, int), rewards=rewards, contexts=np.ones((20, 2, 3)))
    policy = GLMRBMLE(n_features=3)
    with pytest.raises(InvalidInputError, match=r"GLMRBMLE cannot learn rows 5 to 19 of the log.*0.5 at rewards\[7\]"):
        fit(log.map(lambda batch: batch.take(batch.rows >= 5)), policy)
    assert policy.n_observed == 0


def test_what_cannot_learn_is_refused(world):
    log, _ = world.log(0, 20)
    with pytest.raises(InvalidInputError, match="must be a policy of rbmle"):
        fit(log, object())
    with pytest.raises(InvalidInputError, match="n_features=3, as the contexts of the log. Got 2"):
        fit(log, LinUCB(n_features=2))
    shared = Log.from_arrays(arms=[0], rewards=[1.0], contexts=np.ones((1, 2)), n_arms=2)
    with pytest.raises(InvalidInputError, match="log.per_arm"):
        fit(shared, LinUCB(n_features=4))
    assert fit(shared.per_arm(), LinUCB(n_features=4)).n_observed == 1
