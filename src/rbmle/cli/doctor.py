"""`rbmle doctor`: what an installation consists of, and whether it works."""

import datetime
import json
import os
import platform
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

EXAMPLES = """
**Examples**

`rbmle doctor` — everything, as tables; the exit code is 1 where something is wrong

`rbmle doctor --json` — the same for programs and for reports of faults
"""

# Extras for whoever develops rbmle, and those that only name others.
NOT_SHOWN = {"dev", "bench", "peers", "all"}
# Megabytes that machine code may need; seconds that the clock of files may be apart from ours; the first year possible.
SPACE, APART, FIRST_YEAR = 200, 2.0, 2024


class Finding(NamedTuple):
    """One thing found.

    topic  what it is about
    name   of the thing
    told   how it is
    good   whether that is as it should be; None where it is only told
    """

    topic: str
    name: str
    told: str
    good: bool | None = None


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON, for programs.")] = False,
) -> None:
    """Say what this installation consists of, and whether it works: versions, machine code, threads, clock, extras."""
    found = [
        *versions(), *machine_code(), *threads(), *clock(), *extras(), *plugins(),
    ]  # fmt: skip
    if as_json:
        typer.echo(json.dumps([each._asdict() for each in found], indent=2, ensure_ascii=False))
    else:
        show(found)
    if any(each.good is False for each in found):
        raise typer.Exit(1)


def show(found: list[Finding]) -> None:
    """A table for each topic."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console, marks = Console(highlight=False), {True: ("✓", "green"), False: ("✗", "bold red"), None: ("·", "dim")}
    for topic in dict.fromkeys(each.topic for each in found):
        console.print(Text(topic, style="italic"))
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(width=1)
        table.add_column(no_wrap=True, style="bold", min_width=18)
        table.add_column(overflow="fold")
        for each in found:
            if each.topic == topic:
                table.add_row(Text(*marks[each.good]), Text(each.name), Text(each.told))
        console.print(table)
        console.print()
    wrong = sum(each.good is False for each in found)
    console.print("Nothing is wrong." if not wrong else f"[bold red]{wrong} of these are wrong (✗).[/bold red]")


def versions() -> Iterator[Finding]:
    """Of rbmle, Python and what rbmle cannot do without, against the lowest that work."""
    import rbmle

    yield Finding("versions", "rbmle", f"{rbmle.__version__} in {Path(rbmle.__file__).parent}")
    yield Finding("versions", "Python", f"{platform.python_version()} ({sys.executable}) on {platform.platform()}")
    for name, lowest, extra in requirements():
        if extra is None:
            installed = version_of(name)
            good = installed is not None and not older(installed, lowest)
            told = installed or "missing"
            yield Finding("versions", name, told if good else f"{told}, but {lowest} or newer is needed", good)


def machine_code() -> Iterator[Finding]:
    """Where machine code is kept, and whether a decision made by it is right."""
    from rbmle.kernels.cache import cache_folder

    topic, folder = "machine code", cache_folder("rbmle.kernels.")
    if folder is None:
        told = "none that can be trusted: every process compiles anew (RBMLE_CACHE_DIR names another)"
        yield Finding(topic, "folder", told, False)
    else:
        home = folder.parent
        kept = [file.stat().st_size for file in home.rglob("*") if file.is_file()]
        others = sum(each.is_dir() and each != folder for each in home.iterdir())
        yield Finding(topic, "folder", f"{home}, {sum(kept) / 1e6:.0f} MB, {others + 1} versions of the sources", True)
        yield Finding(topic, "writable", *writable(folder))
        free = shutil.disk_usage(home).free / 1e6
        yield Finding(topic, "free space", f"{free / 1e3:.1f} GB", free > SPACE)
    start = time.perf_counter()
    good, told = first_decision()
    yield Finding(topic, "first decision", f"{told}, after {time.perf_counter() - start:.1f} s", good)


def writable(folder: Path) -> tuple[str, bool]:
    """Whether a file can be written and read back."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder) as file:
            file.write(b"rbmle")
            file.flush()
            return "yes", Path(file.name).read_bytes() == b"rbmle"
    except OSError as reason:
        return f"no: {reason.strerror or reason}", False


def first_decision() -> tuple[bool, str]:
    """Whether compiled scores are those of the formula, computed without it."""
    import numpy as np

    from rbmle import LinUCB

    X, r = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]), np.array([0.5, -0.2, 0.7])
    policy = LinUCB(n_features=2, alpha=2.0)
    policy.update_many(X, r)
    V_inv = np.linalg.inv(np.eye(2) + X.T @ X)
    expected = X @ V_inv @ X.T @ r + 2.0 * np.sqrt(np.einsum("ai,ij,aj->a", X, V_inv, X))
    good = bool(np.allclose(policy.scores(X), expected, rtol=1e-12))
    return good, "right" if good else f"wrong: {policy.scores(X)} where {expected} is right"


def threads() -> Iterator[Finding]:
    """How many there are, and how many linear algebra takes."""
    from threadpoolctl import threadpool_info

    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Finding("threads", "processors", f"{os.cpu_count()}, {usable} for this process")
    settings = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.endswith("_NUM_THREADS")]
    yield Finding("threads", "settings", ", ".join(settings) or "none: no variable ends in _NUM_THREADS")
    several = False
    for pool in threadpool_info():
        told = f"{pool.get('internal_api')} {pool.get('version') or ''}, {pool.get('num_threads')} threads"
        yield Finding("threads", str(pool.get("user_api", "")).upper(), told)
        several = several or (pool.get("user_api") == "blas" and pool.get("num_threads", 1) > 1)
    if several:
        told = "single decisions are quickest with one thread: OPENBLAS_NUM_THREADS=1, or MKL_NUM_THREADS=1"
        yield Finding("threads", "to serve", told)


def clock() -> Iterator[Finding]:
    """Whether it moves, tells a possible date, and agrees with that of files."""
    steps = []
    for _ in range(5):
        start = now = time.perf_counter()
        while now == start:
            now = time.perf_counter()
        steps.append(now - start)
    yield Finding("clock", "smallest step", f"{1e9 * min(steps):.0f} ns", min(steps) < 1e-3)
    today = datetime.datetime.now(datetime.UTC)
    yield Finding("clock", "time", today.isoformat(timespec="seconds"), today.year >= FIRST_YEAR)
    try:
        with tempfile.NamedTemporaryFile() as file:
            apart = Path(file.name).stat().st_mtime - time.time()
        yield Finding("clock", "files", f"{1e3 * abs(apart):.0f} ms apart from them", abs(apart) < APART)
    except OSError as reason:
        yield Finding("clock", "files", f"none can be written: {reason.strerror or reason}", False)


def extras() -> Iterator[Finding]:
    """What is optional: there with its version, missing, or too old."""
    wanted: dict[str, list[tuple[str, str]]] = {}
    for name, lowest, extra in requirements():
        if extra is not None and extra not in NOT_SHOWN:
            wanted.setdefault(extra, []).append((name, lowest))
    for extra, parts in wanted.items():
        installed = {name: version_of(name) for name, _ in parts}
        missing = [name for name, found in installed.items() if found is None]
        old = [f"{name} {installed[name]} (needs {lowest})" for name, lowest in parts
               if installed[name] is not None and older(str(installed[name]), lowest)]  # fmt: skip
        told = ", ".join(f"{name} {found}" for name, found in installed.items() if found is not None)
        if missing:
            told = f"missing {', '.join(missing)}: pip install 'rbmle[{extra}]'" + (f"; there: {told}" if told else "")
        if old:
            told = f"too old: {', '.join(old)}"
        yield Finding("extras", extra, told, False if old else (None if missing else True))


def plugins() -> Iterator[Finding]:
    """Policies that other packages bring along."""
    from rbmle.cli.known import plugins as known

    for name, trouble in known().items():
        yield Finding("policies of other packages", name, trouble or "loaded", trouble is None)


def requirements() -> list[tuple[str, str, str | None]]:
    """(name, lowest version, extra) of everything that rbmle asks for, from its own metadata."""
    try:
        told, names = requires("rbmle") or [], metadata("rbmle").get_all("Provides-Extra") or []
    except PackageNotFoundError:  # run from a folder that nobody installed
        return []
    found = []
    for text in told:
        match = re.match(r"([\w.-]+)(?:\[[^\]]*\])?\s*(?:\(?>=\s*([\w.]+))?", text)
        extra = re.search(r"extra == ['\"]([\w.-]+)['\"]", text)
        if match and match[1] != "rbmle":
            found.append((match[1], match[2] or "0", extra[1] if extra else None))
    order = {name: place for place, name in enumerate(names)}
    return sorted(found, key=lambda each: (order.get(each[2] or "", -1), each[0]))


def version_of(name: str) -> str | None:
    """What is installed of a distribution."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def older(installed: str, lowest: str) -> bool:
    """Whether a version is below another, by their numbers."""
    return numbers(installed) < numbers(lowest)


def numbers(text: str) -> list[Any]:
    """The numbers that a version begins with: 2.1.0rc1 as [2, 1, 0]."""
    found = re.match(r"\d+(?:\.\d+)*", text)
    return [int(part) for part in found[0].split(".")] if found else []
