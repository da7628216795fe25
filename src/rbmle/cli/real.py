"""`rbmle real-data`: our methods and those of other libraries on real data."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rbmle.cli import values

if TYPE_CHECKING:
    from rich.table import Table

    from rbmle.studies.real import RealData

EXAMPLES = """
**Examples**

`rbmle real-data` — all sets and libraries that are installed, about half an hour; stop it whenever you like

`rbmle real-data --sets wine,travel --trials 5 --rounds 200` — a minute

`pip install 'rbmle[data,peers,report]'` installs nearly all of them; what is missing is left out, and the page says so.
"""


def known_sets() -> list[str]:
    """All sets, for the shell."""
    from rbmle.studies.real import SETS

    return list(SETS)


def real_data(
    sets: Annotated[
        str | None,
        typer.Option(help="Some sets, by their keys. [all installed]", metavar="KEYS", autocompletion=known_sets),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(help="Some methods, such as 'LinUCB,river LinUCB'. [all installed]", metavar="NAMES"),
    ] = None,
    trials: Annotated[int, typer.Option(help="Shuffles of each set.", metavar="N")] = 20,
    tuning_trials: Annotated[int, typer.Option(help="Other shuffles, for each value that is tried.", metavar="N")] = 4,
    rounds: Annotated[int, typer.Option(help="Of a shuffle, at most.", metavar="N")] = 1000,
    seed: Annotated[int, typer.Option(help="Same seed, same shuffles.", metavar="N")] = 0,
    output: Annotated[
        Path, typer.Option("--output", "--out", help="Folder of the report and of finished trials.")
    ] = Path("results/real-data"),
    jobs: Annotated[int, typer.Option(help="Trials at a time; rewards do not depend on it. [all cores]")] = -1,
) -> None:
    """Compare our methods with those of other libraries on real data: reward, time, paired differences, mean ranks.

    Every method plays as it comes, and with its one dial tuned on other shuffles. The report has the tables with paired
    intervals and a critical-difference diagram. Finished trials are kept: a run that was stopped goes on where it was.
    """
    from rich.console import Console

    from rbmle.studies import real

    console = Console(highlight=False)
    try:
        done = real.real_data(
            values.listed(sets), methods=values.listed(methods), trials=trials, tuning_trials=tuning_trials,
            rounds=rounds, seed=seed, output=output, jobs=jobs,
        )  # fmt: skip
    except KeyboardInterrupt:
        console.print("Stopped. Finished trials are kept: the same command goes on from here.")
        raise typer.Exit(130) from None
    console.print(summary(done))
    for line in done.lines:
        console.print("• " + line.replace("**", ""), soft_wrap=True, markup=False)
    for line in done.skipped:
        console.print(f"Left out: {line}", soft_wrap=True, markup=False, style="dim")
    minutes, seconds = divmod(round(done.seconds), 60)
    console.print(f"[dim]{done.new_trials:,} new trials in {minutes} min {seconds} s[/dim]")
    console.print(f"Report is in {done.page}", soft_wrap=True)


def summary(done: "RealData") -> "Table":
    """Every method over all sets: mean reward in both forms, mean ranks, time of a decision; best on average first."""
    from statistics import fmean, median

    from rich import box
    from rich.table import Table

    from rbmle.display.grid import duration
    from rbmle.studies.real.found import FORMS
    from rbmle.studies.real.reading import ranked, shared

    found = done.found
    reward = {
        form: {name: fmean(each.mean(name, form) for each in found) for name in found[0].methods} for form in FORMS
    }
    several = len(found) > 1 and len(shared(found)) > 2
    ranks = {form: ranked(found, form).ranks if several else {} for form in FORMS}
    best = {form: max(reward[form].values()) for form in FORMS}
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for column in ("method", "reward", "rank", "tuned", "rank", "time"):
        table.add_column(column, justify="left" if column == "method" else "right", no_wrap=True)
    for name in sorted(reward["default"], key=lambda name: -reward["default"][name]):
        cells = []
        for form in FORMS:
            text = f"{reward[form][name]:.3f}"
            cells.append(f"[bold green underline]{text}[/]" if reward[form][name] == best[form] else text)
            cells.append(f"{ranks[form][name]:.1f}" if name in ranks[form] else "–")
        table.add_row(name, *cells, duration(median(each.times[name] for each in found)))
    table.caption = f"reward per decision and rank, means over {len(found)} sets; time: median of the sets"
    table.caption_justify = "left"
    return table
