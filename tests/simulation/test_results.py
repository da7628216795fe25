"""Results: the paper's statistics, an exact round trip, and refusal of what is damaged."""

import csv
import hashlib
import json
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rbmle import LinTS, LinUCB, files
from rbmle.errors import InvalidInputError, InvalidParameterError, MissingFileError, RbmleError, StateFileError
from rbmle.problems import LinearProblem
from rbmle.simulation import Results, simulate
from rbmle.simulation.log import TrialLog

ROUNDS = np.array([1, 10, 100])


def made(*names: str, **manifest: object) -> Results:
    rng = np.random.default_rng(len(names))
    regret = {name: np.cumsum(rng.random((5, 3)), axis=1) * 10 ** (2 * i) / 3 for i, name in enumerate(names)}
    seconds = {name: rng.random(5) * 1e-6 for name in names}
    settings = {"problem": {"problem": "P"}, "seed": 0, "horizon": 100, "trials": 5, **manifest}
    return Results(ROUNDS, regret, seconds, {**settings, "policies": {name: {"policy": name} for name in names}})


def test_statistics_by_hand() -> None:
    final = np.array([3.0, 1.0, 2.0, 4.0, 10.0])
    results = Results(np.array([7]), {"a": final[:, None]}, {"a": np.ones(5)}, {})
    # Sorted 1 2 3 4 10: quantile q lies at place 4q, between neighbours by linear interpolation.
    expected = {"mean": 4.0, "std": 10.0**0.5, "q10": 1.4, "q25": 2.0, "q50": 3.0, "q75": 4.0, "q90": 7.6, "q95": 8.8}
    assert results.statistics()["a"] == pytest.approx(expected)
    assert list(results.statistics()["a"]) == list(expected)


def test_simple_questions() -> None:
    results = made("slow", "b")
    results.regret["b"] /= 1000
    assert (results.policies, results.trials, results.horizon) == (["slow", "b"], 5, 100)
    assert results.ranking() == ["b", "slow"]
    assert np.array_equal(results.final_regret("b"), results.regret["b"][:, 2])
    assert results.seconds_per_decision()["b"] == pytest.approx(results.seconds["b"].mean())
    with pytest.raises(InvalidInputError, match=r"policy must be one of slow, b. Got 'c'"):
        results.final_regret("c")
    assert repr(results) == "Results(slow, b: 5 trials × 100 rounds)"


def test_text_table() -> None:
    lines = str(made("best", "worst, by far")).splitlines()
    assert lines[0] == "Final regret after 100 rounds, 5 trials"
    assert lines[1].split() == ["policy", "mean", "std", "q10", "q25", "q50", "q75", "q90", "q95", "time"]
    assert lines[2].startswith("best ")
    assert len({len(line) for line in lines[1:]}) == 1


def test_tidy_table_and_frames() -> None:
    results = made("a", "b")
    rows = list(results.table())
    assert len(rows) == 2 * 5 * 3
    assert rows[4] == ("a", 1, 10, results.regret["a"][1, 1])
    frame = results.to_frame()
    assert list(frame.columns) == ["policy", "trial", "round", "regret", "method"]
    last = frame[(frame["policy"] == "b") & (frame["round"] == 100)]
    assert last["regret"].tolist() == results.final_regret("b").tolist()
    statistics = results.statistics_frame()
    assert statistics.loc["b", "q95"] == results.statistics()["b"]["q95"]
    assert statistics.loc["a", "seconds"] == results.seconds_per_decision()["a"]


def test_a_frame_has_a_column_per_parameter() -> None:
    results = made("a", "b")
    results.manifest["policies"] = {"a": {"policy": "LinUCB", "alpha": 0.5}, "b": {"policy": "Own", "round": 3}}
    frame = results.to_frame()
    assert list(frame.columns) == ["policy", "trial", "round", "regret", "method", "alpha", "round (parameter)"]
    of_a, of_b = (frame[frame["policy"] == name] for name in "ab")
    assert set(of_a["method"]) == {"LinUCB"}
    assert set(of_a["alpha"]) == {0.5}
    assert of_b["alpha"].isna().all()
    assert set(of_b["round (parameter)"]) == {3}
    assert set(frame["round"]) == {1, 10, 100}


def test_a_table_for_notebooks() -> None:
    html = made("best", "<b>worst</b>")._repr_html_()
    assert "<table>" in html
    assert "&lt;b&gt;worst" in html
    assert html.index("best") < html.index("worst")
    assert f"<b>{made('best', 'x').statistics()['best']['mean']:.2f}</b>" in html


def test_times_from_a_store_are_left_out_of_means() -> None:
    results = made("a", "b")
    results.seconds = {"a": np.array([np.nan, 2e-6, np.nan, 4e-6, np.nan]), "b": np.full(5, np.nan)}
    assert results.seconds_per_decision()["a"] == pytest.approx(3e-6)
    assert np.isnan(results.seconds_per_decision()["b"])
    assert "3 µs" in str(results)
    assert str(results).splitlines()[-1].endswith("–")


def logged() -> Results:
    results = made("a")
    arms = np.arange(10, dtype=np.int32).reshape(5, 2)
    results.logs = {"a": TrialLog(arms, np.full((5, 2), np.nan), arms / 3)}
    return results


def test_a_log_as_columns(tmp_path: Path) -> None:
    columns = logged().log("a")
    assert list(columns) == ["trial", "round", "arm", "probability", "reward"]
    assert columns["trial"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert columns["round"].tolist() == [1, 2] * 5
    assert columns["arm"].tolist() == list(range(10))
    logged().save(tmp_path)
    again = Results.load(tmp_path).log("a")
    assert all(np.array_equal(columns[name], again[name], equal_nan=True) for name in columns)
    both = logged() + made("b")
    with pytest.raises(InvalidInputError, match=r"log needs results of simulate\(..., log=True\)"):
        both.log("b")
    with pytest.raises(InvalidInputError, match="policy must be one of a, b"):
        both.log("c")


def test_frames_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(RbmleError, match="pip install 'rbmle"):
        made("a").to_frame()


def test_round_trip_is_exact(tmp_path: Path) -> None:
    results = made("a", 'b, "quoted"\nname', "γ")
    results.regret["a"][0] = [5e-324, 0.1, 1.7976931348623157e308]
    results.save(tmp_path / "deep" / "folder")
    again = Results.load(tmp_path / "deep" / "folder")
    assert again.policies == results.policies
    assert again.rounds.dtype == np.int64
    assert np.array_equal(again.rounds, results.rounds)
    for name in results.policies:
        assert np.array_equal(again.regret[name], results.regret[name])
        assert np.array_equal(again.seconds[name], results.seconds[name])
    assert again.manifest == results.manifest
    header = (tmp_path / "deep/folder/results.csv").read_text().splitlines()[0]
    assert header == "policy,trial,round,regret"


def test_saving_again_replaces_and_leaves_other_files_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    made("a").save(tmp_path)
    made("b").save(tmp_path)
    assert Results.load(tmp_path).policies == ["b"]
    assert {path.name for path in tmp_path.iterdir()} == {"notes.txt", "results.csv", "seconds.csv", "manifest.json"}


def test_damaged_and_foreign_folders(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="nowhere cannot be read: .*nowhere does not exist"):
        Results.load(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError):
        Results.load(tmp_path)
    made("a").save(tmp_path)
    table = tmp_path / "results.csv"
    whole = table.read_text()
    table.write_text(whole[:-3])
    with pytest.raises(StateFileError, match=r"results.csv is damaged"):
        Results.load(tmp_path)
    table.write_text(whole)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest.pop("checksum")
    for change, words in (({"format": 99}, "has format 99.*update rbmle"), ({"files": 3}, "does not hold results")):
        (tmp_path / "manifest.json").write_bytes(files.to_json(manifest | change))
        with pytest.raises(StateFileError, match=words):
            Results.load(tmp_path)
    (tmp_path / "manifest.json").write_text("[")
    with pytest.raises(StateFileError, match="does not hold results"):
        Results.load(tmp_path)


def test_no_change_of_the_manifest_goes_unseen(tmp_path: Path) -> None:
    made("a").save(tmp_path)
    whole = (tmp_path / "manifest.json").read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(300):
        place = int(rng.integers(len(whole)))
        changed = whole[:place] + bytes([whole[place] ^ (1 << int(rng.integers(7)))]) + whole[place + 1 :]
        (tmp_path / "manifest.json").write_bytes(changed)
        try:
            manifest = Results.load(tmp_path).manifest
        except StateFileError:
            continue
        assert manifest == made("a").manifest, "only blanks between the words may have changed"


def test_folders_of_version_0_1_load(tmp_path: Path) -> None:
    """As 0.1 wrote them: no checksum in the manifest, texts as they are."""
    table = b"policy,trial,round,regret\n'=a,0,7,0.25\n"
    times = b"policy,trial,seconds\n'=a,0,1e-07\n"
    sums = {name: hashlib.sha256(text).hexdigest() for name, text in (("results.csv", table), ("seconds.csv", times))}
    (tmp_path / "results.csv").write_bytes(table)
    (tmp_path / "seconds.csv").write_bytes(times)
    (tmp_path / "manifest.json").write_text(json.dumps({"format": 1, "files": sums, "seed": 5}))
    results = Results.load(tmp_path)
    assert results.regret["'=a"].tolist() == [[0.25]]
    assert results.seconds["'=a"].tolist() == [1e-7]
    assert results.manifest == {"seed": 5}


def test_threads_saving_to_one_folder(tmp_path: Path) -> None:
    failed: list[Exception] = []

    def work(name: str) -> None:
        try:
            for _ in range(20):
                made(name).save(tmp_path)
                assert Results.load(tmp_path).policies in (["a"], ["b"], ["c"])
        except Exception as reason:  # noqa: BLE001
            failed.append(reason)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


@pytest.mark.parametrize("name", ["=1+1", "+cmd", "-x", "@sum", "'quoted", "\tTab", "plain", "-1"])
def test_no_cell_is_a_formula(tmp_path: Path, name: str) -> None:
    results = made(name)
    results.save(tmp_path)
    assert Results.load(tmp_path).policies == [name]
    cells = [row[0] for row in csv.reader((tmp_path / "results.csv").read_text().splitlines())]
    assert cells[1] == "-1" or not cells[1].startswith(("=", "+", "-", "@", "\t"))


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StateFileError, match="cannot be written"):
        made("a").save(tmp_path / "file")


def test_combine() -> None:
    both = made("a") + made("b")
    assert both.policies == ["a", "b"]
    assert set(both.manifest["policies"]) == {"a", "b"}
    with pytest.raises(InvalidInputError, match=r"different names. Both have a"):
        made("a").combine(made("a", "b"))
    with pytest.raises(InvalidInputError, match=r"same seed. Got 0 and 1"):
        made("a").combine(made("b", seed=1))
    other = made("b")
    other.rounds = np.array([1, 50, 100])
    with pytest.raises(InvalidInputError, match="same rounds"):
        made("a").combine(other)


def test_plot_writes_by_ending(tmp_path: Path) -> None:
    results = made("a", "b")
    starts = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
    for ending, start in starts.items():
        results.plot(tmp_path / "new" / f"figure{ending}")
        assert (tmp_path / "new" / f"figure{ending}").read_bytes().startswith(start)
    assert "cumulative regret" in (tmp_path / "new" / "figure.svg").read_text(), "text stays text"
    with pytest.raises(InvalidParameterError, match=r"must end in one of .png, .svg, .pdf"):
        results.plot(tmp_path / "figure.gif")
    with pytest.raises(RbmleError, match="cannot be written"):
        results.plot(tmp_path / "new" / "figure.png" / "x.png")


@pytest.mark.parametrize("form", ["csv", "parquet", "npz"])
@pytest.mark.parametrize("log", [False, True])
def test_every_form_comes_back_bit_for_bit(tmp_path: Path, form: str, log: bool) -> None:
    policies = {'a, "b"': LinUCB(n_features=2), "é": LinTS(n_features=2)}
    results = simulate(policies, LinearProblem([0.6, -0.3], 4), horizon=70, trials=3, log=log)
    results.seconds["é"][1] = np.nan
    results.save(tmp_path, form=form)
    assert all(path.suffix in (f".{form}", ".json") for path in tmp_path.iterdir())
    found = Results.load(tmp_path)
    assert found.policies == results.policies and found.rounds.tobytes() == results.rounds.tobytes()
    for name in policies:
        assert found.regret[name].tobytes() == results.regret[name].tobytes()
        np.testing.assert_array_equal(found.seconds[name], results.seconds[name])
        assert (name in found.logs) == log
        if log:
            for mine, theirs in zip(results.logs[name], found.logs[name], strict=True):
                np.testing.assert_array_equal(mine, theirs)
    broken = next(path for path in tmp_path.iterdir() if path.name.startswith("results."))
    broken.write_bytes(broken.read_bytes()[:-3] + b"xyz")
    with pytest.raises(StateFileError, match="is damaged"):
        Results.load(tmp_path)


def test_parquet_is_a_tidy_table_for_others(tmp_path: Path) -> None:
    results = simulate([LinUCB(n_features=2)], LinearProblem([0.6, -0.3], 4), horizon=20, trials=2, record=[5, 20])
    results.save(tmp_path, form="parquet")
    frame = pd.read_parquet(tmp_path / "results.parquet")
    expected = results.to_frame()[["policy", "trial", "round", "regret"]]
    assert frame.astype(expected.dtypes).equals(expected)
    with pytest.raises(InvalidParameterError, match="'form' parameter of save must be"):
        results.save(tmp_path, form="pickle")
