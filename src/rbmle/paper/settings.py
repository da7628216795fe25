"""The settings of the paper's regret experiments."""

from dataclasses import dataclass

SEED = 46
TRIALS = 50


@dataclass(frozen=True)
class Setting:
    """One regret experiment: its parameter, whether contexts stay, its horizon, its number of arms and its family."""

    theta: tuple[float, ...]
    static: bool
    horizon: int
    n_arms: int = 10
    family: str = "gaussian"

    @property
    def key(self) -> str:
        """Name of the setting in tables.json."""
        kind = "static" if self.static else "varying"
        return f"{kind}/theta=({','.join(f'{x:g}' for x in self.theta)})"


LINEAR = tuple(
    Setting(theta, static, 30_000) for static in (True, False) for theta in ((-0.3, 0.5, 0.8), (-0.7, -0.6, 0.1))
)
GLM = tuple(
    Setting(theta, static, 1000, family="logistic")
    for static in (True, False)
    for theta in ((0.3, -0.5, 0.2, -0.7, -0.1), (0.2, -0.8, -0.5, 0.1, 0.1))
)
