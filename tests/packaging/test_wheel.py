"""Wheel and source archive: built, complete, installed in an empty environment, and working there."""

import os
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

HOME = Path(__file__).parents[2]
PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]

SMOKE = """
import numpy as np
import rbmle
from rbmle.problems import LinearProblem
from rbmle.simulation import simulate

missing = [name for name in rbmle.__all__ if not hasattr(rbmle, name)]
assert not missing, missing
policy = rbmle.LinRBMLE(n_features=2)
decision = policy.decide([[1.0, 0.0], [0.0, 1.0]])
policy.update([1.0, 0.0], 0.5)
found = simulate([policy, rbmle.LinUCB(n_features=2)], LinearProblem([1.0, 0.0], 5), horizon=100, trials=2)
found.save("results")
assert np.array_equal(rbmle.simulation.Results.load("results").final_regret("LinUCB"), found.final_regret("LinUCB"))
print(rbmle.__file__, len(found.rounds))
"""

DECIDE = """
import rbmle
policy = rbmle.LinUCB(n_features=2)
policy.update([0.0, 1.0], 5.0)
print(policy.choose([[1.0, 0.0], [0.0, 1.0]]))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Wheel and source archive; the wheel is built from the archive, as for who has nothing else."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(folder), str(HOME)], check=True, capture_output=True)
    [wheel], [archive] = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, archive


@pytest.fixture(scope="module")
def python(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that has the wheel and what it requires, nothing else."""
    folder = tmp_path_factory.mktemp("empty") / "venv"
    venv.create(folder, with_pip=True)
    run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", str(built[0]), cwd=folder)
    return folder / "bin" / "python"


def run(*command: object, cwd: Path, **environment: str) -> str:
    """Run a command away from the sources; what it wrote."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=clean | environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_metadata_are_complete(built: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(built[0]) as wheel:
        names = wheel.namelist()
        [about] = [name for name in names if name.endswith(".dist-info/METADATA")]
        told = message_from_bytes(wheel.read(about))
        points = wheel.read(about.replace("METADATA", "entry_points.txt")).decode()
    assert told["Name"] == "rbmle" and told["Version"] == PROJECT["version"]
    assert told["Author"] == "rbmle contributors" and told["License-Expression"] == "BSD-3-Clause"
    assert told["Requires-Python"] == ">=3.11" and "bandits" in told["Keywords"]
    assert set(told.get_all("Provides-Extra")) == set(PROJECT["optional-dependencies"])
    assert "Typing :: Typed" in told.get_all("Classifier")
    assert told.get_all("Project-URL") is None, "no address that nobody has seen"
    assert "[console_scripts]\nrbmle = rbmle.cli:app" in points
    assert any(name.endswith("licenses/LICENSE") for name in names)
    ours = {path.relative_to(HOME / "src").as_posix() for path in (HOME / "src" / "rbmle").rglob("*") if path.is_file()}
    ours = {name for name in ours if "__pycache__" not in name}
    assert ours == {name for name in names if name.startswith("rbmle/")} and "rbmle/py.typed" in ours


def test_the_archive_has_what_is_needed_to_work_on_it(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "CITATION.cff", "Makefile", "LICENSE", "tests/conftest.py"} <= names
    assert not any(name.startswith((".venv", "results", ".git/")) for name in names)


def test_it_works_in_an_empty_environment(python: Path, tmp_path: Path) -> None:
    home, cache = python.parents[1], str(tmp_path / "cache")
    where, rounds = run(python, "-c", SMOKE, cwd=tmp_path, RBMLE_CACHE_DIR=cache).split()
    assert Path(where).is_relative_to(home) and int(rounds) > 50
    command = python.with_name("rbmle")
    assert run(command, "--version", cwd=tmp_path).strip() == f"rbmle {PROJECT['version']}"
    assert "LinRBMLE" in run(command, "methods", cwd=tmp_path)
    shown = run(command, "compare", "--methods", "LinUCB,LinTS", "--trials", "2", cwd=tmp_path, RBMLE_CACHE_DIR=cache)
    assert "LinTS" in shown
    told = run(command, "doctor", cwd=tmp_path, RBMLE_CACHE_DIR=cache)
    assert "Nothing is wrong." in told and "pip install 'rbmle[ray]'" in told


def test_the_shell_completes(python: Path, tmp_path: Path) -> None:
    command = python.with_name("rbmle")
    script = run(command, "--show-completion", "bash", cwd=tmp_path, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert "_RBMLE_COMPLETE=complete_bash" in script
    found = run(command, cwd=tmp_path, _RBMLE_COMPLETE="complete_bash", COMP_WORDS="rbmle com", COMP_CWORD="1")
    assert found.split() == ["compare"]
    found = run(command, cwd=tmp_path, _RBMLE_COMPLETE="complete_bash", COMP_WORDS="rbmle methods LinU", COMP_CWORD="2")
    assert found.split() == ["LinUCB"]


@pytest.mark.parametrize("other", ["3.11", "3.12", "3.13"])
def test_other_versions_of_python(built: tuple[Path, Path], tmp_path: Path, other: str) -> None:
    if other == f"{sys.version_info.major}.{sys.version_info.minor}":
        pytest.skip("all other tests here run on it")
    interpreter = interpreter_of(other)
    if interpreter is None:
        pytest.skip(f"there is no Python {other} here")
    run(interpreter, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", built[0], cwd=tmp_path)
    assert run(python, "-c", DECIDE, cwd=tmp_path, RBMLE_CACHE_DIR=str(tmp_path / "cache")).strip() == "1"


def interpreter_of(version: str) -> Path | None:
    """A Python of that version: on the path, or one of pyenv's."""
    homes = [Path(part) for part in os.environ.get("PATH", "").split(os.pathsep) if part and "shims" not in part]
    homes += sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin"))
    for path in (home / f"python{version}" for home in homes):
        if path.exists():
            told = subprocess.run([path, "-c", "import ensurepip, sys; print(sys.version)"], check=False,
                                  capture_output=True, text=True)  # fmt: skip
            if told.returncode == 0 and told.stdout.startswith(f"{version}."):
                return path
    return None
