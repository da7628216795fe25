"""Compare policies on a problem: trials side by side, the same result however many workers there are."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import joblib
import numpy as np
from threadpoolctl import threadpool_limits

from rbmle import params
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.params import Integer
from rbmle.policies.base import Policy
from rbmle.problems.base import Problem
from rbmle.problems.checked import check_attributes
from rbmle.simulation import players
from rbmle.simulation.manifest import manifest
from rbmle.simulation.players import Candidate
from rbmle.simulation.progress import tracked
from rbmle.simulation.results import Results
from rbmle.simulation.trial import Trial, run_trial
from rbmle.types import IntArray

# Points of a regret curve unless chosen otherwise.
POINTS = 200


def simulate(
    policies: Mapping[str, Candidate] | Iterable[Candidate],
    problem: Problem,
    *,
    horizon: int,
    trials: int,
    seed: int = 0,
    n_jobs: int | None = 1,
    record: int | Sequence[int] | IntArray | None = None,
    backend: Any = None,
    progress: bool | None = None,
) -> Results:
    """Play every policy for `horizon` rounds in each of `trials` trials, all on the same sample paths.

    policies: by name, or a list. Ours run compiled. Any object with choose(contexts) and update(context, reward) can
        take part at Python speed: it is deep-copied for each trial. Where it draws random numbers give a function
        `seed -> policy` instead, or the object a method `reseed(seed, *path)`, or all trials draw the same.
    record: rounds at which regret is noted, or how many log-spaced ones (about 200 by default); the last is always.
    n_jobs, backend: as in joblib; the result is the same, bit for bit. A backend such as Dask's can also be set
        around the call with `joblib.parallel_config`.
    progress: show a bar; by default only on a terminal.

    >>> from rbmle import LinRBMLE
    >>> from rbmle.problems import LinearProblem
    >>> results = simulate([LinRBMLE(n_features=2)], LinearProblem([1.0, 0.0], 5), horizon=1000, trials=3)
    >>> results.regret["LinRBMLE"].shape == (3, len(results.rounds))
    True
    """
    candidates = players.named(policies)
    for name, value, low in (("horizon", horizon, 1), ("trials", trials, 1), ("seed", seed, 0)):
        params.require("simulate", name, value, Integer(low))
    if n_jobs == 0:
        raise InvalidParameterError("The 'n_jobs' parameter of simulate must be a non-zero int. Got 0 instead.")
    if not isinstance(problem, Problem):
        raise InvalidInputError(f"problem must be a Problem such as LinearProblem. Got {problem!r}.")
    check_attributes(problem)
    within(problem, horizon, trials)
    for name, policy in candidates.items():
        players.check(name, policy, problem)
    rounds = recorded_rounds(record, int(horizon))
    work = (
        joblib.delayed(task)(candidates, problem, int(horizon), trial, int(seed), rounds, os.getpid())
        for trial in range(trials)
    )
    regret = {name: np.empty((trials, len(rounds))) for name in candidates}
    seconds = {name: np.empty(trials) for name in candidates}
    compiled = all(isinstance(policy, Policy) for policy in candidates.values())
    with single_threaded_algebra():
        finished = in_parallel(work, n_jobs, backend, "threads" if compiled else "processes")
        for trial, outcome in tracked(finished, trials, progress):
            for name, (curve, time) in outcome.items():
                regret[name][trial], seconds[name][trial] = curve, time
    return Results(rounds, regret, seconds, manifest(candidates, problem, int(horizon), int(trials), int(seed)))


def within(problem: Problem, horizon: int, trials: int) -> None:
    """Raise where a problem has fewer rounds or trials than asked for."""
    for name, asked, most in (("horizon", horizon, problem.horizon), ("trials", trials, problem.trials)):
        if most is not None and asked > most:
            raise InvalidParameterError(
                f"The '{name}' parameter of simulate must be at most {most}, all that {problem!r} has. "
                f"Got {asked} instead."
            )


def recorded_rounds(record: int | Sequence[int] | IntArray | None, horizon: int) -> IntArray:
    """The rounds (from 1, ascending) at which regret is noted; the horizon is always among them."""
    if record is None:
        record = POINTS
    if isinstance(record, int | np.integer):
        params.require("simulate", "record", record, Integer(1))
        chosen = np.rint(np.geomspace(1, horizon, int(record))).astype(np.int64)
    else:
        chosen = np.asarray(record)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or chosen.size == 0:
            raise InvalidParameterError(
                f"The 'record' parameter of simulate must be an int or a sequence of rounds. Got {record!r} instead."
            )
        if chosen.min() < 1 or chosen.max() > horizon:
            raise InvalidParameterError(
                f"The 'record' parameter of simulate must hold rounds from 1 to {horizon}. Got {chosen.min()} to "
                f"{chosen.max()} instead."
            )
    return np.union1d(chosen.astype(np.int64), [horizon])


def task(
    policies: dict[str, Candidate], problem: Problem, horizon: int, trial: int, seed: int, record: IntArray, parent: int
) -> tuple[int, dict[str, Trial]]:
    """One trial with its number; in a worker process the linear algebra is limited there too, for good."""
    if os.getpid() != parent:
        load_algebra()
        threadpool_limits(1)
    return trial, run_trial(policies, problem, horizon, trial, seed, record)


@contextmanager
def single_threaded_algebra() -> Iterator[None]:
    """Let BLAS use one thread: trials keep the cores busy, and sums are added in the same order everywhere."""
    load_algebra()
    with threadpool_limits(1):
        yield


def load_algebra() -> None:
    """Load the libraries of the compiled code first: a limit reaches only what is loaded."""
    import scipy.linalg  # noqa: F401


def in_parallel(
    work: Iterator[Any], n_jobs: int | None, backend: Any, prefer: str
) -> Iterable[tuple[int, dict[str, Trial]]]:
    """Results as they finish; all at the end where a backend cannot do that."""
    try:
        parallel = joblib.Parallel(n_jobs=n_jobs, backend=backend, prefer=prefer, return_as="generator_unordered")
    except ValueError:
        parallel = joblib.Parallel(n_jobs=n_jobs, backend=backend, prefer=prefer)
    finished: Iterable[tuple[int, dict[str, Trial]]] = parallel(work)
    return finished
