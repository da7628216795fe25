"""Reading ahead changes neither what comes nor what goes wrong, and leaves no thread behind."""

import threading

import pytest

from rbmle.logs.ahead import ahead


def threads():
    return [each for each in threading.enumerate() if each.name.startswith("rbmle-reads-ahead")]


def test_items_come_in_their_order():
    assert list(ahead(iter(range(100)))) == list(range(100))
    assert list(ahead([])) == [] and not threads()


def test_an_error_comes_where_its_item_would_have():
    def source():
        yield 1
        yield 2
        raise OSError("cut off")

    seen = []
    with pytest.raises(OSError, match="cut off"):
        seen.extend(ahead(source()))  # extend keeps what came before
    assert seen == [1, 2] and not threads()


def test_it_is_at_most_so_far_ahead_and_stops_with_the_reader():
    taken = []

    def source():
        for item in range(1000):
            taken.append(item)
            yield item

    items = ahead(source(), depth=2)
    assert next(items) == 0
    items.close()
    assert len(taken) <= 3 and not threads()
