"""Compare policies on a problem: trials side by side, the same result however many workers there are."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from rbmle import params
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.params import Flag, Integer, Optional
from rbmle.problems.base import Problem
from rbmle.problems.checked import check_attributes
from rbmle.random import fresh_seed
from rbmle.simulation import players
from rbmle.simulation.experiment import Experiment, Source, identity_or_reason, recorded_rounds
from rbmle.simulation.identity import Unstorable
from rbmle.simulation.log import require_room
from rbmle.simulation.manifest import settings_of
from rbmle.simulation.players import Candidate
from rbmle.simulation.results import Results
from rbmle.types import IntArray

MOST_JOBS = 1024
# Numbers of one round, contexts and rewards of all arms: a gibibyte.
MOST_NUMBERS = 2**27


def simulate(
    policies: Mapping[str, Candidate] | Iterable[Candidate],
    problem: Problem,
    *,
    horizon: int,
    trials: int,
    seed: int | None = 0,
    n_jobs: int | None = None,
    record: int | Sequence[int] | IntArray | None = None,
    log: bool = False,
    store: str | PathLike[str] | None = None,
    backend: Any = None,
    progress: bool | None = None,
) -> Results:
    """Play every policy for `horizon` rounds in each of `trials` trials, all on the same sample paths.

    policies: by name, or a list. Ours run compiled. Any object with choose(contexts) and update(context, reward) can
        take part at Python speed: it is deep-copied for each trial. Where it draws random numbers give a function
        `seed -> policy` instead, or the object a method `reseed(seed, *path)`, or all trials draw the same.
    seed: decides everything that is random. The generator of a policy follows from (seed, trial, name of the policy)
        alone, so that trials differ; a policy's own `seed` is replaced. None draws a fresh seed; it is in the manifest.
    record: rounds at which regret is noted, or how many log-spaced ones (about 200 by default); the last is always.
    log: keep every arm played with its reward, and the chance with which it was played where the policy can tell:
        one with a method `decide` then plays by it, at Python speed. See `Results.log`. A decision takes 20 bytes, and
        more than a gibibyte of them is refused.
    store: a folder, or a file that ends in .sqlite or .db. Trials are kept there as they finish and are not played
        again: killed and called again, a simulation goes on where it was. A trial is found by its settings, the code
        of rbmle and of your own classes, and the versions of NumPy, SciPy and numba. What has no readable source (a
        lambda) is played without the store, and a warning says so. Times are of this call alone: the seconds of a trial
        from the store are NaN.
    n_jobs: so many tasks at a time, wherever they run; -1 for as many as there are workers, -2 for one less. None is 1
        here, what `joblib.parallel_config` says around the call, or all workers of a cluster. The result is the same,
        bit for bit.
    backend: of joblib ("threading", "loky"), or a cluster: "dask" or "ray" for the one this process is connected to,
        "dask://host:port", "ray://host:port", or a client of Dask. What a worker dies over is played again elsewhere;
        with a store in a folder that workers see, not even what it had finished is lost.
    progress: by default a bar on a terminal or in a notebook, else a line on stderr every half minute; False for none.

    >>> from rbmle import LinRBMLE
    >>> from rbmle.problems import LinearProblem
    >>> results = simulate([LinRBMLE(n_features=2)], LinearProblem([1.0, 0.0], 5), horizon=1000, trials=3)
    >>> results.regret["LinRBMLE"].shape == (3, len(results.rounds))
    True
    """
    candidates = players.named(policies)
    for name, value, low in (("horizon", horizon, 1), ("trials", trials, 1)):
        params.require("simulate", name, value, Integer(low))
    params.require("simulate", "seed", seed, Optional(Integer(0)))
    params.require("simulate", "log", log, Flag())
    require_jobs("simulate", "n_jobs", n_jobs)
    if not isinstance(problem, Problem):
        raise InvalidInputError(f"problem must be a Problem such as LinearProblem. Got {problem!r}.")
    check_attributes(problem)
    within(problem, horizon, trials)
    for name, policy in candidates.items():
        players.check(name, policy, problem)
    if log:
        require_room(len(candidates), int(trials), int(horizon))
    known = identity_or_reason(problem) if store is not None else None
    experiment = Experiment(
        candidates,
        Source(id(problem), settings_of(problem), None if isinstance(known, Unstorable) else known, lambda: problem),
        int(horizon),
        int(trials),
        fresh_seed() if seed is None else int(seed),
        recorded_rounds(record, int(horizon)),
        bool(log),
    )
    if store is not None:
        tell_unstored(experiment, known)
    return experiment.run(store, n_jobs, backend, progress)


def require_jobs(owner: str, name: str, value: object) -> None:
    """Raise unless the value is a number of workers."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if value is not None and not (whole and value != 0 and abs(int(value)) <= MOST_JOBS):  # type: ignore[call-overload]
        raise InvalidParameterError(
            f"The '{name}' parameter of {owner} must be a non-zero int, at most {MOST_JOBS}, or negative to count from "
            f"the number of cores. Got {value!r} instead."
        )


def within(problem: Problem, horizon: int, trials: int) -> None:
    """Raise where a problem has fewer rounds or trials than asked for, or rounds that no memory holds."""
    for name, asked, most in (("horizon", horizon, problem.horizon), ("trials", trials, problem.trials)):
        if most is not None and asked > most:
            raise InvalidParameterError(
                f"The '{name}' parameter of simulate must be at most {most}, all that {problem!r} has. "
                f"Got {asked} instead."
            )
    if problem.n_arms * (problem.n_features + 2) > MOST_NUMBERS:
        raise InvalidParameterError(
            f"The 'problem' parameter of simulate must have rounds of at most {MOST_NUMBERS:,} numbers, which are a "
            f"gibibyte. Got {problem.n_arms:,} arms of {problem.n_features:,} features."
        )


def tell_unstored(experiment: Experiment, problem: Any) -> None:
    """Say once which policies are played without the store, and why."""
    reasons = [f"problem: {problem}"] if isinstance(problem, Unstorable) else []
    reasons += [
        f"policies['{name}']: {reason}"
        for name, reason in experiment.identities.items()
        if isinstance(reason, Unstorable)
    ]
    if reasons:
        warnings.warn(f"Not stored, and so played again in every call: {'; '.join(reasons)}.", stacklevel=3)
