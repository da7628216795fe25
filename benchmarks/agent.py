"""What an agent costs: deciding and being told, a commit shared by threads, opening a long journal.

`python -m benchmarks agent`, or `python -m benchmarks.agent` with `--events N` for the length of that journal.
"""

import sys
import tempfile
import threading
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from threadpoolctl import threadpool_limits

from benchmarks.agent_peers import PEERS, installed, quietly
from benchmarks.linear import Floats, sample
from benchmarks.timing import Contender, best_seconds, show
from rbmle import LinRBMLE
from rbmle.online import Agent, Event, SQLiteJournal

FEATURES, ARMS = 10, 10
ROUNDS, FEW = 1000, 100
SLOWED, THREADS = 0.002, 8


def costs(turns: int = 9) -> None:
    """Time per decision with its reward."""
    contexts, rewards = sample(ROUNDS, ARMS, FEATURES)
    with tempfile.TemporaryDirectory() as folder:
        agents = {
            "agent, in memory": Agent(policy()),
            "agent, SQLite, buffered": Agent(policy(), journal=Path(folder) / "buffered.db", durability="buffered"),
            "agent, SQLite, commit": Agent(policy(), journal=Path(folder) / "commit.db"),
        }
        contenders: dict[str, Contender] = {"choose + update": (alone(contexts, rewards), ROUNDS)}
        for name, agent in agents.items():
            n = FEW if "commit" in name else ROUNDS
            contenders[name] = asked(agent, contexts[:n], rewards[:n]), n
        for name, play, n in installed().values():
            contenders[name] = bound(quietly(play), contexts[:n], rewards[:n]), n
        seconds = best_seconds(contenders, turns)
        own = {name: contenders[name] for name in ("choose + update", *agents) if "commit" not in name}
        work = best_seconds(own, turns, time.process_time)
        for agent in agents.values():
            agent.close(snapshot=False)
    missing = ", ".join(name for name in PEERS if name not in installed())
    title = f"A decision and its reward, d = {FEATURES}, K = {ARMS}"
    show(
        title, seconds, "choose + update",
        "Peers do less: no journal, no ids, no late rewards." + (f" Not installed: {missing}." if missing else ""),
    )  # fmt: skip
    show(
        f"{title}: work of all threads", work, "choose + update",
        "Processor time, which a busy machine hardly changes. Targets: 4 times in memory, 10 times with SQLite.",
    )  # fmt: skip


def policy() -> LinRBMLE:
    return LinRBMLE(n_features=FEATURES)


def alone(contexts: Floats, rewards: Floats) -> Callable[[], object]:
    """The policy alone, going on learning."""
    learner = policy()

    def loop() -> None:
        for X, r in zip(contexts, rewards, strict=True):
            arm = learner.choose(X)
            learner.update(X[arm], r[arm])

    return loop


def asked(agent: Agent, contexts: Floats, rewards: Floats) -> Callable[[], object]:
    """An agent, going on learning."""

    def loop() -> None:
        for X, r in zip(contexts, rewards, strict=True):
            decision = agent.decide(X)
            agent.reward(decision.id, r[decision.index])

    return loop


def bound(play: Callable[[Floats, Floats], None], contexts: Floats, rewards: Floats) -> Callable[[], object]:
    return lambda: play(contexts, rewards)


class SlowJournal(SQLiteJournal):
    """A journal on a disk that takes longer."""

    def append(self, events: Sequence[Event], last: int | None = None) -> list[int | None]:
        places = super().append(events, last)
        time.sleep(SLOWED)
        return places


def threads(turns: int = 5, decisions: int = 160) -> float:
    """Events per second of many threads over those of one, where each sync takes 2 ms more."""
    X = sample(1, ARMS, FEATURES)[0][0]
    best = {1: float("inf"), THREADS: float("inf")}
    for _ in range(turns):
        for count in best:
            best[count] = min(best[count], shared_work(X, count, decisions))
    show(
        f"Commits shared by threads, each sync slowed by {1000 * SLOWED:g} ms: one event",
        {f"{count} thread{'s' * (count > 1)}": seconds for count, seconds in best.items()}, f"{THREADS} threads",
        f"target: one thread takes 3 times as long as {THREADS}",
    )  # fmt: skip
    return best[1] / best[THREADS]


def shared_work(X: Floats, count: int, decisions: int) -> float:
    """Seconds per event of so many threads on one agent."""
    with tempfile.TemporaryDirectory() as folder, Agent(policy(), journal=SlowJournal(Path(folder) / "a.db")) as agent:

        def work() -> None:
            for _ in range(decisions // count):
                agent.reward(agent.decide(X).id, 0.5)

        workers = [threading.Thread(target=work) for _ in range(count)]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return (time.perf_counter() - start) / (2 * (decisions // count) * count)


def opening(events: int) -> dict[str, float]:
    """Seconds to open a journal of so many events, with a snapshot and without."""
    contexts, rewards = sample(ROUNDS, ARMS, FEATURES)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "long.db"
        with timed() as seconds:
            agent = Agent(policy(), journal=place, durability="buffered", flush_events=5000, snapshot_every=2**60)
            for i in range(events // 2):
                decision = agent.decide(contexts[i % ROUNDS])
                agent.reward(decision.id, rewards[i % ROUNDS, decision.index])
            agent.close(snapshot=False)
        found["written"] = seconds[0]
        for name in ("opened without a snapshot", "opened with a snapshot"):
            with timed() as seconds:
                agent = Agent.open(place)
            found[name] = seconds[0]
            agent.close()
        size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 2**20
    Console().print(
        f"A journal of {events:,} events ({size:,.0f} MB): "
        + "; ".join(f"{name} in {value:.2f} s" for name, value in found.items())
        + ". Targets at 10⁶: 30 s without a snapshot, 2 s with one."
    )
    return found


@contextmanager
def timed() -> Iterator[list[float]]:
    """Seconds that a block took."""
    found: list[float] = []
    start = time.perf_counter()
    yield found
    found.append(time.perf_counter() - start)


def main(given: Sequence[str] = ()) -> None:
    """Print the tables."""
    parser = ArgumentParser(prog="python -m benchmarks.agent", description="What an agent costs.")
    parser.add_argument("--events", type=int, default=1_000_000, help="of the journal that is opened (%(default)s)")
    options = parser.parse_args(list(given))
    with threadpool_limits(limits=1):
        costs()
        threads()
        opening(options.events)


if __name__ == "__main__":
    main(sys.argv[1:])
