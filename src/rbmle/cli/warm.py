"""`rbmle warm`: compile everything ahead, for images, clusters and services that must answer at once."""

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rbmle.cli import known
from rbmle.cli.known import IMPORT_HELP
from rbmle.errors import InvalidParameterError, RbmleError

if TYPE_CHECKING:
    from rbmle.policies import Policy

EXAMPLES = """
**Examples**

`rbmle warm` — everything: all methods, online, with arms that stay, and simulated

`rbmle warm --kind linear` — linear methods only; `--kind glm` for generalized linear ones

`rbmle warm --methods LinRBMLE,GLMRBMLE` — what a service needs that runs these two

**In an image**

    ENV RBMLE_CACHE_DIR=/opt/rbmle-code
    RUN rbmle warm

What is kept there serves every process of the same processor type with the same versions of rbmle, Python and numba,
wherever the package is installed. Build the image on the kind of machine that it will run on, and as the user who will
run it: code in a folder that belongs to somebody else is not trusted.

**On a cluster** let RBMLE_CACHE_DIR be a folder that all nodes see, and call `rbmle warm` once. Whoever writes
there waits for the others.
"""

# Features of a context for which there is code of its own: the paper's dimension, few, and many.
SIZES = (3, 5, 14)
ARMS, ROUNDS, TRIALS = 6, 24, 3
# A guess at the seconds of one method.
GUESS = 8.0


def warm(
    kind: Annotated[Literal["all", "linear", "glm"], typer.Option(help="Which methods.")] = "all",
    methods: Annotated[
        str | None, typer.Option(help="Names from `rbmle methods`, instead of a kind.", metavar="NAMES")
    ] = None,
    imports: Annotated[list[str] | None, typer.Option("--import", help=IMPORT_HELP, metavar="MODULE")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Compile all that methods need and keep it, so that no later process waits.

    rbmle compiles its numerical code when it is first used, some seconds for every method, and keeps it on disk: in the
    user's cache folder, or in the one that the environment variable RBMLE_CACHE_DIR names. This does it now, by letting
    every method decide and learn a little in every way it can. What is there already is not compiled again.
    """
    from rbmle.display.progress import Progress
    from rbmle.kernels.cache import cache_folder

    known.import_all(imports or ())
    chosen = [known.method(name.strip()) for name in methods.split(",")] if methods else of_kind(kind)
    folder = cache_folder("rbmle.kernels.")
    if folder is None:
        raise InvalidParameterError(
            "RBMLE_CACHE_DIR must name a folder that is yours and can be written to. No other is there to keep code in."
        )
    before, start, took = kept_in(folder.parent), time.perf_counter(), dict.fromkeys(chosen, 0.0)
    with Progress(False if quiet else None) as progress:
        progress.expect([(cls.__name__, GUESS) for cls in chosen])
        for cls in chosen:
            begun = time.perf_counter()
            progress.working(cls.__name__)
            use(cls)
            took[cls] = time.perf_counter() - begun
            progress.done(cls.__name__, took[cls])
    show(took, time.perf_counter() - start, before, kept_in(folder.parent), folder.parent)


def of_kind(kind: str) -> "list[type[Policy]]":
    """The methods of a kind."""
    from rbmle.policies.glm import GLMPolicy

    found = known.methods().values()
    return [cls for cls in found if kind == "all" or (kind == "glm") == issubclass(cls, GLMPolicy)]


def kept_in(folder: Path) -> tuple[int, int]:
    """How many pieces of machine code there are, and their bytes."""
    sizes = [file.stat().st_size for file in folder.rglob("*.nbc")]
    return len(sizes), sum(sizes)


def show(
    took: "dict[type[Policy], float]", seconds: float, before: tuple[int, int], after: tuple[int, int], folder: Path
) -> None:
    """What was done."""
    from rich.console import Console

    console, new = Console(highlight=False), after[0] - before[0]
    longest = sorted(took, key=lambda cls: -took[cls])[:3]
    console.print(f"[bold]{len(took)} methods[/bold] are ready, after {seconds:.0f} s.")
    if new:
        slow = ", ".join(f"{cls.__name__} {took[cls]:.0f} s" for cls in longest)
        console.print(f"Newly compiled: {new} functions, {(after[1] - before[1]) / 1e6:.0f} MB. The longest: {slow}.")
    else:
        console.print("Nothing had to be compiled.")
    console.print(f"{folder} holds {after[0]} functions, {after[1] / 1e6:.0f} MB.", soft_wrap=True)


def use(cls: "type[Policy]") -> None:
    """Let a method decide and learn in every way it can; what one of them does not offer is left out."""
    for policy in forms(cls):
        for way in ways(policy):
            with warnings.catch_warnings(), suppress(RbmleError):
                warnings.simplefilter("ignore")
                way()


def forms(cls: "type[Policy]") -> "Iterator[Policy]":
    """The method for few and many features, and with each kind of memory."""
    from dataclasses import fields

    names = {field.name for field in fields(cls)}
    given: dict[str, Any] = {"horizon": 100} if "horizon" in names else {}
    for size in SIZES:
        yield cls(n_features=size, **given)
    if "memory" in names:
        yield cls(n_features=SIZES[0], **{**given, "memory": "online"})
    for settings in cls.variants.values():
        yield cls(n_features=SIZES[0], **{**given, **settings})


def ways(policy: "Policy") -> Iterator[Callable[[], object]]:
    """All that a policy may be asked for, on contexts of its own."""
    import numpy as np

    from rbmle.simulation import simulate

    d, rng = policy.n_features, np.random.default_rng(0)
    X = rng.normal(size=(ROUNDS, ARMS, d)) / np.sqrt(d)
    rewards = (rng.random((ROUNDS, ARMS)) < 0.5).astype(np.float64)
    catalogue = policy.fix_arms(X[0])
    yield lambda: policy.choose(X[0])
    yield lambda: policy.update(X[0, 0], 1.0)
    yield lambda: policy.update_many(X[1], rewards[1])
    yield lambda: policy.choose(X[0])
    yield lambda: policy.scores(X[0])
    yield lambda: policy.decide(X[0], samples=4)
    yield lambda: policy.choose_many(X[:2])
    yield lambda: policy.decide_many(X[:2], samples=4)
    yield catalogue.choose
    yield lambda: catalogue.update(0, 1.0)
    yield lambda: catalogue.decide(samples=4)
    yield lambda: catalogue.play(rewards)
    yield lambda: policy.play(X, rewards)
    yield lambda: policy.merge(policy.copy())
    for static in (False, True):
        yield lambda static=static: simulate(  # type: ignore[misc]
            [policy], problem_for(policy, static), horizon=ROUNDS, trials=TRIALS, seed=0, n_jobs=1, progress=False
        )


def problem_for(policy: "Policy", static: bool) -> Any:
    """A problem whose rewards the policy takes."""
    from rbmle.problems import GLMProblem, LinearProblem

    theta = [0.5] * policy.n_features
    if "gaussian" in policy.rewards:
        return LinearProblem(theta, ARMS, static=static)
    return GLMProblem(theta, ARMS, family=policy.rewards[0], static=static)
