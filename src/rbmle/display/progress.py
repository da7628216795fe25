"""How far a run is: a bar on a terminal and in a notebook, and where neither is, a line now and then."""

import sys
import time
from collections import Counter, defaultdict
from typing import Any, Self

from rbmle.random import python_random_kept

# Seconds between two lines where there is no bar; short runs say nothing.
EVERY = 30.0


class Progress:
    """Counts work in guessed seconds, and corrects the guess of every kind of job by what its jobs took.

    show: True or False, or None for whatever suits: a bar on a terminal and in a notebook, else lines.
    """

    def __init__(self, show: bool | None = None) -> None:
        self.left: Counter[str] = Counter()
        self.guess: dict[str, float] = {}
        self.measured: defaultdict[str, list[float]] = defaultdict(list)
        self.since = self.said = time.monotonic()
        self.total = 0
        self._show = show
        self._bar: Any = None if show is False else bar()
        self._task: Any = None

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task("looking for finished trials", total=1.0, count="", left="")
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif self._show:
            self.said = -EVERY
            self.working("end")

    def expect(self, jobs: list[tuple[str, float]]) -> None:
        """All that is to be run: kinds of jobs and guesses of their seconds."""
        for kind, cost in jobs:
            self.left[kind] += 1
            self.guess[kind] = cost
        self.total += len(jobs)
        self.since = self.said = time.monotonic()

    def done(self, kind: str, seconds: float) -> None:
        """A job is finished and kept."""
        self.measured[kind].append(seconds)
        self.left[kind] -= 1
        self.working(kind)

    def seconds_done_and_left(self) -> tuple[float, float]:
        """Work done and work left, in seconds of one worker: measured where there is a measurement, else guessed.

        Guesses are scaled by how wrong they have been so far.
        """
        spent = sum(map(sum, self.measured.values()))
        guessed = sum(self.guess[kind] * len(times) for kind, times in self.measured.items())
        scale = spent / guessed if guessed > 0 else 1.0
        left = 0.0
        for kind, count in self.left.items():
            times = self.measured.get(kind)
            left += count * (sum(times) / len(times) if times else self.guess[kind] * scale)
        return spent, left

    def working(self, what: str) -> None:
        """Show what is being done, and how far all of it is."""
        if self._show is False:
            return
        spent, left = self.seconds_done_and_left()
        share = spent / (spent + left) if spent + left > 0 else float(self.total > 0 and not +self.left)
        now = time.monotonic()
        elapsed = now - self.since
        time_left = f"{_clock(elapsed * (1 - share) / share)} left" if share > 0.001 and elapsed > 1 else ""
        count = f"{sum(map(len, self.measured.values()))}/{self.total}"
        if self._bar is not None:
            self._bar.update(self._task, description=what, completed=share, count=count, left=time_left)
        elif now - self.said >= EVERY:
            self.said = now
            told = ", ".join(filter(None, (f"{share:.0%} done", f"{count} jobs", time_left)))
            print(f"{_clock(elapsed)}  {what}: {told}", file=sys.stderr, flush=True)


def bar() -> Any:
    """A bar on stderr, for stdout is for results; None where it would not be seen."""
    with python_random_kept():
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        return None
    columns = (
        TextColumn("{task.description}"), BarColumn(bar_width=24), TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[count]}"), TimeElapsedColumn(), TextColumn("{task.fields[left]}"),
    )  # fmt: skip
    return Bar(*columns, console=console, transient=console.is_terminal)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
