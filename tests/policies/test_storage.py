"""Files of policies: whole or not at all, never executed, refused when damaged, newer or nonsense."""

import io
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from rbmle import GLMRBMLE, LinRBMLE, LinTS, LinUCB, files, load
from rbmle.errors import FileAccessError, MissingFileError, StateFileError
from rbmle.policies import storage
from rbmle.schedules import Power


def rewrite(path, **changes):
    """Write a file with a changed header and a matching checksum."""
    LinTS(n_features=2).save(path)
    header, arrays = storage.read(path)
    files.write_arrays(path, {**header, **changes}, arrays)


def test_parameters_and_state_come_back(tmp_path):
    policy = LinRBMLE(n_features=3, bias=Power(scale=2.0, exponent=0.3), regularization=np.float64(0.5))
    policy.update([1.0, 2.0, 3.0], 4.0)
    policy.save(tmp_path / "p.npz")
    twin = load(tmp_path / "p.npz")
    assert twin.params == policy.params
    assert twin.t == 2
    np.testing.assert_array_equal(twin.model.V_inv, policy.model.V_inv)
    assert [file.name for file in tmp_path.iterdir()] == ["p.npz"]


def test_a_plain_function_cannot_be_saved(tmp_path):
    with pytest.raises(StateFileError, match="bias=.* is a function"):
        LinRBMLE(n_features=2, bias=lambda t: 1.0).save(tmp_path / "p.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_file_says_which_class_it_is_of_and_is_the_same_each_time(tmp_path):
    policy = LinUCB(n_features=2)
    policy.save(tmp_path / "one.npz")
    policy.save(tmp_path / "two.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    header, arrays = storage.read(tmp_path / "one.npz")
    assert (header["format"], header["policy"]) == (2, "rbmle.LinUCB")
    with np.load(tmp_path / "one.npz") as file:  # plain NumPy reads it
        assert set(file.files) == {"header", *arrays}


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "p.npz"
    LinUCB(n_features=2, alpha=0.5).save(path)

    def broken(*arguments, **keywords):
        raise OSError(28, "disk full")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", broken)
    with pytest.raises(FileAccessError, match="p.npz cannot be written: disk full"):
        LinUCB(n_features=2, alpha=2.0).save(path)
    monkeypatch.undo()
    assert load(path).alpha == 0.5
    assert [file.name for file in tmp_path.iterdir()] == ["p.npz"]


def test_the_mode_of_a_file_is_kept(tmp_path):
    path = tmp_path / "p.npz"
    LinUCB(n_features=2).save(path)
    path.chmod(0o664)
    LinUCB(n_features=2).save(path)
    assert path.stat().st_mode & 0o777 == 0o664


def test_refusals(tmp_path):
    path = tmp_path / "p.npz"
    with pytest.raises(MissingFileError, match="does not exist"):
        load(path)
    path.write_bytes(b"not a policy")
    with pytest.raises(StateFileError, match="not a file of rbmle's"):
        load(path)
    rewrite(path, format=3)
    with pytest.raises(StateFileError, match="has format 3; this version of rbmle reads up to 2"):
        load(path)
    rewrite(path, policy="Unheard")
    with pytest.raises(StateFileError, match="Unknown policy 'Unheard'.*Known: .*LinTS"):
        load(path)
    rewrite(path, policy="LinTS", params={"n_features": -1})
    with pytest.raises(StateFileError, match="does not describe a valid LinTS: The 'n_features'"):
        load(path)
    rewrite(path, params={"n_features": 2, "bias": {"schedule": "Sqrtt"}})
    with pytest.raises(StateFileError, match="Unknown schedule 'Sqrtt'"):
        load(path)
    rewrite(path, params={"n_features": 2}, generator={"bit_generator": "MT19937"})
    with pytest.raises(StateFileError, match="PCG64"):
        load(path)


NONSENSE = [None, True, -1, 0.5, 1e300, 10**400, "", "x", [], [[]], [-1], [1.5], ["x"], {}, {"policy": {}}, {"n": None}]


@pytest.mark.parametrize("part", ["format", "policy", "params", "origin", "generator"])
def test_nonsense_with_a_right_checksum_is_refused_by_name(tmp_path, part):
    path = tmp_path / "p.npz"
    for value in NONSENSE:
        if (part, value) != ("format", True):  # which is 1
            rewrite(path, **{part: value})
            with pytest.raises(StateFileError, match="p.npz"):
                load(path)


@pytest.mark.parametrize("value", [value for value in NONSENSE if value not in (None, 0.5, True)], ids=repr)
@pytest.mark.parametrize("name", ["n_features", "delta", "unheard"])
def test_nonsense_parameters_are_refused(tmp_path, name, value):
    rewrite(tmp_path / "p.npz", params={"n_features": 2, "delta": 0.5, name: value})
    with pytest.raises(StateFileError, match="p.npz"):
        load(tmp_path / "p.npz")


def test_nonsense_states_of_the_generator_are_refused(tmp_path):
    path = tmp_path / "p.npz"
    LinTS(n_features=2).save(path)
    good = storage.read(path)[0]["generator"]
    for value in NONSENSE:
        for change in ({"state": value}, {"state": {**good["state"], "inc": value}}, {"bit_generator": value}):
            if change != {"state": {**good["state"], "inc": True}}:  # which is 1
                rewrite(path, generator={**good, **change})
                with pytest.raises(StateFileError, match="p.npz"):
                    load(path)


@pytest.mark.parametrize("cls", [LinUCB, GLMRBMLE])
def test_arrays_that_are_no_state_are_refused(tmp_path, cls):
    path = tmp_path / "p.npz"
    policy = cls(n_features=2)
    policy.update([1.0, 0.5], 1.0)
    policy.save(path)
    header, arrays = storage.read(path)
    for name, array in arrays.items():
        others = {key: other for key, other in arrays.items() if key != name}
        for wrong in ({}, {name: array[None]}, {name: np.full(array.shape, np.nan)}):
            files.write_arrays(path, header, {**others, **wrong})
            with pytest.raises(StateFileError, match=f"p.npz does not describe a valid rbmle.{cls.__name__}"):
                load(path)


def test_a_deep_header_is_refused(tmp_path):
    path = tmp_path / "p.npz"
    for depth in (500, 50_000):
        deep = ("[" * depth + "]" * depth).encode()
        LinTS(n_features=2).save(path)
        write_members(path, {"header": b'{"format": 2, "params": {"n_features": ' + deep + b"}}"})
        with pytest.raises(StateFileError, match="p.npz"):
            load(path)


def write_members(path, texts, **options):
    """An archive of byte arrays as NumPy writes them."""
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name, text in texts.items():
            content = io.BytesIO()
            np.save(content, np.frombuffer(text, dtype=np.uint8))
            archive.writestr(f"{name}.npy", content.getvalue())


def test_features_that_no_array_has_are_not_allocated(tmp_path):
    """The policy of the header would take 80 GB; the process has 2."""
    rewrite(tmp_path / "p.npz", params={"n_features": 100_000})
    program = (
        "import resource, sys; import rbmle; from rbmle.errors import StateFileError\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (2**31, 2**31))\n"
        "try: rbmle.load(sys.argv[1])\n"
        "except StateFileError as error: print(error)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "p.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "n_features is 100000, but no array in the file has this size" in done.stdout


def mutated(content, rng):
    """The bytes of a file with something wrong."""
    changed, kind = bytearray(content), rng.integers(4)
    place = int(rng.integers(len(content)))
    if kind == 0:
        changed[place] ^= 1 << int(rng.integers(8))
    elif kind == 1:
        del changed[place:]
    elif kind == 2:
        changed[place : place + 8] = rng.bytes(8)
    else:
        del changed[place : place + int(rng.integers(1, 30))]
    return bytes(changed)


@pytest.mark.parametrize("cls", [LinUCB, GLMRBMLE])
def test_a_thousand_damaged_files_are_refused_or_say_the_same(tmp_path, cls):
    policy, path, rng = cls(n_features=2), tmp_path / "p.npz", np.random.default_rng(8)
    policy.update([1.0, 0.5], 1.0)
    policy.save(path)
    content, refused = path.read_bytes(), 0
    for _ in range(1000):
        path.write_bytes(mutated(content, rng))
        try:
            twin = load(path)
        except StateFileError:
            refused += 1
        else:  # a bit that says nothing, such as a date
            assert twin.params == policy.params
            assert twin.rng.bit_generator.state == policy.rng.bit_generator.state
            assert all(np.array_equal(twin.state()[name], array) for name, array in policy.state().items())
    assert refused > 800


TORN = """
import os, sys, threading, time
from dataclasses import dataclass
import numpy as np, rbmle

@dataclass(kw_only=True, eq=False)
class Shared(rbmle.LinUCB):
    '''A policy that holds its lock while it learns.'''
    title = ""
    def __post_init__(self):
        super().__post_init__()
        if not hasattr(self, "lock"):
            self.lock = threading.RLock()
    def update(self, context, reward):
        with self.lock:
            super().update(context, reward)

os.fsync = lambda handle: None  # how long a disk takes is not what is tested
sys.setswitchinterval(1e-4)  # more changes of thread in less time
d, end, policy = 30, threading.Event(), Shared(n_features=30)
contexts = np.random.default_rng(0).standard_normal((100, d)) / np.sqrt(d)

def learn():
    while not end.is_set():
        for i, x in enumerate(contexts):
            policy.update(x, 1.0)
            if i % 10 == 0:
                time.sleep(1e-4)

learner = threading.Thread(target=learn)
learner.start()
sizes, bad = set(), 0
for _ in range(int(sys.argv[2])):
    policy.save(sys.argv[1])
    twin = rbmle.load(sys.argv[1])
    n = twin.model.n
    counts = np.full(len(contexts), n // len(contexts)) + (np.arange(len(contexts)) < n % len(contexts))
    V = np.eye(d) + (contexts.T * counts) @ contexts
    whole = np.allclose(twin.model.V, V, rtol=1e-9)
    bad += not (whole and np.allclose(twin.model.V @ twin.model.V_inv, np.eye(d), atol=1e-8))
    sizes.add(n)
end.set()
learner.join()
print(len(sizes), bad)
"""


def test_files_saved_while_another_thread_learns_are_of_one_moment(tmp_path):
    """Every file holds exactly the first n observations: V = I + Σ x xᵀ, and its inverse, computed anew."""
    command = [sys.executable, "-c", TORN, str(tmp_path / "p.npz"), "3000"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    different, bad = map(int, done.stdout.split())
    assert bad == 0
    assert different > 1000


def test_a_changed_number_is_noticed(tmp_path):
    path = tmp_path / "p.npz"
    LinUCB(n_features=2).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    arrays["b"] = arrays["b"] + 1.0
    np.savez(path, **arrays)
    with pytest.raises(StateFileError, match="checksum"):
        load(path)


def test_pickled_content_is_never_executed(tmp_path):
    path = tmp_path / "p.npz"
    np.savez(path, header=np.array([print], dtype=object))
    with pytest.raises(StateFileError, match="not a file of rbmle's"):
        load(path)
