"""The site in a real browser: every page, on a phone and on a desk, in both colour schemes; and its index."""

import re
import zlib

import pytest
from tests.docs.pages import extension

pytestmark = pytest.mark.long

SIZES = [(400, False), (400, True), (1280, False), (1280, True)]
# Lighthouse calls less than a tenth good.
MOST_SHIFT = 0.05
BATCH = 24


@pytest.fixture(scope="module")
def inventory(site):
    """All that can be linked to, by its kind."""
    raw = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    lines = zlib.decompress(raw).decode().splitlines()
    return {line.split(" ")[0]: line.split(" ")[1] for line in lines}


@pytest.fixture(scope="module")
def pages(site):
    found = (str(path.relative_to(site)) for path in site.rglob("*.html"))
    return sorted(name for name in found if name[0] != "_" and name != "search.html")


@pytest.fixture(scope="module", params=SIZES, ids=["phone", "dark phone", "desk", "dark desk"])
def seen(request, pages, look):
    """What was seen of all pages at one size, and the console."""
    width, dark = request.param
    found, console = [], []
    for start in range(0, len(pages), BATCH):
        some, said = look(pages[start : start + BATCH], width=width, dark=dark)
        found, console = found + some, console + said
    assert [page["name"] for page in found] == pages
    assert {(page["width"], page["dark"]) for page in found} == {(width, "dark" if dark else "light")}
    return found, console


def test_every_public_name_is_in_the_index(inventory):
    public = extension("public")
    homes = public.homes()
    missing = [each.path for each in public.everything()
               if each.kind != "module" and homes.get(id(each.thing), each.path) not in inventory]  # fmt: skip
    assert missing == []
    assert len(inventory) > 300


def test_nothing_internal_is_in_the_index(inventory):
    hidden = [name for name, kind in inventory.items() if kind.startswith("py:") and "._" in name]
    assert hidden == []


def test_the_console_is_quiet(seen):
    assert seen[1] == []


def test_nothing_is_wider_than_the_page(seen):
    wide = {page["name"]: page["outside"] or page["page_width"] for page in seen[0]
            if page["outside"] or page["page_width"] > page["width"]}  # fmt: skip
    assert wide == {}


def test_nothing_moves_while_a_page_opens(seen):
    assert {page["name"]: (page["shift"], page["moved"]) for page in seen[0] if page["shift"] > MOST_SHIFT} == {}


def test_pictures_say_what_they_show(seen):
    images = [(page["name"], image) for page in seen[0] for image in page["images"]]
    assert len(images) > 45
    assert [(name, image["source"]) for name, image in images if not image["loaded"]] == []
    assert [(name, image["alt"]) for name, image in images if len(image["alt"].split()) < 8] == []


def test_text_has_contrast(seen):
    assert {page["name"]: page["faint"] for page in seen[0] if page["faint"]} == {}


def test_mathematics_is_typeset(seen):
    assert [page["name"] for page in seen[0] if page["typed"] or page["flat_formulas"]] == []
    assert {page["name"] for page in seen[0] if page["formulas"] and not page["font"]} == set()
    assert sum(page["formulas"] for page in seen[0]) > 150


def test_search_finds(look):
    found, console = look(["search.html?q=LinRBMLE", "search.html?q=late+clicks"], width=1280)
    assert console == []
    assert any("methods/LinRBMLE.html" in link for link in found[0]["results"])
    assert any("tutorials/late-clicks.html" in link for link in found[1]["results"])


def test_nothing_is_fetched_from_elsewhere(site):
    outside = re.compile(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(https?://[^"]+)"')
    assert {path.name: outside.findall(path.read_text()) for path in site.rglob("*.html")
            if outside.search(path.read_text())} == {}  # fmt: skip


def test_the_measurements_can_fail(site, look):
    """A page with every fault that is looked for."""
    (site / "_bad.html").write_text(
        """<html data-theme="light"><body style="background:#fff"><main><p style="color:#999">faint words</p>
        <div style="width:900px">wide</div><img src="none.png" alt="x"><p>$$ \\frac{1}{2} $$</p>
        <div id="late"></div><p>MANY</p></main>
        <script>console.error("bad"); const grow = () => { late.style.height = "500px"; };
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(grow, 150)));</script>
        </body></html>""".replace("MANY", "words below<br>" * 60),
        encoding="utf-8",
    )
    (page,), console = look(["_bad.html"], width=400)
    (site / "_bad.html").unlink()
    assert page["faint"] and page["outside"] and page["typed"] and not page["images"][0]["loaded"]
    assert page["shift"] > MOST_SHIFT
    assert any("bad" in line for line in console)
