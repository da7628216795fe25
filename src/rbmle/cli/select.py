"""`rbmle select`: which policy to switch on, by one log."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rbmle.cli import known, logfiles
from rbmle.cli.evaluate import check_outputs, plain_table
from rbmle.cli.logfiles import Arms, Columns, Drop, Encoding, Imports, LogName
from rbmle.errors import InvalidParameterError

if TYPE_CHECKING:
    from rich.table import Table

    from rbmle.evaluation import Selection

EXAMPLES = """
**Examples**

`rbmle select digits --sweep "LinRBMLE(bias=[0.01, 0.1, 1])" --policy "LinUCB(alpha=0.3)"` — a log of random decisions

`rbmle select log.parquet --sweep "LinRBMLE(bias=[Sqrt(scale=0.3), 2], regularization=[0.1, 1])" --save best.npz`

`rbmle select log.parquet --policy old.npz --policy new.npz --policy uniform --report page/`

A sweep is decided on a training part of the log, by what each of its policies earns in a replay in which it learns as
it goes. Its winner learns the whole training part and is judged beside the others on the rest, by intervals that hold
for all of them together: `better` and `worse` are claims that are wrong for any of them in at most 5 % of logs.
"""


def select(
    log: LogName,
    sweeps: Annotated[
        list[str] | None,
        typer.Option("--sweep", help="A method with lists of parameters, of which one is chosen. May be repeated."),
    ] = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            help="A saved policy (.npz), a method such as 'LinUCB(alpha=0.5)' that learns the training part, or "
            "uniform. May be repeated.",
            metavar="POLICY",
        ),
    ] = None,
    estimator: Annotated[
        str | None, typer.Option(help="Of the judgement. [dr with contexts, else snips]", metavar="NAME")
    ] = None,
    reward_model: Annotated[
        str | None, typer.Option(help="Of dr: ridge, logistic or poisson, cross-fitted. [ridge]", metavar="NAME")
    ] = None,
    train: Annotated[float, typer.Option(help="The share of rows that policies learn and are tuned on.")] = 0.5,
    level: Annotated[float, typer.Option(help="Of the intervals, together.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Of the parts, the replays and the bootstrap.", metavar="N")] = 0,
    columns: Columns = None,
    arms: Arms = None,
    encoding: Encoding = "disjoint",
    drop: Drop = False,
    save: Annotated[Path | None, typer.Option(help="Save the policy to switch on to a .npz file.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the differences to a .png, .svg or .pdf file.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page about all candidates to a folder.")] = None,
    imports: Imports = None,
) -> None:
    """Compare policies on one log: which are better than the one that wrote it, and which cannot be told apart.

    Parameters are tuned on one part of the log and judged on another.
    """
    from rich.console import Console

    from rbmle.evaluation import select

    known.import_all(imports or ())
    check_outputs(figure, report)
    opened = logfiles.open_log(log, columns, arms, drop=drop)
    if sweeps or any(text != "uniform" for text in policies or ()):
        opened = logfiles.for_policies(opened, encoding)
    candidates: dict[str, Any] = {}
    for text in sweeps or ():
        candidates |= logfiles.sweep(text, opened)
    candidates |= {text: logfiles.policy(text, opened) for text in policies or ()}
    if not candidates:
        raise InvalidParameterError("select needs something to choose from: --sweep or --policy.")
    found = select(
        opened, candidates, estimator=estimator, reward_model=reward_model, train=train, level=level, seed=seed,
        progress=None,
    )  # fmt: skip
    console = Console(highlight=False)
    console.print(f"\n[bold]Reward per decision[/bold] by {found.estimator}, {found.n:,} held-out rows of {found.log}")
    console.print(differences_table(found))
    for line in found.verdict:
        console.print("• " + line, soft_wrap=True, markup=False)
    if save is not None:
        console.print(saved(found, save), soft_wrap=True)
    if figure is not None:
        found.plot(figure)
        console.print(f"Figure is in {figure}", soft_wrap=True)
    if report is not None:
        from rbmle.report import selection_report, write

        console.print(f"Report is in {write(selection_report(found), report)}", soft_wrap=True)


def saved(found: "Selection", path: Path) -> str:
    """Save the best policy, where there is one; what is to be said."""
    if found.best is None or found.best not in found.policies:
        return "No policy was saved: " + ("none is better." if found.best is None else f"{found.best} needs no file.")
    found.policies[found.best].save(path)
    return f"{found.best} is in {path}, as it was judged: it has learnt the training part."


def differences_table(found: "Selection") -> "Table":
    """Candidates, the largest value first, with their differences to the logging policy drawn on one axis."""
    from rbmle.display import spans
    from rbmle.evaluation.evaluation import shown

    order = sorted(found.candidates.values(), key=lambda each: -each.value)
    axis = spans.axis([0.0, *(end for each in order for end in (each.low, each.high))])
    table = plain_table("candidate", "value", "more by", "from", "to", "", "claim")
    for each in order:
        style = "bold green underline" if each.name == found.best else "default"
        drawing = spans.Span(each.difference, each.low, each.high, axis, 0.0)
        numbers = [shown(number) for number in (each.value, each.difference, each.low, each.high)]
        table.add_row(f"[{style}]{escaped(each.name)}[/]", *numbers, drawing, each.claim)
    logged = next(iter(found.evaluations.values())).mean_reward
    table.add_row("logging policy", shown(logged), style="dim")
    return table


def escaped(text: str) -> str:
    """A name in which brackets are brackets."""
    from rich.markup import escape

    return escape(text)
