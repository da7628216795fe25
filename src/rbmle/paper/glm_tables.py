"""The paper's four generalized linear regret tables, run again: as published, and by the methods' own authors."""

import time
from collections.abc import Iterable
from typing import cast

import numpy as np

from rbmle import params
from rbmle.paper.data import prepared
from rbmle.paper.legacy import LegacyDraws, stream_after_data
from rbmle.paper.published.glm import authors_glm_policies, published_glm_policies
from rbmle.paper.settings import SEED, TRIALS, Setting
from rbmle.params import Integer, OneOf
from rbmle.policies import Policy
from rbmle.problems.base import Problem
from rbmle.simulation import Results, simulate
from rbmle.simulation.engine import recorded_rounds
from rbmle.simulation.manifest import manifest
from rbmle.simulation.players import Clock
from rbmle.types import IntArray


def glm_regret(
    setting: Setting,
    definition: str = "published",
    *,
    methods: Iterable[str] | None = None,
    trials: int = TRIALS,
    n_jobs: int | None = 1,
) -> Results:
    """Regret of GLM-RBMLE, UCB-GLM and Laplace-TS on the sample paths of one of the settings `rbmle.paper.GLM`.

    definition: "published" draws random numbers from the legacy generator, as the published tables did: trial after
        trial from one stream, so `n_jobs` does not apply. "authors" is an ordinary simulation of the same paths.
    methods: some of the three names; all by default.
    trials: the first so many of the 50.
    """
    params.require("glm_regret", "definition", definition, OneOf("published", "authors"))
    params.require("glm_regret", "trials", trials, Integer(1))
    make = published_glm_policies if definition == "published" else authors_glm_policies
    policies = make(len(setting.theta), setting.n_arms, setting.horizon)
    if methods is not None:
        policies = {name: policies[name] for name in methods}
    problem = prepared(setting)
    if definition == "authors":
        return simulate(policies, problem, horizon=setting.horizon, trials=trials, seed=SEED, n_jobs=n_jobs)
    record = recorded_rounds(None, setting.horizon)
    regret = {name: np.empty((trials, len(record))) for name in policies}
    seconds = {name: np.empty(trials) for name in policies}
    for name, policy in policies.items():
        draws = LegacyDraws(stream_after_data(setting))
        for trial in range(trials):
            twin = policy.copy()
            twin.rng = cast(np.random.Generator, draws)
            regret[name][trial], seconds[name][trial] = played(twin, problem, trial, setting.horizon, record)
    return Results(record, regret, seconds, manifest(policies, problem, setting.horizon, trials, SEED))


def played(
    policy: Policy, problem: Problem, trial: int, horizon: int, record: IntArray, clock: Clock = time.perf_counter
) -> tuple[np.ndarray, float]:
    """Play one trial: cumulative regret at the recorded rounds, and seconds per decision."""
    rounds = problem.rounds(SEED, trial, 0, horizon)
    start = clock()
    if problem.static:
        arms = policy.fix_arms(rounds.contexts[0]).play(rounds.rewards)
    else:
        arms = policy.play(rounds.contexts, rounds.rewards)
    seconds = (clock() - start) / horizon
    means = np.broadcast_to(rounds.mean_rewards, rounds.rewards.shape)
    lost = means.max(axis=1) - means[np.arange(horizon), arms]
    return np.cumsum(lost)[record - 1], seconds
