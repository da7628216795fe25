"""`rbmle evaluate`: what policies would have earned on a log."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rbmle.cli import known, logfiles, values
from rbmle.cli.logfiles import Arms, Columns, Drop, Encoding, Imports, LogName

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from rbmle.evaluation import Estimate, Evaluation, Interval

EXAMPLES = """
**Examples**

`rbmle evaluate digits --policy uniform` — a log of random decisions on a data set, to see what comes out

`rbmle evaluate log.parquet --policy policy.npz` — a policy that was saved, as it is: `policy.save("policy.npz")`

`rbmle evaluate log.parquet --policy "LinRBMLE(bias=0.5)"` — one that learns as it goes: by replay

`rbmle evaluate clicks.csv --columns "reward=clicked,probability=p,context=age+hour" --arms 5 --policy uniform`

`rbmle evaluate log.parquet --policy policy.npz --estimators ips,dr --intervals sequence --reward-range 0,1`

`rbmle evaluate log/ --policy old.npz --policy new.npz --report page/`

An estimate rests on the logged probabilities: the chance with which each arm was served. A log without them gets
estimated ones, and every figure says so. To choose among policies use `rbmle select`: several intervals side by side
do not hold together.
"""


WIDE = 1.96


def evaluate(
    log: LogName,
    policies: Annotated[
        list[str],
        typer.Option(
            "--policy",
            help="A saved policy (.npz), a method such as 'LinUCB(alpha=0.5)' that learns as it goes, uniform, or "
            "logging. May be repeated.",
            metavar="POLICY",
        ),
    ],
    estimators: Annotated[
        str | None,
        typer.Option(
            help="Of replay, ips, clipped-ips, snips, dm, dr, sndr, switch-dr, dros. [ips,snips, with contexts dm,dr]",
            metavar="NAMES",
        ),
    ] = None,
    intervals: Annotated[
        str | None,
        typer.Option(
            help="Of asymptotic, bootstrap, cressie-read, empirical-bernstein, clopper-pearson, kl, sequence. "
            "[asymptotic]",
            metavar="NAMES",
        ),
    ] = None,
    reward_model: Annotated[
        str | None, typer.Option(help="Of dm and dr: ridge, logistic or poisson, cross-fitted. [ridge]", metavar="NAME")
    ] = None,
    reward_range: Annotated[
        str | None, typer.Option(help="Bounds of rewards, known beforehand: 0,1. Some intervals need them.")
    ] = None,
    clip: Annotated[float | None, typer.Option(help="Of clipped-ips: the largest weight.")] = None,
    switch_threshold: Annotated[float | None, typer.Option(help="Of switch-dr: weights above are left out.")] = None,
    shrinkage: Annotated[float | None, typer.Option(help="Of dros: λ in λw/(w² + λ).")] = None,
    largest_weight: Annotated[
        float | None, typer.Option(help="Of empirical-bernstein for ips: a bound of weights, known beforehand.")
    ] = None,
    rho: Annotated[
        float, typer.Option(help="Of sequence: about n Var(w r) for the n that is planned, chosen before looking.")
    ] = 1000.0,
    level: Annotated[float, typer.Option(help="Of intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Of the bootstrap and of policies that draw.", metavar="N")] = 0,
    columns: Columns = None,
    arms: Arms = None,
    encoding: Encoding = "disjoint",
    drop: Drop = False,
    figure: Annotated[Path | None, typer.Option(help="Draw the intervals to a .png, .svg or .pdf file.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the numbers to a .csv file.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page with diagnostics and figures to a folder.")] = None,
    imports: Imports = None,
) -> None:
    """Estimate what policies would have earned where a log was written, before anyone switches them on.

    The table has the reward per decision by each estimator, with its interval; below it stands in plain words what
    that says, and whether this log can answer at all.
    """
    from rich.console import Console

    known.import_all(imports or ())
    check_outputs(figure, report)
    opened = logfiles.open_log(log, columns, arms, drop=drop)
    options = {
        "estimators": values.listed(estimators), "intervals": values.listed(intervals), "reward_model": reward_model,
        "reward_range": logfiles.range_of(reward_range), "clip": clip, "switch_threshold": switch_threshold,
        "shrinkage": shrinkage, "largest_weight": largest_weight, "rho": rho, "level": level, "seed": seed,
    }  # fmt: skip
    console, found = Console(highlight=False), []
    for text in policies:
        found.append(evaluated(opened, text, encoding, options))
        show(console, found[-1])
    if out is not None:
        save_frames(found, out)
        console.print(f"Numbers are in {out}", soft_wrap=True)
    if figure is not None:
        found[0].plot(figure)
        console.print(f"Figure is in {figure}", soft_wrap=True)
    if report is not None:
        from rbmle.report import evaluation_report, write

        console.print(f"Report is in {write(evaluation_report(*found), report)}", soft_wrap=True)


def evaluated(log: Any, text: str, encoding: str, options: dict[str, Any]) -> "Evaluation":
    """The evaluation of one policy; one that has learnt nothing learns as it goes."""
    from dataclasses import replace

    from rbmle.evaluation import evaluate
    from rbmle.policies import Policy

    if text not in ("uniform", "logging"):
        log = logfiles.for_policies(log, encoding)
    target = logfiles.policy(text, log)
    if isinstance(target, Policy) and not text.endswith(".npz"):
        kept = {name: options[name] for name in ("estimators", "intervals", "reward_range", "rho", "level", "seed")}
        return replace(evaluate(log, target, learn=True, progress=None, **kept), target=f"{text}, learning")
    found = evaluate(log, target, progress=None, **options)
    return replace(found, target=text if isinstance(target, str) else f"{found.target} ({Path(text).name})")


def show(console: "Console", found: "Evaluation") -> None:
    """The table, the intervals drawn, and the verdict."""
    guess = " · probabilities estimated, not logged" if found.estimated else ""
    console.print(f"\n[bold]Reward per decision of {found.target}[/bold], {found.n:,} rows of {found.log}{guess}")
    console.print(intervals_table(found))
    for line in found.verdict.lines:
        console.print("• " + line, soft_wrap=True, markup=False)


def intervals_table(found: "Evaluation") -> "Table":
    """Estimators with their intervals, drawn on one axis; the line is what the logging policy earned."""
    from rbmle.display import spans
    from rbmle.evaluation.evaluation import shown

    lines: list[tuple[Estimate, Interval | None]] = []
    for each in found.estimates.values():
        lines += [(each, one) for one in each.intervals.values()] or [(each, None)]
    ends = [end for _, one in lines if one is not None for end in one]
    wide = WIDE * found.mean_reward_error
    earned = found.mean_reward, found.mean_reward - wide, found.mean_reward + wide
    axis = spans.axis([*earned, *ends, *(each.value for each, _ in lines)])
    table = plain_table("estimator", "value", "from", "to", "", "interval")
    for each, one in lines:
        low, high = (float("nan"), float("nan")) if one is None else one
        drawing = spans.Span(each.value, low, high, axis, found.mean_reward)
        style = "bold green underline" if each.name == found.headline else ""
        kind = "" if one is None else f"{one.kind}, {100 * one.level:g} %"
        numbers = [shown(number) for number in (each.value, low, high)]
        table.add_row(f"[{style or 'default'}]{each.name}[/]", *numbers, drawing, kind)
    numbers = [shown(number) for number in earned]
    table.add_row("logging policy", *numbers, spans.Span(*earned, axis, earned[0]), "what it earned", style="dim")
    return table


def plain_table(*columns: str) -> "Table":
    """A table without a frame, the first column to the left. Drawings and names give way where room is scarce."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for place, column in enumerate(columns):
        yields = place == 0 or column == ""
        left = yields or column in ("interval", "claim")
        table.add_column(column, justify="left" if left else "right", no_wrap=not yields, overflow="fold")
    return table


def check_outputs(figure: Path | None, report: Path | None) -> None:
    """Raise before the work, not after, where what is asked for cannot be written."""
    from rbmle.display.figures import check_ending, new_figure

    if figure is not None:
        check_ending(figure)
    if figure is not None or report is not None:
        new_figure()
    if report is not None:
        from rbmle.report.templating import environment

        environment("html")


def save_frames(found: "list[Evaluation]", path: Path) -> None:
    """All numbers as one CSV file."""
    from rbmle.display.frames import pandas
    from rbmle.files import write_bytes

    frame = pandas().concat([each.to_frame() for each in found], ignore_index=True)
    write_bytes(path, frame.to_csv(index=False).encode())
