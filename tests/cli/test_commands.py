"""The command as typed: tables, files, help that teaches, errors in one line."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rbmle import Policy, __version__
from rbmle.cli import app
from rbmle.report.templating import environment
from rbmle.simulation import Results

SMALL = ["compare", "--methods", "LinRBMLE,LinUCB", "--horizon", "50", "--trials", "3", "--jobs", "1"]


def typed(*words: str, code: int = 0) -> tuple[str, str]:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result.stdout, result.stderr


def test_compare_shows_a_table_and_writes_what_was_asked_for(tmp_path: Path) -> None:
    figure, folder = tmp_path / "regret.png", tmp_path / "results"
    out, _ = typed(*SMALL, "--theta", "-0.5,0.5", "--arms", "4", "--varying", "--seed", "5", "--noise", "rademacher",
                   "--figure", str(figure), "--out", str(folder))  # fmt: skip
    assert "Regret after 50 rounds" in out
    assert "LinearProblem(theta=[-0.5, 0.5], n_arms=4, static=False, noise=Rademacher(scale=1.0))" in out
    assert "…" not in out
    assert figure.read_bytes().startswith(b"\x89PNG")
    results = Results.load(folder)
    assert results.policies == ["LinRBMLE", "LinUCB"]
    assert (results.horizon, results.trials, results.manifest["seed"]) == (50, 3, 5)
    for name, row in results.statistics().items():
        line = next(line for line in out.splitlines() if line.startswith(name))
        assert f"{row['mean']:.2f}" in line


def test_compare_from_a_file(tmp_path: Path) -> None:
    config = tmp_path / "study.toml"
    config.write_text(
        'horizon = 40\ntrials = 2\njobs = 1\n[policies.bold]\nmethod = "LinRBMLE"\nbias = "Sqrt(scale=3.0)"'
    )
    out, _ = typed("compare", "--config", str(config), "--trials", "3", "--out", str(tmp_path / "out"))
    assert "3 trials" in out
    manifest = Results.load(tmp_path / "out").manifest
    assert manifest["policies"]["bold"]["bias"] == "Sqrt(scale=3.0)"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare", "--methods", "LinRBLME"], "Unknown method 'LinRBLME'. Did you mean LinRBMLE"),
        (["compare", "--methods", "xyz"], "Known: "),
        (
            ["compare", "--horizon", "0"],
            "The 'horizon' parameter of simulate must be an int in [1, inf). Got 0 instead.",
        ),
        (["compare", "--trials", "-1"], "The 'trials' parameter"),
        (["compare", "--arms", "0"], "The 'n_arms' parameter of LinearProblem"),
        (["compare", "--theta", "nan"], "The 'theta' parameter of LinearProblem"),
        (["compare", "--noise", "loud"], "Unknown noise 'loud'"),
        (["compare", "--family", "beta"], "Unknown family 'beta'"),
        (["compare", "--figure", "regret.gif"], "must end in one of .png, .svg, .pdf"),
        (["compare", "--config", "nowhere.toml"], "nowhere.toml cannot be read"),
        (["compare", "--jobs", "100000"], "The 'n_jobs' parameter of simulate must be a non-zero int, at most 1024"),
        (["compare", "--arms", "1000000000", "--methods", "LinUCB"], "1,000,000,000 arms of 3 features"),
        (["compare", "--import", "nowhere_to_be_found"], "nowhere_to_be_found cannot be imported"),
        (["methods", "--import", "nowhere.py"], "nowhere.py cannot be imported"),
        (["methods", "LinTs2"], "Unknown method 'LinTs2'. Did you mean LinTS"),
    ],
)
def test_errors_take_one_line(words: list[str], message: str) -> None:
    out, err = typed(*words, code=2)
    assert out == ""
    assert err.startswith("Error: ")
    assert message in err
    assert len(err.splitlines()) == 1


def test_methods_lists_all() -> None:
    out, _ = typed("methods")
    for name, cls in Policy.registry.items():
        if cls.__module__.startswith("rbmle."):
            assert name in out
    assert "m + ½ α(t) v" in out


@pytest.mark.parametrize("name", ["linucb", "LINUCB", "LinUCB"])
def test_capitals_do_not_matter(name: str) -> None:
    assert typed("methods", name) == typed("methods", "LinUCB")
    out, _ = typed("compare", "--methods", name, "--horizon", "20", "--trials", "2", "--jobs", "1")
    assert "\nLinUCB" in out


OWN = """
from dataclasses import dataclass
from rbmle import LinUCB
@dataclass(kw_only=True, eq=False)
class {name}(LinUCB):
    "Mine."
    title = "a policy of my own"
    notation = "mine"
    source = "nobody"
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a module in the present folder, with a policy of somebody."""
    name = "own_policies_of_a_test"
    (tmp_path / f"{name}.py").write_text(OWN.format(name="MineOfATest"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield name
    sys.modules.pop(name, None)
    Policy.registry.pop("MineOfATest", None)


@pytest.mark.parametrize("ending", ["", ".py"])
def test_policies_of_ones_own(own: str, ending: str) -> None:
    assert "a policy of my own" in typed("methods", "MineOfATest", "--import", own + ending)[0]
    out, _ = typed("compare", "--import", own + ending, "--horizon", "20", "--trials", "2", "--jobs", "1")
    assert "\nMineOfATest" in out, "imported policies take part by default"
    out, _ = typed("compare", "--import", own + ending, "--methods", "mineofatest,LinUCB", "--horizon", "20",
                   "--trials", "2", "--jobs", "1")  # fmt: skip
    assert "\nMineOfATest" in out
    for verb in ("methods", "compare"):
        assert "--import" in typed(verb, "--help")[0]


def test_a_file_must_not_stand_in_for_a_module(tmp_path: Path) -> None:
    path = tmp_path / "json.py"
    path.write_text("")
    _, err = typed("methods", "--import", str(path), code=2)
    assert "there is another module called json" in err


def test_compare_with_a_store_goes_on(tmp_path: Path) -> None:
    words = [*SMALL, "--store", str(tmp_path / "trials.sqlite"), "--out"]
    typed(*words, str(tmp_path / "first"))
    out, _ = typed(*words, str(tmp_path / "again"))
    first, again = Results.load(tmp_path / "first"), Results.load(tmp_path / "again")
    assert all(np.array_equal(first.regret[name], again.regret[name]) for name in first.policies)
    assert all(np.isnan(times).all() for times in again.seconds.values()), "no trial was played"
    assert "–" in out


@pytest.mark.parametrize(
    ("missing", "option", "words"),
    [("matplotlib.figure", "--figure", "matplotlib"), ("matplotlib.figure", "--report", "matplotlib"),
     ("jinja2", "--report", "jinja2")],
)  # fmt: skip
def test_what_cannot_be_written_is_said_before_the_work(
    missing: str, option: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, "rbmle.display.drawing", raising=False)
    monkeypatch.setattr("rbmle.simulation.simulate", None)
    environment.cache_clear()
    _, err = typed(*SMALL, option, str(tmp_path / "out.png"), code=2)
    assert f"need {words}: pip install" in err


def test_compare_shows_paired_differences() -> None:
    out, _ = typed(*SMALL)
    assert "More regret than" in out
    assert "95 % interval by Student's t" in out


def test_methods_explains_one() -> None:
    out, _ = typed("methods", "LinRBMLE")
    for words in ("m + ½ α(t) v", "Corollary 1", "Sqrt(scale=1.0)", "a float in (0, inf)", "required"):
        assert words in out
    assert ">>>" not in out


@pytest.mark.parametrize("name", [name for name, cls in Policy.registry.items() if cls.__module__.startswith("rbmle.")])
def test_every_method_can_be_explained(name: str) -> None:
    assert Policy.registry[name].source in " ".join(typed("methods", name)[0].split())


def test_help_teaches() -> None:
    out, _ = typed("compare", "--help")
    for words in ("Examples", "--methods", "bias = ", "[policies.bold]", "study.toml"):
        assert words in out
    out, _ = typed("--help")
    assert "compare" in out
    assert typed("--version")[0].strip() == f"rbmle {__version__}"


def test_nothing_heavy_is_imported_for_help() -> None:
    code = (
        "import sys, rbmle.cli; "
        "print([name for name in ('numba', 'matplotlib', 'pandas', 'joblib', 'jinja2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_module_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "rbmle", "--help"], capture_output=True, text=True, check=True)
    assert "Usage: rbmle" in done.stdout


def test_compare_on_real_data() -> None:
    out, _ = typed("compare", "--dataset", "wine", "--methods", "LinRBMLE,LinUCB", "--trials", "2", "--jobs", "1")
    assert "Regret after 178 rounds" in out
    assert "3 varying arms, 39 features" in out
    assert "ClassificationProblem(178 rows of 13" in out
    out, _ = typed("compare", "--dataset", "iris", "--encoding", "embedded", "--methods", "Uniform", "--horizon", "20",
                   "--trials", "2", "--jobs", "1")  # fmt: skip
    assert "Regret after 20 rounds" in out
    assert "3 varying arms, 12 features" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--dataset", "wines"), "must be one of 'breast_cancer'"),
        (("--dataset", "wine", "--family", "poisson"), "goes without noise"),
        (("--dataset", "wine", "--encoding", "dense"), "'encoding' parameter"),
        (("--dataset", "magic", "--data", "no/such/folder"), "There is no magic04.data in"),
    ],
)
def test_real_data_that_cannot_be(words: tuple[str, ...], message: str) -> None:
    _, error = typed("compare", *words, code=2)
    assert message in " ".join(error.split())
