"""What must not be carried into a forked process: locks that another thread holds, connections that two would use.

SQLite forbids to use, or even to close, a connection in a process that was forked from the one which opened it; of a
server's connection both processes would read each other's answers; and a lock that some thread held at that moment
would stay locked for ever, for threads are not forked. So everything here waits for its turn before a fork, and lets go
of what cannot be shared.
"""

import os
import threading
from typing import Protocol
from weakref import WeakSet


class Forked(Protocol):
    """What is told of forks: its locks are held while the process is forked."""

    def before_fork(self) -> None:
        """Take all locks; let go of what neither process may keep."""

    def after_fork(self, *, child: bool) -> None:
        """Give the locks back; in the child, forget what belongs to the parent."""


_agents: "WeakSet[Forked]" = WeakSet()
_journals: "WeakSet[Forked]" = WeakSet()
_held: list[Forked] = []
_lock = threading.Lock()


def tell_agent(agent: Forked) -> None:
    """Tell an agent of forks, before all journals: whoever has an agent's turn may need its journal's."""
    with _lock:
        _agents.add(agent)


def tell_journal(journal: Forked) -> None:
    """Tell a journal of forks."""
    with _lock:
        _journals.add(journal)


def _before() -> None:
    _lock.acquire()
    for each in [*_agents, *_journals]:
        each.before_fork()
        _held.append(each)


def _after(child: bool) -> None:
    while _held:
        _held.pop().after_fork(child=child)
    _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before, after_in_parent=lambda: _after(child=False), after_in_child=lambda: _after(child=True)
    )
