"""Mathematics as MathML, which browsers typeset themselves: no script, nothing fetched, nothing that shifts.

The one thing that a system may lack is a font with the sizes of brackets and roots, so pages bring one along.
"""

import importlib.resources
from pathlib import Path
from typing import Any

from docutils import nodes
from fontTools import subset
from latex2mathml.converter import convert
from sphinx.application import Sphinx

FONT = "math.woff"
# All that formulas of bandits are written with: Latin, Greek, accents, operators, letters in italics and the T of ᵀ.
LETTERS = (
    "U+20-7E,U+A0-FF,U+2C6,U+2DC,U+302-307,U+391-3F5,U+2010-2044,U+2100-2135,U+2190-2194,U+2200-22C6,U+2308-230B,"
    "U+27E8-27E9,U+1D434-1D467,U+1D5A0-1D5D3,U+1D6A4-1D71B"
)


def typeset(tex: str, *, display: bool = False) -> str:
    """A formula as MathML; what it was typed as stays with it for who copies it."""
    return convert(tex, display="block" if display else "inline")


def visit_math(self: Any, node: nodes.math) -> None:
    """A formula within a line."""
    self.body.append(f'<span class="math">{typeset(node.astext())}</span>')
    raise nodes.SkipNode


def visit_block(self: Any, node: nodes.math_block) -> None:
    """A formula on its own; one that is too wide scrolls."""
    rows = [part for part in node.astext().split("\n\n") if part.strip()]
    shown = "".join(typeset(part, display=True) for part in rows)
    self.body.append(f'<div class="math" tabindex="0">{shown}</div>')
    raise nodes.SkipNode


def bring_font(app: Sphinx, failed: Exception | None) -> None:
    """STIX Two Math (SIL Open Font License), cut to the letters that are needed."""
    if failed is not None or app.builder.format != "html":
        return
    whole = importlib.resources.files("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf"
    target = Path(app.outdir) / "_static" / FONT
    with importlib.resources.as_file(whole) as path:
        subset.main([str(path), f"--unicodes={LETTERS}", "--flavor=woff", f"--output-file={target}"])


def ask_early(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Pages with formulas ask for the font at once, so that it is there before anything is shown."""
    if "<math" in context.get("body", ""):
        address = context["pathto"](f"_static/{FONT}", True)
        context["metatags"] += f'<link rel="preload" href="{address}" as="font" type="font/woff" crossorigin>\n'


def setup(app: Sphinx) -> dict[str, bool]:
    """Take the place of Sphinx's own visitors, which leave mathematics to a script."""
    app.add_node(nodes.math, override=True, html=(visit_math, None))
    app.add_node(nodes.math_block, override=True, html=(visit_block, None))
    app.connect("html-page-context", ask_early)
    app.connect("build-finished", bring_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
