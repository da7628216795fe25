"""A report as one HTML file that needs nothing else: styles and figures are inside, there is no script."""

from typing import TYPE_CHECKING

from rbmle.report import svg
from rbmle.report.document import Figure, Report, slug
from rbmle.report.inline import spans
from rbmle.report.templating import environment

if TYPE_CHECKING:
    from markupsafe import Markup


def html(report: Report) -> str:
    """Return the page. Every text is escaped; only the figures' SVG, serialised from a tree, goes in as it is."""
    engine = environment("html").overlay()
    engine.filters["spans"] = spans
    engine.filters["slug"] = slug
    engine.filters["svg"] = _svg
    return engine.get_template("report.html").render(report=report)


def _svg(figure: Figure) -> "Markup":
    from markupsafe import Markup

    return Markup(svg.inline(figure.drawing, f"fig-{figure.name}", figure.alt or figure.caption))
