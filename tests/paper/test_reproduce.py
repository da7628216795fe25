"""The study as one call: the quick run in a browser, kills and resumes, doctored tables, both definitions."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from rbmle.cli import app
from rbmle.errors import InvalidParameterError
from rbmle.paper import GLM, LINEAR, glm_regret, printed_tables, run
from rbmle.paper.parts import PARTS
from rbmle.paper.plan import FULL, QUICK
from rbmle.paper.regret.linear import EXACT, linear_regret
from rbmle.paper.study import study

TINY = replace(
    QUICK, name="tiny", linear=(LINEAR[2],), linear_horizon=300, linear_trials=6, samples=2000, glm=(GLM[0],)
)


# Some seconds of work, so that a kill falls into it.
LONGER = replace(TINY, linear_horizon=800, linear_trials=10, samples=4000)


@pytest.fixture
def one_format(monkeypatch):
    """Figures as SVG alone: the other formats take most of the time, and other tests have them."""
    monkeypatch.setattr(sys.modules["rbmle.report.write"], "FIGURE_ENDINGS", ("svg",))


def timeless(frame):
    """A frame without what a clock measured."""
    return frame.drop(columns=[name for name in frame.columns if "seconds" in name])


def test_quick_run_of_everything(tmp_path, request, one_format):
    done = CliRunner().invoke(app, ["paper", "--quick", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "not comparable to the printed numbers" in done.stdout
    assert "bounds: LinRBMLE is below the bound of Theorem 2 (δ = 0.1) in 32 of 32 trials." in done.stdout
    assert f"Report is in {tmp_path}" in done.stdout
    page, text = (tmp_path / name for name in ("report.html", "report.md"))
    for words in ("Quick run.", "Where the published baselines differ", "Settings, versions and machine"):
        assert words in page.read_text("utf-8")
        assert words in text.read_text("utf-8")
    tables = {path.stem for path in (tmp_path / "tables").glob("*.csv")}
    assert {f"table-{number:02d}" for number in range(1, 12)} <= tables
    assert tables == {path.stem for path in (tmp_path / "tables").glob("*.tex")}
    figures = {path.stem for path in (tmp_path / "figures").glob("*.svg")}
    assert {f"figure-{number}{letter}" for number in range(1, 5) for letter in "abcd"} <= figures
    # No number of a short run is held against the paper's.
    assert set(pd.read_csv(tmp_path / "tables" / "table-01.csv")["mark"]) == {"not comparable"}

    browser = request.getfixturevalue("open_browser")(tmp_path)
    for width, dark in ((400, False), (400, True), (1200, False)):
        seen = browser.measure("report.html", width=width, dark=dark)
        assert (seen["width"], seen["dark"]) == (width, dark)
        assert seen["console"] == []
        assert seen["page_width"] <= width
        assert seen["outside"] == []
        assert seen["cut_off_tables"] == []
        assert seen["tables"] == seen["containers"] == len(tables)
        assert len(seen["figures"]) == len(figures)
        assert all(each["within"] and each["width"] > 250 and each["height"] > 150 for each in seen["figures"])


SCRIPT = """
import sys
sys.path.insert(0, {here!r})
from test_reproduce import LONGER
from rbmle.paper.study import study
study(["linear-regret"], plan=LONGER, out={out!r}, jobs=2, progress=False)
"""


def kept(out):
    """How many trials another process has stored so far."""
    if not (out / "trials.sqlite").exists():
        return 0
    with closing(sqlite3.connect(out / "trials.sqlite", timeout=30.0)) as file:
        try:
            return file.execute("SELECT COUNT(*) FROM outcomes").fetchone()[0]
        except sqlite3.OperationalError:  # no table yet
            return 0


def test_killed_twice_and_started_again(tmp_path):
    undisturbed = study(["linear-regret"], plan=LONGER, out=tmp_path / "whole", jobs=1)
    out = tmp_path / "killed"
    code = SCRIPT.format(here=str(Path(__file__).parent), out=str(out))
    for _ in range(2):
        before = kept(out)
        child = subprocess.Popen([sys.executable, "-c", code])
        while kept(out) == before and child.poll() is None:
            time.sleep(0.02)
        time.sleep(random.uniform(0.0, 0.3))
        child.send_signal(signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL  # it was still at work
        assert before < kept(out) < undisturbed.new_trials
    found = kept(out)
    again = study(["linear-regret"], plan=LONGER, out=out, jobs=2)
    assert undisturbed.new_trials == (9 + 5) * LONGER.linear_trials
    assert again.new_trials == undisturbed.new_trials - found
    for name, frame in undisturbed.frames().items():
        pd.testing.assert_frame_equal(timeless(again.frames()[name]), timeless(frame), check_exact=True)
    figures = {path.name for path in (out / "figures").iterdir()}
    assert figures == {"figure-1a.png", "figure-1a.svg", "figure-1a.pdf"}
    for kind in ("csv", "tex"):
        for path in (tmp_path / "whole" / "tables").glob(f"*.{kind}"):
            assert path.read_bytes() == (out / "tables" / path.name).read_bytes()


def test_a_wrong_cell_is_shown_as_wrong(tmp_path, monkeypatch, one_format):
    plan = replace(FULL, linear=LINEAR[:1], linear_methods=EXACT)
    whole = study(["linear-regret"], plan=plan, variant="published", out=tmp_path)
    assert whole.lines[0] == "linear-regret: 56 of 56 exact cells."
    frame = whole.frames()["linear_regret"]
    assert frame["exact"].all()
    assert "differs" not in (tmp_path / "report.html").read_text("utf-8").split("</style>", 1)[1]

    key, printed = LINEAR[0].key, printed_tables()["linear_regret"]
    doctored = {**printed[key], "q50": {**printed[key]["q50"], "GPUCB": printed[key]["q50"]["GPUCB"] + 0.01}}
    tables = {**printed_tables(), "linear_regret": {**printed, key: doctored}}
    monkeypatch.setattr("rbmle.paper.regret.linear.printed_tables", lambda: tables)
    wrong = study(["linear-regret"], plan=plan, variant="published", out=tmp_path)
    assert wrong.new_trials == 0
    assert wrong.lines[0] == "linear-regret: 55 of 56 exact cells; wrong: GPUCB Q.50."
    rows = wrong.frames()["linear_regret"].query("not exact")
    assert rows[["statistic", "method", "mark"]].values.tolist() == [["q50", "GPUCB", "differs"]]
    page = (tmp_path / "report.html").read_text("utf-8").split("</style>", 1)[1]
    assert "55 of 56" in page
    assert "≠" in page


def test_published_glm_methods_go_on_with_their_stream(tmp_path, one_format):
    """Stopped after two trials, the third draws what it would have drawn: the numbers of an unbroken stream."""
    plan = replace(TINY, glm_horizon=1000, glm_trials=2)
    study(["glm-regret"], plan=plan, variant="published", out=tmp_path)
    frames = study(["glm-regret"], plan=replace(plan, glm_trials=3), variant="published", out=tmp_path).frames()
    trials = frames["glm_regret_trials"].set_index("method")
    unbroken = glm_regret(GLM[0], "published", trials=3)
    for name in unbroken.policies:
        assert trials.loc[name, "regret"].tolist() == unbroken.final_regret(name).tolist()


def test_methods_alike_in_both_definitions_are_run_once():
    part = linear_regret(TINY, "both")
    keys = [key for each in part.experiments for key in each.keys]
    assert len(keys) == 2 * 9 * 6
    assert len(set(keys)) == (9 + 5) * 6


def test_by_the_authors_alone(tmp_path, one_format):
    plan = replace(TINY, linear_methods=("RBMLE", "KG"))
    frames = run_with(plan, tmp_path, "linear-regret", variant="authors")
    assert set(frames["linear_regret_trials"]["definition"]) == {"authors"}
    assert "differences" not in frames
    both = run_with(plan, tmp_path, "linear-regret", variant="both")
    assert set(both["differences"]["method"]) == {"KG"}


def run_with(plan, out, *parts, variant):
    return study(parts, plan=plan, variant=variant, out=out).frames()


def test_run_gives_frames(tmp_path, one_format):
    frames = run("bias", quick=True, out=tmp_path, jobs=2)
    assert list(frames) == ["bias"]
    assert len(frames["bias"]) == len(QUICK.linear) * len(QUICK.bias_scales) * len(QUICK.bias_exponents)
    assert (frames["bias"]["mean"] > 0).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"parts": "figures"}, "'parts' parameter of run must be one of 'linear-regret'"),
        ({"parts": []}, "must name at least one part"),
        ({"variant": "mine"}, "'variant' parameter of run must be one of 'published'"),
        ({"jobs": 0}, "'jobs' parameter of run must be a non-zero int"),
    ],
)
def test_bad_arguments(tmp_path, arguments, message):
    with pytest.raises(InvalidParameterError, match=message):
        run(**arguments, out=tmp_path)


def test_plans():
    assert FULL.faithful
    assert FULL.notice == ""
    assert not QUICK.faithful
    assert not TINY.faithful
    assert set(PARTS) == {"linear-regret", "linear-time", "glm-regret", "glm-time", "bounds", "bias"}
