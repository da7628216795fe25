"""`rbmle agent` as typed, and journals where logs are asked for, against the same in Python."""

import json
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from rbmle import LinTS, LinUCB
from rbmle.cli import app
from rbmle.cli.agent import bar
from rbmle.online import Agent
from rbmle.report import agent_report, markdown


def typed(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "120"})
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Three days of decisions, a third told by the caller's rule too, every second rewarded."""
    now = [0.0]
    rng = np.random.default_rng(0)
    path = tmp_path / "news.db"
    rules = {"wait": 7200.0, "default_reward": 0.0, "floor": 0.2, "samples": 20, "seed": 1}
    with Agent(LinTS(n_features=2), journal=path, clock=lambda: now[0], durability="buffered", **rules) as agent:
        for i in range(72):
            now[0] = 3600.0 * i
            baseline = "sport" if i % 3 == 0 else None
            agent.decide(rng.normal(size=(2, 2)), arms=["[red]ads", "sport"], id=f"d{i}", baseline=baseline)
            if i % 2 == 0:
                agent.reward(f"d{i}", float(i % 4 == 0))
        agent.reward("nobody", 1.0)
        agent.sync()
    return path


@pytest.fixture
def few_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("rbmle.report.write"), "FIGURE_ENDINGS", ("svg",))


def test_the_terminal_shows_what_stats_say(journal: Path) -> None:
    out = typed("agent", journal)
    with Agent.open(journal) as agent:
        stats, told = agent.stats(), agent.explain(id="d71")
    assert "72" in out and f"{100 * stats['agreement']:.1f} % of 24" in out
    assert f"p = {stats['served_as_logged']:.3g}" in out and f"{stats['condition_number']:.4g}" in out
    assert "36 accepted (97.3 %), 1 unknown (2.7 %)" in out and "[red]ads" in out
    assert "1970-01-01" in out and "1970-01-03" in out and "Behind the last decision" in out
    for value in (*told.mean, *told.width, *told.probability):
        assert f"{value:.4g}" in out
    assert "✓" in out and "\n! " not in out


def test_looking_changes_nothing(journal: Path) -> None:
    from rbmle.online import SQLiteJournal

    def content() -> list[object]:
        opened = SQLiteJournal(journal)
        found = [*opened.read(0), *opened.snapshots()]
        opened.close()
        return found

    before = content()
    typed("agent", journal)
    typed("agent", journal, "--json")
    assert content() == before


def test_one_decision_is_explained(journal: Path) -> None:
    out = typed("agent", journal, "--explain", "d3")
    with Agent.open(journal) as agent:
        told = agent.explain(id="d3")
    assert "Behind decision d3" in out
    assert all(f"{value:.4g}" in out for value in told.mean)
    assert "must be that of a decision" in typed("agent", journal, "--explain", "d99", code=2)


def test_other_programs_read_it(journal: Path) -> None:
    with Agent.open(journal) as agent:
        text, stats = agent.prometheus(), agent.stats()
    assert typed("agent", journal, "--prometheus") == text
    assert json.loads(typed("agent", journal, "--json")) == json.loads(json.dumps(stats))
    assert "only one" in typed("agent", journal, "--prometheus", "--json", code=2)


def test_it_watches_until_interrupted(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = []

    def sleep(seconds: float) -> None:
        turns.append(seconds)
        if len(turns) == 1:
            with Agent.open(journal) as agent:
                agent.decide(np.eye(2), arms=["weather", "sport"], id="new")
        else:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", sleep)
    out = typed("agent", journal, "--watch", "0.5")
    assert turns == [0.5, 0.5] and "weather" in out and "73" in out


def test_mistakes_are_told_in_one_line(tmp_path: Path) -> None:
    assert "no such journal" in typed("agent", tmp_path / "none.db", code=2)
    (tmp_path / "text.db").write_text("this is no database, but some text that is long enough to be one")
    assert "Error: " in typed("agent", tmp_path / "text.db", code=2)
    assert not (tmp_path / "none.db").exists()


def test_help_teaches() -> None:
    out = typed("agent", "--help")
    assert "rbmle agent news.db --watch 2" in out and "probabilities" in out and "agent" in typed("--help")


def test_the_page_has_figures_and_numbers(journal: Path, tmp_path: Path, few_figures: None) -> None:
    out = typed("agent", journal, "--report", tmp_path / "page")
    assert "Report is in" in out
    page = (tmp_path / "page" / "report.html").read_text()
    with Agent.open(journal) as agent:
        stats = agent.stats()
    assert "How news is doing" in page and "[red]ads" in page
    for text in (f"{stats['counts']['learnt']}", f"{stats['mean_reward']:.4g}", f"{100 * stats['agreement']:.1f} %"):
        assert text in page
    figures = {path.stem for path in (tmp_path / "page" / "figures").iterdir()}
    assert figures == {"rewards", "days", "delays", "arm-rewards", "shares"}
    table = (tmp_path / "page" / "tables" / "days.csv").read_text().splitlines()
    assert len(table) == 1 + len(stats["by_day"]) and table[1].startswith("1970-01-01,")
    arms = pd.read_csv(tmp_path / "page" / "tables" / "arms.csv")
    assert arms["served"].tolist() == sorted((each["served"] for each in stats["arms"]), reverse=True)
    with Agent.open(journal) as agent:
        frame = agent.to_frame()
    settled = frame[frame["settled"]]
    names = np.array([row["arms"][row["arm"]] for _, row in settled.iterrows()])
    for name, mean in zip(arms["arm"], arms["mean_reward"], strict=True):
        assert mean == pytest.approx(settled["reward"][names == name].mean())


def test_a_page_shows_the_arms_served_most() -> None:
    agent = Agent(LinUCB(n_features=2), seed=1)
    for i in range(130):
        agent.decide(np.eye(2)[:1], arms=[f"arm {i}"], id=f"d{i}")
    agent.decide(np.eye(2)[:1], arms=["arm 129"], id="again")
    text = markdown(agent_report(agent))
    assert "100 of 130 are shown" in text and "| arm 129 | 2 |" in text and "| arm 128 |" not in text


def test_a_page_of_an_agent_that_has_done_nothing_yet() -> None:
    text = markdown(agent_report(Agent(LinUCB(n_features=2), apprentice=True, clock=lambda: 1e30)))
    assert "Nothing was decided" in text and "No reward was learnt" in text and "An apprentice" in text
    agent = Agent(LinUCB(n_features=2), clock=lambda: 1e30)
    agent.reward(agent.decide(np.eye(2)).id, 1.0)
    assert "mean reward" in markdown(agent_report(agent))


def test_logs_are_read_from_journals(journal: Path) -> None:
    out = typed("evaluate", journal, "--policy", "uniform", "--estimators", "ips")
    with Agent.open(journal) as agent:
        from rbmle.evaluation import evaluate

        found = evaluate(agent.log(), "uniform", estimators=["ips"])
    assert f"{found.value('ips'):.4g}" in out and f"{found.n} rows" in out


def test_bars() -> None:
    assert [bar(share, 4) for share in (0.0, 1.0, 2.0, 0.5)] == ["", "████", "████", "██"]
