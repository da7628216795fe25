"""The test suite of journals: any backend must pass it.

Derive a class and give it a fixture; pytest finds the rest::

    class TestMine(JournalChecks):
        @pytest.fixture
        def journal(self):
            return MyJournal(...)  # a new and empty one

        def again(self, journal):  # the same journal, as another process has it
            return MyJournal(...)
"""

import math
import threading

from rbmle.errors import JournalError
from rbmle.online.journal.base import Event, Journal, MovedError
from rbmle.testing.tools import CheckFailed, expect

ODD = 'Zoë "quoted" \\ \n 東京 🦊'
TINY, LONG = 5e-324, 0.1 + 0.2


def note(time: float = 0.0, **data: object) -> Event:
    """An event about nothing."""
    return Event("note", time, None, None, data)


def once(subject: str, key: str = "decision") -> Event:
    """An event that happens once."""
    return Event(key, 1.0, subject, key, {"of": subject})


class JournalChecks:
    """What every journal must do. Each check takes a new and empty one."""

    def again(self, journal: Journal) -> Journal | None:
        """The same journal, as another process has it; None where there is no such thing."""
        return None

    def test_events_read_back_as_they_were(self, journal: Journal) -> None:
        """Every field, to the last bit, whatever text and numbers it holds."""
        events = [
            Event("decision", LONG, ODD, "decision", {"x": [LONG, -0.0, TINY], "t": ODD, "n": None}, b"\0\xff\n"),
            Event("reward", -1e300, ODD, None, {"value": 1.0}),
            note(3.0),
            Event("body", 0.0, None, None, {}, bytes(range(256)) * 1000),
        ]
        expect(journal.append(events) == [1, 2, 3, 4], "the first events do not have the places 1, 2, 3, 4")
        for source in (journal, self.again(journal) or journal):
            found = source.read(0)
            expect([event.seq for event in found] == [1, 2, 3, 4], "read does not give the places")
            for told, event in zip(events, found, strict=True):
                expect(told == event._replace(seq=0), f"{told!r} reads back as {event!r}")
                expect(repr(dict(told.data)) == repr(dict(event.data)), f"{told.data!r} reads back as {event.data!r}")

    def test_reading_goes_on_where_it_was(self, journal: Journal) -> None:
        """`after` and `limit` cut the same order everywhere."""
        for i in range(7):
            journal.append([note(i)])
        expect([event.time for event in journal.read(2, 3)] == [2.0, 3.0, 4.0], "read(2, 3) is not events 3, 4, 5")
        expect(journal.read(7) == [], "read after the last event is not empty")
        expect(journal.read(99) == [], "read after an event that is not there is not empty")
        expect([event.seq for event in journal.events(4)] == [5, 6, 7], "events(4) is not events 5, 6, 7")
        expect(journal.append([]) == [], "appending nothing does not give nothing")

    def test_what_happens_once_happens_once(self, journal: Journal) -> None:
        """A second event of one subject and key is left out, the others of that call are written."""
        expect(journal.append([once("a"), once("b")]) == [1, 2], "different subjects are not both written")
        mixed = [note(), once("a"), once("c"), once("c"), once("a", "close"), Event("reward", 0.0, "a")]
        expect(journal.append(mixed) == [3, None, 4, None, 5, 6], "what was there before is not left out")
        expect(journal.append([Event("reward", 0.0, "a")] * 2) == [7, 8], "events without a key are left out")
        kinds = [event.kind for event in journal.about("a")]
        expect(kinds == ["decision", "close", "reward", "reward", "reward"], f"about('a') has {kinds}")
        expect(journal.about("nobody") == [], "about an unknown subject is not empty")
        again = self.again(journal)
        if again is not None:
            expect(again.append([once("a"), note()]) == [None, 9], "another worker does not see what happened once")
            expect(journal.append([note()]) == [10], "a worker does not see what another wrote")

    def test_all_or_nothing(self, journal: Journal) -> None:
        """Of a call with an event that cannot be written, nothing is."""
        journal.append([note()])
        for time in (math.nan, math.inf):
            try:
                journal.append([once("a"), note(time), note()])
            except JournalError:
                pass
            else:
                raise CheckFailed(f"an event of time {time} was written")
        for source in (journal, self.again(journal) or journal):
            expect(len(source.read(0)) == 1 and source.about("a") == [], "a part of a refused call was written")
        expect(journal.append([once("a"), note()]) == [2, 3], "after a refused call, places are not the next ones")

    def test_appending_can_be_conditional(self, journal: Journal) -> None:
        """With `last`, nothing is written unless that is the last event."""
        journal.append([note()], last=0)
        for last in (0, 2):
            try:
                journal.append([note()], last=last)
            except MovedError:
                pass
            else:
                raise CheckFailed(f"append(last={last}) wrote though the last event was 1")
        expect(journal.append([note()], last=1) == [2], "append(last=1) after event 1 did not write event 2")

    def test_threads_lose_nothing(self, journal: Journal) -> None:
        """Writers of several threads, and a reader that follows: every event once, in one order."""
        failed: list[BaseException] = []

        def write(worker: int) -> None:
            try:
                mine = self.again(journal) if worker % 2 else journal
                for i in range(20):
                    (mine or journal).append([note(0.0, worker=worker, i=i), once(f"shared {i}")])
                if worker % 2 and mine is not None:
                    mine.close()
            except BaseException as error:
                failed.append(error)
                raise

        threads = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
        for thread in threads:
            thread.start()
        seen: list[Event] = []
        while any(thread.is_alive() for thread in threads):
            seen += journal.read(seen[-1].seq if seen else 0, 7)
        for thread in threads:
            thread.join()
        seen += journal.events(seen[-1].seq if seen else 0)
        expect(not failed, f"a writer failed: {failed}")
        expect(seen == list(journal.events()), "a reader that followed missed events")
        expect([event.seq for event in seen] == list(range(1, len(seen) + 1)), "places are not 1, 2, 3, …")
        for worker in range(4):
            mine = [event.data["i"] for event in seen if event.data.get("worker") == worker]
            expect(mine == list(range(20)), f"the events of worker {worker} are {mine}")
        expect(sum(event.kind == "decision" for event in seen) == 20, "what happens once was not written once")

    def test_snapshots_are_kept(self, journal: Journal) -> None:
        """The last two, newest first; a base stays and takes the older ones away."""
        journal.append([note(i) for i in range(9)])
        expect(list(journal.snapshots()) == [] and journal.base == 0, "a new journal has snapshots")
        for seq in (2, 4, 6):
            journal.save_snapshot(seq, b"%d" % seq * 1000)
        journal.save_snapshot(6, b"6 again")
        for source in (journal, self.again(journal) or journal):
            found = list(source.snapshots())
            expect(found[0] == (6, b"6 again") and [seq for seq, _ in found] == [6, 4], f"snapshots are {found}")
        journal.save_snapshot(7, b"base", base=True)
        expect(list(journal.snapshots()) == [(7, b"base")] and journal.base == 7, "a base does not stand alone")
        for seq in (8, 9):
            journal.save_snapshot(seq, b"%d" % seq)
        expect([seq for seq, _ in journal.snapshots()] == [9, 8, 7], "a base does not stay")
        journal.save_snapshot(7, b"not a base")
        journal.save_snapshot(3, b"by a worker that is behind")
        journal.save_snapshot(5, b"its base", base=True)
        found = list(journal.snapshots())
        expect([seq for seq, _ in found] == [9, 8, 7], f"after older snapshots, there are {[seq for seq, _ in found]}")
        expect(found[-1] == (7, b"base") and journal.base == 7, "a base was replaced by something older")
        journal.save_snapshot(8, b"base", base=True)
        expect(list(journal.snapshots()) == [(8, b"base")] and journal.base == 8, "a later base does not stand alone")

    def test_only_what_is_sealed_can_be_removed(self, journal: Journal) -> None:
        """`remove` takes events up to the base, and their places are not given out again."""
        journal.append([note(), once("a"), Event("reward", 0.0, "a"), note()])
        try:
            journal.remove([2])
        except JournalError:
            pass
        else:
            raise CheckFailed("an event that no base speaks for was removed")
        journal.save_snapshot(4, b"base", base=True)
        journal.remove([2, 3, 4])
        expect([event.seq for event in journal.events()] == [1], "removed events are still there")
        expect(journal.about("a") == [], "removed events are still found by their subject")
        expect(journal.append([once("a")]) == [5], "the place of a removed event was given out again")

    def test_a_closed_journal_says_so(self, journal: Journal) -> None:
        """Closing twice is harmless; where there is another worker, it goes on."""
        again = self.again(journal)
        if again is None:
            return
        again.append([note()])
        again.close()
        again.close()
        for use in (lambda: again.append([note()]), lambda: again.read(0), lambda: again.about("a")):
            try:
                use()
            except JournalError:
                pass
            else:
                raise CheckFailed("a closed journal was used")
        expect(journal.append([note()]) == [2], "a worker cannot write after another has closed")
