"""Who takes part: methods of ours, and of other libraries those that are installed."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rbmle.adapters.libraries import version_of
from rbmle.policies import Policy
from rbmle.policies.about import Facts
from rbmle.problems import Problem
from rbmle.studies.real import peers
from rbmle.studies.real.sets import RealSet

OURS = "rbmle"
BASELINE = "Uniform"
"""Takes part, and in no ranking."""
REFERENCE = "LinRBMLE auto"
"""Differences are taken to it: our method for data of unknown scale."""
WIDTHS = (0.03, 0.1, 0.3, 1.0)
Making = Callable[[RealSet, Problem, float | None], Any]


@dataclass(frozen=True)
class Entrant:
    """A method that takes part.

    library  whose it is: the name of a distribution
    module   what must be importable
    make     of a set, its problem and a value of the dial, None: as it comes; gives what `simulate` plays
    dial     what is tuned, and the values tried; nothing where there is no dial
    """

    name: str
    library: str
    module: str
    make: Making
    dial: str = ""
    values: tuple[float, ...] = ()

    @property
    def here(self) -> bool:
        """Whether its library is installed."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """The library with its version."""
        return version_of(self.library)


def ours(name: str, cls: str, **options: Any) -> Entrant:
    """A method of ours. What it is tuned by it says itself, unless an option fixes that."""
    policy = Policy.registry[cls]
    tuning = None if policy.tuning is None or policy.tuning.parameter in options else policy.tuning
    make = partial(our_policy, cls, options)
    return Entrant(name, OURS, OURS, make, *(() if tuning is None else (tuning.label, tuning.values)))


def our_policy(cls: str, options: dict[str, Any], _: RealSet, problem: Problem, value: float | None) -> Policy:
    """A policy by the name of its class."""
    policy = Policy.registry[cls]
    facts = Facts(problem.n_features, problem.n_arms, problem.horizon or 1, "logistic")
    tuned = {} if value is None or policy.tuning is None else policy.tuning.argument(value)
    return policy(**{**facts.required(policy), **options, **tuned})


def theirs(
    name: str, library: str, function: Callable[..., Any], dial: str = "", values: tuple[float, ...] = (),
    module: str = "",
) -> Entrant:  # fmt: skip
    """A method of another library, made anew of a seed in every trial."""
    return Entrant(name, library, module or library, partial(their_policy, function, library), dial, values)


def their_policy(
    function: Callable[..., Any], library: str, real: RealSet, problem: Problem, value: float | None
) -> Any:
    """A function of a seed; the version is part of what a finished trial is found by."""
    return partial(made, function, version_of(library), problem.n_arms, real.columns, value)


def made(function: Callable[..., Any], _: str, arms: int, columns: int, value: float | None, seed: int) -> Any:
    """A policy of another library."""
    return function(arms, columns, value, seed)


def entrants() -> dict[str, Entrant]:
    """All, installed or not, ours first."""
    every = (
        ours(REFERENCE, "LinRBMLE", bias="auto"),
        ours("LinRBMLE", "LinRBMLE"),
        ours("GLMRBMLE", "GLMRBMLE", memory="online"),
        ours("LinUCB", "LinUCB"),
        ours("LinTS", "LinTS"),
        ours("SquareCB", "SquareCB"),
        ours("Greedy", "Greedy"),
        theirs("MABWiser LinUCB", "mabwiser", peers.mabwiser_linucb, "alpha", WIDTHS),
        theirs("MABWiser LinTS", "mabwiser", peers.mabwiser_lints, "alpha", WIDTHS),
        theirs("river LinUCB", "river", peers.river_linucb),
        theirs("coba LinUCB", "coba", peers.coba_linucb, "alpha", WIDTHS),
        theirs("contextualbandits LinUCB", "contextualbandits", peers.contextualbandits_linucb, "alpha", WIDTHS),
        theirs("bayesianbandits TS", "bayesianbandits", peers.bayesian_ts, "width", WIDTHS),
        theirs("VW SquareCB", "vowpalwabbit", peers.vw_squarecb, "gamma_scale", (1.0, 10.0, 100.0, 1000.0)),
        theirs("VW ε-greedy", "vowpalwabbit", peers.vw_epsilon, "epsilon", (0.01, 0.03, 0.1, 0.3)),
        ours(BASELINE, "Uniform"),
    )
    return {each.name: each for each in every}
