"""The command as typed: tables, files, help that teaches, errors in one line."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rbmle import Policy, __version__
from rbmle.cli import app
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
