"""One regret experiment of the paper: its policies on the sample paths of one setting, as jobs and as results."""

import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from rbmle.paper.data import prepared
from rbmle.paper.glm_tables import played
from rbmle.paper.legacy import LegacyDraws, stream_after_data
from rbmle.paper.plan import Plan
from rbmle.paper.published.glm import authors_glm_policies, published_glm_policies
from rbmle.paper.published.linear import authors_policies, published_policies
from rbmle.paper.settings import SEED, Setting
from rbmle.paper.work import Batch, Job
from rbmle.policies import VIDS, Policy
from rbmle.problems.base import Problem
from rbmle.problems.prepared import PreparedProblem
from rbmle.simulation import Results
from rbmle.simulation.engine import recorded_rounds
from rbmle.simulation.manifest import describe
from rbmle.simulation.store import Outcome, Store
from rbmle.simulation.trial import clock_for, run_trial
from rbmle.types import IntArray

# Seconds of a decision on an ordinary machine: only for the share done and the time left.
COSTS = {"VIDS": 1.5e-4, "PublishedVIDS": 1.5e-4, "GLMRBMLE": 3e-4, "UCBGLM": 1e-4, "LaplaceTS": 3e-5, "LinTS": 5e-7}


@dataclass(frozen=True, eq=False)
class Experiment:
    """Policies by name on the first `trials` paths of a setting, for `horizon` rounds.

    legacy  names of those whose random numbers come from the published stream, trial after trial
    record  points of the regret curve
    """

    part: str
    setting: Setting
    policies: dict[str, Policy]
    horizon: int
    trials: int
    legacy: frozenset[str] = frozenset()
    record: int = 200

    @property
    def data_horizon(self) -> int:
        """Rounds of the prepared data. The published stream of the small GLM data is known for all of them."""
        return self.horizon if self.setting.family == "gaussian" else self.setting.horizon

    @cached_property
    def rounds(self) -> IntArray:
        """At which regret is noted."""
        return recorded_rounds(self.record, self.horizon)

    @cached_property
    def jobs(self) -> dict[str, list[Job]]:
        """By policy, one per trial."""
        return {name: self._jobs_of(name) for name in self.policies}

    @property
    def batch(self) -> Batch:
        """All jobs, on data that are made once."""
        jobs = [job for row in self.jobs.values() for job in row]
        return Batch(jobs, load=lambda: prepared(self.setting, self.data_horizon), free=prepared.cache_clear)

    @property
    def data(self) -> tuple[Setting, int]:
        """Names the data: experiments on the same are run together."""
        return self.setting, self.data_horizon

    def results(self, store: Store) -> Results:
        """What the finished jobs found."""
        outcomes = {name: [store.get(job.key) for job in row] for name, row in self.jobs.items()}
        manifest = {
            "problem": asdict(self.setting),
            "policies": {name: describe(policy) for name, policy in self.policies.items()},
            "seed": SEED,
            "horizon": self.horizon,
            "trials": self.trials,
        }
        return Results(
            self.rounds,
            {name: np.array([one.regret for one in row]) for name, row in outcomes.items()},
            {name: np.array([one.seconds for one in row]) for name, row in outcomes.items()},
            manifest,
        )

    def _jobs_of(self, name: str) -> list[Job]:
        policy, jobs = self.policies[name], list[Job]()
        cost = COSTS.get(type(policy).__name__, 4e-7) * self.horizon
        for trial in range(self.trials):
            settings = {
                "kind": "regret",
                "setting": asdict(self.setting),
                "data_horizon": self.data_horizon,
                "horizon": self.horizon,
                "record": self.record,
                "seed": SEED,
                "name": name,  # decides the random numbers of the policy
                "policy": describe(policy),
                "legacy": name in self.legacy,
                "trial": trial,
            }
            before = jobs[-1] if jobs and name in self.legacy else None
            play = self._play_legacy if name in self.legacy else self._play
            jobs.append(
                Job(self.part, short_name(self.setting), name, settings, _bound(play, name, trial), cost, before)
            )
        return jobs

    def _play(self, name: str, trial: int, problem: Problem, _: Outcome | None) -> Outcome:
        done = run_trial({name: self.policies[name]}, problem, self.horizon, trial, SEED, self.rounds)
        return Outcome(*done[name])

    def _play_legacy(self, name: str, trial: int, problem: PreparedProblem, earlier: Outcome | None) -> Outcome:
        policy = self.policies[name].copy()
        # A copy plays a round first, so that the clock does not run while code is compiled.
        path, twin = problem.rounds(SEED, trial, 0, 1), policy.copy()
        if problem.static:
            twin.fix_arms(path.contexts[0]).play(path.rewards)
        else:
            twin.play(path.contexts, path.rewards)
        stream = stream_after_data(self.setting) if earlier is None else restored(earlier.state)
        policy.rng = cast(np.random.Generator, LegacyDraws(stream))
        regret, seconds = played(policy, problem, trial, self.horizon, self.rounds, clock_for(True))
        return Outcome(regret, seconds, frozen(stream))


def linear_experiment(part: str, setting: Setting, variant: str, plan: Plan, trials: int | None = None) -> Experiment:
    """The nine linear methods, as published or by their authors."""
    make = published_policies if variant == "published" else authors_policies
    policies = make(len(setting.theta), plan.linear_horizon)
    names = plan.linear_methods or tuple(policies)
    chosen = {name: _with_samples(policies[name], plan.samples) for name in names}
    return Experiment(part, setting, chosen, plan.linear_horizon, min(trials or plan.linear_trials, plan.linear_trials))


def glm_experiment(part: str, setting: Setting, variant: str, plan: Plan, trials: int | None = None) -> Experiment:
    """The three generalized linear methods. The published ones with randomness draw from the published stream."""
    make = published_glm_policies if variant == "published" else authors_glm_policies
    policies = make(len(setting.theta), setting.n_arms, plan.glm_horizon)
    legacy = frozenset({"UCB-GLM", "Laplace-TS"}) if variant == "published" else frozenset[str]()
    return Experiment(
        part, setting, policies, plan.glm_horizon, min(trials or plan.glm_trials, plan.glm_trials), legacy
    )


def same_definition(one: Experiment, other: Experiment) -> list[str]:
    """Names whose policies are the same in both."""
    mine, theirs = ({name: describe(p) for name, p in each.policies.items()} for each in (one, other))
    return [name for name in mine if mine[name] == theirs.get(name)]


def short_name(setting: Setting) -> str:
    """For instance "static θ=(-0.3, 0.5, 0.8)"."""
    kind = "static" if setting.static else "varying"
    return f"{kind} θ=({', '.join(f'{x:g}' for x in setting.theta)})".replace("-", "−")


def frozen(stream: np.random.RandomState) -> bytes:
    """Where a legacy generator stands, as bytes."""
    _, keys, position, has_gauss, gauss = cast(tuple[str, Any, int, int, float], stream.get_state())
    return bytes(keys.astype("<u4").tobytes() + struct.pack("<iid", position, has_gauss, gauss))


def restored(state: bytes) -> np.random.RandomState:
    """A legacy generator that goes on from there."""
    stream, keys = np.random.RandomState(), np.frombuffer(state[: 624 * 4], dtype="<u4")
    stream.set_state(("MT19937", keys, *struct.unpack("<iid", state[624 * 4 :])))
    return stream


def all_experiments(experiments: Sequence[Experiment]) -> tuple[list[Batch], list[tuple[Setting, int]]]:
    """Their batches, and the names by which equal data are recognised."""
    return [each.batch for each in experiments], [each.data for each in experiments]


def _bound(play: Any, name: str, trial: int) -> Any:
    return lambda data, earlier: play(name, trial, data, earlier)


def _with_samples(policy: Policy, samples: int) -> Policy:
    if not isinstance(policy, VIDS) or policy.samples == samples:
        return policy
    return type(policy)(**{**policy.params, "samples": samples})
