"""Progress: a bar where one is seen, a line now and then where not, and a time left that learns."""

import sys
import types
from typing import Any

import pytest

from rbmle.display import progress as module
from rbmle.display.progress import Progress


def test_time_left_learns_from_what_jobs_took() -> None:
    progress = Progress(False)
    progress.expect([("slow", 2.0), ("slow", 2.0), ("fast", 1.0)])
    assert progress.seconds_done_and_left() == (0.0, 5.0)
    progress.done("slow", 4.0)  # where 2 were expected, so all guesses are doubled
    assert progress.seconds_done_and_left() == (4.0, 4.0 + 2.0)


def test_redirected_it_prints_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    with Progress() as progress:
        progress.expect([("here", 1.0)] * 8)
        for _ in range(7):
            now += 10.0
            progress.done("here", 10.0)
    assert capsys.readouterr().err.splitlines() == [
        "0:30  here: 38% done, 3/8 jobs, 0:50 left",
        "1:00  here: 75% done, 6/8 jobs, 0:20 left",
    ]


def test_asked_for_it_says_at_least_how_it_ended(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(True) as progress:
        progress.expect([("here", 1.0)])
        progress.done("here", 2.0)
    assert "100% done, 1/1 jobs" in capsys.readouterr().err


def test_a_bar_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with Progress() as progress:
        progress.expect([("LinUCB", 1.0)])
        progress.done("LinUCB", 1.0)
        progress.working("report")
    assert "report" in capsys.readouterr().err


def test_a_bar_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """rich asks for IPython's shell and shows through its display; both are stood in for here."""
    shown: list[Any] = []

    class ZMQInteractiveShell:
        pass

    display = types.ModuleType("IPython.display")
    display.display = lambda *things, **_: shown.extend(things)  # type: ignore[attr-defined]
    widgets = types.ModuleType("ipywidgets")

    class Output:
        def __enter__(self) -> "Output":
            return self

        def __exit__(self, *_: object) -> None: ...

        def clear_output(self, wait: bool) -> None: ...

    widgets.Output = Output  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setitem(sys.modules, "ipywidgets", widgets)
    monkeypatch.setattr("builtins.get_ipython", ZMQInteractiveShell, raising=False)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    with Progress() as progress:
        progress.expect([("trials", 1.0)])
        progress.done("trials", 1.0)
    assert any("trials" in thing.text for thing in shown if hasattr(thing, "text"))
