"""Events as rows of a table, each with a checksum of all that it says."""

import json
import math
import zlib
from typing import Any

from rbmle.errors import JournalError, describe
from rbmle.online.journal.base import Event

Row = tuple[int, str, float, str | None, str | None, str, bytes, int]
COLUMNS = ("seq", "kind", "time", "subject", "key", "data", "body", "crc")

_encoder = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_make = getattr(json.encoder, "c_make_encoder", None)
_text = json.encoder.encode_basestring_ascii
_chunks = _make and _make(None, _encoder.default, _text, None, ":", ",", False, False, False)


def _encode(data: Any) -> str:
    """JSON, by an encoder made once; `json` makes one for every call, which takes longer than its work."""
    return "".join(_chunks(data, 0)) if _chunks else _encoder.encode(data)


def to_row(event: Event, seq: int) -> Row:
    """An event as the row of its place."""
    kind, time, subject, key, data, body, _ = event
    time = require_time(event)
    try:
        text = _encode(data) if data else "{}"
    except (ValueError, TypeError, RecursionError) as reason:
        raise JournalError(f"An event's data must be plain: text, finite numbers, lists, dicts. {reason}.") from reason
    return seq, kind, time, subject, key, text, body, checksum(seq, kind, time, subject, key, text, body)


def require_time(event: Event) -> float:
    """The time of an event; raises JournalError where it is none."""
    time = float(event.time)
    if not math.isfinite(time):
        raise JournalError(f"The time of an event must be finite. Got {time}.")
    return time


def checksum(seq: int, kind: str, time: float, subject: str | None, key: str | None, text: str, body: bytes) -> int:
    """A number that tells whether a row was changed."""
    return zlib.crc32(body, zlib.crc32(f"{seq}\0{kind}\0{time!r}\0{subject}\0{key}\0{text}".encode()))


def from_row(row: Any, source: str) -> Event:
    """The event of a row; raises JournalError where it was changed."""
    try:
        seq, kind, time, subject, key, text, body, crc = row
        body = bytes(body)
        good = crc == checksum(seq, kind, time, subject, key, text, body)
        data = json.loads(text) if good else None
    except (ValueError, TypeError, AttributeError, RecursionError) as reason:
        raise JournalError(f"{source} is damaged: event {describe(row[0])} cannot be read: {reason!r}.") from reason
    if not good or not isinstance(data, dict) or not math.isfinite(time):
        raise JournalError(f"{source} is damaged: the checksum of event {describe(row[0])} does not match.")
    return Event(kind, time, subject, key, data, body, seq)
