"""`rbmle methods`: what each method is, its formula, its source."""

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Annotated

import typer

from rbmle.cli import known
from rbmle.cli.known import IMPORT_HELP

if TYPE_CHECKING:
    from rich.console import Console

    from rbmle.policies import Policy

EXAMPLES = """
**Examples**

`rbmle methods` — the table of all methods

`rbmle methods LinRBMLE` — one of them, with its parameters

`rbmle methods --import mine.py` — policies of your own too
"""


def methods(
    name: Annotated[str | None, typer.Argument(help="A method, to see its parameters.")] = None,
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
    """All methods in one table."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, show_lines=False)
    table.add_column("method", no_wrap=True, style="bold")
    for column, share in (("what it is", 5), ("formula", 5), ("source", 5)):
        table.add_column(column, ratio=share)
    for name, cls in registry.items():
        table.add_row(name, *(Text(text) for text in (cls.title, cls.notation, cls.source)))
    console.print(table)
    console.print("[dim]`rbmle methods NAME` shows a method's parameters; `rbmle compare` runs them.[/dim]")


def details(console: "Console", cls: "type[Policy]") -> None:
    """One method: what its class says, and its parameters."""
    import inspect

    from rich import box
    from rich.table import Table
    from rich.text import Text

    from rbmle.params import constraints

    console.print(Text.assemble((cls.__name__, "bold"), f": {cls.title}"))
    console.print(Text(f"formula  {cls.notation}\nsource   {cls.source}\n"))
    console.print(Text(inspect.getdoc(cls).split(">>>")[0].strip() + "\n"))  # type: ignore[union-attr]
    rules = constraints(cls)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for column in ("parameter", "default", "must be"):
        table.add_column(column, overflow="fold")
    for each in fields(cls):
        default = "required" if each.default is MISSING else repr(each.default)
        table.add_row(*(Text(text) for text in (each.name, default, str(rules.get(each.name, "")))))
    console.print(table)
