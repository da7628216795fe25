"""The settings of the study: one thing is changed at a time from a problem of 10 features, 10 arms and unit noise."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from rbmle import datasets
from rbmle.policies.about import Facts
from rbmle.problems import DriftingProblem, Gaussian, GLMProblem, LinearProblem, Problem
from rbmle.schedules import Constant
from rbmle.types import FloatArray

DELTA = 0.05


@dataclass(frozen=True)
class Setting:
    """A problem and what is known of it beforehand.

    key     its name on the command line and in file names
    title   a few words
    about   what it is, and why it is there
    family  of its rewards: methods say which they are made for
    make    the problem
    share   of the plan's trials, smaller where trials are costly
    noise, norm_bound  σ and S that theorems are told
    extras  by name, (method, arguments) of policies that are shown here only
    real    whether it is a data set
    """

    key: str
    title: str
    about: str
    make: Callable[[], Problem]
    horizon: int
    family: str = "gaussian"
    share: float = 1.0
    noise: float = 1.0
    norm_bound: float = 1.0
    extras: Mapping[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    real: bool = False

    def facts(self, problem: Problem, longest: int) -> Facts:
        """What methods may know of it."""
        horizon = min(self.horizon, longest)
        drift = getattr(problem, "drift", None)
        return Facts(
            n_features=problem.n_features,
            n_arms=problem.n_arms,
            horizon=horizon,
            family=self.family,
            noise=self.noise,
            norm_bound=self.norm_bound,
            delta=DELTA,
            variation=0.0 if drift is None else drift.variation(horizon),
        )


def direction(d: int, norm: float = 1.0) -> FloatArray:
    """θ of a norm. Contexts are isotropic, so that its direction does not matter."""
    theta: FloatArray = np.full(d, norm / np.sqrt(d))
    return theta


def linear(
    d: int = 10, n_arms: int = 10, norm: float = 1.0, noise: float = 1.0, static: bool = True, **other: Any
) -> LinearProblem:
    """The problem from which the others differ in one thing."""
    return LinearProblem(direction(d, norm), n_arms, static=static, noise=Gaussian(scale=noise), **other)


def coarse_digits() -> Problem:
    """The 8 × 8 pixels averaged to 4 × 4, rows of norm 1: 16 columns for each of 10 classes."""
    digits = datasets.load_classes("digits")
    pixels = digits.X.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(-1, 16)
    return type(digits)("digits", pixels, digits.y, digits.classes, digits.source).problem(normalize=True)


def data(name: str, **options: Any) -> Problem:
    """A data set with rows of norm 1 in disjoint blocks, as in the tables of NeuralTS."""
    return datasets.load_classes(name).problem(normalize=True, missing=-1.0, **options)


# The "LinUCB" of NeuralTS, LMC-TS and others adds the variance: m + v is LinRBMLE with α = 2 in every round.
CONSTANT = {"“LinUCB” of NeuralTS (m + v)": ("LinRBMLE", {"bias": Constant(2.0)})}
REAL: dict[str, Any] = {"noise": 0.5, "extras": CONSTANT, "real": True}

ALL = (
    Setting(
        "paper", "the paper's first problem", "3 features, 10 arms that stay, θ = (−0.3, 0.5, 0.8), unit noise.",
        partial(LinearProblem, (-0.3, 0.5, 0.8), 10), 5000,
    ),
    Setting("static", "arms that stay", "10 features, 10 arms drawn once a trial.", linear, 5000),
    Setting(
        "varying", "new arms in every round", "10 features, 10 arms drawn anew in every round: contexts explore.",
        partial(linear, static=False), 5000,
    ),
    Setting("wide", "40 features", "40 features, 10 new arms in every round.", partial(linear, 40, static=False), 5000,
            share=0.2),
    Setting("many", "100 arms", "10 features, 100 arms that stay.", partial(linear, n_arms=100), 5000, share=0.1),
    Setting("weak", "a weak signal", "‖θ*‖ = 0.2: rewards hardly differ.", partial(linear, norm=0.2), 5000,
            norm_bound=0.2),
    Setting("strong", "a strong signal", "‖θ*‖ = 5: rewards differ by many standard deviations.",
            partial(linear, norm=5.0), 5000, norm_bound=5.0),
    Setting("quiet", "little noise", "Noise of 0.1: a bias made for unit noise explores ten times too much.",
            partial(linear, noise=0.1), 5000, noise=0.1),
    Setting("loud", "much noise", "Noise of 3: a bias made for unit noise explores too little.",
            partial(linear, noise=3.0), 5000, noise=3.0),
    Setting("misspecified", "means that are not linear", "A ripple of 0.2 on means of norm 1: no θ fits.",
            partial(linear, misspecification=0.2), 5000),
    Setting("trap", "where greedy fails", "5 arms that tell nothing of each other, the best one 0.4 above the others.",
            partial(LinearProblem.greedy_trap, 5), 5000, norm_bound=1.5),
    Setting("abrupt", "abrupt changes", "Russac's problem: θ jumps after 1000, 2000 and 3000 rounds; 50 new arms each.",
            DriftingProblem.russac_abrupt, 6000, share=0.2),
    Setting("smooth", "slow drift", "Russac's problem: θ turns by a right angle in 3000 rounds; 50 new arms a round.",
            DriftingProblem.russac_smooth, 6000, share=0.2),
    Setting("logistic", "successes and failures", "Logistic rewards, 5 features, 10 arms that stay, ‖θ*‖ = 1.",
            partial(GLMProblem, direction(5), 10), 2000, "logistic", 0.25, 0.5),
    Setting("logistic-steep", "a steep logistic", "Logistic rewards, 2 features, 10 new arms a round, ‖θ*‖ = 3.",
            partial(GLMProblem, direction(2, 3.0), 10, static=False), 2000, "logistic", 0.2, 0.5, 3.0),
    Setting("digits", "handwritten digits", "1797 digits in 4 × 4 grey values, 10 classes: 160 features.",
            coarse_digits, 1797, share=0.1, norm_bound=10.0**0.5, **REAL),
    Setting("cancer", "breast cancer", "569 cases of 30 measurements, 2 classes: 60 features.",
            partial(data, "breast_cancer"), 569, share=0.5, norm_bound=2.0**0.5, **REAL),
    Setting("wine", "wine", "178 wines of 13 measurements, 3 classes, shown again and again: 39 features.",
            partial(data, "wine", cycle=True), 2000, share=0.25, norm_bound=3.0**0.5, **REAL),
    Setting("mushroom", "mushrooms", "8124 mushrooms of 22 categories, 2 classes: 44 features.",
            partial(data, "mushroom"), 8124, share=0.1, norm_bound=2.0**0.5, **REAL),
    Setting("magic", "gamma telescope", "The first 10 000 of 19 020 shuffled events of 10 numbers, 2 classes.",
            partial(data, "magic"), 10_000, share=0.1, norm_bound=2.0**0.5, **REAL),
)  # fmt: skip
SETTINGS = {setting.key: setting for setting in ALL}
