"""Files of policies: whole or not at all, never executed, refused when damaged or newer."""

import json

import numpy as np
import pytest

from rbmle import LinRBMLE, LinTS, LinUCB, load
from rbmle.errors import StateFileError
from rbmle.policies import storage
from rbmle.schedules import Power


def rewrite(path, **changes):
    """Write a file with a changed header and a matching checksum."""
    LinTS(n_features=2).save(path)
    header, arrays = storage.read(path)
    header.update(changes)
    text = json.dumps({**header, "checksum": storage.checksum(header, arrays)})
    storage.write_whole(path, {"header": np.frombuffer(text.encode(), dtype=np.uint8), **arrays})


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


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "p.npz"
    LinUCB(n_features=2, alpha=0.5).save(path)

    def broken(*arguments, **keywords):
        raise OSError("disk full")

    monkeypatch.setattr(storage.np, "savez", broken)
    with pytest.raises(OSError, match="disk full"):
        LinUCB(n_features=2, alpha=2.0).save(path)
    assert load(path).alpha == 0.5
    assert [file.name for file in tmp_path.iterdir()] == ["p.npz"]


def test_refusals(tmp_path):
    path = tmp_path / "p.npz"
    with pytest.raises(FileNotFoundError):
        load(path)
    path.write_bytes(b"not a policy")
    with pytest.raises(StateFileError, match="not a saved policy"):
        load(path)
    rewrite(path, format=2)
    with pytest.raises(StateFileError, match="has format 2; this version of rbmle reads format 1"):
        load(path)
    rewrite(path, policy="Unheard")
    with pytest.raises(StateFileError, match="'Unheard' that is not known here; known: .*LinTS"):
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
    with pytest.raises(StateFileError, match="not a saved policy"):
        load(path)
