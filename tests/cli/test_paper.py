"""`rbmle paper` and `rbmle compare --report` from the command line."""

import pytest
from typer.testing import CliRunner

from rbmle.cli import app


def typed(*words):
    return CliRunner().invoke(app, list(words))


def test_stopped_by_hand(monkeypatch, tmp_path):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("rbmle.paper.study.carry_out", stop)
    done = typed("paper", "bias", "--quick", "--out", str(tmp_path))
    assert done.exit_code == 130
    assert "the same command goes on from here" in done.stdout


@pytest.mark.parametrize("words", [("figures",), ("--variant", "mine")])
def test_unknown_words_are_refused(words):
    done = typed("paper", *words)
    assert done.exit_code == 2
    assert "linear-regret" in done.stderr or "published" in done.stderr


def test_jobs_of_zero(tmp_path):
    done = typed("paper", "--jobs", "0", "--out", str(tmp_path))
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: The 'jobs' parameter")


def test_help_teaches():
    out = typed("paper", "--help").stdout
    for words in ("--quick", "--variant", "--jobs", "--out", "linear-time", "goes on where it was"):
        assert words in out


def test_compare_writes_a_report(tmp_path):
    done = typed(
        "compare", "--methods", "LinRBMLE,LinUCB", "--horizon", "50", "--trials", "3", "--report", str(tmp_path)
    )
    assert done.exit_code == 0
    assert f"Report is in {tmp_path}" in done.stdout.replace("\n", "")
    assert "LinRBMLE" in (tmp_path / "report.html").read_text("utf-8")
    assert (tmp_path / "tables" / "regret-statistics.csv").exists()
