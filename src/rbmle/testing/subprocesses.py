"""A function in a process of its own, where a crash of compiled code is something one can see."""

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rbmle.testing.tools import CheckFailed

CHILD = """
import pickle, sys
from pathlib import Path
folder = Path(sys.argv[1])
sys.path[:] = pickle.loads((folder / "path").read_bytes())
function, arguments = pickle.loads((folder / "call").read_bytes())
(folder / "result").write_bytes(pickle.dumps(function(*arguments)))
"""


@dataclass(frozen=True)
class Outcome:
    """How a function ended in a process of its own.

    ended   "returned", "raised", "crashed" (by a signal) or "hung"
    result  what it returned
    told    the last that the process wrote to its error stream: a traceback, mostly
    """

    ended: str
    result: Any = None
    told: str = ""


def run_in_subprocess(function: Callable[..., Any], *arguments: Any, timeout: float = 300.0) -> Outcome:
    """Call `function(*arguments)` in a new process. Both must be importable there: of a module, not of a script.

    >>> import math
    >>> run_in_subprocess(math.sqrt, 9.0)
    Outcome(ended='returned', result=3.0, told='')
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "path").write_bytes(pickle.dumps(sys.path))
        (folder / "call").write_bytes(pickle.dumps((function, arguments)))
        command = [sys.executable, "-X", "faulthandler", "-c", CHILD, name]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=timeout, check=False, env=dict(os.environ)
            )
        except subprocess.TimeoutExpired:
            return Outcome("hung")
        told = done.stderr[-3000:]
        if done.returncode == 0:
            return Outcome("returned", pickle.loads((folder / "result").read_bytes()))
        return Outcome("crashed" if done.returncode < 0 else "raised", None, told)


def expect_survived(what: str, function: Callable[..., Any], *arguments: Any, timeout: float = 300.0) -> Any:
    """What the function returned in a process of its own; CheckFailed if it raised, crashed or hung there."""
    outcome = run_in_subprocess(function, *arguments, timeout=timeout)
    if outcome.ended != "returned":
        raise CheckFailed(f"{what}: the process {outcome.ended}. {outcome.told}")
    return outcome.result
