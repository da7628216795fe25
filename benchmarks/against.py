"""Is this tree as fast as an older version? ``python -m benchmarks.against`` (`make bench-old`).

Both versions run the rows of `benchmarks.rows` in turns, old, new, new, old, …, each in a process of its own that
compiles and prepares a row once. What counts is the median over pairs of new / old, with its bootstrap interval; a row
fails where the whole interval lies above the limit. A process may be a tenth faster or slower than its twin for as long
as it lives (where code and memory happen to lie), so the pairs come from several pairs of processes and the bootstrap
draws those too. Times are processor times.
"""

import contextlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import platformdirs
from rich.console import Console
from rich.table import Table

from benchmarks.rows import MORE, ROWS
from benchmarks.timing import readable

Floats = npt.NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[1]
VERSION_0_1 = "699ea97"
TREE = "this tree"


class Version:
    """A process that runs one version's sources."""

    def __init__(self, source: Path) -> None:
        path = os.pathsep.join([str(source), str(ROOT)])
        environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker"], cwd=ROOT, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        found = Path(self._answer()["source"])
        if source.resolve() not in found.resolve().parents:
            raise RuntimeError(f"rbmle was imported from {found}, not from {source}")

    def make(self, row: str) -> float:
        """Compile, prepare, and return the seconds of one piece of the row's work."""
        return self._ask(make=row)

    def time(self, row: str, repeats: int) -> float:
        """Seconds of one piece of the row's work."""
        return self._ask(time=row, repeats=repeats) / repeats

    def _ask(self, **what: Any) -> float:
        assert self._process.stdin is not None  # noqa: S101
        print(json.dumps(what), file=self._process.stdin, flush=True)
        return float(self._answer()["seconds"])

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"a version under test ended with {self._process.wait()}; its message is above")
        return dict(json.loads(line))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            assert self._process.stdin is not None  # noqa: S101
            self._process.stdin.close()
        else:
            self._process.kill()
        self._process.wait()


def checkout(commit: str) -> Path:
    """The sources of a commit, or of the tree as it is.

    A commit's are kept in one place for later runs, because machine code is kept by the path of its source.
    """
    if commit == TREE:
        return ROOT / "src"
    asked = ["git", "rev-parse", "--verify", f"{commit}^{{commit}}"]
    name = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    target = Path(platformdirs.user_cache_dir("rbmle", appauthor=False)) / "against" / name
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            packed = Path(folder) / "sources.tar"
            subprocess.run(["git", "archive", "--output", str(packed), name, "src"], cwd=ROOT, check=True)
            with tarfile.open(packed) as archive:
                archive.extractall(Path(folder) / name, filter="data")
            with contextlib.suppress(FileExistsError):  # another run was quicker
                (Path(folder) / name).rename(target)
    return target / "src"


def in_turns(row: str, old: Version, new: Version, pairs: int, burst: float) -> Floats:
    """Seconds per piece of work (pairs, 2), old and new, the one that begins changing from pair to pair."""
    repeats = max(1, round(burst / max(old.make(row), 1e-6)))
    new.make(row)
    taken = np.empty((pairs, 2))
    for i in range(pairs):
        for which in (0, 1) if i % 2 == 0 else (1, 0):
            taken[i, which] = (old, new)[which].time(row, repeats)
    return taken


def interval(ratios: Sequence[Floats], level: float = 0.95, draws: int = 4000) -> tuple[float, float, float]:
    """Median ratio and its bootstrap interval; processes are drawn first and then pairs within each."""
    rng = np.random.default_rng(0)
    values = np.array(ratios)
    groups, pairs = values.shape
    which = rng.integers(groups, size=(draws, groups))
    within = rng.integers(pairs, size=(draws, groups, pairs))
    medians = np.median(values[which[..., None], within].reshape(draws, -1), axis=1)
    low, high = np.quantile(medians, [(1 - level) / 2, (1 + level) / 2])
    return float(np.median(values)), float(low), float(high)


def measure(rows: Sequence[str], sources: tuple[Path, Path], options: Namespace) -> Iterator[tuple[str, Floats]]:
    """Row by row and process by process, seconds (pairs, 2)."""
    for _ in range(options.processes):
        with Version(sources[0]) as old, Version(sources[1]) as new:
            for row in rows:
                yield row, in_turns(row, old, new, -(-options.pairs // options.processes), options.burst)


def arguments(given: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks.against", description="Old and new in turns, row by row.")
    parser.add_argument("--old", default=VERSION_0_1, help="commit of the old version (%(default)s)")
    parser.add_argument("--new", default=TREE, help="commit of the new one (%(default)s)")
    parser.add_argument("--rows", default="", help="only rows whose names contain this")
    parser.add_argument("--more", action="store_true", help="rows that make bench does not show, too")
    parser.add_argument("--pairs", type=int, default=30, help="pairs per row (%(default)s)")
    parser.add_argument("--processes", type=int, default=6, help="pairs of processes these come from (%(default)s)")
    parser.add_argument("--burst", type=float, default=0.03, help="seconds one timing should take (%(default)s)")
    parser.add_argument("--limit", type=float, default=1.05, help="fail above this ratio (%(default)s)")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    options = arguments(given)
    rows = {name: row for name, row in (ROWS | (MORE if options.more else {})).items() if options.rows in name}
    runs: dict[str, list[Floats]] = {name: [] for name in rows}
    sources = checkout(options.old), checkout(options.new)
    for name, taken in measure(list(rows), sources, options):
        runs[name].append(taken)
        print(f"{np.median(taken[:, 1] / taken[:, 0]):.3f}  {name}", file=sys.stderr, flush=True)
    table = Table(title=f"{options.new} against {options.old}: medians per decision, new / old with its 95 % interval",
                  title_justify="left")  # fmt: skip
    for column in ("row", "old", "new", "new / old", "interval", ""):
        table.add_column(column, justify="left" if column in ("row", "") else "right", no_wrap=True)
    slower = []
    for name, row in rows.items():
        ratio, low, high = interval([taken[:, 1] / taken[:, 0] for taken in runs[name]])
        old, new = np.median(np.concatenate(runs[name]), axis=0) / row.decisions
        verdict = "slower" if low > options.limit else "faster" if high < 1 else ""
        if verdict == "slower":
            slower.append(name)
        table.add_row(name, readable(old), readable(new), f"{ratio:.3f}", f"{low:.3f} – {high:.3f}", verdict)
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(table)
    console.print(f"wholly above {options.limit:g}: " + ("no row" if not slower else "; ".join(slower)))
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
