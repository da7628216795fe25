"""`rbmle agent`: how an agent in production is doing, from its journal."""

import json
import re
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rbmle.cli import known
from rbmle.cli.evaluate import check_outputs, plain_table
from rbmle.cli.logfiles import Imports
from rbmle.errors import InvalidParameterError

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from rbmle.online import Agent, Stats
    from rbmle.online.explain import Explanation

EXAMPLES = """
**Examples**

`rbmle agent news.db` — the numbers, what they say, the arms, the days, what stands behind the last decision

`rbmle agent news.db --watch 2` — the same, read anew every two seconds until Ctrl-C

`rbmle agent news.db --explain 3f2a…` — what stands behind a decision, by its id

`rbmle agent news.db --report page/` — a page with figures: rewards in time, how late they come, arms, chances

`rbmle agent news.db --prometheus` and `--json` — for other programs; a service has `agent.prometheus()`

`rbmle agent postgresql://host/database` — a journal in PostgreSQL

Look as often as you like while workers run: nothing is written to the journal. What needs attention stands on top, in
red. "served as logged" tests whether arms were served as often as their logged probabilities say: if p is below 0.0001,
something changes decisions after they were made, and no evaluation of this log is right.
"""

# Arms and days that a terminal shows; events that are looked through for the last decision.
ARMS, DAYS, LOOKED = 15, 14, 5000


def agent(
    journal: Annotated[str, typer.Argument(metavar="PATH", help="The journal: a file, or a URL postgresql://…")],
    watch: Annotated[
        float | None, typer.Option(help="Read anew every so many seconds, until Ctrl-C.", metavar="SECONDS", min=0.0)
    ] = None,
    explain: Annotated[
        str | None, typer.Option(help="What stands behind this decision. [the last one]", metavar="ID")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page with figures to a folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON, nothing else.")] = False,
    prometheus: Annotated[
        bool, typer.Option("--prometheus", help="Print the numbers as Prometheus reads them, nothing else.")
    ] = False,
    imports: Imports = None,
) -> None:
    """Show how an agent is doing: decisions, rewards, arms, and whether its log can be trusted.

    All of it comes from the journal; workers may go on deciding meanwhile.
    """
    from rich.console import Console

    from rbmle.errors import SharedJournalWarning
    from rbmle.online import Agent

    if sum((watch is not None, as_json, prometheus)) > 1:
        raise InvalidParameterError("Of --watch, --json and --prometheus only one can be asked for.")
    known.import_all(imports or ())
    if report is not None:
        check_outputs(None, report)
    name = shown(journal)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SharedJournalWarning)  # this process does not write
        opened = Agent.open(journal)
        try:
            opened.read()
            if as_json:
                typer.echo(json.dumps(opened.stats(), default=str))
            elif prometheus:
                typer.echo(opened.prometheus(), nl=False)
            elif watch is not None:
                watched(Console(highlight=False), opened, name, explain, watch)
            else:
                Console(highlight=False).print(page(opened, name, explain))
            if report is not None:
                from rbmle.report import agent_report, write

                place = write(agent_report(opened, title=f"How {Path(name).stem} is doing"), report)
                typer.echo(f"Report is in {place}", err=as_json or prometheus)
        finally:
            opened.close(snapshot=False)


def shown(journal: str) -> str:
    """The name of a journal without a password or other arguments.

    >>> shown("postgresql://me:secret@host/shop?sslmode=require")
    'postgresql://host/shop'
    """
    return re.sub("//[^/]*@", "//", journal.partition("?")[0]) if "://" in journal else journal


def watched(console: Any, opened: "Agent", name: str, decision: str | None, seconds: float) -> None:
    """Show the page and renew it until somebody interrupts."""
    from rich.live import Live

    try:
        with Live(
            page(opened, name, decision), console=console, auto_refresh=False, screen=console.is_terminal
        ) as live:
            while True:
                time.sleep(seconds)
                opened.read()
                live.update(page(opened, name, decision), refresh=True)
    except KeyboardInterrupt:
        console.print(page(opened, name, decision))


def page(opened: "Agent", name: str, decision: str | None = None) -> "RenderableType":
    """Everything a terminal shows."""
    from rich.console import Group
    from rich.text import Text

    from rbmle.online.health import findings
    from rbmle.online.stats import told

    stats = opened.stats()
    mode = Text("  apprentice: the caller's rule is served", "yellow") if stats["apprentice"] else Text("")
    head = [Text.assemble((name, "bold"), f"  {stats['version']:,} events", mode), Text(stats["policy"], "dim"), Text()]
    words = [
        Text(("✓ " if each.good else "! ") + each.text, "green" if each.good else "bold red")
        for each in findings(stats)
    ]
    parts: list[RenderableType] = [*head, *words, Text(), facts(told(stats)), Text(), arms_table(stats)]
    if stats["by_day"]:
        parts += [Text(), days_table(stats)]
    found = explained(opened, decision)
    if found is not None:
        which = "the last decision" if decision is None else f"decision {decision}"
        parts += [Text(), explained_table(found, which)]
    return Group(*parts)


def facts(lines: dict[str, str]) -> "Table":
    """Names and what is to be said of each."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in lines.items():
        table.add_row(name, Text(text))
    return table


def arms_table(stats: "Stats") -> "Table":
    """The arms served most, and bars of their shares."""
    from rich.text import Text

    rows = sorted(stats["arms"], key=lambda each: -each["served"])
    total = max(1, stats["counts"]["decisions"])
    table = plain_table("arm", "served", "share", "", "by chance", "expected")
    most = max([each["served"] for each in rows], default=0) or 1
    for each in rows[:ARMS]:
        chance = (f"{each['by_chance']:,}", f"{each['expected']:,.1f}") if each["spread"] else ("–", "–")
        table.add_row(
            Text(f"{each['arm']}{' (retired)' if each['retired'] else ''}"), f"{each['served']:,}",
            f"{100 * each['served'] / total:.1f} %", bar(each["served"] / most), *chance,
            style="dim" if each["retired"] else "",
        )  # fmt: skip
    if len(rows) > ARMS:
        table.caption, table.caption_justify = f"{ARMS} of {len(rows)} arms", "left"
    return table


def days_table(stats: "Stats") -> "Table":
    """Rewards of the last days."""
    days = stats["by_day"][-DAYS:]
    table = plain_table("day (UTC)", "learnt", "mean reward", "")
    least, most = (pick([0.0, *(day["mean_reward"] for day in days)]) for pick in (min, max))
    for day in days:
        share = (day["mean_reward"] - least) / (most - least) if most > least else 0.0
        table.add_row(day["day"], f"{day['learnt']:,}", f"{day['mean_reward']:.4g}", bar(share))
    return table


def explained(opened: "Agent", decision: str | None) -> "Explanation | None":
    """What stands behind a decision, or the last one; None where there is none to be found."""
    if decision is not None:
        return opened.explain(id=decision)
    recent = opened.journal.read(max(0, opened.version - LOOKED))
    last = next((event for event in reversed(recent) if event.kind == "decision"), None)
    return None if last is None else opened.explain(id=last.subject)


def explained_table(found: "Explanation", which: str) -> "Table":
    """The arms of a decision, those with the highest chances first."""
    from rich.text import Text

    table = plain_table("arm", "mean", "width", "bias", "index", "probability", "")
    table.title, table.title_justify, table.title_style = f"Behind {which}, as the policy is now", "left", "italic"
    order = sorted(range(len(found.arms)), key=lambda place: (-found.probability[place], -found.index[place]))
    for place in order[:ARMS]:
        numbers = [f"{getattr(found, name)[place]:.4g}" for name in ("mean", "width", "bias", "index", "probability")]
        mine = found.served is not None and found.arms[place] == found.served
        table.add_row(Text(str(found.arms[place])), *numbers, "served" if mine else "", style="bold" if mine else "")
    if len(order) > ARMS:
        table.caption, table.caption_justify = f"{ARMS} of {len(order)} arms", "left"
    return table


def bar(share: float, width: int = 20) -> str:
    """A bar of letters, to an eighth of one.

    >>> bar(0.55, width=4)
    '██▎'
    """
    whole, eighths = divmod(round(max(0.0, min(1.0, share)) * width * 8), 8)
    return "█" * whole + ("▏▎▍▌▋▊▉"[eighths - 1] if eighths else "")
