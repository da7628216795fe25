"""What the page says around the regret tables."""

from collections.abc import Mapping, Sequence

from rbmle.paper.settings import Setting
from rbmle.report import Comparison


def intro(faithful: bool, definition: str, exact: Sequence[str]) -> str:
    """How to read a cell."""
    if not faithful:
        return (
            "Each cell shows the number of this short run, and below it the printed one, which is that of a longer "
            "run: the two are not comparable, and no difference is shown."
        )
    text = "Each cell shows our number, below it the printed one and the difference."
    if definition == "published":
        return (
            f"{text} {', '.join(exact)} must agree to the printed digit; for the others, which draw random numbers of "
            "their own, the standard error (SE) of the difference is given, by bootstrap over the trials."
        )
    return f"{text} Methods by their authors' definitions, which for some are not those of the printed numbers."


def agreement(
    cells: Comparison, exact: Sequence[str], what: str, rows: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """How many cells agree: in lines, and for the top of the page."""
    if not cells.cells:
        return [], {}
    must, rest = cells.only(exact), Comparison([cell for cell in cells.cells if cell.column not in exact])
    score = f"{must.count('exact')} of {len(must.cells)}"
    wrong = [cell for cell in must.cells if cell.mark != "exact"]
    line = f"{score} exact cells"
    if wrong:
        shown = ", ".join(f"{cell.column} {rows[cell.row]}" for cell in wrong[:6])
        line += f"; wrong: {shown}{' …' if len(wrong) > 6 else ''}"
    lines = [line + "."]
    if rest.cells:
        near = rest.count("exact") + rest.count("close")
        names = " and ".join(dict.fromkeys(cell.column for cell in rest.cells))
        lines.append(f"{near} of {len(rest.cells)} cells of {names} within two standard errors of the printed.")
    return lines, {score: f"{what} regret cells equal the printed digits"}


def vids_words(cells: Comparison, setting: Setting) -> list[str]:
    """Why VIDS does not agree on varying contexts, below the table that shows it."""
    mean = next((cell for cell in cells.only(["VIDS"]).cells if cell.row == "mean"), None)
    if setting.static or mean is None or mean.ours is None or mean.mark != "differs":
        return []
    return [
        f"**VIDS above: {mean.ours:.2f} where {mean.printed:.2f} is printed.** The published rule plays the arm with "
        "the *smallest* gain as soon as any arm's gain is below 1e-6. With new contexts in every round some arm nearly "
        "always has so little, so the rule plays almost blindly, and regret grows in proportion to the rounds. The "
        "printed number is also that of a failure, but of a smaller one: its row was not made by exactly this rule "
        "over all rounds, and what else was done is not known. For VIDS by its authors see the section on definitions."
    ]
