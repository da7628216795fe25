"""Rewards of one decision: which count, and what they come to."""

from enum import StrEnum
from typing import NamedTuple

from rbmle.errors import InvalidInputError


class Status(StrEnum):
    """What became of a reward or of an activation.

    accepted   it counts
    duplicate  it was told before, and counts once
    conflict   something else was told before, and that counts
    unknown    there is no such decision
    late       the decision is closed
    """

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    UNKNOWN = "unknown"
    LATE = "late"


ACCEPTED = Status.ACCEPTED


class Reward(NamedTuple):
    """A reward that counts, and the id it came with."""

    value: float
    id: str | None


def judge(known: list[Reward], value: float, id: str | None, aggregate: str) -> Status:
    """What is to become of a new reward of an open decision, given those that count."""
    if not known and (id is not None or aggregate != "sum"):
        return ACCEPTED
    if aggregate == "first":
        return Status.DUPLICATE if known[0].value == value else Status.CONFLICT
    if id is None:
        if aggregate == "sum":
            raise InvalidInputError(
                "reward_id must be given where rewards are added up (aggregate='sum'), or nobody could tell a second "
                "reward from one that is told twice. Got none."
            )
        same = known[-1:] if aggregate == "last" else known
        return Status.DUPLICATE if any(each.value == value for each in same) else Status.ACCEPTED
    for each in known:
        if each.id == id:
            return Status.DUPLICATE if each.value == value else Status.CONFLICT
    return Status.ACCEPTED


def total(known: list[Reward], aggregate: str) -> float | None:
    """What the rewards of a decision come to; None where there are none."""
    if not known:
        return None
    if aggregate == "first":
        return known[0].value
    if aggregate == "last":
        return known[-1].value
    values = [each.value for each in known]
    return max(values) if aggregate == "max" else sum(values)
