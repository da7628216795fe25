"""What an agent tells of itself."""

from os import PathLike
from typing import TYPE_CHECKING, Any

from rbmle.features import Features
from rbmle.logs import Log
from rbmle.online.arm_list import ArmList
from rbmle.online.asking import arms_asked
from rbmle.online.core import Core
from rbmle.online.explain import Explanation, explained
from rbmle.online.export import log_of
from rbmle.online.journal.base import Journal
from rbmle.online.rules import Rules
from rbmle.online.stats import prometheus, stats_of
from rbmle.policies.base import Policy

if TYPE_CHECKING:
    import pandas as pd


class Reading:
    """The part of an agent that only looks."""

    _core: Core
    arms: ArmList

    @property
    def policy(self) -> Policy:
        """What was learnt so far: a copy of its own."""
        with self._core.lock:
            return self._core.state.policy.copy()

    @property
    def features(self) -> Features | None:
        """How contexts are made; None where they are given."""
        features: Features | None = self._core.state.features
        return features

    @property
    def rules(self) -> Rules:
        """The rules, as the journal has them."""
        return self._core.state.rules

    @property
    def journal(self) -> Journal:
        """What happened."""
        return self._core.journal

    @property
    def version(self) -> int:
        """The place in the journal up to which this worker has read."""
        return self._core.state.position

    @property
    def apprentice(self) -> bool:
        """Whether the caller's own rule is served."""
        return self._core.state.apprentice

    @property
    def n_pending(self) -> int:
        """How many decisions are open."""
        return len(self._core.state.open)

    def stats(self) -> dict[str, Any]:
        """How it is doing, as plain data: counts of decisions and of rewards by status, pending decisions, agreement
        with the caller's rule, reward by day, arms served, the effective sample size (Σ1/p)²/Σ1/p² of the logged
        probabilities, the condition number of V, and "served as told": the p-value of a test that arms are served as
        often as their probabilities say. Small values (say below 1e-4) mean that the log cannot be trusted.

        Rewards that other workers refused are counted as soon as these have told, which they do when they `sync`.
        """
        return stats_of(self._core)

    def prometheus(self) -> str:
        """The same in the text format that Prometheus reads; serve it under /metrics."""
        return prometheus(self.stats())

    def explain(self, contexts: Any = None, *, arms: Any = None) -> Explanation:
        """What the policy makes of each arm; asked as `decide` is. Nothing is written, nothing is drawn."""
        with self._core.lock:
            return explained(self._core.state, *arms_asked(self._core.state, contexts, arms))

    def log(self) -> Log:
        """What was decided and earned, as a log that `rbmle.evaluation` reads. All of it is taken into memory."""
        self._core.sync()
        return log_of(self._core.journal, self._core.state.rules, self._core.state.arms)

    def to_frame(self) -> "pd.DataFrame":
        """The log as a pandas data frame."""
        return self.log().to_frame()

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """The log as a Parquet file."""
        self.log().to_parquet(path)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._core.state.policy!r}, journal={self._core.journal!r})"
