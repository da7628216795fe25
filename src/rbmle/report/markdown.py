"""A report as Markdown: the same content as the page, with the figures beside it as files."""

import re

from rbmle.report.document import Cell, Report
from rbmle.report.inline import spans
from rbmle.report.templating import environment

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")
_FRAMES = {"text": "{}", "strong": "**{}**", "em": "*{}*"}


def markdown(report: Report) -> str:
    """Return the report as GitHub-flavoured Markdown."""
    engine = environment("md").overlay()
    engine.filters["inline"] = inline
    engine.filters["cell"] = cell
    engine.filters["rule"] = rule
    text = engine.get_template("report.md").render(report=report)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def inline(text: str) -> str:
    """Keep our own markup, escape what Markdown would take for its own."""
    return "".join(
        f"`{span.text}`" if span.kind == "code" else _FRAMES[span.kind].format(_SPECIAL.sub(r"\\\1", span.text))
        for span in spans(text)
    )


def cell(value: Cell) -> str:
    """Write a cell in one line: text, mark, and the notes in brackets."""
    text = f"**{inline(value.text)}**" if value.mark == "best" else inline(value.text)
    text = f"{text} {value.symbol}" if value.symbol else text
    return f"{text} ({'; '.join(map(inline, value.notes))})" if value.notes else text


def rule(letter: str) -> str:
    """The rule under a column heading, which says how the column is aligned."""
    return {"l": ":--", "r": "--:", "c": ":-:"}[letter]
