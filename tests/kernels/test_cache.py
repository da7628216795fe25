"""Machine code on disk: a folder that is full, damaged or open to others is no error of the user's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    source = folder.parent / "program.py"
    if not source.exists():  # numba forgets the code of a file that changed
        source.write_text(PROGRAM)
    environment = os.environ | {"RBMLE_CACHE_DIR": str(folder)}
    return subprocess.run(
        [sys.executable, str(source), *arguments], env=environment, capture_output=True, text=True, check=True
    )


def test_kept_and_found_again_in_the_folder_that_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    first = run(folder)
    assert first.stdout == "1 True 0\n"
    assert "compiling for first use" in first.stderr
    kept = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.suffix for path in kept} == {".nbi", ".nbc"}
    assert next(folder.iterdir()).stat().st_mode & 0o077 == 0
    again = run(folder)
    assert again.stdout == "1 True 2\n"
    assert again.stderr == ""


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("how", ["cut", "changed", "empty", "other"])
def test_a_damaged_file_is_compiled_anew(tmp_path: Path, suffix: str, how: str) -> None:
    folder = tmp_path / "cache"
    run(folder)
    for path in folder.rglob("*" + suffix):
        data = path.read_bytes()
        middle = len(data) // 2
        path.write_bytes({
            "cut": data[:middle],
            "changed": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
            "empty": b"",
            "other": b"not a pickle at all",
        }[how])  # fmt: skip
    damaged = run(folder)
    assert damaged.stdout == "1 True 0\n"
    assert damaged.stderr.count("is damaged") == 1
    assert run(folder).stdout == "1 True 2\n"  # and it is mended


@pytest.mark.skipif(sys.platform != "linux", reason="limits files by setrlimit")
def test_a_full_disk_is_no_error(tmp_path: Path) -> None:
    full = run(tmp_path / "cache", "10")
    assert full.stdout == "1 True 0\n"
    assert full.stderr.count("cannot be kept") == 1


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners")
def test_a_folder_that_others_may_write_to_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    run(folder)
    next(folder.iterdir()).chmod(0o777)
    open_to_all = run(folder)
    assert open_to_all.stdout == "1 True 0\n"
    assert open_to_all.stderr.count("others may write") == 1


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file in its place")
    result = run(tmp_path / "cache")
    assert result.stdout == "1 True 0\n"
    assert result.stderr.count("cannot be used") == 1
