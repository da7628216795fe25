"""Work as jobs: done once, in the order it needs, kept as it finishes, gone on with after a stop."""

import _thread
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbmle.display.progress import Progress
from rbmle.simulation.carrying import carry_out
from rbmle.simulation.jobs import Batch, Job
from rbmle.simulation.outcomes import Outcomes, Piece
from rbmle.simulation.store import Outcome


def simple(data: Any, names: Any, state: bytes) -> list[Outcome]:
    return [Outcome(data, 1.0) for _ in names]


def job(name: str, play: Any = simple, **options: Any) -> Job:
    return Job(name, {name: Piece.of({"name": name})}, play, **options)


def do(path: Path | None, *jobs: Job, n_jobs: int = 1, **options: Any) -> int:
    """Run the jobs; tells how many outcomes were made anew."""
    with Outcomes(path) as outcomes, Progress(False) as bar:
        carry_out([Batch(jobs, lambda: np.zeros(1), **options)], outcomes, bar, n_jobs, "threading")
        return len(outcomes.new)


def chain(seen: list[tuple[int, bytes]], length: int = 4) -> Job:
    def play(data: Any, names: Any, state: bytes) -> Iterator[Outcome]:
        for number in names:
            seen.append((number, state))
            state = bytes([number + 1])
            yield Outcome(np.array([float(number)]), 1.0, state)

    return Job("chain", {number: Piece.of({"link": number}) for number in range(length)}, play, rule="chain")


def test_work_is_done_once(tmp_path: Path) -> None:
    loaded: list[int] = []
    with Outcomes(tmp_path) as outcomes, Progress(False) as bar:
        batch = Batch([job("a"), job("b"), job("a")], lambda: loaded.append(1) or np.zeros(1))
        carry_out([batch], outcomes, bar, 2, "threading")
        carry_out([batch], outcomes, bar, 2, "threading")
        assert len(outcomes.new) == 2
    assert do(tmp_path, job("a"), job("c")) == 1
    assert loaded == [1]


def test_a_chain_goes_on_with_the_state_that_was_left(tmp_path: Path) -> None:
    seen: list[tuple[int, bytes]] = []
    assert do(tmp_path, chain(seen, length=2)) == 2
    assert do(tmp_path, chain(seen)) == 2
    assert seen == [(0, b""), (1, b"\x01"), (2, b"\x02"), (3, b"\x03")]


def test_a_damaged_link_is_made_again_from_the_one_before_it(tmp_path: Path) -> None:
    seen: list[tuple[int, bytes]] = []
    one = chain(seen)
    do(tmp_path, one)
    with sqlite3.connect(tmp_path / "trials.sqlite") as file:
        file.execute("UPDATE outcomes SET state = x'00' WHERE key = ?", (one.pieces[2].key,))
    file.close()
    seen.clear()
    assert do(tmp_path, one) == 1
    assert seen == [(2, b"\x02")]


def test_times_that_are_compared_are_of_one_run(tmp_path: Path) -> None:
    def timed(*names: str) -> Job:
        return Job("sizes", {name: Piece.of({"name": name}) for name in names}, simple, rule="whole")

    assert do(tmp_path, timed("a")) == 1
    assert do(tmp_path, timed("a", "b")) == 2, "a is timed again beside b"
    assert do(tmp_path, timed("a", "b")) == 0
    with Outcomes(tmp_path) as outcomes:
        assert len({outcomes.get(piece.key).run for piece in timed("a", "b").pieces.values()}) == 1


def test_a_failing_job_stops_the_run_and_keeps_what_was_done(tmp_path: Path) -> None:
    def fail(data: Any, names: Any, state: bytes) -> list[Outcome]:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        do(tmp_path, job("good", cost=2.0), job("bad", fail))
    assert do(tmp_path, job("good")) == 0
    assert do(tmp_path, job("bad")) == 1


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_stopped_by_hand_finished_work_is_kept(tmp_path: Path, n_jobs: int) -> None:
    def interrupted(data: Any, names: Any, state: bytes) -> list[Outcome]:
        time.sleep(0.3)  # by now the first is kept
        _thread.interrupt_main()
        time.sleep(0.3)
        return simple(data, names, state)

    with pytest.raises(KeyboardInterrupt):
        do(tmp_path, job("first", cost=3.0), job("second", interrupted, cost=2.0), n_jobs=n_jobs)
    assert do(tmp_path, job("first")) == 0


def test_jobs_run_side_by_side_unless_they_measure_time(tmp_path: Path) -> None:
    meeting, busy = threading.Barrier(2, timeout=10), threading.Lock()

    def meet(data: Any, names: Any, state: bytes) -> list[Outcome]:
        meeting.wait()
        return simple(data, names, state)

    def alone(data: Any, names: Any, state: bytes) -> list[Outcome]:
        assert busy.acquire(blocking=False)
        time.sleep(0.05)
        busy.release()
        return simple(data, names, state)

    assert do(tmp_path, job("a", meet), job("b", meet), n_jobs=2) == 2
    assert do(tmp_path, job("c", alone), job("d", alone), n_jobs=2, side_by_side=False) == 2


def test_what_cannot_be_stored_is_kept_for_the_run_alone(tmp_path: Path) -> None:
    unstored = Job("x", {"x": Piece("only here", None)}, simple)
    assert do(tmp_path, unstored) == do(tmp_path, unstored) == 1
