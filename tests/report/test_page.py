"""The page: whole, escaped, self-contained; its figures follow the colour scheme."""

import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from importlib import resources

import pytest

from rbmle.report import html
from rbmle.report.svg import inline

VOID = {"meta", "link", "br", "img"}


class Reader(HTMLParser):
    """Collects what a browser would see, and complains about tags that do not match."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.tags, self.links, self.texts = [], [], Counter(), [], []

    def handle_starttag(self, tag, attributes):
        self.tags[tag] += 1
        named = dict(attributes)
        if "id" in named:
            self.ids.append(named["id"])
        self.links += [value for key, value in attributes if key in ("href", "src", "xlink:href")]
        self.links += [link for _, value in attributes for link in re.findall(r"url\(([^)]*)\)", value or "")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture(scope="module")
def page(report):
    return html(report)


@pytest.fixture(scope="module")
def seen(page):
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


def test_tags_match_and_ids_are_unique(seen):
    assert seen.open == []
    assert [name for name, count in Counter(seen.ids).items() if count > 1] == []


def test_nothing_comes_from_elsewhere_and_nothing_runs(page, seen):
    assert seen.tags["script"] == seen.tags["img"] == seen.tags["iframe"] == 0
    assert "@import" not in page
    assert {link.split(",")[0] for link in seen.links if not link.startswith("#")} == {"data:"}


def test_links_lead_somewhere(seen):
    targets = {link[1:] for link in seen.links if link.startswith("#")}
    assert targets - set(seen.ids) == set()


def test_all_text_is_escaped(page, seen):
    text = "".join(seen.texts)
    assert "Bandits & <b>bounds</b>" in text
    assert "<script>alert('x')</script>" in text
    assert "<script" not in page


def test_everything_is_there(seen):
    text = " ".join("".join(seen.texts).split())
    for piece in ("Quick run", "6 of 10", "Figure 1", "(a)", "Inside a section.", "printed 1.86", "SE 0.40, z −0.5"):
        assert piece in text
    assert seen.tags["svg"] == 3
    assert seen.tags["table"] == 2
    assert seen.tags["h3"] == 1


def test_inline_markup(page):
    assert "<code>α(t) = √t</code>" in page
    assert "<strong>low</strong>; KG* &lt; LinTS, and <em>so on</em>" in page


def test_same_report_same_bytes(report, page):
    assert html(report) == page


def test_importing_reports_is_cheap():
    heavy = "matplotlib", "jinja2", "pandas", "numba"
    code = f"import sys, rbmle.report; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_templates_are_in_the_package():
    names = {entry.name for entry in (resources.files("rbmle.report") / "templates").iterdir()}
    assert {"report.html", "blocks.html", "style.css", "report.md", "table.tex"} <= names


class TestFigures:
    def test_colours_follow_the_page(self, drawing):
        svg = inline(drawing(), "one", "Seven curves")
        assert "currentColor" in svg
        assert not re.search(r"#(000000|ffffff)", svg)
        for name in set(re.findall(r"var\(--([a-z]+)\)", svg)):
            style = (resources.files("rbmle.report") / "templates" / "style.css").read_text(encoding="utf-8")
            assert style.count(f"--{name}:") >= 3, f"--{name} needs a value in light, in dark and in print"

    def test_label_and_size(self, drawing):
        svg = inline(drawing(), "one", 'Curves "a" & b')
        assert 'role="img"' in svg
        assert "Curves &quot;a&quot; &amp; b" in svg
        head = svg[: svg.index(">")]
        assert "viewBox" in head
        assert " height=" not in head

    def test_ids_and_references_belong_to_the_figure(self, drawing):
        svg = inline(drawing(), "one", "")
        ids = re.findall(r'\bid="([^"]*)"', svg)
        assert ids
        assert all(name.startswith("one-") for name in ids)
        references = re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', svg)
        assert {a or b for a, b in references} <= set(ids)
