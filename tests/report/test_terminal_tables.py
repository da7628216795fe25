"""The table on a terminal: best first, best marked, nothing cut off."""

import numpy as np
import pytest
from rich.console import Console

from rbmle.report.tables import duration, statistics_table
from rbmle.simulation import Results


def made(scale: float = 1.0) -> Results:
    rng = np.random.default_rng(0)
    regret = {"worse, with a long name": scale * (5 + rng.random((9, 1))), "better": scale * (1 + rng.random((9, 1)))}
    seconds = {"worse, with a long name": np.full(9, 2e-7), "better": np.full(9, 3e-3)}
    return Results(np.array([8]), regret, seconds, {})


def shown(results: Results, width: int, colour: bool = False) -> str:
    console = Console(width=width, record=True, force_terminal=colour, color_system="standard" if colour else None)
    with console.capture() as text:
        console.print(statistics_table(results, width=width))
    return text.get()


def test_content_and_order() -> None:
    results = made()
    lines = shown(results, 200).splitlines()
    better, worse = (next(i for i, line in enumerate(lines) if line.startswith(name)) for name in ("better", "worse"))
    assert better < worse
    numbers = lines[better].split()[1:-2]
    assert numbers == [f"{value:.2f}" for value in results.statistics()["better"].values()]
    assert lines[better].rstrip().endswith("3 ms")


def test_best_is_marked() -> None:
    lines = shown(made(), 200, colour=True).splitlines()
    better = next(line for line in lines if "better" in line)
    worse = next(line for line in lines if "worse" in line)
    assert better.count("\x1b[1;4;32m") >= 7
    assert worse.count("\x1b[1;4;32m") in (1, 2), "the fastest (and perhaps the least spread)"


@pytest.mark.parametrize("width", [200, 100, 80, 60, 45])
@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_nothing_is_cut_off(width: int, scale: float) -> None:
    text = shown(made(scale), width)
    assert "…" not in text
    assert "mean" in text
    assert "time" in text


def test_durations() -> None:
    assert [duration(s) for s in (2.34e-8, 9.996e-7, 1.5e-5, 0.0123, 2.0)] == [
        "23.4 ns",
        "1 µs",
        "15 µs",
        "12.3 ms",
        "2 s",
    ]
