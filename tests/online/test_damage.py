"""Journals and snapshots that were changed: an error of rbmle's own, or what they were; nothing is executed."""

import json
import marshal
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.online.test_fuzz import EYE, FEW, MANY, essence

from rbmle import LinTS, LinUCB
from rbmle.errors import RbmleError
from rbmle.online import Agent, MemoryJournal, snapshot
from rbmle.online.fold import State
from rbmle.online.journal.encoding import checksum

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)

# What would be heard if something were executed.
LOUD = ("exec", "os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "pickle.find_class", "ctypes.dlopen")
heard: list[str] = []
listening: list[bool] = []


def hear(event, _):
    if listening and event in LOUD:
        heard.append(event)


@contextmanager
def nothing_is_executed():
    """Raises where Python says that something is executed."""
    if not hasattr(hear, "added"):
        sys.addaudithook(hear)
        hear.added = True
    heard.clear()
    listening.append(True)
    try:
        yield
    finally:
        listening.clear()
    assert not heard


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The file of an agent that has seen all kinds of events, with snapshots; and what it comes to."""
    path, now = tmp_path_factory.mktemp("journal") / "a.db", [0.0]
    agent = Agent(
        LinTS(n_features=2), journal=path, seed=1, wait=20.0, default_reward=0.0, clock=lambda: now[0], apprentice=True
    )
    agent.arms.add(("c", 1), [1.0, 2.0])
    for i in range(16):
        now[0] += 3.0
        agent.decide(EYE + i, arms=["a", "b"], id=f"d{i}", shown=i % 5 > 0, baseline="a")
        if i % 3 == 0:
            agent.reward(f"d{i}", i / 10)
        if i % 5 == 0:
            agent.activate(f"d{i}")
            agent.snapshot()
    agent.arms.retire(("c", 1))
    agent.promote()
    agent.reward("nobody", 1.0)
    agent.retrain(LinUCB(n_features=2))
    agent.close()
    agent = Agent.open(path)
    events, state = list(agent.journal.events()), snapshot.to_bytes(agent._core.state)
    assert {event.kind for event in events} == {
        "begin", "decision", "shown", "reward", "close", "arm", "retire", "mode", "switch", "tally",
    }  # fmt: skip
    agent.close(snapshot=False)
    return path.read_bytes(), events, state


def opened(path):
    """What an agent of a file says, once it could be opened."""
    agent = Agent.open(path)
    told = essence(agent._core.state)
    uses = [
        lambda: agent.decide(EYE, arms=["a", "b"]),
        lambda: agent.reward("d15", 1.0),
        lambda: agent.log(),
        lambda: agent.close(),
    ]
    for use in uses:
        with suppress(RbmleError):
            use()
    return told


def flipped(examples, written):
    content, _, state = written
    with TemporaryDirectory() as folder:  # once, for what Python imports and numba takes from its cache
        path = Path(folder) / "a.db"
        path.write_bytes(content)
        assert opened(path) == essence(snapshot.from_bytes(state))

    @examples
    @given(st.lists(st.tuples(st.integers(0, len(content) - 1), st.integers(1, 255)), min_size=1, max_size=4))
    def check(flips):
        changed = bytearray(content)
        for place, bits in flips:
            changed[place] ^= bits
        with TemporaryDirectory() as folder:
            path = Path(folder) / "a.db"
            path.write_bytes(changed)
            with nothing_is_executed():
                try:
                    told = opened(path)
                except RbmleError:
                    return
            assert told == essence(snapshot.from_bytes(state))

    check()


def test_files_with_flipped_bytes(written):
    flipped(FEW, written)


@pytest.mark.long
def test_many_files_with_flipped_bytes(written):
    flipped(MANY, written)


def test_snapshots_with_flipped_bytes(written):
    _, _, state = written

    @settings(FEW, max_examples=300)
    @given(st.integers(0, len(state) - 1), st.integers(1, 255), st.integers(0, 3))
    def check(place, bits, cut):
        changed = bytearray(state)
        changed[place] ^= bits
        for content in (bytes(changed), bytes(state[:place]), bytes(state[place:]), bytes(changed) + b"\0" * cut):
            with nothing_is_executed():
                try:
                    found = snapshot.from_bytes(content)
                except RbmleError:
                    continue
            assert essence(found) == essence(
                snapshot.from_bytes(state)
            )  # nothing but what is said of the archive itself was changed

    check()


def nonsense(examples, written):
    """Events whose checksums are right, and which no agent can have written."""
    _, events, _ = written

    @examples
    @given(
        st.integers(0, len(events) - 1), st.sampled_from(["data", "body", "time", "subject", "kind", "drop", "twice"]),
        PLAIN, st.text(max_size=3), st.binary(max_size=40), st.sampled_from([0.0, -1e18, 1e300]),
        st.sampled_from([event.kind for event in events] + ["?", ""]),
    )  # fmt: skip
    def check(number, what, value, name, body, time, kind):
        event = events[number]
        if what == "data":
            data = dict(event.data)
            names = [*data, name]
            data[names[len(body) % len(names)]] = value
            changed = [event._replace(data=data)]
        elif what == "drop":
            changed = []
        elif what == "twice":
            changed = [event, event]
        else:
            told = {"body": body, "time": time, "subject": name or None, "kind": kind}
            changed = [event._replace(**{what: told[what]})]
        try:
            json.dumps([each.data for each in changed], allow_nan=False)
        except ValueError:
            return
        with nothing_is_executed():
            journal = MemoryJournal()
            journal._rows = [
                (i + 1, *each[:4], marshal.dumps(each.data), each.body)
                for i, each in enumerate([*events[:number], *changed, *events[number + 1 :]])
            ]
            try:
                state = State.begin(journal.read(0, 1)[0])
            except RbmleError:
                return
            for each in journal.events(1):
                try:
                    state.apply(each, each.seq)
                except RbmleError:
                    again = State.begin(journal.read(0, 1)[0])
                    for before in journal.read(1, each.seq - 2):
                        again.apply(before, before.seq)
                    assert essence(state) == essence(again)
                    return
            snapshot.from_bytes(snapshot.to_bytes(state))

    check()


def test_events_that_make_no_sense(written):
    nonsense(FEW, written)


@pytest.mark.long
def test_many_events_that_make_no_sense(written):
    nonsense(settings(MANY, max_examples=300), written)


def test_the_checksum_is_over_all_that_an_event_says(written):
    _, events, _ = written
    event = events[5]
    row = (event.seq, event.kind, event.time, event.subject, event.key, json.dumps(event.data), event.body)
    others = (row[0] + 1, "x", row[2] + 1e-9, "x", "x", "{}", b"x")
    assert all(checksum(*row[:i], other, *row[i + 1 :]) != checksum(*row) for i, other in enumerate(others))
