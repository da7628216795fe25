"""`rbmle study` as typed."""

import sys
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console
from typer.testing import CliRunner

from rbmle.cli import app
from rbmle.cli.study import summary
from rbmle.studies import Plan, words


def test_a_table_the_reading_and_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rbmle.studies.run.QUICK", Plan("quick", trials=4, tuning_trials=2, longest=50))
    monkeypatch.setattr(sys.modules["rbmle.report.write"], "FIGURE_ENDINGS", ("svg",))
    typed = ["study", "--quick", "--settings", "paper,varying", "--methods", "LinUCB,LinTS", "--jobs", "1"]
    done = CliRunner().invoke(app, [*typed, "--output", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "Quick run" in done.stdout
    assert "paper" in done.stdout
    assert "• As it comes, LinRBMLE against the best of 2 other methods" in done.stdout
    assert f"Report is in {tmp_path}" in done.stdout
    assert (tmp_path / "figures" / "sensitivity-paper.svg").exists()
    again = CliRunner().invoke(app, [*typed, "--output", str(tmp_path)])
    assert "\n0 new trials" in again.stdout


def test_errors_take_one_line() -> None:
    done = CliRunner().invoke(app, ["study", "--settings", "nowhere"])
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1
    assert "must be some of paper" in done.stderr


def test_a_narrow_terminal_cuts_names_and_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def far_behind(found: object, form: str) -> words.Standing:
        return words.Standing("", form, "CorrelatedKnowledgeGradient", 8.33, 1.0, 0.5, 1.5, 3)

    monkeypatch.setattr(words, "compared", list)
    monkeypatch.setattr(words, "standing", far_behind)
    console = Console(width=80, file=StringIO())
    console.print(summary(SimpleNamespace(found=[SimpleNamespace(setting=SimpleNamespace(key="logistic-steep"))])))
    shown = console.file.getvalue()
    assert shown.count("8.33") == shown.count("CorrelatedKnowle") == 2
    assert "CorrelatedKnowledgeGradient" not in shown
