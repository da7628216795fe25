"""`rbmle compare`: methods against each other on one problem."""

from pathlib import Path
from typing import Annotated

import typer

from rbmle.cli.config import Comparison
from rbmle.cli.known import CLUSTER_HELP, IMPORT_HELP, import_all

EXAMPLES = """
**Examples**

`rbmle compare` — all linear methods on the paper's first problem, in a few seconds

`rbmle compare --methods LinRBMLE,LinUCB,LinTS --varying --horizon 30000 --figure regret.pdf`

`rbmle compare --theta 0.5,0.5,-0.7 --arms 20 --noise "Uniform(half_width=0.5)" --out results/`

`rbmle compare --family logistic --trials 50 --report study/`

`rbmle compare --dataset wine` — real data: a class is an arm, the right one pays 1, every trial is a shuffle

`rbmle compare --trials 500 --store trials/` — killed or called again with more trials, it goes on where it was

`rbmle compare --trials 10000 --cluster dask://scheduler:8786 --store /shared/trials` — on your cluster

`rbmle compare --import mine.py --methods MyMethod,LinUCB` — a policy of your own

`rbmle compare --config study.toml` with a file like

    theta = [-0.3, 0.5, 0.8]
    methods = ["LinUCB"]

    [policies.bold]
    method = "LinRBMLE"
    bias = "Sqrt(scale=2.0)"

What is given on the command line comes before what the file says.
"""


def compare(
    theta: Annotated[
        str | None, typer.Option(help="The unknown parameter θ. [-0.3,0.5,0.8]", metavar="NUMBERS")
    ] = None,
    arms: Annotated[int | None, typer.Option(help="How many arms. [10]", metavar="K")] = None,
    static: Annotated[
        bool | None,
        typer.Option("--static/--varying", help="Arms stay for a trial, or are new in every round. [static]"),
    ] = None,
    noise: Annotated[
        str | None,
        typer.Option(help="gaussian, uniform, rademacher, bounded, or e.g. 'Gaussian(scale=0.5)'. [gaussian]"),
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(help="gaussian: linear rewards; logistic: successes; poisson: counts. [gaussian]", metavar="NAME"),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(
            help="Real data instead: digits, wine, mnist, travel, swissmetro and others; a wrong name lists all.",
            metavar="NAME",
        ),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(help="What classes have in common: disjoint, shared or embedded. [disjoint]", metavar="NAME"),
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of the UCI files. [what RBMLE_DATA says]")] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Names from `rbmle methods`, or all. [all that suit, but VIDS, which is slow]", metavar="NAMES"
        ),
    ] = None,
    horizon: Annotated[
        int | None, typer.Option(help="Rounds of a trial, at most the rows of a data set. [3000]", metavar="T")
    ] = None,
    trials: Annotated[int | None, typer.Option(help="Independent repetitions. [20]", metavar="N")] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same result. [0]", metavar="N")] = None,
    jobs: Annotated[int | None, typer.Option(help="Workers; the result does not depend on it. [all cores]")] = None,
    cluster: Annotated[str | None, typer.Option(help=CLUSTER_HELP, metavar="ADDRESS")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw regret curves to a .png, .svg or .pdf file.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Save results.csv, seconds.csv and manifest.json to a folder.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a report of the comparison to a folder: page, Markdown, tables, figures.")
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(help="Keep finished trials in a folder, or in a .sqlite file, and do not play them again."),
    ] = None,
    imports: Annotated[list[str] | None, typer.Option("--import", help=IMPORT_HELP, metavar="MODULE")] = None,
    config: Annotated[Path | None, typer.Option(help="A TOML file with these settings and tables of policies.")] = None,
) -> None:
    """Compare methods on a problem: regret over many trials, and the time of a decision.

    Every method plays the same arms and could get the same rewards. Regret is what was lost, in mean rewards, against
    always playing the best arm: less is better.
    """
    given = {
        "theta": theta, "arms": arms, "static": static, "noise": noise, "family": family, "dataset": dataset,
        "encoding": encoding, "data": data, "methods": methods, "horizon": horizon, "trials": trials, "seed": seed,
        "jobs": jobs, "cluster": cluster, "figure": figure, "out": out, "report": report, "store": store,
        "imports": imports or None,
    }  # fmt: skip
    run((Comparison() if config is None else Comparison.from_toml(config)).changed(given))


def check_outputs(comparison: Comparison) -> None:
    """Raise before the work, not after, where what is asked for cannot be written."""
    from rbmle.display.figures import check_ending, new_figure
    from rbmle.report.templating import environment

    if comparison.figure is not None:
        check_ending(comparison.figure)
    if comparison.figure is not None or comparison.report is not None:
        new_figure()
    if comparison.report is not None:
        environment("html")


def run(comparison: Comparison) -> None:
    """Run a comparison and show what came out."""
    from rich.console import Console

    from rbmle.cli import choose
    from rbmle.report.tables import grid_table, statistics_table
    from rbmle.simulation import simulate
    from rbmle.simulation.cluster.opening import named

    check_outputs(comparison)
    import_all(comparison.imports, comparison.cluster)
    problem = choose.problem(comparison)
    horizon = choose.horizon(comparison, problem)
    results = simulate(
        choose.policies(comparison, problem), problem, horizon=horizon, trials=comparison.trials, seed=comparison.seed,
        n_jobs=comparison.jobs, store=comparison.store, backend=named(comparison.cluster),
    )  # fmt: skip
    kind = "static" if problem.static else "varying"
    words = f"{problem.n_arms} {kind} arms, {problem.n_features} features"
    console = Console(highlight=False)
    console.print(f"[bold]Regret after {horizon:,} rounds[/bold], {comparison.trials} trials · {words}")
    console.print(f"[dim]{problem!r}[/dim]", markup=True, soft_wrap=True)
    console.print(statistics_table(results, width=console.width))
    console.print("[dim]time: one decision and what is learnt from it · best of a column underlined[/dim]")
    if len(results.policies) > 1 and results.trials > 1:
        paired = results.compare(results.ranking()[0])
        console.print(
            f"\n[bold]More regret than {paired.reference}[/bold], trial by trial, 95 % interval by Student's t"
        )
        console.print(grid_table(paired.grid()))
        console.print("[dim]underlined: the interval excludes no difference[/dim]")
    if comparison.out is not None:
        results.save(comparison.out)
        console.print(f"Results are in {comparison.out}", soft_wrap=True)
    if comparison.figure is not None:
        results.plot(comparison.figure, title=words)
        console.print(f"Figure is in {comparison.figure}", soft_wrap=True)
    if comparison.report is not None:
        from rbmle.report import report_for, write

        console.print(f"Report is in {write(report_for(results), comparison.report)}", soft_wrap=True)
