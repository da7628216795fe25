"""Journals, by the suite that is shipped for them, and what is SQLite's own."""

import sqlite3
import sys

import pytest

from rbmle import LinUCB
from rbmle.errors import JournalError
from rbmle.online import Agent
from rbmle.online.journal import MemoryJournal, SQLiteJournal, migrations
from rbmle.online.journal.base import Event
from rbmle.testing import JournalChecks


class TestMemory(JournalChecks):
    @pytest.fixture
    def journal(self):
        return MemoryJournal()


class TestSQLite(JournalChecks):
    @pytest.fixture
    def journal(self, tmp_path):
        journal = SQLiteJournal(tmp_path / "agent.db")
        yield journal
        journal.close()

    def again(self, journal):
        return SQLiteJournal(journal.path, create=False)


def test_another_programs_database_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE mine (x)")
    before = path.read_bytes()
    with pytest.raises(JournalError, match="another program's database"):
        SQLiteJournal(path)
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT count(*) FROM sqlite_master").fetchone() == (1,)
    assert path.read_bytes()[100:] == before[100:]
    other.close()


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 300])
def test_files_that_are_none(tmp_path, content):
    path = tmp_path / "some.db"
    path.write_bytes(content)
    if not content:  # an empty file is an empty database
        SQLiteJournal(path).close()
        return
    with pytest.raises(JournalError, match="not a database"):
        SQLiteJournal(path)


def test_a_newer_format_is_refused(tmp_path):
    SQLiteJournal(tmp_path / "a.db").close()
    with sqlite3.connect(tmp_path / "a.db") as file:
        file.execute("PRAGMA user_version = 2")
    file.close()
    with pytest.raises(JournalError, match="format 2; this version of rbmle reads format 1"):
        SQLiteJournal(tmp_path / "a.db")


def test_changed_rows_are_found(tmp_path):
    journal = SQLiteJournal(tmp_path / "a.db")
    journal.append([Event("reward", 1.0, "a", None, {"value": 1.0}), Event("reward", 1.0, "b", None, {"value": 1.0})])
    journal.close()
    with sqlite3.connect(tmp_path / "a.db") as file:
        file.execute("UPDATE events SET data = '{\"value\":2.0}' WHERE subject = 'b'")
    file.close()
    journal = SQLiteJournal(tmp_path / "a.db")
    assert len(journal.about("a")) == 1
    with pytest.raises(JournalError, match="checksum of event 2"):
        journal.read(0)
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        journal.read(0)


def test_a_missing_journal_is_not_made(tmp_path):
    with pytest.raises(JournalError, match="no such journal"):
        SQLiteJournal(tmp_path / "a.db", create=False)
    assert not (tmp_path / "a.db").exists()


def test_postgresql_needs_psycopg(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "psycopg"] + ["psycopg"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(JournalError, match=r'pip install "rbmle\[postgres\]"'):
        Agent(LinUCB(n_features=2), journal="postgresql://localhost/nowhere")


def test_the_tables_of_postgresql_are_made_in_steps():
    """Plain SQL files, numbered from 1 without gaps."""
    steps = migrations.migrations()
    assert [step.number for step in steps] == list(range(1, 1 + len(steps)))
    assert all("CREATE TABLE" in step.sql or step.number > 1 for step in steps)
