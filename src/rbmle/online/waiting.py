"""An agent in asynchronous programs: a thread waits for the disk."""

import asyncio
from collections.abc import Callable
from typing import Any, Self
from uuid import UUID

from rbmle.online.decision import Decision
from rbmle.online.rewards import Status
from rbmle.types import ArrayLike, Number, Row


class Waiting:
    """The part of an agent that can be awaited; `async with` closes it."""

    decide: Callable[..., Decision]
    reward: Callable[..., Status]
    close: Callable[..., None]

    async def adecide(self, contexts: "ArrayLike | Row | None" = None, **arguments: Any) -> Decision:
        """`decide` for asynchronous programs."""
        return await asyncio.to_thread(lambda: self.decide(contexts, **arguments))

    async def areward(self, id: str | UUID, value: "Number", reward_id: str | UUID | None = None) -> Status:
        """`reward` for asynchronous programs."""
        return await asyncio.to_thread(self.reward, id, value, reward_id)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.close)
