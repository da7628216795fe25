"""`rbmle paper`: the paper's tables, figures and bounds, run again."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rbmle.cli.known import CLUSTER_HELP

EXAMPLES = """
**Examples**

`rbmle paper --quick` — a small version of everything in a minute

`rbmle paper` — everything, half an hour on two cores; stop it whenever you like, it goes on where it was

`rbmle paper linear-regret --variant published` — 224 cells, digit for digit

`rbmle paper linear-time glm-time --out times/`
"""


class Variant(StrEnum):
    """Whose definition of the methods."""

    published = "published"
    authors = "authors"
    both = "both"


def known_parts() -> list[str]:
    """All parts, for the shell."""
    from rbmle.paper.parts import PARTS

    return list(PARTS)


def paper(
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            help="One or more parts; everything by default.", metavar="[PART]...", autocompletion=known_parts
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer trials, rounds and sizes, labelled as such: a minute.")
    ] = False,
    variant: Annotated[
        Variant, typer.Option(help="Methods as the tables were made, by their own authors, or both.")
    ] = Variant.both,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the report and of finished trials. [results/paper, results/paper-quick]"),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Trials at a time; regret does not depend on it. [all cores]")] = -1,
    cluster: Annotated[str, typer.Option(help=CLUSTER_HELP, metavar="ADDRESS")] = "local",
) -> None:
    """Run the paper's experiments: every table beside the printed one, every figure, the bounds.

    Parts: **linear-regret** (Figure 1, Tables 1, 3, 4, 5), **linear-time** (Figure 2, Tables 2, 6), **glm-regret**
    (Figure 3, Tables 7 to 10), **glm-time** (Figure 4, Table 11), **bounds** (Theorems 2 and 3),
    **bias** (a sweep over α(t) = c·t^p).

    Finished trials are kept in the folder: a run that was stopped or killed goes on where it was.
    """
    from rich.console import Console

    from rbmle.paper.study import study

    console = Console(highlight=False)
    try:
        done = study(
            parts or None, quick=quick, variant=variant.value, out=out, jobs=jobs, cluster=cluster,
        )  # fmt: skip
    except KeyboardInterrupt:
        console.print("Stopped. Finished trials are kept: the same command goes on from here.")
        raise typer.Exit(130) from None
    if quick:
        console.print("[bold]Quick run[/bold]: fewer trials and rounds, not comparable to the printed numbers.")
    for line in done.lines:
        part, _, words = line.partition(": ")
        console.print(f"[bold]{part}[/bold]: {words}", soft_wrap=True)
    minutes, seconds = divmod(round(done.seconds), 60)
    console.print(f"[dim]{done.new_trials:,} new trials in {minutes} min {seconds} s, {done.workers} at a time[/dim]")
    console.print(f"Report is in {done.page}", soft_wrap=True)
