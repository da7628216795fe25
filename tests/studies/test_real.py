"""The study of real data in small: numbers against a direct simulation, resume, libraries and sets that are missing."""

import csv
import importlib.util
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from rbmle import LinRBMLE, LinUCB
from rbmle.cli import app
from rbmle.errors import InvalidParameterError, RbmleError
from rbmle.simulation import simulate
from rbmle.studies.real import SETS, entrants, real_data
from rbmle.studies.real.peers import everything
from rbmle.studies.real.sets import RealSet


@pytest.fixture(autouse=True)
def one_format(monkeypatch):
    """Figures as SVG alone: the other formats take most of the time."""
    monkeypatch.setattr(sys.modules["rbmle.report.write"], "FIGURE_ENDINGS", ("svg",))


def run(folder, **other):
    options = {"methods": ["LinUCB", "LinTS"], "trials": 4, "tuning_trials": 2, "rounds": 80, "jobs": 1}
    return real_data(["wine", "travel"], **{**options, **other}, output=folder, progress=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("real")


@pytest.fixture(scope="module")
def done(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["rbmle.report.write"], "FIGURE_ENDINGS", ("svg",))
        return run(folder)


def test_numbers_are_those_of_a_direct_simulation(done, folder):
    problem = SETS["travel"].make()
    d = problem.n_features
    policies = {"LinUCB · default": LinUCB(n_features=d), "auto": LinRBMLE(n_features=d, bias="auto")}
    direct = simulate(policies, problem, horizon=80, trials=4, seed=0, progress=False)
    (travel,) = [each for each in done.found if each.real.key == "travel"]
    np.testing.assert_allclose(travel.reward("LinUCB", "default"), 1.0 - direct.final_regret("LinUCB · default") / 80)
    grid = {str(a): LinUCB(n_features=d, alpha=a) for a in LinUCB.tuning.values}
    tuning = simulate(grid, problem, horizon=80, trials=2, seed=1, progress=False)
    assert travel.chosen["LinUCB"] == min(LinUCB.tuning.values, key=lambda a: tuning.final_regret(str(a)).mean())
    more = travel.more("LinUCB", "LinRBMLE auto", "default")
    pairs = (direct.final_regret("auto") - direct.final_regret("LinUCB · default")) / 80
    assert more.mean == pytest.approx(pairs.mean())
    with (folder / "tables" / "reward-default.csv").open() as lines:
        rows = {row["method"]: row for row in csv.DictReader(lines)}
    assert float(rows["LinUCB"]["travel"]) == pytest.approx(travel.mean("LinUCB", "default"))
    assert set(rows) == {"LinRBMLE auto", "LinUCB", "LinTS", "Uniform"}


def test_a_method_without_a_dial_is_the_same_tuned(done):
    for each in done.found:
        assert each.mean("LinRBMLE auto", "tuned") == each.mean("LinRBMLE auto", "default")
        assert 0.0 < each.times["LinUCB"] < 0.01


def test_it_goes_on_where_it_was(done, folder):
    again = run(folder)
    assert done.new_trials > 0 and again.new_trials == 0
    assert again.lines[:-1] == done.lines[:-1]  # the last one is of times
    more = run(folder, methods=["LinUCB", "LinTS", "SquareCB"])
    assert 0 < more.new_trials < done.new_trials


def test_the_page_has_diagrams_tables_and_an_honest_reading(done, folder):
    names = {figure.name for figure in done.report.figures}
    assert names == {"critical-difference-default", "critical-difference-tuned"}
    for name in names:
        assert (folder / "figures" / f"{name}.svg").exists()
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert "Mean ranks, best first:" in (folder / "report.html").read_text(encoding="utf-8")
    for words in ("Shuffle by shuffle", "Uniform", "travellers", "Nemenyi", "Holm"):
        assert words in text
    assert any("told apart" in line for line in done.lines)


def test_sets_are_scaled_alike():
    for key, each in SETS.items():
        if key in ("wine", "iris", "travel"):
            problem = each.make()
            block = problem.rounds(0, 0, 0, problem.horizon)
            norms = (block.contexts**2).sum(axis=-1).mean()
            assert norms == pytest.approx(1.0, rel=1e-9)
            assert (block.rewards.sum(axis=1) == 1.0).all()  # one arm is right: reward is what regret leaves
    columns = SETS["travel"].columns
    X = SETS["travel"].make().rounds(0, 0, 0, 1).contexts[0]
    seen = everything(columns, X)
    assert seen.shape == (4 * columns + 1,) and seen[-1] == 1.0
    np.testing.assert_array_equal(X[:, columns:] != 0.0, np.eye(4, dtype=bool))


def test_what_is_missing_is_left_out_unless_it_was_asked_for(monkeypatch, tmp_path):
    def nowhere():
        raise RbmleError("The set needs a package: pip install nothing.")

    monkeypatch.setitem(SETS, "gone", RealSet("gone", "not here", nowhere))
    monkeypatch.delitem(SETS, "digits")
    for key in ("segments", "phishing", "breast_cancer", "iris", "electricity", "swissmetro", "travel"):
        monkeypatch.delitem(SETS, key)
    without(monkeypatch, "river", "coba", "mabwiser", "vowpalwabbit", "contextualbandits", "bayesianbandits")
    done = real_data(trials=2, tuning_trials=2, rounds=20, jobs=1, output=tmp_path, progress=False)
    assert "river LinUCB: river is not installed" in done.skipped
    assert "gone: The set needs a package: pip install nothing." in done.skipped
    with pytest.raises(RbmleError, match="needs a package"):
        real_data(["gone"], methods=["LinUCB"], output=tmp_path, progress=False)
    with pytest.raises(RbmleError, match="river LinUCB needs river: pip install river"):
        real_data(["wine"], methods=["river LinUCB"], output=tmp_path, progress=False)
    with pytest.raises(InvalidParameterError, match="Got 'nothing' instead"):
        real_data(["nothing"], output=tmp_path)
    with pytest.raises(InvalidParameterError, match="'methods' parameter of real_data"):
        real_data(["wine"], methods=["nothing"], output=tmp_path)
    with pytest.raises(InvalidParameterError, match="'trials' parameter of real_data"):
        real_data(["wine"], trials=1, output=tmp_path)


def without(monkeypatch, *modules):
    """As if libraries were not installed."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name in modules else find(name, *rest))


def test_from_the_shell(tmp_path):
    arguments = "real-data --sets wine,iris --methods LinUCB --trials 2 --tuning-trials 2 --rounds 30 --jobs 1 --out"
    result = CliRunner().invoke(app, [*arguments.split(), str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "LinRBMLE auto" in result.output and "Report is in" in result.output
    wrong = CliRunner().invoke(app, ["real-data", "--sets", "nothing", "--out", str(tmp_path)])
    assert wrong.exit_code == 2


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_every_library_takes_part(tmp_path):
    every = entrants()
    absent = sorted({each.library for each in every.values() if not each.here})
    if absent:
        pytest.skip(f"not installed: {', '.join(absent)}")
    done = real_data(["iris", "travel"], trials=2, tuning_trials=2, rounds=40, jobs=2, output=tmp_path, progress=False)
    for each in done.found:
        assert list(each.methods) == list(every)
        for name in every:
            assert 0.0 < each.mean(name, "tuned") < 1.0 and each.times[name] > 0.0
    again = real_data(["iris", "travel"], trials=2, tuning_trials=2, rounds=40, jobs=1, output=tmp_path, progress=False)
    assert again.new_trials == 0  # trials of all libraries are stored, and known again
