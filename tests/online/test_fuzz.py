"""Whatever it is given, an agent answers or raises an error of rbmle's own; nothing that was refused leaves a trace,
and nothing that is read is executed."""

from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from rbmle import LinTS, LinUCB
from rbmle.errors import RbmleError
from rbmle.features import Category, Features, Number
from rbmle.online import Agent

EYE = np.eye(2)
FEW = settings(max_examples=40, phases=(Phase.generate,), suppress_health_check=list(HealthCheck), database=None)
MANY = settings(FEW, max_examples=500)


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


def essence(state):
    """All that a state is. Where a policy's generator stands is nothing: every decision has its own."""
    return (
        state.position, state.closings, repr(state.counts.to_plain()), state.apprentice, repr(state.arms.to_plain()),
        [
            {name: array.tobytes() for name, array in policy.state().items()}
            for policy in (state.policy, state.previous) if policy is not None
        ],
        [(each.id, each.x.tobytes(), each.deadline, each.shown, [*each.rewards]) for each in state.open.values()],
    )  # fmt: skip


def trace_of(agent):
    """All that an agent is: what its journal has, and what that comes to."""
    return len(agent.journal.read(0, 10**9)), essence(agent._core.state)


def call(agent, use, *arguments, **named):
    """Whatever happens, it is an answer or an error of ours; after an error all is what it was."""
    agent.sync()  # a refused call may be the one that writes down how many rewards earlier calls refused
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
