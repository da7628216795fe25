"""Machine code on disk: a folder that is full, damaged or open to others is no error of the user's."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rbmle.kernels import cache

PROGRAM = """
import resource, signal, sys
if len(sys.argv) > 1:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
from rbmle.kernels.address import machine_code
from numba import types
from rbmle.kernels.normal import first_max
import numpy as np
def abs_of(z):
    return abs(z)
code = machine_code(types.float64(types.float64), abs_of)
best = first_max(np.array([1.0, 3.0, 2.0]))
print(best, code.address > 0, sum(first_max.stats.cache_hits.values()) + code.cache_hits)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program and, beside it, the folder of machine code that its first run left."""
    source = tmp_path_factory.mktemp("program") / "program.py"
    source.write_text(PROGRAM)
    first = run(source, source.parent / "cache")
    assert first.stdout == "1 True 0\n"
    assert "compiling for first use" in first.stderr
    return source


def run(source: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"RBMLE_CACHE_DIR": str(folder)}
    return subprocess.run(
        [sys.executable, str(source), *arguments], env=environment, capture_output=True, text=True, check=True
    )


def test_kept_and_found_again_in_the_folder_that_is_named(program: Path) -> None:
    folder = program.parent / "cache"
    assert {path.suffix or path.name for path in folder.rglob("*") if path.is_file()} == {".nbi", ".nbc", cache.LOCK}
    assert next(folder.iterdir()).stat().st_mode & 0o077 == 0
    again = run(program, folder)
    assert again.stdout == "1 True 2\n"
    assert again.stderr == ""


REFERRING = """
import sys
from numba import njit, types
from rbmle.kernels.address import machine_code
import helper
SCALE = float(sys.argv[1])
own = njit(lambda z: z + 1.0)
def scaled(z):
    return z * SCALE
def helped(z):
    return z + helper.SHIFT
def called(z):
    return own(z)
codes = [machine_code(types.float64(types.float64), each) for each in (scaled, helped, called)]
print([code.ctypes(3.0) for code in codes], [code.cache_hits for code in codes])
"""


def test_what_a_users_function_refers_to_counts(tmp_path: Path) -> None:
    """numba alone would go on with the code of the first run: it looks at the function's own file."""
    source, helper = tmp_path / "program.py", tmp_path / "helper.py"
    source.write_text(REFERRING)
    helper.write_text("SHIFT = 1.0\n")
    seen = [run(source, tmp_path / "cache", scale).stdout for scale in ("2", "2", "5")]
    assert seen[:2] == ["[6.0, 4.0, 4.0] [0, 0, 0]\n", "[6.0, 4.0, 4.0] [1, 0, 0]\n"]
    assert seen[2] == "[15.0, 4.0, 4.0] [0, 0, 0]\n"
    helper.write_text("SHIFT = 10.5\n")
    assert run(source, tmp_path / "cache", "5").stdout == "[15.0, 13.5, 4.0] [1, 0, 0]\n"


def test_a_function_typed_in_by_hand_is_compiled_each_time(tmp_path: Path) -> None:
    code = (
        "from numba import types; from rbmle.kernels.address import machine_code\n"
        "def twice(z): return 2.0 * z\n"
        "print(machine_code(types.float64(types.float64), twice).ctypes(3.0))"
    )
    environment = os.environ | {"RBMLE_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "6.0\n"


@pytest.mark.parametrize(
    ("suffix", "how"), [(".nbi", "cut"), (".nbi", "other"), (".nbc", "changed"), (".nbc", "empty")]
)
def test_a_damaged_file_is_compiled_anew(program: Path, tmp_path: Path, suffix: str, how: str) -> None:
    folder = tmp_path / "cache"
    shutil.copytree(program.parent / "cache", folder)
    for path in folder.rglob("*" + suffix):
        data = path.read_bytes()
        middle = len(data) // 2
        path.write_bytes({
            "cut": data[:middle],
            "changed": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
            "empty": b"",
            "other": b"not a pickle at all",
        }[how])  # fmt: skip
    damaged = run(program, folder)
    assert damaged.stdout == "1 True 0\n"
    assert damaged.stderr.count("is damaged") == 1
    assert run(program, folder).stdout == "1 True 2\n"  # and it is mended


@pytest.mark.skipif(sys.platform != "linux", reason="limits files by setrlimit")
def test_a_full_disk_is_no_error(program: Path, tmp_path: Path) -> None:
    full = run(program, tmp_path / "cache", "10")
    assert full.stdout == "1 True 0\n"
    assert full.stderr.count("cannot be kept") == 1


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners")
def test_a_folder_that_others_may_write_to_is_not_used(program: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    shutil.copytree(program.parent / "cache", folder)
    for each in folder.iterdir():
        each.chmod(0o777)
    open_to_all = run(program, folder)
    assert open_to_all.stdout == "1 True 0\n"
    assert open_to_all.stderr.count("others may write") == 1


def test_a_folder_that_cannot_be_made(program: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file in its place")
    result = run(program, tmp_path / "cache")
    assert result.stdout == "1 True 0\n"
    assert result.stderr.count("cannot be used") == 1


def test_all_that_compiles_stands_where_its_version_is_hashed() -> None:
    home = Path(cache.__file__).parents[1]
    hashed = {path for name in cache.FORMULAS for path in [home / name, *(home / name).rglob("*.py")]}
    words = ("kernels.compile", "kernels.address", "@formula", "compile_formula", "numba.njit", "cfunc")
    compiles = {path for path in home.rglob("*.py") if any(word in path.read_text() for word in words)}
    assert len(compiles) > 50
    assert compiles <= hashed


def test_kernels_refer_to_nothing_beyond_their_foundation() -> None:
    home = Path(cache.__file__).parents[1]
    known = {name.removesuffix(".py") for name in cache.FOUNDATION}
    for name in cache.FOUNDATION:
        for path in [home / name] if name.endswith(".py") else (home / name).rglob("*.py"):
            used = set(re.findall(r"^\s*(?:from|import) rbmle\.(\w+)", path.read_text(), re.MULTILINE))
            assert used <= known, path


def test_an_edit_of_a_formula_leaves_kernels_compiled(tmp_path: Path) -> None:
    package = tmp_path / "rbmle"
    shutil.copytree(Path(cache.__file__).parents[1], package)
    program = tmp_path / "program.py"
    program.write_text(
        "from rbmle.kernels.cache import cache_folder\n"
        "print(*(cache_folder(name).name for name in ('rbmle.kernels.normal', 'rbmle.policies.linucb', 'users')))\n"
    )
    names = []
    for edited in (None, "policies/linucb.py", "report/tables.py", "kernels/normal.py"):
        if edited is not None:
            with (package / edited).open("a") as file:
                file.write("# edited\n")
        names.append(run(program, tmp_path / "cache").stdout.split())
    assert names[1][0] == names[0][0] and names[1][1] == names[1][2] != names[0][1]
    assert names[2] == names[1]
    assert names[3][0] != names[2][0] and names[3][1] != names[2][1]


TOGETHER = """
import sys
from rbmle.kernels.normal import first_max
import numpy as np
print("ready", flush=True)
sys.stdin.readline()
first_max(np.array([1.0, 3.0, 2.0]))
print(sum(first_max.stats.cache_misses.values()))
"""


def test_processes_that_begin_at_once_compile_once(tmp_path: Path) -> None:
    environment = os.environ | {"RBMLE_CACHE_DIR": str(tmp_path / "cache")}
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    started = [subprocess.Popen([sys.executable, "-c", TOGETHER], env=environment, **options) for _ in range(3)]
    for each in started:
        assert each.stdout.readline() == "ready\n"
    for each in started:
        each.stdin.write("go\n")
        each.stdin.flush()
    assert sorted(int(each.communicate(timeout=120)[0]) for each in started) == [0, 0, 1]


def test_nobody_waits_for_a_compiler_that_died_or_for_a_folder_without_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = cache.Turn(tmp_path / "f.turn"), cache.Turn(tmp_path / "f.turn")
    assert not one.take()
    monkeypatch.setattr(cache, "PATIENCE", 0.1)
    assert other.take(), "somebody else had it, and too long"
    one.end()
    other.end()
    assert not list(tmp_path.iterdir())
    assert not other.take(), "nobody has it"
    other.end()
    assert not cache.Turn(tmp_path / "missing" / "f.turn").take()


def test_a_copy_of_the_package_elsewhere_finds_what_was_compiled(program: Path, tmp_path: Path) -> None:
    """As in an image that is built in one place and runs in another: only the sources' text counts."""
    shutil.copytree(Path(cache.__file__).parents[1], tmp_path / "elsewhere" / "rbmle")
    shutil.copytree(program.parent / "cache", tmp_path / "cache")
    environment = {"PYTHONPATH": str(tmp_path / "elsewhere"), "RBMLE_CACHE_DIR": str(tmp_path / "cache")}
    code = (
        "import numpy as np, rbmle; from rbmle.kernels.normal import first_max\n"
        "print(first_max(np.array([1.0, 3.0, 2.0])), sum(first_max.stats.cache_hits.values()), rbmle.__file__)"
    )
    environment = os.environ | environment
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"1 1 {tmp_path / 'elsewhere' / 'rbmle' / '__init__.py'}\n"
    assert done.stderr == ""


def test_two_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each compiles a function of its own types; the index names both."""
    code = (
        "import sys, numpy as np; from rbmle.kernels.assign import assign\n"
        "a = np.zeros(3, dtype=sys.argv[1]); assign(a, a)\n"
        "print(sum(assign.stats.cache_hits.values()))"
    )
    environment = os.environ | {"RBMLE_CACHE_DIR": str(tmp_path)}
    kinds = ["float64", "float32", "int64", "int32"]
    for hits in ("0", "1"):
        ran = [
            subprocess.Popen([sys.executable, "-c", code, kind], env=environment, stdout=-1, text=True)
            for kind in kinds
        ]
        assert [each.communicate()[0].strip() for each in ran] == [hits] * len(kinds)
