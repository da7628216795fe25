"""The trials of one setting: first those for tuning, on seeds of their own, then those that count."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rbmle.policies import Policy
from rbmle.policies.about import Facts
from rbmle.problems import Problem
from rbmle.simulation import Results
from rbmle.simulation.experiment import Experiment, Source, identity_or_reason
from rbmle.simulation.identity import Unstorable
from rbmle.simulation.manifest import settings_of
from rbmle.simulation.outcomes import Outcomes
from rbmle.simulation.paired import Difference, difference
from rbmle.studies.forms import Method, methods_for, same
from rbmle.studies.plan import Plan
from rbmle.studies.settings import Setting
from rbmle.types import FloatArray

# Of all intervals.
LEVEL = 0.95


def seeds(seed: int) -> tuple[int, int]:
    """The seed of the evaluation and that of tuning: never the same, whatever seeds two studies have.

    >>> [seeds(seed) for seed in (0, 1)]
    [(0, 1), (2, 3)]
    """
    return 2 * seed, 2 * seed + 1


@dataclass(frozen=True, eq=False)
class Trials:
    """One setting with its methods, and the experiments on it."""

    setting: Setting
    plan: Plan
    classes: Mapping[str, type[Policy]]
    seed: int = 0

    @cached_property
    def problem(self) -> Problem:
        """Made once."""
        return self.setting.make()

    @cached_property
    def facts(self) -> Facts:
        """What methods may know."""
        return self.setting.facts(self.problem, self.plan.longest)

    @cached_property
    def methods(self) -> dict[str, Method]:
        """All that are played here."""
        return methods_for(self.setting, self.problem, self.facts, self.classes)

    @property
    def counts(self) -> tuple[int, int]:
        """Trials of the evaluation and of tuning."""
        share = self.setting.share
        return max(4, round(share * self.plan.trials)), max(2, round(share * self.plan.tuning_trials))

    @cached_property
    def tuning(self) -> Experiment:
        """Every value of every tuned parameter, on tuning seeds."""
        policies = {
            grid_name(name, value): policy
            for name, method in self.methods.items()
            for value, policy in method.grid.items()
        }
        return self._experiment(policies, self.counts[1], seeds(self.seed)[1], "tuning")

    @cached_property
    def untuned(self) -> Experiment:
        """Theory and default, on the seeds that count."""
        policies = {}
        for name, method in self.methods.items():
            policies[form_name(name, "default")] = method.default
            if method.theory is not None and method.theory is not method.default:
                policies[form_name(name, "theory")] = method.theory
        return self._experiment(policies, self.counts[0], seeds(self.seed)[0], "untuned")

    def _experiment(self, policies: dict[str, Policy], trials: int, seed: int, kind: str) -> Experiment:
        known = identity_or_reason(self.problem)
        source = Source(
            name=(self.setting.key, seed),
            settings=settings_of(self.problem),
            identity=None if isinstance(known, Unstorable) else known,
            load=lambda: self.problem,
        )
        rounds = np.array([self.facts.horizon])
        label = f"{self.setting.key} · {kind}"
        return Experiment(policies, source, self.facts.horizon, trials, seed, rounds, kind=label)

    def sensitivity(self, outcomes: Outcomes) -> dict[str, dict[float, FloatArray]]:
        """By method and value, the final regret of the tuning trials."""
        if not self.tuning.policies:
            return {}
        results = self.tuning.results(outcomes)
        return {
            name: {value: results.final_regret(grid_name(name, value)) for value in method.grid}
            for name, method in self.methods.items()
            if method.grid
        }

    def chosen(self, outcomes: Outcomes) -> dict[str, float]:
        """By method, the value of least mean regret on the tuning seeds."""
        curves = self.sensitivity(outcomes)
        return {name: min(curve, key=lambda value: float(curve[value].mean())) for name, curve in curves.items()}

    def evaluation(self, outcomes: Outcomes) -> Experiment:
        """Theory, default and what tuning chose. A tuned policy that is one of the others is not played again."""
        policies = dict(self.untuned.policies)
        for name, value in self.chosen(outcomes).items():
            method = self.methods[name]
            tuned = method.grid[value]
            others = (method.default, method.theory)
            if not any(other is not None and same(tuned, other) for other in others):
                policies[form_name(name, "tuned")] = tuned
        return replace(self.untuned, policies=policies, kind=f"{self.setting.key} · tuned")

    def found(self, outcomes: Outcomes) -> "Found":
        """What came out, from finished trials alone."""
        experiment, chosen = self.evaluation(outcomes), self.chosen(outcomes)
        run = outcomes.commonest_run(experiment.keys) if outcomes.store is not None else None
        results = experiment.results(outcomes, run)
        names: dict[tuple[str, str], str] = {}
        for name, method in self.methods.items():
            names[name, "default"] = form_name(name, "default")
            if method.theory is not None:
                same_as = "default" if method.theory is method.default else "theory"
                names[name, "theory"] = form_name(name, same_as)
            if name in chosen:
                tuned = method.grid[chosen[name]]
                form = "default" if same(tuned, method.default) else "theory"
                form = "tuned" if form_name(name, "tuned") in experiment.policies else form
                names[name, "tuned"] = form_name(name, form)
        return Found(self.setting, self.facts, self.methods, results, names, chosen, self.sensitivity(outcomes))


@dataclass(frozen=True, eq=False)
class Found:
    """What one setting showed.

    names    by (method, form), what the policy is called in `results`; two forms may be one policy
    chosen   by method, the value that tuning took
    curves   by method and value, final regret of the tuning trials
    """

    setting: Setting
    facts: Facts
    methods: Mapping[str, Method]
    results: Results
    names: Mapping[tuple[str, str], str]
    chosen: Mapping[str, float]
    curves: Mapping[str, Mapping[float, FloatArray]]

    def has(self, method: str, form: str) -> bool:
        """Whether a method has a form."""
        return (method, form) in self.names

    def final(self, method: str, form: str) -> FloatArray:
        """Final regret (trials,) of a method in a form; by default where it has no such form."""
        return self.results.final_regret(self.names.get((method, form), form_name(method, "default")))

    def means(self, form: str) -> dict[str, float]:
        """Mean final regret of all methods, the best first. One that has no such form takes part as it is."""
        found = {method: float(self.final(method, form).mean()) for method in self.methods}
        return dict(sorted(found.items(), key=lambda item: item[1]))

    def against(self, method: str, other: str, form: str) -> Difference:
        """How much more than another a method lost, trial by trial, both in a form."""
        return difference(method, self.final(method, form) - self.final(other, form), LEVEL)

    def interval(self, method: str, form: str) -> Difference:
        """The mean regret with Student's interval."""
        return difference(method, self.final(method, form), LEVEL)


def form_name(method: str, form: str) -> str:
    """Of a policy in the results."""
    return f"{method} · {form}"


def grid_name(method: str, value: float) -> str:
    """Of a policy of the grid."""
    return f"{method} · {value:g}"
