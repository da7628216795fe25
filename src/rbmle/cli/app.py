"""The command and its verbs."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rbmle.cli import agent, bounds, compare, doctor, evaluate, fit, methods, paper, real, select, study, warm
from rbmle.errors import RbmleError


class OneLineErrors(TyperGroup):
    """Whatever a user can get wrong is said in one line, without a traceback, and the exit code is 2."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb."""
        try:
            return super().invoke(ctx)
        except RbmleError as error:
            typer.secho("Error: ", fg="red", bold=True, err=True, nl=False)
            typer.echo(" ".join(str(error).split()), err=True)
            raise typer.Exit(2) from error


app = typer.Typer(
    cls=OneLineErrors,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(asked: bool) -> None:
    """Print the version and stop."""
    if asked:
        from rbmle import __version__

        typer.echo(f"rbmle {__version__}")
        raise typer.Exit


@app.callback(epilog="Start with `rbmle compare`: a table in a few seconds. `rbmle compare --help` has examples.")
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Contextual bandits: compare methods, look them up, judge them by a log."""


app.command(epilog=compare.EXAMPLES)(compare.compare)
app.command(epilog=methods.EXAMPLES)(methods.methods)
app.command(epilog=evaluate.EXAMPLES)(evaluate.evaluate)
app.command(epilog=select.EXAMPLES)(select.select)
app.command(epilog=fit.EXAMPLES)(fit.fit)
app.command(epilog=agent.EXAMPLES)(agent.agent)
app.command(epilog=bounds.EXAMPLES)(bounds.bounds)
app.command(epilog=paper.EXAMPLES)(paper.paper)
app.command(epilog=study.EXAMPLES)(study.study)
app.command("real-data", epilog=real.EXAMPLES)(real.real_data)
app.command(epilog=doctor.EXAMPLES)(doctor.doctor)
app.command(epilog=warm.EXAMPLES)(warm.warm)
