"""Journals: what happened, in one order, for good. One in memory, one in a SQLite file, one in PostgreSQL."""

from rbmle.online.journal.base import Event, Journal
from rbmle.online.journal.memory import MemoryJournal
from rbmle.online.journal.postgres import PostgresJournal
from rbmle.online.journal.sqlite import SQLiteJournal

__all__ = ["Event", "Journal", "MemoryJournal", "PostgresJournal", "SQLiteJournal"]
