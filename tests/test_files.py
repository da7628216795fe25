"""One atomic write: whole or not at all, whatever stands in its way."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rbmle import files
from rbmle.errors import FileAccessError, MissingFileError, RbmleError, StateFileError


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path):
    files.write_bytes(tmp_path / "a", b"one")
    files.write_bytes(tmp_path / "a", b"two")
    assert files.read_bytes(tmp_path / "a") == b"two"
    assert names(tmp_path) == ["a"]


def test_the_mode_is_kept_or_that_of_the_process(tmp_path):
    path, before = tmp_path / "a", os.umask(0o027)
    try:
        files.write_bytes(path, b"")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o664)
        files.write_bytes(path, b"")
        assert stat.S_IMODE(path.stat().st_mode) == 0o664
    finally:
        os.umask(before)


def test_links_are_followed_also_where_nothing_is_there_yet(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere" / "file")
    for content in (b"one", b"two"):
        files.write_bytes(link, content)
        assert link.is_symlink()
        assert (tmp_path / "elsewhere" / "file").read_bytes() == content
    assert names(tmp_path / "elsewhere") == ["file"]


def test_a_name_as_long_as_the_system_allows(tmp_path):
    files.write_bytes(tmp_path / ("n" * 255), b"long")
    assert names(tmp_path) == ["n" * 255]


def test_devices_pipes_and_folders_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/null", tmp_path / "pipe", tmp_path):
        with pytest.raises(FileAccessError, match="cannot be written: it is a (device|folder)"):
            files.write_bytes(path, b"x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(FileAccessError, match="cannot be read: it is not a regular file"):
            files.read_bytes(path)


def test_what_is_missing_has_one_error(tmp_path):
    for call in (lambda p: files.read_bytes(p), lambda p: files.write_bytes(p, b"")):
        with pytest.raises(MissingFileError, match="does not exist") as error:
            call(tmp_path / "no" / "file")
        assert isinstance(error.value, FileNotFoundError)
        assert isinstance(error.value, StateFileError)
        assert error.value.errno == errno.ENOENT
    with pytest.raises(RbmleError, match="cannot be written"):
        files.write_bytes(tmp_path / "a\0b", b"")


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path):
    files.write_bytes(tmp_path / "a", b"old")

    def full(file):
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(FileAccessError, match="a cannot be written: No space left on device") as error:
        files.write_atomically(tmp_path / "a", full)
    assert error.value.errno == errno.ENOSPC
    with pytest.raises(KeyboardInterrupt):
        files.write_atomically(tmp_path / "a", lambda file: signal.raise_signal(signal.SIGINT))
    assert files.read_bytes(tmp_path / "a") == b"old"
    assert names(tmp_path) == ["a"]


def test_a_killed_writer_s_leftover_goes_with_the_next_write(tmp_path):
    program = (
        "import sys, time; from rbmle import files\n"
        "files.write_atomically(sys.argv[1], lambda f: (print('now', flush=True), time.sleep(60)))"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "a")], stdout=subprocess.PIPE) as writer:
        writer.stdout.readline()
        (left,) = names(tmp_path)
        files.write_bytes(tmp_path / "b", b"")  # a living writer's file stays
        assert names(tmp_path) == [left, "b"]
        writer.kill()
    files.write_bytes(tmp_path / "a", b"new")
    assert names(tmp_path) == ["a", "b"]


def test_many_writers_of_one_file(tmp_path):
    path, faults, end = tmp_path / "a", [], time.monotonic() + 1.0
    files.write_bytes(path, b"0" * 10_000)

    def write(digit):
        try:
            while time.monotonic() < end:
                files.write_bytes(path, digit * 10_000)
                assert len(set(files.read_bytes(path))) == 1
        except (AssertionError, OSError, ValueError) as fault:
            faults.append(fault)

    writers = [threading.Thread(target=write, args=(digit,)) for digit in (b"1", b"2", b"3", b"4")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert faults == []
    assert names(tmp_path) == ["a"]


def test_json_knows_whether_it_was_changed():
    text = files.to_json({"a": 1, "b": [1.5, "ä"]})
    assert files.from_json(text, "f") == {"a": 1, "b": [1.5, "ä"]}
    with pytest.raises(StateFileError, match="f is damaged"):
        files.from_json(text.replace(b"1.5", b"1.6"), "f")
    for bad in (b"", b"[]", b"{}", b"[" * 100_000, b"\xff"):
        with pytest.raises(StateFileError, match="f is not JSON as rbmle writes it"):
            files.from_json(bad, "f")
