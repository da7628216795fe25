"""`rbmle fit`: a policy that learns from a log, in a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rbmle.cli import known, logfiles
from rbmle.cli.evaluate import check_outputs, plain_table
from rbmle.cli.logfiles import Arms, Columns, Drop, Encoding, Imports, LogName
from rbmle.errors import InvalidParameterError

if TYPE_CHECKING:
    from rich.table import Table

    from rbmle.policies import Policy

EXAMPLES = """
**Examples**

`rbmle fit digits --policy "LinRBMLE(bias='auto')" --save policy.npz` — from a log of random decisions

`rbmle fit monday.parquet --save policy.npz`, then `rbmle fit tuesday.parquet --policy policy.npz --save policy.npz`

`rbmle.load("policy.npz")` is the policy, as if the rewards had come one by one. Judge it on a log that it has not
learnt from: `rbmle evaluate wednesday.parquet --policy policy.npz`.
"""
SHOWN = 12
"""Features in the table."""


def fit(
    log: LogName,
    policy: Annotated[
        str,
        typer.Option(
            help="A saved policy (.npz) that learns on, or a method such as 'LinUCB(alpha=0.5)'.", metavar="POLICY"
        ),
    ] = "LinRBMLE(bias='auto')",
    save: Annotated[Path | None, typer.Option(help="Save the policy to a .npz file.")] = None,
    columns: Columns = None,
    arms: Arms = None,
    encoding: Encoding = "disjoint",
    drop: Drop = False,
    report: Annotated[Path | None, typer.Option(help="Write a page about what was learnt to a folder.")] = None,
    imports: Imports = None,
) -> None:
    """Let a policy learn all settled rewards of a log, exactly as if they had come one by one.

    The table has what is predicted for the features that stand out most, each alone, with the interval where the noise
    of rewards is of size one and the model is right.
    """
    from rich.console import Console

    from rbmle.evaluation import fit

    known.import_all(imports or ())
    check_outputs(None, report)
    opened = logfiles.for_policies(logfiles.open_log(log, columns, arms, drop=drop), encoding)
    learner: Any = logfiles.policy(policy, opened)
    if isinstance(learner, str):
        raise InvalidParameterError(f"policy must be a method or a saved policy. Got {policy!r}.")
    before = learner.n_observed
    fit(opened, learner, progress=None)
    console = Console(highlight=False)
    console.print(
        f"\n[bold]{type(learner).__name__}[/bold] learnt {learner.n_observed - before:,} rewards of {opened.name}"
    )
    console.print(f"[dim]{learner!r}[/dim]", soft_wrap=True)
    console.print(features_table(learner))
    if save is not None:
        learner.save(save)
        console.print(f"Policy is in {save}", soft_wrap=True)
    if report is not None:
        from rbmle.report import policy_report, write

        console.print(f"Report is in {write(policy_report(learner, opened.name), report)}", soft_wrap=True)


def features_table(policy: "Policy") -> "Table":
    """The features that stand out most, drawn on one axis."""
    from rbmle.display import spans
    from rbmle.evaluation.evaluation import shown
    from rbmle.report.policy import parameters

    rows = parameters(policy)[:SHOWN]
    axis = spans.axis([0.0, *(end for _, _, low, high in rows for end in (low, high))])
    table = plain_table("feature", "predicted", "from", "to", "")
    for name, value, low, high in rows:
        table.add_row(name, shown(value), shown(low), shown(high), spans.Span(value, low, high, axis, 0.0))
    table.caption = f"{len(rows)} of {policy.n_features} features"
    table.caption_justify = "left"
    return table
