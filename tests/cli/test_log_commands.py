"""`rbmle evaluate`, `rbmle select` and `rbmle fit` as typed, against the same work in Python."""

from importlib import import_module
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from typer.testing import CliRunner

import rbmle
from rbmle import LinRBMLE, LinTS, LinUCB
from rbmle.cli import app
from rbmle.display.spans import Span, axis, drawn
from rbmle.evaluation import evaluate, fit, select
from rbmle.logs import Log
from rbmle.online import Agent


def typed(*words: object, code: int = 0, width: int = 160) -> tuple[str, str]:
    result = CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": str(width)})
    assert result.exit_code == code, result.output
    return result.stdout, result.stderr


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Rewards of 1 for the larger first feature, mostly; arms served at random."""
    rng = np.random.default_rng(0)
    n = 1500
    X, p = rng.standard_normal((n, 3, 2)), 0.1 + 0.7 * rng.dirichlet([2.0, 2.0, 2.0], n)
    arms = (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    rewards = (rng.random(n) < 1.0 / (1.0 + np.exp(-2.0 * X[np.arange(n), arms, 0]))).astype(float)
    path = tmp_path / "log.parquet"
    Log.from_arrays(arms=arms, rewards=rewards, probabilities=p, contexts=X).to_parquet(path)
    return path


@pytest.fixture
def few_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("rbmle.report.write"), "FIGURE_ENDINGS", ("svg",))


def test_fit_learns_saves_and_goes_on(log: Path, tmp_path: Path, few_figures: None) -> None:
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    out, _ = typed("fit", log, "--policy", "linucb(alpha=0.5)", "--save", first, "--report", tmp_path / "page")
    assert "LinUCB learnt 1,500 rewards" in out and "x0" in out
    own = fit(log, LinUCB(n_features=2, alpha=0.5))
    for key, array in own.state().items():
        np.testing.assert_array_equal(rbmle.load(first).state()[key], array)
    assert "predicts for a context that is 1 in one feature" in (tmp_path / "page" / "report.html").read_text()
    typed("fit", log, "--policy", first, "--save", second)
    assert rbmle.load(second).n_observed == 3000


def test_evaluate_has_the_numbers_of_python(log: Path, tmp_path: Path, few_figures: None) -> None:
    policy = fit(log, LinRBMLE(n_features=2))
    policy.save(tmp_path / "policy.npz")
    out, _ = typed(
        "evaluate", log, "--policy", tmp_path / "policy.npz", "--policy", "uniform", "--estimators", "ips,dr",
        "--intervals", "asymptotic,bootstrap", "--out", tmp_path / "numbers.csv", "--report", tmp_path / "page",
        "--figure", tmp_path / "intervals.svg",
    )  # fmt: skip
    found = evaluate(log, policy, estimators=("ips", "dr"), intervals=("asymptotic", "bootstrap"))
    table = pd.read_csv(tmp_path / "numbers.csv")
    assert table["target"].tolist() == ["LinRBMLE (policy.npz)"] * 4 + ["uniform"] * 4
    assert table["value"][:4].tolist() == pytest.approx([found.value(name) for name in ("ips", "ips", "dr", "dr")])
    low, high = found.interval("dr", "bootstrap")
    assert f"{found.value('dr'):.4g}" in out and f"{low:.4g}" in out and f"{high:.4g}" in out
    assert "●" in out and "more than the logging policy" in out
    page = (tmp_path / "page" / "report.html").read_text()
    for text in ("Can the log answer", "worth so many rows", "rows are independent of each other", "uniform"):
        assert text in page
    assert (tmp_path / "intervals.svg").exists()


def test_a_method_learns_as_it_goes(log: Path) -> None:
    out, _ = typed("evaluate", log, "--policy", "LinUCB(alpha=0.5)")
    found = evaluate(log, LinUCB(n_features=2, alpha=0.5), learn=True)
    assert "LinUCB(alpha=0.5), learning" in out and f"{found.value('replay'):.4g}" in out


def test_select_tunes_judges_and_saves(log: Path, tmp_path: Path, few_figures: None) -> None:
    out, _ = typed(
        "select", log, "--sweep", "LinRBMLE(bias=[Sqrt(scale=0.1), 100.0], regularization=[1.0])",
        "--policy", "uniform", "--save", tmp_path / "best.npz", "--report", tmp_path / "page", "--seed", 3,
    )  # fmt: skip
    policies = rbmle.sweep(
        LinRBMLE, n_features=2, bias=[rbmle.schedules.Sqrt(scale=0.1), rbmle.schedules.Constant(100.0)],
        regularization=[1.0],
    )  # fmt: skip
    found = select(log, {**policies, "uniform": "uniform"}, seed=3)
    assert found.best is not None and f"Switch to {found.best}" in out and "won its sweep" in out
    saved = rbmle.load(tmp_path / "best.npz")
    for key, array in found.policies[found.best].state().items():
        np.testing.assert_array_equal(saved.state()[key], array)
    page = (tmp_path / "page" / "report.html").read_text()
    assert "hold for all of them together" in page and "Replays on the training part" in page
    out, _ = typed("select", log, "--policy", "uniform", "--save", tmp_path / "none.npz")
    assert "No policy was saved" in out and not (tmp_path / "none.npz").exists()


def test_columns_of_other_names_and_a_shared_context(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.random(200), "hour": rng.random(200), "shown": rng.integers(0, 2, 200)})
    frame = frame.assign(clicked=(rng.random(200) < frame["age"]).astype(float), p=0.5)
    frame.loc[7, "p"] = 0.0
    frame.to_csv(tmp_path / "clicks.csv", index=False)
    words = ["--columns", "reward=clicked,probability=p,arm=shown,context=age+hour", "--arms", 2]
    _, error = typed("fit", tmp_path / "clicks.csv", *words, code=2)
    assert "line 9, column 'p'" in error and len(error.splitlines()) == 1
    out, _ = typed("fit", tmp_path / "clicks.csv", *words, "--drop", "--policy", "LinUCB")
    assert "learnt 199 rewards" in out and "LinUCB(n_features=4" in out
    out, _ = typed("evaluate", tmp_path / "clicks.csv", *words, "--drop", "--policy", "uniform")
    assert "1 row was left out" in out


def test_a_data_set_is_a_log_of_random_decisions() -> None:
    out, _ = typed("evaluate", "iris", "--policy", "uniform", "--estimators", "ips")
    assert "150 rows of iris" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evaluate", "nowhere.parquet", "--policy", "uniform"], "there is no such file, folder or data set"),
        (["evaluate", "LOG", "--policy", "LinUBC"], "Did you mean LinUCB"),
        (["evaluate", "LOG", "--policy", "LinUCB(0.5)"], "Parameters of a method go by their names"),
        (["evaluate", "LOG", "--policy", "uniform", "--estimators", "clipped-ips"], "needs the option clip"),
        (["evaluate", "LOG", "--policy", "uniform", "--reward-range", "0"], "must be two numbers"),
        (["evaluate", "LOG", "--policy", "uniform", "--columns", "reward"], "must be pairs such as"),
        (["evaluate", "LOG", "--policy", "uniform", "--figure", "a.txt"], "must end in one of"),
        (["select", "LOG"], "something to choose from"),
        (["select", "LOG", "--sweep", "LinUCB(alpha=1)"], "sweep must have a list"),
        (["fit", "LOG", "--policy", "uniform"], "policy must be a method or a saved policy"),
    ],
)
def test_errors_take_one_line(words: list[str], message: str, log: Path) -> None:
    _, error = typed(*(str(log) if word == "LOG" else word for word in words), code=2)
    assert message in error and len(error.splitlines()) == 1


@pytest.mark.parametrize("verb", ["evaluate", "select", "fit"])
def test_help_teaches(verb: str) -> None:
    out, _ = typed(verb, "--help")
    assert "Examples" in out and f"rbmle {verb} digits" in out and "--report" in out


def test_intervals_of_letters() -> None:
    assert drawn(5.0, 0.0, 31.0, (0.0, 31.0)) == "├────●" + "─" * 25 + "┤"
    assert drawn(31.0, 15.0, 50.0, (0.0, 31.0), mark=2.0) == "  ┊" + " " * 12 + "├" + "─" * 15 + "●"
    assert drawn(1.0, float("-inf"), 2.0, (0.0, 31.0)) == " ●" + " " * 30
    assert axis([1.0, 3.0, float("nan")]) == (0.9, 3.1)
    assert axis([2.0]) == (1.5, 2.5) and axis([]) == (0.0, 1.0)


def test_a_span_takes_the_room_there_is() -> None:
    span = Span(5.0, 0.0, 10.0, (0.0, 10.0))
    assert drawn(5.0, 0.0, 10.0, (0.0, 10.0), width=11) == "├────●────┤"
    for room, letters in ((11, "├────●────┤"), (100, drawn(5.0, 0.0, 10.0, (0.0, 10.0))), (7, "")):
        console = Console(width=room, file=StringIO())
        console.print(span)
        assert console.file.getvalue().strip() == letters  # type: ignore[attr-defined]


def test_numbers_are_never_cut_off_for_a_drawing(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a terminal of 80 letters, and where there is none."""
    monkeypatch.chdir(tmp_path)
    policy = LinRBMLE(n_features=2)
    fit(log, policy).save(tmp_path / "policy.npz")
    found = evaluate(log, policy, intervals="asymptotic")
    out, _ = typed("evaluate", log, "--policy", "policy.npz", width=80)
    for name in ("ips", "snips", "dm", "dr"):
        (line,) = (line for line in out.splitlines() if line.startswith(f"{name} "))
        low, high = found.interval(name)
        assert line.split()[1:4] == [f"{number:.4g}" for number in (found.value(name), low, high)]
        assert "├" in line and line.rstrip().endswith("asymptotic, 95 %")
    out, _ = typed(
        "select", log, "--sweep", "LinRBMLE(bias=[0.01, 1], regularization=[0.1])", "--policy", "policy.npz", width=80
    )
    (line,) = (line for line in out.splitlines() if line.startswith("policy.npz"))
    assert len([word for word in line.split() if word.replace(".", "").replace("-", "").isdigit()]) == 4
    assert "┊" in line and line.rstrip().endswith(("better", "worse", "not told apart"))


def test_bounds_known_beforehand_are_taken(log: Path) -> None:
    words = ("evaluate", log, "--policy", "uniform", "--estimators", "ips", "--reward-range", "0,1")
    options = {"estimators": "ips", "reward_range": (0.0, 1.0)}
    out, _ = typed(*words, "--intervals", "empirical-bernstein", "--largest-weight", "10")
    found = evaluate(log, "uniform", intervals="empirical-bernstein", largest_weight=10.0, **options)
    assert all(f"{end:.4g}" in out for end in found.interval("ips"))
    out, _ = typed(*words, "--intervals", "sequence", "--rho", "200")
    found = evaluate(log, "uniform", intervals="sequence", rho=200.0, **options)
    assert all(f"{end:.4g}" in out for end in found.interval("ips"))


def test_an_agents_journal_is_a_log_and_is_left_as_it_was(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    with Agent(LinTS(n_features=2), journal=tmp_path / "agent.db", floor=0.3, seed=1) as agent:
        for _ in range(60):
            decision = agent.decide(rng.standard_normal((3, 2)))
            agent.reward(decision.id, float(rng.random()))
        expected = evaluate(agent.log(), "uniform", estimators="ips").value("ips")
    before = (tmp_path / "agent.db").read_bytes()
    shown, _ = typed("evaluate", tmp_path / "agent.db", "--policy", "uniform", "--estimators", "ips")
    assert f"{expected:.4g}" in shown and "60 rows" in shown
    assert (tmp_path / "agent.db").read_bytes() == before


def test_text_of_vowpal_wabbit(tmp_path: Path) -> None:
    decisions = ["shared |u age:3\n|a f:1\n0:-1:0.5 |a f:2\n", "shared |u age:4\n1:0:0.25 |a f:1\n|a f:2\n"]
    (tmp_path / "clicks.vw").write_text("\n".join(decisions))
    shown, _ = typed("evaluate", tmp_path / "clicks.vw", "--policy", "uniform", "--estimators", "ips")
    assert "2 rows" in shown
