"""What stands in several files says the same everywhere."""

import re
import tomllib
from pathlib import Path

import rbmle

HOME = Path(__file__).parents[2]
PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]


def test_one_version() -> None:
    cited = re.search(r"^version: (.+)$", (HOME / "CITATION.cff").read_text(), re.M)
    assert cited is not None and cited[1] == PROJECT["version"] == rbmle.__version__


def test_extras_by_purpose() -> None:
    extras = PROJECT["optional-dependencies"]
    assert {"plot", "report", "online", "postgres", "dask", "ray", "spark", "notebook", "all"} <= set(extras)
    named = {name for text in extras["all"] for name in re.search(r"\[(.*)\]", text)[1].split(",")}
    assert named <= set(extras) and {"plot", "report", "online", "postgres", "dask", "ray", "spark"} <= named


def test_every_requirement_has_a_lower_bound() -> None:
    extras = PROJECT["optional-dependencies"]
    chosen = ("plot", "report", "arrow", "dask", "ray", "spark", "postgres", "notebook")
    wanted = [*PROJECT["dependencies"], *(text for name in chosen for text in extras[name])]
    assert all(">=" in text or text.startswith("rbmle[") for text in wanted), wanted


def test_errors_of_the_package_are_one_family() -> None:
    from rbmle import errors

    found = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]
    own = [each for each in found if each.__module__ == "rbmle.errors" and not issubclass(each, Warning)]
    assert len(own) > 10 and all(issubclass(each, errors.RbmleError) for each in own)
    builtin = "Exception|ValueError|TypeError|RuntimeError|OSError|LookupError|KeyError|ArithmeticError"
    raised = re.compile(rf"^class (\w+)\((?:{builtin})\b", re.M)
    private = {"Unstorable"}  # caught where it is raised
    for path in (HOME / "src").rglob("*.py"):
        if path.name != "errors.py":
            assert set(raised.findall(path.read_text())) <= private, path


def test_the_container_file_asks_for_what_there_is() -> None:
    """It is not built here: what it calls and installs is looked up."""
    from rbmle.cli import app

    text = (HOME / "Containerfile").read_text()
    verbs = {
        found for line in re.findall(r"^RUN (rbmle .*)$", text, re.M) for found in re.findall(r"rbmle (\w+)", line)
    }
    commands = {each.name or each.callback.__name__ for each in app.registered_commands if each.callback is not None}
    assert verbs == {"warm", "doctor"} and verbs <= commands
    extras = re.search(r"\.whl\)\[(.*?)\]", text)
    assert extras is not None and set(extras[1].split(",")) <= set(PROJECT["optional-dependencies"])
    assert re.search(r"python:(3\.\d+)-slim", text)[1] in ("3.11", "3.12", "3.13")  # type: ignore[index]
    assert {".venv", ".git"} <= set((HOME / ".dockerignore").read_text().split())
