"""One atomic write: whole or not at all, whatever stands in its way."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
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


@pytest.mark.usefixtures("listening")
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


def test_arrays_come_back_with_their_header(tmp_path):
    arrays = {
        "a": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "none": np.empty((0, 3)),
        "one": np.array(2.5),
        "big": np.array([1, 2], dtype=">i4"),
        "flags": np.array([True, False]),
    }
    files.write_arrays(tmp_path / "f.npz", {"name": "ä"}, arrays)
    header, read = files.read_arrays(tmp_path / "f.npz")
    assert header == {"name": "ä"}
    assert list(read) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(read[name], array)
        assert read[name].flags.carray
        assert read[name].dtype.kind == array.dtype.kind


def test_what_cannot_be_written_leaves_no_file(tmp_path):
    for array in (np.array([print]), np.array(["text"]), np.array([1j]), np.array([1.0], dtype=np.longdouble)):
        with pytest.raises(StateFileError, match="a cannot be written: it must be an array of real numbers"):
            files.write_arrays(tmp_path / "f.npz", {}, {"a": array})
    with pytest.raises(StateFileError, match="cannot be called 'header'"):
        files.write_arrays(tmp_path / "f.npz", {}, {"header": np.ones(1)})
    assert names(tmp_path) == []


def described(shape="(1,)", descr="'<f8'", data=8):
    """An array in NumPy's format that says this of itself."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(data)


def test_an_array_is_believed_only_what_its_size_confirms():
    np.testing.assert_array_equal(files.parse_array(described("(2, 1)", data=16)), np.zeros((2, 1)))
    lies = [
        described("(1000000000000,)"),
        described("(0, 99999999999999999999999)", data=0),
        described("(2,)"),
        described("(1,)", data=9),
        described("(-1,)"),
        described("(1 1,)"),
        described("__import__('os')"),
        described(descr="'|O'"),
        described(descr="[('a', '<f8')]"),
        described(descr="'<b8'"),
        described()[:9],
        described().replace(b"NUMPY\x01", b"NUMPY\x02"),
        b"",
    ]
    for raw in lies:
        with pytest.raises(files.UNREADABLE):
            files.parse_array(raw)


def test_archives_that_would_take_more_than_they_are(tmp_path):
    path = tmp_path / "f.npz"
    np.savez_compressed(path, header=np.zeros(10_000_000))
    with pytest.raises(StateFileError, match="declares more than it holds"):
        files.read_arrays(path)
    np.savez_compressed(path, header=np.random.default_rng(0).random(1000))
    with pytest.raises(StateFileError, match="not a file of rbmle's, or is damaged"):
        files.read_arrays(path)
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "w") as archive:
        for _ in range(2):
            archive.writestr("a.npy", described())
    with pytest.raises(StateFileError, match="two arrays of one name"):
        files.read_arrays(path)
    files.write_arrays(path, {}, {"a": np.ones(3)})
    content = bytearray(path.read_bytes())
    for entry in (b"PK\x03\x04", b"PK\x01\x02"):  # the bit that says a member is encrypted
        content[content.index(entry) + (6 if entry == b"PK\x03\x04" else 8)] |= 1
    path.write_bytes(content)
    with pytest.raises(StateFileError, match="encrypted"):
        files.read_arrays(path)
