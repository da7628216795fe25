"""Packets that last about a second each: to send one costs milliseconds, to lose one costs its seconds."""

from collections import Counter, deque
from collections.abc import Iterable, Sequence

from rbmle.simulation.jobs import Task

# Seconds that a packet is meant to last, and the most tasks in one.
SECONDS, MOST = 1.0, 4096


class Clock:
    """How long tasks take: their guesses, corrected by what others of their kind have taken."""

    def __init__(self) -> None:
        self._scale: dict[str, float] = {}

    def seconds(self, kind: str, cost: float) -> float | None:
        """Of a guess; None before any of the kind was measured."""
        return None if kind not in self._scale else self._scale[kind] * cost

    def learn(self, task: Task, seconds: float) -> None:
        """Learn what a task took. The first of a kind may have compiled, so later ones soon outweigh it."""
        now = seconds / task.job.cost
        self._scale[task.job.kind] = 0.5 * (now + self._scale.get(task.job.kind, now))


class Queue:
    """The tasks of a batch, by their numbers, in the order in which they are sent."""

    def __init__(self, tasks: Sequence[Task], clock: Clock) -> None:
        self._tasks, self._clock = tasks, clock
        self._waiting, self._alone = deque(range(len(tasks))), deque[int]()
        self._costs = Counter[str]()
        for task in tasks:
            self._costs[task.job.kind] += task.job.cost  # type: ignore[assignment]  # a Counter may count anything

    def __bool__(self) -> bool:
        return bool(self._waiting or self._alone)

    def again(self, numbers: Iterable[int]) -> None:
        """Queue tasks whose worker died: each by itself, so that the one that kills workers takes none along."""
        self._alone.extend(numbers)

    def packet(self, parts: int) -> list[int]:
        """The next tasks to be sent together: a second of them, or less where not enough are left for `parts` packets.

        Nobody knows how long the first of a kind will take, so it is sent alone.
        """
        if self._alone:
            return [self._alone.popleft()]
        known = [self._clock.seconds(kind, cost) for kind, cost in self._costs.items()]
        wanted = min(SECONDS, sum(each for each in known if each is not None) / parts)
        chosen, total = list[int](), 0.0
        while self._waiting and len(chosen) < MOST:
            task = self._tasks[self._waiting[0]]
            takes = self._clock.seconds(task.job.kind, task.job.cost)
            if chosen and (takes is None or total + takes > wanted):
                break
            chosen.append(self._waiting.popleft())
            self._costs[task.job.kind] -= task.job.cost  # type: ignore[assignment]
            if takes is None:
                break
            total += takes
        return chosen
