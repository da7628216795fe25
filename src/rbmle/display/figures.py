"""Figures: colours that tell apart, a new one that belongs to no window, and writing it."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rbmle.errors import InvalidParameterError, RbmleError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe & Ito's colours, told apart with every common kind of colour blindness; past them the line style changes too.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
# Inches of a legend: its sample of a curve, a letter, a line. With many or long names they decide the size of a figure.
LEGEND_HANDLE, LEGEND_LETTER, LEGEND_LINE = 0.5, 0.068, 0.185
ENDINGS = (".png", ".svg", ".pdf")


def look(number: int) -> dict[str, Any]:
    """Colour and line style of the n-th policy: the same in every figure of a study."""
    return {"color": PALETTE[number % len(PALETTE)], "ls": STYLES[number // len(PALETTE) % len(STYLES)]}


def new_figure(width: float = 7.2, height: float = 4.0) -> "Figure":
    """An empty figure that belongs to no window and no global state."""
    try:
        from rbmle.display.drawing import Drawing
    except ModuleNotFoundError as missing:
        raise RbmleError("Figures need matplotlib: pip install 'rbmle[plot]'.") from missing
    return Drawing(figsize=(width, height), layout="constrained")


def save_figure(figure: "Figure", path: str | PathLike[str]) -> None:
    """Write a figure; the ending decides the format. Text stays text in SVG and PDF."""
    import matplotlib

    target = Path(path)
    check_ending(target)
    keep_text: dict[Any, Any] = {"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "rbmle"}
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with matplotlib.rc_context(keep_text):
            figure.savefig(target, dpi=200)
    except OSError as reason:
        raise RbmleError(f"The figure cannot be written to {target}: {reason.strerror or reason}.") from reason


def check_ending(path: str | PathLike[str]) -> None:
    """Raise unless the ending is one of a figure."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise InvalidParameterError(
            f"The 'path' parameter of plot must end in one of {', '.join(ENDINGS)}. Got {str(path)!r} instead."
        )
