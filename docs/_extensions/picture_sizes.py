"""Every picture says how large it is, so that text below it stays where it is while the picture loads."""

import re
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

IMAGE = re.compile(r'<img (?![^>]*\bheight=)([^>]*?src="[^"]*?([^"/]+)"[^>]*?)(\s*/?>)')
SVG_SIZE = re.compile(rb'<svg[^>]*?\bviewBox="[\d.-]+ [\d.-]+ ([\d.]+) ([\d.]+)"', re.DOTALL)


def size_of(path: Path) -> tuple[int, int] | None:
    """Width and height, of which browsers take the ratio; None for what is neither PNG nor SVG."""
    content = path.read_bytes()
    if content[:8] == b"\x89PNG\r\n\x1a\n":
        width, height = struct.unpack(">II", content[16:24])
        return width, height
    found = SVG_SIZE.search(content)
    if found is None:
        return None
    # Figures are drawn in points, of which a browser's pixel is three quarters.
    scale = 4 / 3 if b"matplotlib" in content[:2000] else 1.0
    return round(float(found[1]) * scale), round(float(found[2]) * scale)


def add_sizes(app: "Sphinx", name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Into the body of a page."""
    places = {target: Path(app.srcdir) / source for source, target in app.builder.images.items()}

    def sized(match: re.Match[str]) -> str:
        found = size_of(places[match[2]]) if match[2] in places else None
        return match[0] if found is None else f'<img width="{found[0]}" height="{found[1]}" {match[1]}{match[3]}'

    if "body" in context:
        context["body"] = IMAGE.sub(sized, context["body"])


def setup(app: "Sphinx") -> dict[str, bool]:
    """When a page is written."""
    app.connect("html-page-context", add_sizes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
