"""How much is run."""

from dataclasses import dataclass, replace

from rbmle import params
from rbmle.params import Integer


@dataclass(frozen=True)
class Plan:
    """Trials and rounds.

    trials         of the evaluation, in settings that are cheap; costly settings have a share of them
    tuning_trials  for every value of a tuned parameter
    longest        rounds of a trial at most
    """

    name: str
    trials: int
    tuning_trials: int
    longest: int

    def with_trials(self, trials: int | None) -> "Plan":
        """Another number of evaluation trials, and at most half as many for tuning."""
        if trials is None:
            return self
        params.require("study", "trials", trials, Integer(2))
        return replace(self, trials=int(trials), tuning_trials=min(self.tuning_trials, max(2, int(trials) // 2)))

    @property
    def notice(self) -> str:
        """What a reader must know before reading a number; nothing for the full study."""
        if self.name == "full":
            return ""
        return (
            f"**A {self.name} run**: at most {self.trials} trials of {self.longest:,} rounds, "
            f"{self.tuning_trials} trials for tuning. Intervals are wide and late rounds are missing; `rbmle study` "
            "runs the whole."
        )


FULL = Plan("full", trials=200, tuning_trials=40, longest=10_000)
QUICK = Plan("quick", trials=16, tuning_trials=6, longest=1000)
