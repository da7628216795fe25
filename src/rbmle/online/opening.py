"""How an agent begins, or finds what it was."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from typing import Any

from rbmle import plain
from rbmle.errors import InvalidInputError, InvalidParameterError, describe
from rbmle.features import Features
from rbmle.online.fold import FORMAT, packed, unpacked
from rbmle.online.journal.base import Event, Journal
from rbmle.online.journal.memory import MemoryJournal
from rbmle.online.journal.postgres import PostgresJournal
from rbmle.online.journal.sqlite import SQLiteJournal
from rbmle.online.rules import Rules
from rbmle.policies.base import Policy

POSTGRES = ("postgresql://", "postgres://")


def journal_of(given: Any, *, create: bool) -> Journal:
    """The journal that somebody means by a path, a URL, a journal, or None."""
    if isinstance(given, Journal):
        return given
    if given is None:
        return MemoryJournal()
    if isinstance(given, str) and given.startswith(POSTGRES):
        return PostgresJournal(given, create=create)
    if isinstance(given, str | PathLike):
        return SQLiteJournal(fspath(given), create=create)
    raise InvalidParameterError(f"The 'journal' parameter of Agent must be a path or a Journal. Got {describe(given)}.")


@contextmanager
def opened(journal: Journal, *, ours: bool) -> Iterator[None]:
    """Let go of a journal that was opened for an agent which then could not begin."""
    try:
        yield
    except BaseException:
        if ours:
            journal.close()
        raise


def beginning(policy: Any, features: Any, rules: Rules, clock: Callable[[], float] = time.time) -> Event:
    """The first event of a journal."""
    if not isinstance(policy, Policy):
        raise InvalidParameterError(
            f"The 'policy' parameter of Agent must be a Policy, of rbmle or your own. Got {describe(policy)}."
            + (" Agent.open takes it from a journal that is there." if policy is None else "")
        )
    if features is not None and not isinstance(features, Features):
        raise InvalidParameterError(f"The 'features' parameter of Agent must be Features. Got {describe(features)}.")
    if features is not None and features.n_features != policy.n_features:
        raise InvalidParameterError(
            f"The policy must have n_features={features.n_features}, as the features have. Got {policy.n_features}."
        )
    data = {"format": FORMAT, "rules": rules.to_plain(), "features": plain.to_plain(features, "features")}
    return Event("begin", float(clock()), "agent", "begin", data, packed(policy), 1)


def require_same(journal: Journal, wanted: Event, *, check_seed: bool) -> None:
    """Raise where a journal began with other rules, features or another policy than are wanted now."""
    there = journal.read(0, 1)[0]
    if there.kind != "begin" or (there.body == wanted.body and there.data == wanted.data):
        return
    was, now = there.data["rules"], wanted.data["rules"]
    differ = [name for name in now if now[name] != was.get(name) and (name != "seed" or check_seed)]
    if there.data["features"] != wanted.data["features"]:
        differ.append("features")
    old, new = unpacked(there.body, repr(journal)), unpacked(wanted.body, "the policy")
    mine, theirs = ({**policy.params, "seed": None} for policy in (new, old))
    if type(old) is not type(new) or mine != theirs:
        differ.append("policy")
    if differ:
        told = ", ".join(f"{name}={was[name]!r} there, {now[name]!r} here" for name in differ if name in now)
        raise InvalidInputError(
            f"{journal!r} is of an agent with another {', '.join(differ)}{': ' if told else ''}{told}. Agent.open takes"
            " all from the journal; agent.retrain changes the policy."
        )
