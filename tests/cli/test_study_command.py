"""`rbmle study` as typed."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rbmle.cli import app
from rbmle.studies import Plan


def test_a_table_the_reading_and_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rbmle.studies.run.QUICK", Plan("quick", trials=4, tuning_trials=2, longest=50))
    monkeypatch.setattr(sys.modules["rbmle.report.write"], "FIGURE_ENDINGS", ("svg",))
    words = ["study", "--quick", "--settings", "paper,varying", "--methods", "LinUCB,LinTS", "--jobs", "1"]
    done = CliRunner().invoke(app, [*words, "--output", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "Quick run" in done.stdout
    assert "paper" in done.stdout
    assert "• As it comes, LinRBMLE against the best of 2 other methods" in done.stdout
    assert f"Report is in {tmp_path}" in done.stdout
    assert (tmp_path / "figures" / "sensitivity-paper.svg").exists()
    again = CliRunner().invoke(app, [*words, "--output", str(tmp_path)])
    assert "\n0 new trials" in again.stdout


def test_errors_take_one_line() -> None:
    done = CliRunner().invoke(app, ["study", "--settings", "nowhere"])
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1
    assert "must be some of paper" in done.stderr
