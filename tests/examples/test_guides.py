"""The code of a guide runs, block after block, in one program; what it says is printed is printed."""

import re
from pathlib import Path

import pytest

from rbmle.policies import Policy

ROOT = Path(__file__).parents[2]
GUIDES = ["production.md"]
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.S | re.M)


def blocks(path):
    """(line, kind, code) of the blocks of a guide; a block of text after one of code is what that prints."""
    text = path.read_text(encoding="utf-8")
    return [(text[: found.start()].count("\n") + 2, found[1], found[2]) for found in BLOCK.finditer(text)]


@pytest.mark.filterwarnings("ignore::rbmle.errors.SharedJournalWarning")  # of this machine's SQLite
@pytest.mark.parametrize("name", GUIDES)
def test_the_code_of_a_guide_runs(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path, known = ROOT / "docs" / name, set(Policy.registry)
    names = {"__name__": "guide"}
    printed = ""
    found = blocks(path)
    assert sum(kind == "python" for _, kind, _ in found) > 5
    try:
        for line, kind, code in found:
            if kind == "python":
                exec(compile("\n" * (line - 1) + code, str(path), "exec"), names)  # tracebacks name the guide's lines
                printed = capsys.readouterr().out
            else:
                assert printed.strip() == code.strip(), f"{name}, line {line}"
    finally:
        for each in set(Policy.registry) - known:
            del Policy.registry[each]


@pytest.mark.parametrize("name", GUIDES)
def test_the_links_of_a_guide_lead_somewhere(name):
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert target.startswith("https://") or (ROOT / "docs" / target).exists(), target
