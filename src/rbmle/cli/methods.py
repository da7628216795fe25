"""`rbmle methods`: what each method is, its formula, its source."""

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Annotated

import typer

from rbmle.cli import known
from rbmle.cli.known import IMPORT_HELP

if TYPE_CHECKING:
    from rich.console import Console

    from rbmle.policies import Policy

OTHERS = "of your own"

EXAMPLES = """
**Examples**

`rbmle methods` — the table of all methods

`rbmle methods LinRBMLE` — one of them, with its parameters and where it comes from

`rbmle methods --import mine.py` — policies of your own too
"""


def methods(
    name: Annotated[
        str | None, typer.Argument(help="A method, to see its parameters.", autocompletion=known.begins)
    ] = None,
    imports: Annotated[list[str] | None, typer.Option("--import", help=IMPORT_HELP, metavar="MODULE")] = None,
) -> None:
    """Show what each method is, its formula and its source.

    m and v are the mean and the variance of an arm's reward under the ridge estimate, t is the round.
    """
    from rich.console import Console

    console = Console(highlight=False)
    known.import_all(imports or ())
    if name is None:
        overview(console, known.methods())
    else:
        details(console, known.method(name))


def overview(console: "Console", registry: "dict[str, type[Policy]]") -> None:
    """All methods, a table with a heading for every kind."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    longest = max(map(len, registry))
    for place, (kind, members) in enumerate(by_kind(registry).items()):
        table = Table(
            title=kind, title_justify="left", title_style="italic", box=box.SIMPLE_HEAD if place == 0 else None,
            padding=(0, 1, 0, 0), show_edge=False, show_header=place == 0, expand=True,
        )  # fmt: skip
        table.add_column("method", no_wrap=True, style="bold", width=longest)
        for column, share in (("what it is", 5), ("formula", 5), ("source", 5)):
            table.add_column(column, ratio=share)
        for name, cls in members.items():
            table.add_row(name, *(Text(text) for text in (cls.title, cls.notation, cls.source)))
        console.print(table)
        console.print()
    console.print(
        "[dim]`rbmle methods NAME` shows a method's parameters and where it comes from; `rbmle compare` runs them, "
        "`rbmle study` holds them against each other.[/dim]"
    )


def by_kind(registry: "dict[str, type[Policy]]") -> "dict[str, dict[str, type[Policy]]]":
    """Methods by their kind, in the order of KINDS; those of others that name none come last."""
    from rbmle.policies.about import KINDS

    kinds = [*KINDS, *sorted({cls.kind for cls in registry.values()} - set(KINDS), key=lambda kind: kind == "")]
    members = {kind or OTHERS: {n: cls for n, cls in registry.items() if cls.kind == kind} for kind in kinds}
    return {kind: found for kind, found in members.items() if found}


def details(console: "Console", cls: "type[Policy]") -> None:
    """One method: what its class says, and its parameters."""
    import inspect

    from rich import box
    from rich.table import Table
    from rich.text import Text

    from rbmle.docstrings import meanings, meanings_in
    from rbmle.params import constraints

    console.print(Text.assemble((cls.__name__, "bold"), f": {cls.title}"))
    console.print(Text(f"kind     {cls.kind or OTHERS}\nformula  {cls.notation}\nsource   {cls.source}\n"))
    console.print(Text(inspect.getdoc(cls).split(">>>")[0].strip() + "\n"))  # type: ignore[union-attr]
    own = meanings_in(cls.__doc__ or "")
    told = {name: text for name, text in meanings(cls).items() if name not in own}
    inherited = [f"{each.name}: {told[each.name]}" for each in fields(cls) if each.name in told]
    if inherited:
        console.print(Text("\n".join(inherited) + "\n"))
    rules = constraints(cls)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for column in ("parameter", "default", "must be"):
        table.add_column(column, overflow="fold")
    for each in fields(cls):
        default = "required" if each.default is MISSING else repr(each.default)
        table.add_row(*(Text(text) for text in (each.name, default, str(rules.get(each.name, "")))))
    console.print(table)
    origin(console, cls)


def origin(console: "Console", cls: "type[Policy]") -> None:
    """Where a method comes from, what was read, changed and tested; and how `rbmle study` plays it."""
    from rich.table import Table
    from rich.text import Text

    from rbmle.policies.about import Described, provenance_of

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    told = provenance_of(cls)
    if told is not None:
        table.add_row("defined by", Text(told.defined_by))
        table.add_row("as here", Text(f"{told.trust}; read: {told.read}"))
        table.add_row("changed", Text(told.changed))
        table.add_row("tested against", Text(told.tested_against))
    has_theory = cls.theory.__func__ is not Described.theory.__func__  # type: ignore[attr-defined]
    table.add_row("theory", Text(words_of_theory(cls) if has_theory else "asks for nothing, or has no bound of regret"))
    tuned = cls.tuning
    values = "" if tuned is None else f"{tuned.label}: {', '.join(f'{value:g}' for value in tuned.values)}"
    table.add_row("tuned", Text(values or "nothing"))
    console.print(table)


def words_of_theory(cls: "type[Policy]") -> str:
    """What the method's theory asks for, in the words beside it."""
    import inspect

    return (inspect.getdoc(cls.theory) or "").splitlines()[0]
