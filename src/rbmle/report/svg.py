"""A matplotlib figure as SVG that can stand inside a page: its own ids, and colours that follow the page's scheme."""

import io
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"

# Ink, paper and the greys between them change places in the dark, and the darker colours of curves become lighter.
SCHEME = {
    "#000000": "currentColor",
    "#ffffff": "var(--paper)",
    "#262626": "currentColor",
    "#333333": "currentColor",
    "#444444": "var(--muted)",
    "#555555": "var(--muted)",
    "#666666": "var(--muted)",
    "#777777": "var(--muted)",
    "#808080": "var(--muted)",
    "#999999": "var(--muted)",
    "#b0b0b0": "var(--rule)",
    "#cccccc": "var(--rule)",
    "#dddddd": "var(--rule)",
    "#e5e5e5": "var(--rule)",
    "#0072b2": "var(--blue)",
    "#009e73": "var(--green)",
    "#d55e00": "var(--red)",
    "#56b4e9": "var(--sky)",
}


def inline(drawing: "Drawing", name: str, alt: str) -> str:
    """Return the figure as an <svg> element: transparent, as wide as its container, ids starting with `name`."""
    root = ElementTree.fromstring(_draw(drawing, name))
    _drop(root, f"{{{SVG}}}metadata")
    _drop(root, f"{{{SVG}}}title")
    for node in root.iter():
        _own_ids(node, f"{name}-")
        _follow_scheme(node)
    width = float(root.attrib.pop("width").removesuffix("pt"))
    root.attrib.pop("height")
    root.set("role", "img")
    root.set("aria-label", alt)
    root.set("style", f"--natural: {width * 4 / 3:.0f}px")
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def _draw(drawing: "Drawing", name: str) -> bytes:
    import matplotlib

    buffer = io.BytesIO()
    # Letters as outlines look the same on every machine; a fixed salt makes the same figure the same bytes.
    with matplotlib.rc_context({"svg.fonttype": "path", "svg.hashsalt": name}):
        drawing.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return buffer.getvalue()


def _drop(root: ElementTree.Element, tag: str) -> None:
    for parent in list(root.iter()):
        for child in parent.findall(tag):
            parent.remove(child)


def _own_ids(node: ElementTree.Element, prefix: str) -> None:
    """Ids are unique in a page, which may hold many figures that matplotlib numbers alike."""
    if "id" in node.attrib:
        node.set("id", prefix + node.attrib["id"])
    for key, value in node.attrib.items():
        if key == f"{{{XLINK}}}href" and value.startswith("#"):
            node.set(key, "#" + prefix + value[1:])
        elif "url(#" in value:
            node.set(key, value.replace("url(#", f"url(#{prefix}"))


def _follow_scheme(node: ElementTree.Element) -> None:
    style = node.attrib.get("style")
    if style:
        node.set("style", re.sub(r"#[0-9a-f]{6}\b", lambda found: SCHEME.get(found[0], found[0]), style))
