"""What the verbs about logs have in common: which log, which policies, how rows are read."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rbmle.cli import choose, known, values
from rbmle.errors import InvalidParameterError, RbmleError

if TYPE_CHECKING:
    from rbmle.logs import Log
    from rbmle.policies import Policy

LogName = Annotated[
    str,
    typer.Argument(
        metavar="LOG",
        help="A .parquet, .csv or .jsonl file, a folder of them, a .dsjson or .vw file of Vowpal Wabbit (.vw: text of "
        "cb_explore_adf), the journal of an agent (a file or a postgresql:// URL), or the name of a data set: of one "
        "that is no log, a log of random decisions.",
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        help="What columns are called there: 'reward=clicks,context=age+hour'. Names: id, time, contexts, context, "
        "eligible, arm, probability, probabilities, reward, settled.",
        metavar="OURS=THEIRS,…",
    ),
]
Arms = Annotated[int | None, typer.Option(help="How many arms, where no column tells.", metavar="K")]
Encoding = Annotated[
    str,
    typer.Option(help="Where arms share a context, what policies see of it: disjoint or shared.", metavar="NAME"),
]
Drop = Annotated[bool, typer.Option("--drop", help="Leave bad rows out and count them. [stop at the first]")]
Imports = Annotated[list[str] | None, typer.Option("--import", help=known.IMPORT_HELP, metavar="MODULE")]


HASHED = 2**6
"""Numbers of a vector that features with names are hashed into."""
DSJSON, CB_TEXT = (".dsjson", ".dsjson.gz"), (".vw", ".vw.gz")


def open_log(name: str, columns: str | None, arms: int | None, *, drop: bool) -> "Log":
    """The log of a name."""
    from rbmle import datasets
    from rbmle.logs import Log

    on_error: Literal["raise", "drop"] = "drop" if drop else "raise"
    if name in datasets.names() and not Path(name).exists():
        return datasets.load(name).as_log()
    if name.lower().endswith(DSJSON):
        return Log.from_dsjson(name, n_features=HASHED, on_error=on_error)
    if name.lower().endswith(CB_TEXT):
        return Log.from_cb_text(name, n_features=HASHED, on_error=on_error)
    if is_journal(name):
        from rbmle.online.opening import journal_of

        journal = journal_of(name, create=False)
        try:
            return journal.log()
        finally:
            journal.close()
    if not Path(name).exists():
        raise RbmleError(f"{name} cannot be read: there is no such file, folder or data set.")
    return Log.read(name, columns=renamed(columns), n_arms=arms, on_error=on_error)


def is_journal(name: str) -> bool:
    """Whether a name is that of an agent's journal: a database, not a table."""
    if name.startswith(("postgresql://", "postgres://")):
        return True
    from rbmle.logs.opening import is_database

    return is_database(Path(name))


def renamed(text: str | None) -> dict[str, Any] | None:
    """'reward=clicks,context=age+hour' as a dict."""
    if text is None:
        return None
    new: dict[str, Any] = {}
    for pair in filter(None, map(str.strip, text.split(","))):
        ours, equals, theirs = pair.partition("=")
        if not equals or not theirs:
            raise InvalidParameterError(f"columns must be pairs such as reward=clicks,context=age+hour. Got {pair!r}.")
        new[ours.strip()] = theirs.strip().split("+") if "+" in theirs else theirs.strip()
    return new


def for_policies(log: "Log", encoding: str) -> "Log":
    """A log with contexts of every arm, made of the one they share where that is what there is."""
    return log.per_arm(encoding) if "context" in log.columns else log


def context_of(log: "Log", cls: type["Policy"]) -> dict[str, Any]:
    """What a log says of policies; its rows are only counted for those who want to know."""
    from dataclasses import fields

    if log.n_features is None:
        raise InvalidParameterError("Policies need contexts. The log has none.")
    known_here: dict[str, Any] = {"n_features": log.n_features}
    if log.n_arms is not None:
        known_here["n_arms"] = log.n_arms
    if any(each.name == "horizon" for each in fields(cls)):
        known_here["horizon"] = max(log.scanned.rows, 1)
    return known_here


def policy(text: str, log: "Log") -> Any:
    """A saved policy, 'uniform', 'logging', or a method with its parameters, which has learnt nothing."""
    from rbmle.policies import load

    if text in ("uniform", "logging"):
        return text
    if text.endswith(".npz"):
        return load(text)
    name, _, arguments = written(text)
    cls = known.method(name)
    return choose.build(cls.__name__, arguments, context_of(log, cls))


def sweep(text: str, log: "Log") -> "dict[str, Policy]":
    """All policies of a method whose parameters are lists: 'LinRBMLE(bias=[Sqrt(scale=0.3), Sqrt(scale=1)])'."""
    from rbmle.simulation import sweep

    name, _, arguments = written(text)
    cls = known.method(name)
    if not any(isinstance(value, list) for value in arguments.values()):
        raise InvalidParameterError(
            f"sweep must have a list among its parameters: LinUCB(alpha=[0.3, 1]). Got {text!r}."
        )
    return sweep(cls, **{**choose.known_to(cls, context_of(log, cls)), **choose.settled(cls, arguments)})


def written(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    """The parts of 'LinUCB(alpha=0.5)', all arguments by name."""
    parts = values.call(text)
    if parts[1]:
        raise InvalidParameterError(f"Parameters of a method go by their names: LinUCB(alpha=0.5). Got {text!r}.")
    return parts


def range_of(text: str | None) -> tuple[float, float] | None:
    """Two numbers."""
    if text is None:
        return None
    ends = values.numbers(text, "reward-range")
    if len(ends) != 2:
        raise InvalidParameterError(f"reward-range must be two numbers such as 0,1. Got {text!r}.")
    return ends[0], ends[1]
