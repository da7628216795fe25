"""Checks of files: what was saved is what is loaded, or an error."""

import tempfile
from pathlib import Path

import numpy as np

from rbmle.errors import StateFileError
from rbmle.policies import load
from rbmle.policies.base import Policy
from rbmle.random import state_of
from rbmle.testing.rounds import learnt
from rbmle.testing.tools import expect, same_state


def files_go_on_bit_for_bit(policy: Policy) -> None:
    """A saved and loaded policy makes the same choices and ends in the same state, to the last bit."""
    learnt(policy)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.npz"
        policy.save(path)
        twin = load(path)
        expect([p.name for p in Path(folder).iterdir()] == [path.name], "saving left something else behind")
        whole = path.read_bytes()
        for position in np.linspace(0, len(whole) - 1, 40).astype(int):
            path.write_bytes(whole[:position] + bytes([whole[position] ^ 0xFF]) + whole[position + 1 :])
            expect(refused_or_same(path, policy), f"a file with byte {position} damaged was loaded as something else")
        path.write_bytes(whole[: len(whole) // 2])
        expect(refused_or_same(path, policy), "half a file was loaded")
    expect(twin.params == policy.params and same_state(twin.state(), policy.state()), "the file lost something")
    learnt(policy, seed=8)
    learnt(twin, seed=8)
    expect(same_state(twin.state(), policy.state()), "the loaded policy went another way")


def refused_or_same(path: Path, policy: Policy) -> bool:
    """Whether a damaged file is refused, or the damage is in a byte that carries nothing."""
    try:
        twin = load(path)
    except StateFileError:
        return True
    same = type(twin) is type(policy) and twin.params == policy.params and same_state(twin.state(), policy.state())
    return same and state_of(twin.rng) == state_of(policy.rng)
