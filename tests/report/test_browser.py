"""A report in a real browser: on a phone and on a desk, in both colour schemes, with nothing fetched from elsewhere."""

import re

import matplotlib.image
import pytest


@pytest.fixture(scope="module")
def browser(folder, open_browser):
    return open_browser(folder)


@pytest.fixture(scope="module", params=[(400, False), (400, True), (1200, False)], ids=["phone", "dark phone", "desk"])
def seen(browser, request):
    width, dark = request.param
    return browser.measure("report.html", width=width, dark=dark) | {"asked": (width, dark)}


def luminance(colour):
    """Relative luminance of "rgb(r, g, b)", as WCAG defines it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_opens_without_complaint(seen):
    assert seen["title"] == "Bandits & <b>bounds</b>"
    assert seen["console"] == []
    assert (seen["width"], seen["dark"]) == seen["asked"]


def test_nothing_is_wider_than_the_page(seen):
    assert seen["page_width"] <= seen["width"]
    assert seen["outside"] == []


def test_tables_scroll_inside_their_own_container(seen):
    assert seen["tables"] == seen["containers"] == 2
    assert seen["cut_off_tables"] == []


def test_every_figure_is_visible(seen):
    assert len(seen["figures"]) == 3
    for figure in seen["figures"]:
        assert figure["width"] > 250
        assert figure["height"] > 150
        assert figure["within"]
        assert contrast(figure["ink"], seen["paper"]) > 7


def test_text_has_contrast(seen):
    assert contrast(seen["ink"], seen["paper"]) > 7
    assert (luminance(seen["paper"]) < 0.1) == seen["dark"]


def test_nothing_else_is_asked_for(browser, seen):
    asked = {path for path in browser.requests if not path.startswith("/frame-")}
    assert asked <= {"/report.html", "/favicon.ico"}  # the icon is the frame's


@pytest.mark.parametrize("dark", [False, True])
def test_screenshots_show_the_scheme(browser, tmp_path, dark):
    browser.screenshot("report.html", tmp_path / "page.png", dark=dark, height=900)
    picture = matplotlib.image.imread(tmp_path / "page.png")[..., :3]
    assert picture.shape[:2] == (900, 1200)
    background = float(picture.mean())
    assert background < 0.3 if dark else background > 0.8
    assert picture.std() > 0.02  # something is written on it
