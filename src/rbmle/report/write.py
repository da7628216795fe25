"""Write a report to a folder: page, Markdown, tables as CSV and LaTeX, figures as PNG, SVG and PDF."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rbmle.display.csv_text import to_csv
from rbmle.errors import RbmleError
from rbmle.files import write_bytes
from rbmle.report.document import Report, Table
from rbmle.report.figures import save_figure
from rbmle.report.latex import latex
from rbmle.report.markdown import markdown
from rbmle.report.page import html

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

FIGURE_ENDINGS = ("png", "svg", "pdf")


def write(report: Report, folder: str | PathLike[str]) -> Path:
    """Write everything into `folder`, made if needed, and return the path of its report.html.

    ::

        report.html, report.md
        tables/<name>.csv, tables/<name>.tex
        figures/<name>.png, .svg, .pdf
    """
    target = Path(folder)
    try:
        for part in (target, target / "tables", target / "figures"):
            part.mkdir(parents=True, exist_ok=True)
        for table in report.tables:
            write_bytes(target / "tables" / f"{table.name}.csv", as_csv(table).encode())
            write_bytes(target / "tables" / f"{table.name}.tex", latex(table).encode())
        for figure in report.figures:
            settle(figure.drawing)
            for ending in FIGURE_ENDINGS:
                save_figure(figure.drawing, target / "figures" / f"{figure.name}.{ending}")
        write_bytes(target / "report.md", markdown(report).encode())
        write_bytes(target / "report.html", html(report).encode())
    except OSError as reason:
        raise RbmleError(f"The report cannot be written to {target}: {reason.strerror or reason}.") from reason
    return target / "report.html"


def settle(drawing: "Drawing") -> None:
    """Lay a figure out once and for all: otherwise that is done for every format again, and takes most of the time."""
    if drawing.get_layout_engine() is not None:
        drawing.draw_without_rendering()
        drawing.set_layout_engine("none")


def as_csv(table: Table) -> str:
    """Return the table's records, or else the texts of its cells, as CSV."""
    rows: Sequence[Mapping[str, Any]]
    if table.records is not None:
        columns = list(dict.fromkeys(name for record in table.records for name in record))
        rows = table.records
    else:
        columns = list(table.columns)
        rows = [dict(zip(columns, (cell.text for cell in row), strict=True)) for row in table.cells]
    return to_csv(columns, ([row.get(column, "") for column in columns] for row in rows)).decode()
