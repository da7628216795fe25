"""bayesianbandits: its agents in our simulator."""

from typing import Any

import numpy as np

from rbmle.adapters.libraries import library
from rbmle.adapters.participant import Participant, Sees
from rbmle.errors import InvalidInputError, describe
from rbmle.types import FloatArray


class FromBayesianBandits(Participant):
    """An agent of `bayesianbandits` in `simulate`; its arms in their order are arms 0, 1, 2, …

    agent: a ContextualAgent or LipschitzContextualAgent, or an Agent, which is shown nothing.
    sees: what a contextual agent is shown, see `Participant`.

    Its `NormalRegressor(alpha=λ, beta=1)` has the estimates of our ridge model on blocks (1.5). Its choices are made
    of random draws of the agent's own seed.
    """

    distribution = "bayesianbandits"

    def __init__(self, agent: Any, sees: Sees = "blocks") -> None:
        theirs = library("bayesianbandits", "bayesianbandits")
        self.contextual = isinstance(agent, theirs.ContextualAgent | theirs.LipschitzContextualAgent)
        if not self.contextual and not isinstance(agent, theirs.Agent):
            raise InvalidInputError(f"agent must be an agent of bayesianbandits. Got {describe(agent)}.")
        super().__init__(sees, len(agent.arms))
        self.agent = agent

    @property
    def params(self) -> dict[str, Any]:
        """For columns of results."""
        return {**super().params, "policy": repr(self.agent.policy)}

    def _seen(self, X: FloatArray) -> Any:
        return super()._seen(X)[None] if self.contextual else None

    def _ask(self, X: FloatArray, seen: Any) -> int:
        (token,) = self.agent.pull(seen) if self.contextual else self.agent.pull()
        return [arm.action_token for arm in self.agent.arms].index(token)

    def _tell(self, X: FloatArray, seen: Any, arm: int, reward: float) -> None:
        self.agent.select_for_update(self.agent.arms[arm].action_token)
        told = np.array([reward])
        self.agent.update(seen, told) if self.contextual else self.agent.update(told)
