"""The pages before they are built: nothing public is left out, links lead somewhere, every page has code that runs."""

import ast
import doctest
import re
from dataclasses import fields
from fnmatch import fnmatch

import pytest
from tests.docs.pages import DOCS, ROOT, TUTORIALS, cells, extension, written

import rbmle
from rbmle.policies import Policy

PAGES = written()
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def reference():
    return extension("reference_pages")


@pytest.fixture(scope="module")
def public():
    return extension("public")


@pytest.fixture(scope="module")
def methods():
    return extension("method_pages").methods()


@pytest.fixture(scope="module")
def made(public, methods):
    """The pages that are made from the code."""
    names = [f"reference/{module}.md" for module in (*public.modules(), "index", "shell")]
    return {*names, *(f"methods/{name}.md" for name in (*methods, "index"))}


def test_every_public_name_has_an_entry(reference, public):
    known = public.homes()
    pages = {module: reference.page(module, known) for module in public.modules()}
    entries = set(re.findall(r"^\.\. (?:auto\w+|py:data):: (\S+)$", "\n".join(pages.values()), re.MULTILINE))
    names = [each for each in public.everything() if each.kind != "module" and not reference.is_method(each.thing)]
    assert len(names) > 150
    assert [each.path for each in names if known.get(id(each.thing), each.path) not in entries] == []


def test_every_public_package_is_there(public):
    packages = {f"rbmle.{path.stem}" for path in (ROOT / "src" / "rbmle").iterdir() if path.name[0] not in "_p."}
    hidden = {f"rbmle.{name}" for name in public.INTERNAL}
    assert packages - hidden <= {*public.modules(), "rbmle.py"}
    assert {"rbmle", "rbmle.policies", "rbmle.problems", "rbmle.params", "rbmle.errors"} <= set(public.modules())


def test_every_method_has_a_page(methods):
    public = {name: getattr(rbmle, name) for name in rbmle.__all__}
    assert set(methods) == {n for n, cls in public.items() if isinstance(cls, type) and issubclass(cls, Policy)} - {
        "Policy"
    }


def test_every_formula_becomes_mathematics(methods):
    formulas = extension("formulas")
    for cls in methods.values():
        for row in formulas.rows(cls.notation):
            assert row.isascii(), (cls.__name__, row)
            assert row.count("{") == row.count("}"), row
            # Letters are commands, single symbols, or the words of a \text.
            bare = re.sub(r"\\text\{[^}]*\}|\\[A-Za-z]+", " ", row)
            assert not re.search(r"[A-Za-z]{3,}", bare), (cls.__name__, row)


@pytest.mark.parametrize(
    ("plain", "typeset"),
    [
        ("m + ½ α(t) v", [r"m + \tfrac{1}{2} \alpha (t) v"]),
        ("√(β_t v),  x ~ N(0, V⁻¹)", [r"\sqrt{\beta _{t} v}", r"x \sim N(0, V^{-1})"]),
        ("θ̂ᵀx or any arm", [r"\hat{\theta}^{\mathsf{T}}x \text{ or any arm }"]),
        ("max_b ‖x‖_{V⁻¹}", [r"\max _{b} \Vert x\Vert _{V^{-1}}"]),
        ("(log T)^c / Ky", [r"(\log T)^{c} / Ky"]),
    ],
)
def test_formulas(plain, typeset):
    assert extension("formulas").rows(plain) == typeset


def test_docstrings_become_restructured_text():
    text = "What *is* `a`.\n\nalpha: the\n    width_\nbeta, c  more\n\n    x   kept\n\n>>> 1\n1"
    assert extension("house_style").restructured(text).split("\n\n") == [
        r"What \*is\* ``a``.", "``alpha``\n    the width\\_", "``beta, c``\n    more", "::",
        "    x   kept", ">>> 1\n1\n",
    ]  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name, made):
    folder = PAGES[name].parent
    for link in LINK.findall(PAGES[name].read_text(encoding="utf-8")):
        target = link.partition("#")[0]
        if target and "://" not in link:
            place = (folder / target).resolve()
            assert place.is_relative_to(DOCS), f"{link} leaves the site"
            assert place.exists() or str(place.relative_to(DOCS)) in made, f"{link} leads nowhere"


def test_every_page_is_in_the_contents(made):
    reached, todo = set(), ["index.md"]
    while todo:
        name = todo.pop()
        if name in reached or name not in PAGES:
            reached.add(name)
            continue
        reached.add(name)
        for tree in TOCTREE.findall(PAGES[name].read_text(encoding="utf-8")):
            entries = [line for line in tree.splitlines() if line and not line.startswith(":")]
            for entry in entries:
                wanted = str(((DOCS / name).parent / f"{entry}.md").resolve().relative_to(DOCS))
                found = [
                    page for page in (*PAGES, *made) if fnmatch(page, wanted) and page.count("/") == wanted.count("/")
                ]
                assert found, f"{name} lists {entry}, which is not there"
                todo += found
    assert set(PAGES) - reached == set()


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_code_that_runs(name):
    text = PAGES[name].read_text(encoding="utf-8")
    blocks = FENCE.findall(text)
    for block in blocks:
        if ">>>" not in block:
            ast.parse(block)
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, name, 0)
    assert doctest.DocTestRunner().run(examples).failed == 0
    assert cells(PAGES[name]) or blocks, "there is no example in Python"


@pytest.mark.parametrize("name", PAGES)
def test_code_of_pages_fits_and_figures_are_described(name):
    for cell in cells(PAGES[name]):
        ast.parse(cell)
        assert max(map(len, cell.splitlines())) <= 88
    text = PAGES[name].read_text(encoding="utf-8")
    for head, code in re.findall(
        r"^```\{code-cell\}[^\n]*\n(---\n.*?\n---\n)?(.*?)^```$", text, re.MULTILINE | re.DOTALL
    ):
        last = code.strip().splitlines()[-1]
        if re.match(r"figure$|draw\(|.*\.plot\(", last):
            assert "alt:" in head, f"a figure without words: {last}"


def test_there_are_seven_tutorials():
    wanted = ["compare-methods", "evaluate-a-log", "first-bandit", "late-clicks", "tuning-the-bias", "your-own-policy",
              "your-own-problem"]  # fmt: skip
    assert [path.stem for path in TUTORIALS] == wanted


def test_the_glossary_knows_every_kind_of_name():
    text = PAGES["explanation/glossary.md"].read_text(encoding="utf-8")
    assert all(name in text for name in ("BUCB", "GPUCBT", "KG", "OFUL", "RBMLE", "ε-greedy"))
    linked = set(re.findall(r"\.\./methods/(\w+)\.md", text))
    assert linked <= set(Policy.registry)
    assert len(linked) > 20


def test_every_parameter_of_a_method_is_explained_on_its_page(methods):
    parameters = extension("method_pages").parameters
    for name, cls in methods.items():
        rows = [row.replace("\\|", "/").split("|") for row in parameters(cls).splitlines()[2:]]
        assert [row[1].strip(" `") for row in rows] == [each.name for each in fields(cls)]
        assert all(len(row) == 6 and len(row[2].split()) >= 1 for row in rows), name


def test_documents_and_examples_import_public_names_alone(public):
    known = {each.path for each in public.everything()} | set(public.modules()) | {"rbmle.kernels"}
    texts = [*PAGES.values(), ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "examples").glob("*.py")]
    imported = re.compile(r"^(?:>>> |\.\.\. )?\s*from (rbmle[\w.]*) import \(?([\w, ]+)", re.MULTILINE)
    found = set()
    for path in texts:
        for module, names in imported.findall(path.read_text(encoding="utf-8")):
            found |= {(path.name, f"{module}.{name.strip()}") for name in names.split(",") if name.strip()}
    assert len(found) > 60
    assert [each for each in sorted(found) if each[1] not in known] == []
