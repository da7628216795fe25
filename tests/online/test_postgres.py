"""The journal in PostgreSQL, on a real server."""

import multiprocessing
import os
import threading

import numpy as np
import pytest

from rbmle import LinUCB
from rbmle.errors import InvalidParameterError, JournalError
from rbmle.online import Agent, Event, PostgresJournal
from rbmle.online.journal.server import CLASS
from rbmle.testing import JournalChecks

pytestmark = pytest.mark.long
EYE = np.eye(2)


class TestPostgres(JournalChecks):
    @pytest.fixture
    def journal(self, server):
        self.opened = [PostgresJournal(server.database())]
        yield self.opened[0]
        for each in self.opened:
            each.close()

    def again(self, journal):
        self.opened.append(PostgresJournal(journal.url, create=False))
        return self.opened[-1]


def note(i=0):
    return Event("note", float(i))


@pytest.fixture
def journal(server):
    found = PostgresJournal(server.database())
    yield found
    found.close()


def connect(url):
    import psycopg

    return psycopg.connect(url)


def test_numbers_alone_are_out_of_order(server):
    """Why there is a lock: of two writers that take numbers from a sequence, the second commits first, and a reader
    that goes on after the last number it saw never sees the first."""
    url = server.database()
    with connect(url) as one, connect(url) as two, connect(url) as reader:
        reader.autocommit = True
        reader.execute("CREATE TABLE naive (seq bigserial PRIMARY KEY)")
        first = one.execute("INSERT INTO naive DEFAULT VALUES RETURNING seq").fetchone()
        second = two.execute("INSERT INTO naive DEFAULT VALUES RETURNING seq").fetchone()
        two.commit()
        assert (first, second) == ((1,), (2,))
        seen = reader.execute("SELECT seq FROM naive WHERE seq > 0").fetchall()
        one.commit()
        seen += reader.execute("SELECT seq FROM naive WHERE seq > 2").fetchall()
        assert seen == [(2,)]  # 1 is there, and was missed


def test_places_are_in_the_order_of_commits(journal):
    """The same with the journal: the second writer waits until the first has committed."""
    waiting, done = threading.Event(), []

    def second():
        waiting.set()
        done.extend(journal.append([note(2)]))

    with connect(journal.url) as slow:
        slow.execute(f"SELECT pg_advisory_xact_lock({CLASS}, {journal.number})")
        row = (journal.number, 1, "note", 1.0, None, None, "{}", b"", 0)
        slow.execute("INSERT INTO rbmle_events VALUES (%s, %s, %s, %s, %s, %s, %s, %b, %s)", row)
        thread = threading.Thread(target=second)
        thread.start()
        waiting.wait()
        thread.join(0.5)
        assert thread.is_alive() and not done and journal.read(0) == []
        slow.commit()
        thread.join()
    assert done == [2]


def backends_of(url, do="SELECT pg_terminate_backend(pid)"):
    """End all other connections to a database."""
    with connect(url) as keeper:
        asked = f"{do} FROM pg_stat_activity WHERE datname = current_database() AND pid != pg_backend_pid()"
        return keeper.execute(asked).fetchall()


def test_a_lost_connection_is_made_again(journal):
    journal.append([note()])
    journal.read(0)
    assert len(backends_of(journal.url)) == 2
    assert journal.append([note()]) == [2]
    assert len(backends_of(journal.url)) >= 1
    assert len(journal.read(0)) == 2


@pytest.mark.parametrize("moment", ["insert", "before commit", "after commit"])
def test_a_connection_lost_in_a_transaction(journal, monkeypatch, moment):
    """Whenever it is lost, the events are written once, and their places are those that were told."""
    import psycopg

    real, lost = journal._writer.connection, []

    class Losing:
        """A connection that is lost once."""

        def __init__(self, inner):
            self.inner = inner

        def execute(self, sql, *arguments):
            now = moment == "insert" if "INSERT" in str(sql) else moment != "insert" and sql == "COMMIT"
            if lost or not now:
                return self.inner.execute(sql, *arguments)
            lost.append(moment)
            if moment == "after commit":
                self.inner.execute(sql, *arguments)
            self.inner.close()
            raise psycopg.OperationalError("the connection is lost")

        def __getattr__(self, name):
            return getattr(self.inner, name)

    monkeypatch.setattr(journal._writer, "connection", lambda: Losing(real()))
    assert journal.append([note(1), note(2)]) == [1, 2] and lost == [moment]
    assert journal.append([note(3)]) == [3]
    assert [event.time for event in journal.read(0)] == [1.0, 2.0, 3.0]


def test_what_cannot_be_asked_is_not_acknowledged(journal, monkeypatch):
    """The server is gone after the commit was sent: an error that says so, and telling again is harmless."""
    import psycopg

    agent = Agent(LinUCB(n_features=2), journal=journal, seed=1)
    agent.decide(EYE, id="one")
    real, down = journal._writer._connect, []

    def execute(sql, *arguments):
        done = type(connection).execute(connection, sql, *arguments)
        if sql == "COMMIT":
            connection.close()
            down.append(1)
            raise psycopg.OperationalError("the connection is lost")
        return done

    def connect_if_up():
        if down:
            raise psycopg.OperationalError("no server")
        return real()

    connection = journal._writer.connection()
    monkeypatch.setattr(connection, "execute", execute)
    monkeypatch.setattr(journal._writer, "_connect", connect_if_up)
    with pytest.raises(JournalError, match="may be in the journal: tell them again"):
        agent.reward("one", 1.0)
    monkeypatch.undo()
    assert agent.policy.n_observed == 0
    assert agent.reward("one", 1.0) == "duplicate" and agent.policy.n_observed == 1


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_a_server_that_goes_and_comes_back(server, how):
    """Nothing is acknowledged meanwhile, a buffered agent keeps what it has, and all goes on."""
    url = server.database()
    agent = Agent(LinUCB(n_features=2), journal=url, seed=1)
    buffered = Agent.open(url, durability="buffered", flush_seconds=600.0)
    agent.decide(EYE, id="one")
    buffered.decide(EYE, id="two")
    server.stop(how)
    for _ in range(2):
        with pytest.raises(JournalError, match="cannot be used as a journal"):
            agent.decide(EYE, id="three")
    with pytest.raises(JournalError):
        buffered.flush()
    server.start()
    assert agent.reward("one", 1.0) == "accepted"
    buffered.flush()
    agent.sync()
    assert [event.subject for event in agent.journal.events() if event.kind == "decision"] == ["one", "two"]
    assert agent.reward("two", 1.0) == "accepted" and agent.policy.n_observed == 2
    agent.close()
    buffered.close()


def test_a_forked_process_has_connections_of_its_own(journal):
    journal.append([note(1)])
    journal.read(0)

    def child():
        journal.append([note(2)])
        assert len(journal.read(0)) == 2
        os._exit(7)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join()
    assert process.exitcode == 7
    assert [event.time for event in journal.read(0)] == [1.0, 2.0] and journal.append([note(3)]) == [3]


def test_many_open_an_empty_database_at_once(server):
    url, opened = server.database(), []
    threads = [threading.Thread(target=lambda: opened.append(PostgresJournal(url))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 6 and len({each.number for each in opened}) == 1
    for each in opened:
        each.close()


def test_journals_of_one_database_know_nothing_of_each_other(journal):
    other = PostgresJournal(f"{journal.url}#news")
    assert (journal.name, other.name) == ("agent", "news")
    assert journal.append([Event("decision", 0.0, "a", "decision")]) == [1]
    assert other.append([Event("decision", 5.0, "a", "decision")]) == [1]
    other.save_snapshot(1, b"base", base=True)
    other.remove([1])
    assert [event.time for event in journal.about("a")] == [0.0] and other.read(0) == [] and journal.base == 0
    other.close()
    with pytest.raises(JournalError, match="'olds' at .* no such journal"):
        PostgresJournal(journal.url, name="olds", create=False)


def test_databases_that_cannot_be_used(server):
    url = server.database()
    with pytest.raises(JournalError, match="no such journal"):
        Agent.open(url)
    with pytest.raises(JournalError, match="URL of a journal cannot be read"):
        PostgresJournal("postgresql://localhost/x?no_such=option")
    with pytest.raises(JournalError, match="does not exist"):
        PostgresJournal(server.url("nowhere"))
    with pytest.raises(InvalidParameterError, match="'name'"):
        PostgresJournal(url, name="")
    with connect(server.url()) as keeper:
        keeper.autocommit = True
        keeper.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(JournalError, match="encoding must be UTF8. Got LATIN1"):
        PostgresJournal(server.url("latin"))


def test_a_newer_format_is_refused(journal):
    with connect(journal.url) as keeper:
        keeper.execute("INSERT INTO rbmle_migrations VALUES (99, 'from the future')")
    with pytest.raises(JournalError, match="has format 99; this version of rbmle reads formats up to"):
        PostgresJournal(journal.url)


def test_commits_reach_the_disk_even_where_the_server_would_not_wait(server):
    url = server.database()
    with connect(url) as keeper:
        keeper.execute("ALTER ROLE rbmle SET synchronous_commit = off")
        keeper.commit()
        journal = PostgresJournal(url)
        told = []
        journal._transaction(lambda connection, _: told.extend(connection.execute("SHOW synchronous_commit")) or True)
        assert told == [("on",)]
        keeper.execute("ALTER ROLE rbmle RESET synchronous_commit")
    journal.close()


def test_changed_rows_are_found(journal):
    journal.append([Event("reward", 1.0, "a", None, {"value": 1.0}), Event("reward", 1.0, "b", None, {"value": 1.0})])
    with connect(journal.url) as keeper:
        keeper.execute("UPDATE rbmle_events SET data = '{\"value\":2.0}' WHERE subject = 'b'")
    assert len(journal.about("a")) == 1
    with pytest.raises(JournalError, match="checksum of event 2"):
        journal.read(0)


def test_retention_and_erasure(server):
    """As with SQLite: what is sealed can go, and the state is what it was."""
    url, now = server.database(), [0.0]
    agent = Agent(LinUCB(n_features=2), journal=url, seed=1, clock=lambda: now[0])
    for i in range(20):
        now[0] = float(i)
        agent.decide(EYE, id=f"d{i}")
        if i % 2 == 0:
            agent.reward(f"d{i}", i / 10)
    before = agent.policy.state()
    assert agent.retain(seconds=10.0) == 2 * 5 and agent.erase(["d10", "d1"]) == 2 + 2
    again = Agent.open(url)
    for each in (agent, again):
        assert all(np.array_equal(each.policy.state()[name], before[name]) for name in before)
    assert again.n_pending == 9 and again.retrain(LinUCB(n_features=2)) == (4, 6)
    agent.close()
    again.close()


def test_a_server_that_does_not_care_for_its_disk_is_warned_of(server, caplog):
    """The servers of these tests are such: they are quicker."""
    PostgresJournal(server.database()).close()
    assert "fsync=off" in caplog.text
