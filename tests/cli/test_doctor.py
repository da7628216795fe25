"""`rbmle doctor`: what it says of this installation, and of ones that are broken."""

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from rbmle.cli import app, doctor


def found():
    """What the JSON says, by topic and name."""
    answer = CliRunner().invoke(app, ["doctor", "--json"])
    return answer.exit_code, {(each["topic"], each["name"]): each for each in json.loads(answer.stdout)}


def test_everything_is_told_and_nothing_is_wrong():
    code, told = found()
    assert code == 0
    assert told["versions", "numpy"] == {
        "topic": "versions", "name": "numpy", "told": version("numpy"), "good": True,
    }  # fmt: skip
    assert {topic for topic, _ in told} >= {"versions", "machine code", "threads", "clock", "extras"}
    assert told["machine code", "first decision"]["told"].startswith("right")
    assert told["extras", "report"]["good"] is True  # what tests need has it
    assert not any(each["good"] is False for each in told.values())


def test_tables_are_for_people():
    answer = CliRunner().invoke(app, ["doctor"], env={"COLUMNS": "100"})
    assert answer.exit_code == 0
    assert "Nothing is wrong." in answer.stdout
    assert f"✓  numba               {version('numba')}" in answer.stdout


@pytest.mark.parametrize(
    ("installed", "words"), [("0.60.0", "0.60.0, but 0.61 or newer is needed"), (None, "missing, but 0.61 or newer")]
)
def test_what_is_too_old_or_missing_is_wrong(monkeypatch, installed, words):
    real = doctor.version_of
    monkeypatch.setattr(doctor, "version_of", lambda name: installed if name == "numba" else real(name))
    told = {each.name: each for each in doctor.versions()}
    assert told["numba"].told.startswith(words)
    assert [name for name, each in told.items() if each.good is False] == ["numba"]


def test_extras_say_what_is_missing(monkeypatch):
    have = {"jinja2": "3.1.6", "pandas": "1.0"}
    monkeypatch.setattr(doctor, "version_of", lambda name: have.get(name))
    told = {each.name: each for each in doctor.extras()}
    assert told["plot"] == doctor.Finding("extras", "plot", "missing matplotlib: pip install 'rbmle[plot]'", None)
    assert told["report"].good is False
    assert told["report"].told.startswith("too old: pandas 1.0 (needs ")
    assert not {"dev", "peers", "all", "bench"} & set(told)


@pytest.mark.parametrize(
    ("installed", "lowest", "answer"),
    [
        ("2.10", "2.9", False),
        ("2.9", "2.10", True),
        ("0.61.0", "0.61", False),
        ("1.0rc1", "1.1", True),
        ("4", "4.0", True),
    ],
)
def test_versions_are_compared_by_their_numbers(installed, lowest, answer):
    assert doctor.older(installed, lowest) is answer


def test_wrong_scores_and_full_disks_are_found(monkeypatch, tmp_path):
    from rbmle import LinUCB

    monkeypatch.setattr(LinUCB, "scores", lambda self, X: X[:, 0])
    good, told = doctor.first_decision()
    assert not good
    assert told.startswith("wrong: ")
    assert doctor.writable(tmp_path) == ("yes", True)
    assert doctor.writable(tmp_path / "nowhere") == ("no: No such file or directory", False)


PLUGIN = '''
from dataclasses import dataclass
from rbmle.policies.greedy import Greedy

@dataclass(kw_only=True, eq=False)
class Plugged(Greedy):
    """Of a package that says so."""

    title = "of another package"
'''


@pytest.fixture
def packages(tmp_path):
    """Two installed packages with entry points: one has a policy, one cannot be imported."""
    for name, code in (("plugged", PLUGIN), ("broken", "raise RuntimeError('out of order')")):
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        (folder / "entry_points.txt").write_text(f"[rbmle.policies]\n{name} = {name}\n", encoding="utf-8")
    return {**os.environ, "PYTHONPATH": str(tmp_path), "COLUMNS": "120"}


def run(environment, *arguments):
    command = [sys.executable, "-m", "rbmle", *arguments]
    return subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=120)


def test_policies_of_installed_packages_reach_the_shell(packages):
    known = run(packages, "methods", "plugged")
    assert known.returncode == 0, known.stderr
    assert "Plugged: of another package" in known.stdout
    assert "the policies broken (broken) cannot be loaded: RuntimeError: out of order" in known.stderr
    told = run(packages, "doctor")
    assert told.returncode == 1
    assert "✓  plugged (plugged)   loaded" in told.stdout
    assert "✗  broken (broken)" in told.stdout
    assert "1 of these are wrong" in told.stdout


@pytest.mark.long
def test_folders_that_cannot_be_used_are_found(tmp_path):
    """A file where the folder should be; everything is compiled anew meanwhile."""
    place = tmp_path / "taken"
    place.write_text("", encoding="utf-8")
    told = run({**os.environ, "RBMLE_CACHE_DIR": str(place)}, "doctor", "--json")
    assert told.returncode == 1
    rows = {each["name"]: each for each in json.loads(told.stdout)}
    assert rows["folder"]["good"] is False
    assert rows["first decision"]["good"] is True
