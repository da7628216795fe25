"""The guide to other libraries: its programs run, each by itself, where their libraries are installed."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

import rbmle.adapters

GUIDE = (Path(__file__).parents[2] / "docs" / "other-libraries.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
PROGRAMS = [code for code in BLOCKS if ">>>" not in code]
# What adapters of these names load.
NEEDS = {"FromVW": "vowpalwabbit", "RiverPolicy": "river"}


def imported(code):
    """Top-level packages that a program needs."""
    found = {NEEDS[name] for name in NEEDS if name in code}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module).partition(".")[0])
    return found


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("code", PROGRAMS, ids=lambda code: re.search(r"adapters import (\w+)", code)[1])
def test_programs_of_the_guide_run(code):
    missing = sorted(name for name in imported(code) if importlib.util.find_spec(name) is None)
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    assert "assert " in code
    exec(compile(code, "docs/other-libraries.md", "exec"), {"__name__": "guide"})


def test_the_guide_names_every_adapter():
    assert [name for name in rbmle.adapters.__all__ if f"rbmle.adapters.{name}>" not in GUIDE] == []
    assert len(PROGRAMS) == 4
