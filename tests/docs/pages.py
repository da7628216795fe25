"""The pages of the site, read as text: which there are, what they execute, what they link to."""

import importlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TUTORIALS = sorted(path for path in (DOCS / "tutorials").glob("*.md") if path.stem != "index")
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONS = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)


def cells(path):
    """The code that is executed where a page is built, cell by cell."""
    return [OPTIONS.sub("", cell) for cell in CELL.findall(path.read_text(encoding="utf-8"))]


def script(path):
    """All of a page's code, top to bottom."""
    return "\n\n".join(cells(path))


def extension(name):
    """A module of docs/_extensions."""
    folder = str(DOCS / "_extensions")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(name)


def written():
    """All pages that somebody wrote, by their place in docs/; pages made from the code are not among them."""
    made = ("_build", "_extensions", "methods", "reference")
    found = (path for path in sorted(DOCS.rglob("*.md")) if path.relative_to(DOCS).parts[0] not in made)
    return {str(path.relative_to(DOCS)): path for path in found}


def figure_cells(path):
    """Every cell, and whether it is one that shows a figure: then it says in words what is seen."""
    whole = CELL.findall(path.read_text(encoding="utf-8"))
    return [
        [OPTIONS.sub("", cell), OPTIONS.match(cell) is not None and "alt:" in OPTIONS.match(cell)[1]] for cell in whole
    ]
