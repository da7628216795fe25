"""Whatever it is given, an agent answers or raises an error of rbmle's own; nothing that was refused leaves a trace,
and nothing that is read is executed."""

import json
import sys
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from rbmle import LinTS, LinUCB
from rbmle.errors import RbmleError
from rbmle.features import Category, Features, Number
from rbmle.online import Agent, MemoryJournal, snapshot
from rbmle.online.fold import State
from rbmle.online.journal.encoding import checksum

EYE = np.eye(2)
FEW = settings(max_examples=40, phases=(Phase.generate,), suppress_health_check=list(HealthCheck), database=None)
MANY = settings(FEW, max_examples=1500)


class Awkward:
    """An object that answers every question with an error."""

    def __array__(self, *_, **__):
        raise ZeroDivisionError("no array")

    def __eq__(self, other):
        raise ZeroDivisionError("no comparison")

    __hash__ = object.__hash__


ODD = st.sampled_from(
    [
        None, True, object(), Decimal("1.5"), 1j, np.nan, np.datetime64("NaT"), datetime(2026, 1, 1, tzinfo=UTC),
        np.array([1.0, 2.0], dtype=object), np.array(["a", "b"]), np.zeros((0, 2)), np.zeros((2, 0)),
        np.ones((2, 2, 2)),
        np.ones((2, 2), dtype=bool), np.ma.masked_array([[1.0, 2.0]], [[True, False]]), range(3), iter([1.0]), 10**400,
        2**63, -1, 0, "", "\0", "\ud800", b"a", {1, 2}, {"a": EYE}, [[1.0, 0.0], [0.0, 1.0]], EYE, -EYE, 1e200,
        ["a", "b"], [("a", 1), "b"], {"a": [1.0, 0.0], "b": [0.0, 1.0]}, [[1.0], [2.0, 3.0]], "d1", "d2", 1.0, 0.25,
        [0.5, 0.5], (((((((((((1,),),),),),),),),),),),
    ]
)  # fmt: skip
ANYTHING = st.recursive(
    ODD | st.builds(Awkward) | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def trace_of(agent):
    """All that an agent is: what its journal has, and what that comes to. Where a policy's generator stands is nothing:
    every decision has its own."""
    state = agent._core.state
    return (
        len(agent.journal.read(0, 10**9)), state.position, state.closings, state.counts.to_plain(), state.apprentice,
        {name: array.tobytes() for name, array in state.policy.state().items()}, state.arms.to_plain(),
        [(each.id, each.x.tobytes(), each.deadline, each.shown, each.rewards) for each in state.open.values()],
    )  # fmt: skip


def call(agent, use, *arguments, **named):
    """Whatever happens, it is an answer or an error of ours; after an error all is what it was."""
    before = trace_of(agent)
    try:
        use(*arguments, **named)
    except RbmleError:
        assert trace_of(agent) == before
    agent.journal.read(0)


def replayable(agent):
    """The journal comes to what the agent is."""
    again = Agent.open(agent.journal)
    assert trace_of(again) == trace_of(agent)


FEATURES = Features(shared=(Number("age"),), arm=(Number("price"), Category("kind", ("news", "sport"))), cross="all")


def questions(examples):
    @examples
    @given(st.lists(st.tuples(*[ANYTHING] * 5, st.sampled_from(["decide", "reward", "arms", "rest"])), max_size=5))
    def check(calls):
        plain = Agent(LinTS(n_features=2), seed=1, clock=lambda: 0.0, sync_seconds=1e9)
        featured = Agent(LinUCB(n_features=FEATURES.n_features), features=FEATURES, seed=1, clock=lambda: 0.0)
        for agent in (plain, featured):
            for a, b, c, d, e, what in calls:
                if what == "decide":
                    call(agent, agent.decide, a, arms=b, id=c, baseline=d, shown=bool(e is None))
                    call(agent, agent.decide, EYE, arms=b)
                    call(agent, agent.decide, {"age": 30.0}, arms={"x": {"price": 1.0, "kind": "news"}, "y": a})
                elif what == "reward":
                    call(agent, agent.decide, EYE if agent is plain else {"age": a}, arms=["d1", "d2"], id="d1")
                    call(agent, agent.reward, a, b, c)
                    call(agent, agent.reward, "d1", d)
                    call(agent, agent.reward, "d1", 1.0, e)
                elif what == "arms":
                    call(agent, agent.arms.add, a, b)
                    call(agent, agent.arms.add, c, {"price": d, "kind": e})
                    call(agent, agent.arms.retire, d)
                    call(agent, agent.decide, {"age": 1.0})
                else:
                    call(agent, agent.activate, a)
                    call(agent, agent.result, b)
                    call(agent, agent.explain, c, arms=d)
                    call(agent, agent.erase, a)
                    call(agent, agent.retain, b)
                    call(agent, agent.retrain, e)
            replayable(agent)

    check()


def test_questions():
    questions(FEW)


@pytest.mark.long
def test_many_questions():
    questions(MANY)


class Nameless(Awkward):
    def __repr__(self):
        raise ZeroDivisionError("no name")


@pytest.mark.parametrize("value", [10**5000, Nameless()], ids=["huge", "nameless"])
def test_values_that_cannot_even_be_written(value):
    """What hypothesis cannot draw, for it would want to write it."""
    agent = Agent(LinTS(n_features=2), seed=1, clock=lambda: 0.0)
    agent.decide(EYE, id="d1")
    for bad in (value, [value], (value, None), {"a": value}, [[value, 1.0], [1.0, 1.0]], [value, "b"]):
        call(agent, agent.decide, bad)
        call(agent, agent.decide, EYE, arms=bad)
        call(agent, agent.decide, EYE, id=bad)
        call(agent, agent.decide, EYE, baseline=bad)
        call(agent, agent.reward, bad, 1.0)
        call(agent, agent.reward, "d1", bad)
        call(agent, agent.reward, "d1", 1.0, bad)
        call(agent, agent.arms.add, bad)
        call(agent, agent.arms.add, "a", bad)
        call(agent, agent.arms.retire, bad)
        call(agent, agent.erase, bad)
        call(agent, agent.retain, bad)
    replayable(agent)


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
    told = snapshot.to_bytes(agent._core.state)
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
        assert opened(path) == state

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
            assert told == state

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
            assert snapshot.to_bytes(found) == state  # nothing but what is said of the archive itself was changed

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
            journal._events = [
                each._replace(seq=i + 1) for i, each in enumerate([*events[:number], *changed, *events[number + 1 :]])
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
                    assert snapshot.to_bytes(state) == snapshot.to_bytes(again)
                    return
            snapshot.from_bytes(snapshot.to_bytes(state))

    check()


def test_events_that_make_no_sense(written):
    nonsense(FEW, written)


@pytest.mark.long
def test_many_events_that_make_no_sense(written):
    nonsense(settings(MANY, max_examples=600), written)


def test_the_checksum_is_over_all_that_an_event_says(written):
    _, events, _ = written
    event = events[5]
    row = (event.seq, event.kind, event.time, event.subject, event.key, json.dumps(event.data), event.body)
    others = (row[0] + 1, "x", row[2] + 1e-9, "x", "x", "{}", b"x")
    assert all(checksum(*row[:i], other, *row[i + 1 :]) != checksum(*row) for i, other in enumerate(others))
