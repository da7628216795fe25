"""What an agent tells of itself."""

from rbmle.features import Features
from rbmle.online.arm_list import ArmList
from rbmle.online.core import Core
from rbmle.online.journal.base import Journal
from rbmle.online.rules import Rules
from rbmle.policies.base import Policy


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

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._core.state.policy!r}, journal={self._core.journal!r})"
