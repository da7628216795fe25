"""What an agent tells of itself."""

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any
from uuid import UUID

from rbmle import params
from rbmle.errors import InvalidInputError
from rbmle.features import Features
from rbmle.logs import Log
from rbmle.online.arm_list import ArmList
from rbmle.online.asking import arms_asked
from rbmle.online.core import Core
from rbmle.online.explain import Explanation, decided, explained, explained_again
from rbmle.online.export import log_of
from rbmle.online.exposition import prometheus
from rbmle.online.health import Finding, findings
from rbmle.online.ids import Arms, as_id
from rbmle.online.journal.base import Journal
from rbmle.online.rules import Rules
from rbmle.online.stats import Stats, stats_of
from rbmle.params import Flag
from rbmle.policies.base import Policy
from rbmle.types import ArrayLike, Row

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

    def read(self) -> int:
        """Read on in the journal: what other workers have written; how many events that were. Unlike `sync` it closes
        nothing, for those who only watch.
        """
        return self._core.sync()

    def stats(self) -> Stats:
        """How it is doing, as plain data.

        version               the place in the journal up to which this worker has read
        pending, unwritten    decisions that are open; events that wait to be written
        counts, rates         of decisions, of rewards by what became of them, of closings …; shares of all rewards told
        mean_reward, by_day   of the rewards learnt; by the day (UTC) of their decisions
        agreement             with the caller's own rule: the share of decisions with a `baseline`
        arms                  how often each was served; where chance decided, also how often it should have been
        served_as_logged      p-value of a test that arms are served as often as their probabilities say (a sample-ratio
                              check). Small values, say below 1e-4, mean that the log cannot be trusted
        effective_sample_size (Σ1/p)²/Σ1/p² of the logged probabilities
        condition_number      of V

        Rewards that other workers refused are counted as soon as these have told, which they do when they `sync`.
        """
        return stats_of(self._core)

    def findings(self) -> list[Finding]:
        """What the numbers say in words, the bad news first."""
        return findings(self.stats())

    def prometheus(self, labels: Mapping[str, str] | None = None, *, arms: bool = True) -> str:
        """The numbers in the text format that Prometheus reads; serve it under /metrics.

        labels: put on every sample, such as {"worker": "3"}.
        arms: whether to tell how often each arm was served; False where arms are very many.
        """
        params.require("prometheus", "arms", arms, Flag())
        return prometheus(self.stats(), labels, arms)

    def explain(
        self, contexts: "ArrayLike | Row | None" = None, *, arms: "Arms | None" = None, id: str | UUID | None = None
    ) -> Explanation:
        """What the policy makes of each arm, as it is now; asked as `decide` is, or with the id of a decision that was
        taken. Nothing is written, nothing is drawn.
        """
        if id is not None:
            if contexts is not None or arms is not None:
                raise InvalidInputError("id must come alone: the decision has its contexts and arms. Got others too.")
            self._core.writer.flush()
            event = decided(self._core.journal, as_id(id))
            with self._core.lock:
                return explained_again(self._core.state, event)
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

    def __reduce__(self) -> Any:
        raise TypeError(
            "An agent cannot be copied or pickled. Another process opens the same journal: Agent.open(path)."
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._core.state.policy!r}, journal={self._core.journal!r})"
