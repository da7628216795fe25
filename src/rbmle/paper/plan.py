"""How much of the paper is run: all of it, or a small version that finishes within a minute."""

from dataclasses import dataclass

from rbmle.paper.settings import GLM, LINEAR, TRIALS, Setting

VARIANTS = ("published", "authors", "both")


@dataclass(frozen=True)
class Timing:
    """A study of the time of a decision: which (d, K), and how many trials of how many rounds.

    `slow` holds the methods that draw thousands of samples: fewer trials and rounds, for their time is the same in
    every round.
    """

    sizes: tuple[tuple[int, int], ...]
    trials: int
    plain_trials: int
    rounds: int = 100
    plain_rounds: int = 100
    slow_trials: int = 3
    slow_rounds: int = 20


@dataclass(frozen=True)
class Plan:
    """Everything that decides what is run. Only where `faithful` holds are numbers comparable to the printed ones."""

    name: str
    linear: tuple[Setting, ...]
    linear_horizon: int
    linear_trials: int
    glm: tuple[Setting, ...]
    glm_horizon: int
    glm_trials: int
    linear_time: Timing
    glm_time: Timing
    bias_scales: tuple[float, ...]
    bias_exponents: tuple[float, ...]
    bias_trials: int
    linear_methods: tuple[str, ...] | None = None
    samples: int = 10_000

    @property
    def faithful(self) -> bool:
        """Whether trials and rounds are the paper's."""
        lengths = {setting.horizon for setting in self.linear} <= {self.linear_horizon}
        lengths = lengths and {setting.horizon for setting in self.glm} <= {self.glm_horizon}
        return lengths and self.linear_trials == self.glm_trials == TRIALS and self.samples == 10_000

    @property
    def notice(self) -> str:
        """What a reader must know before reading a number; nothing where the plan is the paper's."""
        if self.faithful:
            return ""
        return (
            f"**Quick run.** {self.linear_trials} trials of {self.linear_horizon:,} rounds instead of 50 of 30,000 "
            f"(linear), {self.glm_trials} of {self.glm_horizon:,} instead of 50 of 1,000 (generalized linear), and "
            "fewer sizes in the studies of time. Everything is computed in the same way, but the numbers are **not "
            "comparable to the printed ones**. `rbmle paper` runs all of it."
        )


FULL = Plan(
    name="full",
    linear=LINEAR,
    linear_horizon=30_000,
    linear_trials=TRIALS,
    glm=GLM,
    glm_horizon=1000,
    glm_trials=TRIALS,
    linear_time=Timing(tuple((d, K) for K in (100, 200) for d in (100, 200, 300)), trials=25, plain_trials=5),
    glm_time=Timing(((10, 5), (20, 5), (30, 5), (5, 10), (5, 20), (5, 30)), trials=50, plain_trials=3),
    bias_scales=(0.25, 0.5, 1.0, 2.0, 4.0),
    bias_exponents=(0.0, 0.25, 0.4, 0.5, 0.6, 0.75, 1.0),
    bias_trials=25,
)

QUICK = Plan(
    name="quick",
    linear=LINEAR,
    linear_horizon=1000,
    linear_trials=8,
    glm=GLM,
    glm_horizon=200,
    glm_trials=6,
    linear_time=Timing(
        ((100, 100), (100, 200)), trials=5, plain_trials=2, plain_rounds=30, slow_trials=2, slow_rounds=5
    ),
    glm_time=Timing(((10, 5), (5, 10)), trials=5, plain_trials=2, plain_rounds=30),
    bias_scales=(0.5, 1.0, 2.0),
    bias_exponents=(0.25, 0.5, 0.75),
    bias_trials=8,
)
