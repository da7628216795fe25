"""What one real data set showed."""

from collections.abc import Mapping
from dataclasses import dataclass

from rbmle.problems import Problem
from rbmle.simulation import Results
from rbmle.simulation.paired import Difference, difference
from rbmle.studies.experiments import LEVEL, form_name
from rbmle.studies.real.entrants import BASELINE, Entrant
from rbmle.studies.real.sets import RealSet
from rbmle.types import FloatArray

FORMS = {"default": "as it comes", "tuned": "tuned"}


@dataclass(frozen=True, eq=False)
class Found:
    """One set with all its trials.

    results  policies are called as `form_name` says
    chosen   by method, the value that tuning took
    times    by method, processor seconds of a decision
    """

    real: RealSet
    problem: Problem
    methods: Mapping[str, Entrant]
    results: Results
    chosen: Mapping[str, float]
    times: Mapping[str, float]

    @property
    def ranked(self) -> list[str]:
        """All but the baseline."""
        return [name for name in self.methods if name != BASELINE]

    def reward(self, method: str, form: str) -> FloatArray:
        """(trials,) reward a decision: one arm of every round pays 1, so it is what regret leaves.

        A method without a dial takes part as it is.
        """
        name = form_name(method, form)
        regret = self.results.final_regret(name if name in self.results.regret else form_name(method, "default"))
        return 1.0 - regret / self.results.horizon

    def mean(self, method: str, form: str) -> float:
        """Mean reward a decision."""
        return float(self.reward(method, form).mean())

    def more(self, method: str, other: str, form: str) -> Difference:
        """How much more reward a decision than another, shuffle by shuffle."""
        return difference(method, self.reward(method, form) - self.reward(other, form), LEVEL)
