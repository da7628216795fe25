"""The state of an agent as bytes and back: they only shorten a restart."""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np

from rbmle import files, plain
from rbmle.errors import JournalError, RbmleError, StateFileError
from rbmle.online.arms import Arms
from rbmle.online.counts import Counts
from rbmle.online.fold import NONSENSE, Open, State, packed, unpacked
from rbmle.online.journal.base import Event, Journal
from rbmle.online.rewards import Reward
from rbmle.online.rules import Rules

FORMAT = 1
log = logging.getLogger("rbmle.online")


def to_bytes(state: State) -> bytes:
    """All of a state, with a checksum."""
    records = list(state.open.values())
    header: dict[str, Any] = {
        "snapshot": FORMAT,
        "position": state.position,
        "closings": state.closings,
        "rules": state.rules.to_plain(),
        "features": plain.to_plain(state.features),
        "apprentice": state.apprentice,
        "arms": state.arms.to_plain(),
        "counts": state.counts.to_plain(),
        "open": [[each.id, each.shown, [list(reward) for reward in each.rewards]] for each in records],
    }
    arrays = {
        "policy": np.frombuffer(packed(state.policy), dtype=np.uint8),
        "previous": np.frombuffer(packed(state.previous) if state.previous else b"", dtype=np.uint8),
        "x": np.array([each.x for each in records]).reshape(len(records), state.policy.n_features),
        "times": np.array([[each.time, each.deadline] for each in records]).reshape(len(records), 2),
    }
    return files.arrays_to_bytes(header, arrays)


def from_bytes(content: bytes, source: str = "the snapshot") -> State:
    """What `to_bytes` was given; raises StateFileError where it is damaged."""
    header, arrays = files.arrays_from_bytes(content, source)
    if header.get("snapshot") != FORMAT:
        raise StateFileError(f"{source} has format {header.get('snapshot')}; this version of rbmle reads {FORMAT}.")
    try:
        policy = unpacked(arrays["policy"].tobytes(), source)
        state = State(Rules.from_plain(header["rules"]), policy, plain.from_plain(header["features"]))
        state.position, state.closings = int(header["position"]), int(header["closings"])
        state.apprentice = bool(header["apprentice"])
        before = arrays["previous"].tobytes()
        state.previous = unpacked(before, source) if before else None
        state.arms, state.counts = Arms.from_plain(header["arms"]), Counts.from_plain(header["counts"])
        times, x = arrays["times"].tolist(), arrays["x"]
        for i, (name, shown, rewards) in enumerate(header["open"]):
            known = [Reward(float(value), told) for value, told in rewards]
            state.open[name] = Open(name, times[i][0], times[i][1], x[i].copy(), bool(shown), known)
        state.due = sorted((record.deadline, name) for name, record in state.open.items())
    except (*NONSENSE, RbmleError) as reason:
        raise StateFileError(f"{source} is not the state of an agent: {reason!r}") from reason
    return state


def restored(journal: Journal, begin: Callable[[], Event] | None) -> State:
    """The state of the newest good snapshot, or of the first event; which is written where there is none."""
    for seq, content in journal.snapshots():
        try:
            state = from_bytes(content, f"the snapshot at event {seq}")
        except StateFileError as reason:
            log.warning("A snapshot is left out: %s", reason)
            continue
        if state.position == seq:
            return state
    if journal.base:
        raise JournalError(f"{journal!r} cannot be read: the base at event {journal.base} is damaged.")
    first = journal.read(0, 1)
    if not first and begin is not None:
        journal.append([begin()])  # of two that begin at the same time, one does
        first = journal.read(0, 1)
    if not first:
        raise JournalError(f"{journal!r} is empty: there is no agent in it.")
    return State.begin(first[0], repr(journal))
