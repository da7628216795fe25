"""`rbmle study`: all methods over many settings, and a report that says where each wins."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from rbmle.cli import values
from rbmle.cli.known import CLUSTER_HELP, IMPORT_HELP, import_all

if TYPE_CHECKING:
    from rich.table import Table

    from rbmle.studies import Study

EXAMPLES = """
**Examples**

`rbmle study --quick` — all settings in small, two minutes

`rbmle study` — twenty minutes on two cores; stop it whenever you like, it goes on where it was

`rbmle study --settings static,varying --methods LinUCB,LinTS --trials 1000`

`rbmle study --quick --import mine.py` — policies of your own beside ours
"""


def known_settings() -> list[str]:
    """All settings, for the shell."""
    from rbmle.studies import SETTINGS

    return list(SETTINGS)


def study(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer trials and rounds, labelled as such.")] = False,
    settings: Annotated[
        str | None,
        typer.Option(help="Some settings, by their keys. [all]", metavar="KEYS", autocompletion=known_settings),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(help="Names from `rbmle methods`, beside LinRBMLE and GLMRBMLE. [all but VIDS]", metavar="NAMES"),
    ] = None,
    trials: Annotated[
        int | None, typer.Option(help="Trials that count; costly settings have a share. [200, quick 16]", metavar="N")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same result. Tuning has seeds of its own.", metavar="N")] = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "--out", help="Folder of the report and of finished trials. [results/study, …-quick]"),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Trials at a time; regret does not depend on it. [all cores]")] = -1,
    cluster: Annotated[str, typer.Option(help=CLUSTER_HELP, metavar="ADDRESS")] = "local",
    imports: Annotated[list[str] | None, typer.Option("--import", help=IMPORT_HELP, metavar="MODULE")] = None,
) -> None:
    """Compare all methods over many settings: as their theory says, as they come, and tuned on other seeds.

    Settings change the number of features and arms, the norm of θ, the noise; arms stay or vary, θ drifts, means are
    not linear, rewards are successes, and data are real. The report has a table with paired intervals for each.

    Finished trials are kept in the folder: a run that was stopped or killed goes on where it was.
    """
    from rich.console import Console

    from rbmle import studies

    console = Console(highlight=False)
    import_all(imports or (), cluster)
    try:
        done = studies.study(
            values.listed(settings), methods=values.listed(methods), quick=quick, trials=trials, seed=seed,
            output=output, jobs=jobs, own=bool(imports), cluster=cluster,
        )  # fmt: skip
    except KeyboardInterrupt:
        console.print("Stopped. Finished trials are kept: the same command goes on from here.")
        raise typer.Exit(130) from None
    if quick:
        console.print("[bold]Quick run[/bold]: fewer trials and rounds; intervals are wide.")
    console.print(summary(done))
    for line in done.lines:
        console.print("• " + line.replace("**", ""), soft_wrap=True, markup=False)
    for line in done.skipped:
        console.print(f"Left out: {line}", soft_wrap=True, markup=False, style="dim")
    minutes, seconds = divmod(round(done.seconds), 60)
    console.print(f"[dim]{done.new_trials:,} new trials in {minutes} min {seconds} s, {done.workers} at a time[/dim]")
    console.print(f"Report is in {done.page}", soft_wrap=True)


def summary(done: "Study") -> "Table":
    """A line per setting: the reward-biased method and the best other, as they come and tuned."""
    from rich import box
    from rich.table import Table

    from rbmle.studies.words import compared, standing

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for column in ("setting", "best other, default", "RBMLE ÷ it", "best other, tuned", "RBMLE ÷ it"):
        rival = column.startswith("best")  # in a narrow terminal names are cut, never numbers
        least = None if rival else max(len(column), 14 if column == "setting" else 0)
        justify: Literal["left", "right"] = "right" if "÷" in column else "left"
        table.add_column(column, justify=justify, no_wrap=not rival, overflow="ellipsis", min_width=least)
    styles = {"ahead": "bold green underline", "behind": "", "level": "green"}
    for found in compared(done.found):
        row = [found.setting.key]
        for form in ("default", "tuned"):
            stands = standing(found, form)
            row += [stands.rival, f"[{styles[stands.verdict] or 'default'}]{stands.ratio:.2f}[/]"]
        table.add_row(*row)
    table.caption = "RBMLE ÷ it: below 1 is better; green: level, underlined: clearly ahead (95 %, paired)"
    table.caption_justify = "left"
    return table
