"""The template engine, set up once for pages (everything escaped), Markdown and LaTeX."""

import functools
from typing import TYPE_CHECKING

from rbmle.errors import RbmleError

if TYPE_CHECKING:
    from jinja2 import Environment


@functools.cache
def environment(kind: str) -> "Environment":
    """Return the engine for "html", "md" or "tex" templates, or say how to install it."""
    try:
        import jinja2
    except ModuleNotFoundError as missing:
        raise RbmleError("Reports need jinja2: pip install 'rbmle[report]'.") from missing
    engine = functools.partial(
        jinja2.Environment,
        loader=jinja2.PackageLoader("rbmle.report"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    if kind == "tex":
        # Braces and per cent signs belong to LaTeX, so statements are written <% %> and values << >>.
        return engine(
            autoescape=False,
            block_start_string="<%",
            block_end_string="%>",
            variable_start_string="<<",
            variable_end_string=">>",
            comment_start_string="<#",
            comment_end_string="#>",
        )
    return engine(autoescape=kind == "html")
