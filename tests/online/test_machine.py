"""Random histories of an agent, of two on one journal, against dictionaries."""

import tempfile
from collections import Counter
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from tests.online.dictionary import DictionaryAgent

from rbmle import LinUCB
from rbmle.errors import InvalidInputError
from rbmle.online import Agent, SQLiteJournal

D = 2
# Rules of the agent, and the same for the dictionaries.
CONFIGURATIONS = (
    ({}, {}),
    ({"max_pending": 3, "max_age": 50.0}, {"most": 3, "age": 50.0}),
    ({"wait": 20.0, "default_reward": 0.0}, {"wait": 20.0, "default": 0.0}),
    (
        {"wait": 20.0, "default_reward": 0.25, "learn": "immediate"},
        {"wait": 20.0, "default": 0.25, "immediate": True},
    ),
    ({"wait": 20.0, "aggregate": "sum", "max_pending": 4}, {"wait": 20.0, "aggregate": "sum", "most": 4}),
    (
        {"wait": 9.0, "aggregate": "last", "default_reward": 1.0},
        {"wait": 9.0, "aggregate": "last", "default": 1.0},
    ),
    ({"wait": 9.0, "aggregate": "max"}, {"wait": 9.0, "aggregate": "max"}),
)
DAY = 86400.0
SMALL = st.integers(0, 3).map(lambda i: i / 2)


class Histories(RuleBasedStateMachine):
    # What has happened in all histories together.
    seen: ClassVar[Counter[str]] = Counter()

    @initialize(configuration=st.sampled_from(CONFIGURATIONS))
    def begin(self, configuration):
        self.now = 1000.0
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "agent.db"
        rules, same = configuration
        self.model = DictionaryAgent(**same)
        first = Agent(LinUCB(n_features=D), journal=self.path, seed=1, **rules, **self.settings)
        self.workers = [first, Agent.open(self.path, **self.settings)]
        self.count, self.added = 0, set()
        for worker in (0, 1, 0):
            self.decide(worker, [(0.5, 1.0), (1.0, 0.0)], True)

    @property
    def settings(self):
        return {"clock": lambda: self.now, "sync_seconds": 0.0, "snapshot_every": 17}

    def some(self, number):
        """The id of a decision there is, more often than not one of the last, or of none."""
        if number >= 90:
            return f"d{self.count}"
        return f"d{number % self.count if number >= 60 else self.count - 1 - number % min(self.count, 5)}"

    @rule(worker=st.integers(0, 1), grid=st.lists(st.tuples(SMALL, SMALL), min_size=1, max_size=4), shown=st.booleans())
    def decide(self, worker, grid, shown):
        X, name = np.array(grid), f"d{self.count}"
        there = [f"a{i}" for i in range(9) if f"a{i}" not in self.model.retired]
        arms = None if not self.added else there[: len(X)]
        made = self.workers[worker].decide(X, arms=arms, id=name, shown=shown)
        assert made.probability == made.probabilities[made.index] == 1.0
        assert made.arm == (made.index if arms is None else arms[made.index])
        self.model.decide(name, (X, arms), X[made.index], made.arm, self.now, shown)
        self.count += 1

    @rule(worker=st.integers(0, 1), number=st.integers(0, 99), other=st.booleans())
    def repeat(self, worker, number, other):
        name = self.some(number)
        known = self.model.decisions.get(name)
        if known is None:
            return
        X, arms = known["question"]
        if self.model.retired & set(arms or ()) or (arms is None and self.added):
            return
        if other:
            with pytest.raises(InvalidInputError, match="id must be a new one"):
                self.workers[worker].decide(X + 1.0, arms=arms, id=name)
        else:
            assert self.workers[worker].decide(X, arms=arms, id=name).arm == known["arm"]
        self.seen["repeat"] += 1

    @rule(worker=st.integers(0, 1), number=st.integers(0, 99), value=SMALL, told=st.sampled_from([None, "r1", "r2"]))
    def reward(self, worker, number, value, told):
        name = self.some(number)
        if self.model.aggregate == "sum" and told is None:
            told = "r3"
        status = self.workers[worker].reward(name, value, told)
        assert status == self.model.reward(name, value, told, self.now)
        self.seen[f"reward {status}"] += 1

    @rule(worker=st.integers(0, 1), number=st.integers(0, 99))
    def activate(self, worker, number):
        name = self.some(number)
        status = self.workers[worker].activate(name)
        assert status == self.model.activate(name, self.now)
        self.seen[f"activate {status}"] += 1

    @rule(worker=st.integers(0, 1), shown=st.booleans())
    def activate_soon(self, worker, shown):
        """What nobody has decided yet, and then, where it waits to be shown, the last decision."""
        for name in (f"d{self.count}", f"d{self.count - 1}")[: 2 if shown else 1]:
            status = self.workers[worker].activate(name)
            assert status == self.model.activate(name, self.now)
            self.seen[f"activate {status}"] += 1

    @rule(worker=st.integers(0, 1), number=st.integers(0, 3))
    def add(self, worker, number):
        self.workers[worker].sync()
        self.model.close_due(self.now)
        self.workers[worker].arms.add(f"a{number}", [float(number), 1.0])
        self.added.add(f"a{number}")
        self.model.retired.discard(f"a{number}")
        with pytest.raises(InvalidInputError, match="new one for an arm of other features"):
            self.workers[worker].arms.add(f"a{number}", [9.0, 9.0])

    @rule(worker=st.integers(0, 1), number=st.integers(0, 3))
    def retire(self, worker, number):
        if f"a{number}" in self.added:
            self.workers[worker].arms.retire(f"a{number}")
            self.model.retired.add(f"a{number}")
            with pytest.raises(InvalidInputError, match="retired"):
                self.workers[worker].decide([[1.0, 0.0]], arms=[f"a{number}"])

    @rule(seconds=st.floats(-30.0, 30.0) | st.sampled_from([-DAY, DAY]))
    def step(self, seconds):
        self.now += seconds

    @rule(worker=st.integers(0, 1))
    def save(self, worker):
        self.workers[worker].snapshot()

    @rule(worker=st.integers(0, 1))
    def crash(self, worker):
        """The process dies: nothing is closed, nothing is said."""
        self.workers[worker]._core.journal.close()
        self.workers[worker] = Agent.open(self.path, **self.settings)

    @rule(worker=st.integers(0, 1))
    def sync(self, worker):
        self.workers[worker].sync()
        self.model.close_due(self.now)

    @invariant()
    def only_what_was_accepted_is_learnt(self):
        if not hasattr(self, "workers"):
            return
        self.seen["steps"] += 1
        expected = self.model.policy(D).state()
        for worker in self.workers:
            worker._core.sync()  # reads, and closes nothing
            state = worker.policy.state()
            assert all(np.array_equal(state[name], expected[name]) for name in expected)
            assert set(worker._core.state.open) == set(self.model.open)
            assert worker._core.state.counts.by_name.get("accepted", 0) == self.model.accepted

    def teardown(self):
        if not hasattr(self, "workers"):
            return
        for worker in self.workers:
            worker.close()
        again = Agent.open(SQLiteJournal(self.path))
        expected = self.model.policy(D).state()
        assert all(np.array_equal(again.policy.state()[name], expected[name]) for name in expected)
        again.close()
        self.folder.cleanup()


def run(examples, steps):
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much]
    told = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=checks, database=None,
        phases=(Phase.generate,), report_multiple_bugs=False,
    )  # fmt: skip
    run_state_machine_as_test(Histories, settings=told)


pytestmark = pytest.mark.filterwarnings("ignore::rbmle.errors.SharedJournalWarning")


def test_short_histories():
    run(12, 20)


@pytest.mark.long
def test_long_histories():
    """At least 10⁴ steps, and everything that can happen has happened."""
    Histories.seen.clear()
    run(220, 60)
    print(dict(Histories.seen))
    statuses = [f"reward {status}" for status in ("accepted", "duplicate", "conflict", "unknown", "late")]
    statuses += [f"activate {status}" for status in ("accepted", "duplicate", "unknown", "late")]
    assert Histories.seen["steps"] >= 10_000
    assert min(Histories.seen[what] for what in [*statuses, "repeat"]) >= 20
