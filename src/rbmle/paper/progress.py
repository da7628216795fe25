"""Live progress over the whole run: which policy and setting, which share is done, how long it will take."""

import time
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rbmle.paper.work import Job


class Progress:
    """Counts work in guessed seconds, and corrects the guess of every policy and setting by what its trials took."""

    def __init__(self, show: bool | None = None) -> None:
        from rich.console import Console

        self.console = Console(stderr=True)  # stdout is for results
        self.shown = self.console.is_terminal if show is None else show
        self.left: Counter[tuple[str, str]] = Counter()
        self.guess: dict[tuple[str, str], float] = {}
        self.measured: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        self.since = time.monotonic()
        self.starts: dict[int, float] = {}
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        if self.shown:
            from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            columns = (
                TextColumn("{task.description}"), BarColumn(bar_width=24), TextColumn("{task.percentage:>3.0f} %"),
                TimeElapsedColumn(), TextColumn("{task.fields[left]}"),
            )  # fmt: skip
            self._bar = Bar(*columns, console=self.console, transient=self.console.is_terminal)
            self._bar.start()
            self._task = self._bar.add_task("looking for finished trials", total=1.0, left="")
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def expect(self, jobs: "list[Job]") -> None:
        """All that is to be run."""
        for job in jobs:
            self.left[_kind(job)] += 1
            self.guess[_kind(job)] = job.cost
        self.since = time.monotonic()

    def loading(self, job: "Job") -> None:
        """The data of a batch are made."""
        self._show(f"{job.part} · {job.where} · data")

    def started(self, job: "Job") -> None:
        """A job has begun."""
        self.starts[id(job)] = time.monotonic()
        self._show(f"{job.part} · {job.where} · {job.policy}")

    def done(self, job: "Job") -> None:
        """A job is finished and kept."""
        kind = _kind(job)
        self.measured[kind].append(time.monotonic() - self.starts.pop(id(job)))
        self.left[kind] -= 1
        self._show(f"{job.part} · {job.where} · {job.policy}")

    def working(self, what: str) -> None:
        """Something that is not a trial."""
        self._show(what)

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

    def _show(self, what: str) -> None:
        if self._bar is None:
            return
        done, left = self.seconds_done_and_left()
        share = done / (done + left) if done + left > 0 else 1.0
        elapsed = time.monotonic() - self.since
        remaining = elapsed * (1 - share) / share if share > 0.001 and elapsed > 1 else None
        text = "" if remaining is None else f"{_clock(remaining)} left"
        self._bar.update(self._task, description=what, completed=share, left=text)


def _kind(job: "Job") -> tuple[str, str]:
    return job.where, job.policy


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
