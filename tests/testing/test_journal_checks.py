"""The test suite of journals finds journals with faults: each here has one, and fails a check that names it."""

import pytest

from rbmle.online import MemoryJournal, SQLiteJournal
from rbmle.testing import CheckFailed, JournalChecks


class Rounds(MemoryJournal):
    """Times are kept to a second."""

    def append(self, events, last=None):
        return super().append([event._replace(time=float(round(event.time))) for event in events], last)


class Repeats(MemoryJournal):
    """What happens once can happen again."""

    def append(self, events, last=None):
        return super().append([event._replace(key=None) for event in events], last)


class Overwrites(MemoryJournal):
    """Writes though somebody else has written meanwhile."""

    def append(self, events, last=None):
        return super().append(events)


class OneByOne(MemoryJournal):
    """Writes the first events of a call that it then refuses."""

    def append(self, events, last=None):
        return [place for event in events for place in super(OneByOne, self).append([event], last)]


class Loses(MemoryJournal):
    """Says once that it wrote what it did not."""

    lost = False

    def append(self, events, last=None):
        if self._last >= 30 and not self.lost:
            self.lost = True
            return [self._last + 1 + i for i in range(len(events))]
        return super().append(events, last)


class Includes(MemoryJournal):
    """Reads from a place, not after it."""

    def read(self, after, limit=5000):
        return super().read(max(after - 1, 0), limit)


class Keeps(MemoryJournal):
    """Removes what no base speaks for."""

    def _require_sealed(self, seqs):
        return


class Reuses(MemoryJournal):
    """Gives the places of removed events out again."""

    def remove(self, seqs):
        super().remove(seqs)
        self._last = self._rows[-1][0]


class Forgets(MemoryJournal):
    """A base goes when newer snapshots come."""

    def save_snapshot(self, seq, content, *, base=False):
        super().save_snapshot(seq, content, base=base)
        for old in sorted(self._snapshots)[:-2]:
            del self._snapshots[old]


class Believes(MemoryJournal):
    """Takes an older snapshot in the place of a base."""

    def save_snapshot(self, seq, content, *, base=False):
        with self._lock:
            if base:
                self._snapshots, self._base = {}, seq
            self._snapshots[seq] = content
            for old in sorted(self._snapshots)[:-2]:
                if old != self._base:
                    del self._snapshots[old]


class NeverCloses(SQLiteJournal):
    """Works on after it was closed."""

    def close(self):
        return


class ChecksOfFiles(JournalChecks):
    """The checks with a second worker on the same file."""

    def __init__(self, kind):
        self.kind = kind

    def again(self, journal):
        return self.kind(journal.path)


CHECKS = [name for name in dir(JournalChecks) if name.startswith("test_")]


def failed(kind):
    """The checks that a kind of journal fails."""
    found = set()
    for name in CHECKS:
        try:
            getattr(JournalChecks(), name)(kind())
        except CheckFailed:
            found.add(name)
    return found


def test_a_good_journal_passes():
    assert len(CHECKS) >= 9 and not failed(MemoryJournal)


FAULTS = [
    (Rounds, "test_events_read_back_as_they_were"),
    (Repeats, "test_what_happens_once_happens_once"),
    (Overwrites, "test_appending_can_be_conditional"),
    (OneByOne, "test_all_or_nothing"),
    (Loses, "test_threads_lose_nothing"),
    (Includes, "test_reading_goes_on_where_it_was"),
    (Keeps, "test_only_what_is_sealed_can_be_removed"),
    (Reuses, "test_only_what_is_sealed_can_be_removed"),
    (Forgets, "test_snapshots_are_kept"),
    (Believes, "test_snapshots_are_kept"),
]


@pytest.mark.parametrize(("kind", "check"), FAULTS)
def test_a_fault_is_found(kind, check):
    with pytest.raises(CheckFailed):
        getattr(JournalChecks(), check)(kind())


def test_a_journal_that_never_closes_is_found(tmp_path):
    for kind in (SQLiteJournal, NeverCloses):
        journal, checks = kind(tmp_path / f"{kind.__name__}.db"), ChecksOfFiles(kind)
        if kind is SQLiteJournal:
            checks.test_a_closed_journal_says_so(journal)
            journal.close()
        else:
            with pytest.raises(CheckFailed, match="a closed journal was used"):
                checks.test_a_closed_journal_says_so(journal)
            SQLiteJournal.close(journal)


def test_every_check_has_a_fault_that_shows_it_can_fail():
    assert {check for _, check in FAULTS} | {"test_a_closed_journal_says_so"} == set(CHECKS)
