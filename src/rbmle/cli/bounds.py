"""`rbmle bounds`: what the paper's theorems guarantee, before anything is run."""

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from rbmle.theory import GLMBound, LinearBound

EXAMPLES = """
**Examples**

`rbmle bounds --dim 5 --horizon 10000` — linear rewards with unit noise

`rbmle bounds --dim 5 --horizon 10000 --noise 0.1 --delta 0.01`

`rbmle bounds --dim 5 --horizon 1000000 --family logistic --max-score 0.5`

`rbmle bounds --dim 5 --horizon 10000 --bias "Power(scale=2.0, exponent=0.6)"`
"""

TERMS = {"start": "start T₀", "best_arm": "best arm", "played_arm": "played", "bias": "bias"}


def bounds(
    dim: Annotated[int, typer.Option(help="Dimension of the contexts.", metavar="D")],
    horizon: Annotated[int, typer.Option(help="Rounds you plan to run.", metavar="T")],
    delta: Annotated[float, typer.Option(help="The guarantee may fail with this probability.")] = 0.1,
    regularization: Annotated[float, typer.Option(help="λ, at least 1.")] = 1.0,
    noise: Annotated[
        float | None, typer.Option(help="σ of the sub-Gaussian noise. [1 for gaussian, 0.5 for logistic]")
    ] = None,
    family: Annotated[
        str, typer.Option(help="gaussian: linear rewards, Theorem 2; logistic: successes, Theorem 3.", metavar="NAME")
    ] = "gaussian",
    max_score: Annotated[
        float, typer.Option(help="S: the largest norm of θ, so the largest |θᵀx| there can be.", metavar="S")
    ] = 1.0,
    bias: Annotated[str, typer.Option(help="α(t), a schedule.")] = "Sqrt(scale=1.0)",
    boost: Annotated[str, typer.Option(help="η(t), a schedule; for logistic rewards.")] = "OnePlusLog(scale=1.0)",
    printed: Annotated[
        bool, typer.Option("--printed", help="The formulas as printed, which do not hold everywhere.")
    ] = False,
) -> None:
    """Say what regret the paper's theorems guarantee at most, and from which horizon that means anything.

    Contexts are taken to have norm at most 1. Regret is counted in mean rewards.
    """
    from rich.console import Console

    from rbmle.cli.values import schedule

    common = {"n_features": dim, "delta": delta, "regularization": regularization, "bias": schedule(bias)}
    if printed:
        common |= {"potential": "printed"}
    if family == "logistic":
        common |= {"boost": schedule(boost), "radius": "printed" if printed else "proved"}
    bound, gap, method = chosen(family, noise, max_score, common)
    bound(horizon)  # a horizon for which there is no bound is refused before anything is shown
    console = Console(highlight=False)
    console.print(table(bound, horizon, gap))
    for sentence in words(bound, horizon, gap, method):
        console.print(sentence)


def chosen(
    family: str, noise: float | None, max_score: float, common: dict[str, Any]
) -> "tuple[LinearBound | GLMBound, float, str]":
    """The theorem that fits, the largest difference of two mean rewards, and the method it speaks of."""
    from rbmle import families, params
    from rbmle.theory import GLMBound, LinearBound

    params.require("bounds", "family", family, params.OneOf("gaussian", "logistic"))
    limit = 1.0 if family == "gaussian" else math.inf  # Theorem 2 has ‖θ‖ ≤ 1 built in
    params.require("bounds", "max-score", max_score, params.Real(0.0, limit, open_low=True))
    if family == "gaussian":
        return LinearBound(noise_scale=1.0 if noise is None else noise, **common), 2 * max_score, "LinRBMLE"
    link = families.Logistic().extended(max_score)
    general = GLMBound(
        L_mu=link.lipschitz,
        kappa_mu=link.kappa,
        theta_norm=max_score,
        noise_scale=0.5 if noise is None else noise,
        **common,
    )
    return general, float(link.mean(max_score) - link.mean(-max_score)), "GLM-RBMLE"


def table(bound: "LinearBound | GLMBound", horizon: int, gap: float) -> "Table":
    """The bound around the horizon asked for, and what it is the sum of."""
    from rich import box
    from rich.table import Table

    shown = Table(
        title=f"Regret guaranteed with probability {1 - bound.delta:.4g}, α(t) = {bound.bias!r}",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
    names = [name for name in TERMS if name in bound.terms(horizon)]
    for column in ("rounds", "at most", "per round", "worst", *(TERMS[name] for name in names)):
        shown.add_column(column, justify="right", no_wrap=True)
    shown.caption = (
        "worst: what even the worst policy loses; then the terms of the bound: underrating the best arm, "
        "misjudging the arms played, exploring by the bias"
    )
    shown.caption_justify = "left"
    for T in horizons(horizon, bound.n_features):  # the printed form has no value before about d rounds
        terms = bound.terms(T)
        total = bound(T)
        row = [number(T), number(total), number(total / T), number(gap * T), *(number(float(terms[n])) for n in names)]
        shown.add_row(*row, style="bold" if horizon == T else "")
    return shown


def horizons(horizon: int, dim: int) -> list[int]:
    """A hundredth and a tenth of the horizon, itself, and ten and a hundred times it, where the bound is defined."""
    around = {horizon // 100, horizon // 10, horizon, 10 * horizon, 100 * horizon}
    return sorted(T for T in around if horizon == T or max(dim, 10) <= T <= 10**15)


def words(bound: "LinearBound | GLMBound", horizon: int, gap: float, method: str) -> list[str]:
    """What the numbers mean to somebody who plans a run."""
    from rbmle.theory import linear_bound

    total = bound(horizon)
    start = getattr(bound, "start", 0)
    first = bound.informative_horizon(gap)
    sentences = []
    printed = bound.potential == "printed"
    if total < gap * horizon:
        sentences.append(
            f"{'As printed: with' if printed else 'With'} probability at least {1 - bound.delta:.4g}, {method} loses "
            f"at most [bold]{number(total)}[/bold] in {horizon:,} rounds against always playing the best arm: "
            f"[bold]{number(total / horizon)} a round[/bold]."
        )
    if start > 1:
        count = "more rounds than can ever be played" if start == math.inf else f"the first {number(start)} rounds"
        sentences.append(
            f"The theorem leaves {count} uncovered (T₀), because the slope of the link falls to "
            f"{number(bound.slopes[1])} where scores are large; a smaller --max-score helps most."  # type: ignore[union-attr]
        )
    worst = f"Even the worst policy loses no more than {number(gap)} a round"
    share = f"here it excludes {1 - total / (gap * horizon):.0%} of the worst case"
    if total >= gap * horizon:
        later = "at none up to 10¹⁵ rounds for good" if first == math.inf else f"only from {number(first)} rounds on"
        sentences.append(
            f"{worst}, which is {number(gap * horizon)} in {horizon:,} rounds, and the bound is {number(total)}: "
            f"[bold]at this horizon the guarantee says nothing[/bold], {later}."
        )
    elif first > horizon:
        later = "nothing at 10¹⁵ rounds" if first == math.inf else f"something for good from {number(first)} rounds on"
        sentences.append(f"{worst}; {share}. Longer horizons are not all like that: the guarantee says {later}.")
    else:
        sentences.append(f"{worst}, so the guarantee says something from {number(first)} rounds on, and {share}.")
    if printed:
        sentences.append(
            "These are the formulas as printed. They promise too much where the horizon is not much larger than the "
            "dimension, and for logistic rewards where λ is large or δ small; without --printed they are mended."
        )
    sentences.append(
        "A guarantee is for the worst contexts and the worst θ there can be; measured regret is far below. In the "
        f"paper's first experiment (3 dimensions, 30,000 rounds) the bound is {number(linear_bound(30_000, 3))} and "
        "LinRBMLE lost 186 on average. `rbmle compare` measures it on a problem like yours."
    )
    return sentences


def number(value: float) -> str:
    """A number as short as it can be said."""
    if value == math.inf:
        return "∞"
    if value > 1e6:
        return f"{value:.2e}".replace("e+0", "e").replace("e+", "e")
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
