"""A policy in a product: decisions by id, late rewards, arms that come and go, several workers, nothing lost."""

from rbmle.online.agent import Agent
from rbmle.online.decision import Decision
from rbmle.online.explain import Explanation
from rbmle.online.export import learn_from
from rbmle.online.health import Finding
from rbmle.online.journal import Event, Journal, MemoryJournal, PostgresJournal, SQLiteJournal
from rbmle.online.rewards import Status
from rbmle.online.stats import Stats

__all__ = [
    "Agent",
    "Decision",
    "Event",
    "Explanation",
    "Finding",
    "Journal",
    "MemoryJournal",
    "PostgresJournal",
    "SQLiteJournal",
    "Stats",
    "Status",
    "learn_from",
]
