"""From columns as they were found to rows that can be believed: what a value must be, and what it is."""

from dataclasses import replace

import numpy as np

from rbmle import kernels
from rbmle.inputs import LARGEST_CONTEXT, LARGEST_REWARD
from rbmle.logs.batch import Batch, offsets_of
from rbmle.logs.columns import PER_ARM
from rbmle.logs.raw import Faults, Lists, Raw, Reading, Scalars
from rbmle.types import BoolArray, FloatArray, IntArray

# How far chances that were written with seven digits may add up to something else than 1.
SLACK = 1e-4
LARGEST_WHOLE = 2.0**53


def checked(raw: Raw, reading: Reading, first: int) -> Batch:
    """The good rows of a batch; an error that names the first bad one, unless they are to be dropped.

    first: the number of the batch's first row in the whole log.
    """
    n, faults = raw.n, raw.faults
    sizes = sizes_of(raw, reading)
    offsets = offsets_of(sizes)
    owner = np.repeat(np.arange(n), sizes)
    per_arm = {name: aligned(raw, name, sizes) for name in PER_ARM if name in raw.columns and name != "arms"}
    contexts, context = per_arm.get("contexts"), lists(raw, "context")
    if contexts is not None:
        check_vectors(faults, "contexts", contexts, owner, reading.n_features)
    shared = None if context is None else shared_context(faults, context, reading.n_features)
    eligible = per_arm.get("eligible")
    if eligible is not None:
        check_numbers(faults, eligible, owner, offsets, reading.n_arms)
    arm = arms_of(raw, sizes)
    probabilities = per_arm.get("probabilities")
    probability = chances_of(raw, probabilities, owner, offsets, arm)
    settled = flags_of(raw, "settled")
    reward = rewards_of(raw, settled)
    time = times_of(raw)
    faults.settle()
    batch = Batch(
        rows=np.arange(first, first + n),
        keys=own_keys(first, n) if raw.keys is None else raw.keys,
        offsets=offsets,
        arm=arm,
        reward=reward,
        settled=settled,
        time=time,
        probability=probability,
        probabilities=probabilities,
        contexts=contexts,
        context=shared,
        eligible=None if eligible is None else eligible.astype(np.int64),
        labels=raw.labels,
    )
    return dropped(batch, faults)


def dropped(batch: Batch, faults: Faults) -> Batch:
    """The rows without those that are bad, counted by column."""
    kept = batch.take(~faults.bad)
    # A line that is no row at all has no column to be named.
    names = {column: faults.reading.called(column) if column else "not a row" for column in faults.counts}
    counts = {f"dropped: {names[column]}": count for column, count in faults.counts.items()}
    return replace(kept, skipped=counts) if counts else kept


def own_keys(first: int, n: int) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    """Keys of rows that have no id: those of their numbers."""
    keys = np.empty(n, dtype=np.uint64)
    kernels.logs.keys.of_numbers(np.arange(first, first + n), keys)
    return keys


def scalars(raw: Raw, name: str) -> Scalars | None:
    """A column of one number a row, if it is there."""
    found = raw.columns.get(name)
    return found if isinstance(found, Scalars) else None


def lists(raw: Raw, name: str) -> Lists | None:
    """A column of a list a row, if it is there."""
    found = raw.columns.get(name)
    return found if isinstance(found, Lists) else None


def sizes_of(raw: Raw, reading: Reading) -> IntArray:
    """How many arms each row has; 0 where columns do not agree."""
    n, faults, sizes, said = raw.n, raw.faults, None, ""
    for name in PER_ARM:
        column = lists(raw, name)
        if column is None:
            continue
        own = np.diff(column.offsets)
        faults.note(column.null, name, lambda i: "must be a list with a value per arm. Got null.")
        faults.note(own == 0, name, lambda i: "must have a value for at least one arm. Got an empty list.")
        if sizes is None:
            sizes, said = own, name
        else:
            told = sizes

            def differs(i: int, own: IntArray = own, told: IntArray = told, said: str = reading.called(said)) -> str:
                return f"must have {told[i]} values, one per arm, as {said!r} has. Got {own[i]}."

            faults.note(own != told, name, differs)
    K = reading.n_arms
    if sizes is None:
        return np.full(n, 0 if K is None else K, dtype=np.int64)
    if K is not None and "eligible" not in raw.columns:
        told = sizes
        faults.note(told != K, said, lambda i: f"must have a value for each of {K} arms, as all rows. Got {told[i]}.")
    return np.where(faults.bad, 0, sizes).astype(np.int64)


def aligned(raw: Raw, name: str, sizes: IntArray) -> FloatArray:
    """The values of a per-arm column, without those of rows that have no arms left."""
    column = lists(raw, name)
    if column is None:
        return np.empty(0)
    own = np.diff(column.offsets)
    values = column.values[column.offsets[0] : column.offsets[-1]]
    if np.array_equal(own, sizes):
        return values
    return values[np.repeat(sizes > 0, own)]


def check_vectors(
    faults: Faults, name: str, values: FloatArray, owner: IntArray, d: int | None, per_row: bool = False
) -> None:
    """Contexts (N, d), finite and small enough to be squared."""
    if d is not None and values.shape[1] != d and len(values):
        # Within a batch all have one length; the reader has seen to that.
        faults.note(
            np.ones(faults.n, dtype=np.bool_), name,
            lambda i: f"must be of {d} numbers, as in the first row of the log. Got {values.shape[1]}.",
        )  # fmt: skip
        return
    if kernels.border.all_within(np.ascontiguousarray(values), LARGEST_CONTEXT):
        return
    outside: BoolArray = np.logical_not(np.abs(values) <= LARGEST_CONTEXT)
    bad = marked(np.any(outside, axis=1), owner, faults.n)
    starts = np.searchsorted(owner, np.arange(faults.n))

    def say(i: int) -> str:
        arm, place = np.argwhere(outside & (owner == i)[:, None])[0]
        where = f"[{place}]" if per_row else f"[{arm - starts[i]}][{place}]"
        return f"must be finite and within ±1e70. Got {values[arm, place]} at {where}."

    faults.note(bad, name, say)


def marked(bad: BoolArray, owner: IntArray, n: int) -> BoolArray:
    """(n,) rows that own something bad."""
    return np.bincount(owner[bad], minlength=n).astype(np.bool_)


def shared_context(faults: Faults, column: Lists, d: int | None) -> FloatArray:
    """One context a row, (n, d)."""
    sizes = np.diff(column.offsets)
    d = int(sizes[0]) if d is None and len(sizes) else int(d or 0)
    faults.note(column.null, "context", lambda i: "must be a list of numbers. Got null.")
    faults.note(
        sizes != d, "context",
        lambda i: f"must be of {d} numbers, as in the first row of the log. Got {sizes[i]}.",
    )  # fmt: skip
    values = np.zeros((faults.n, d))
    good = sizes == d
    values[good] = column.values[np.repeat(good, sizes)].reshape(-1, d)
    check_vectors(faults, "context", values, np.arange(faults.n), None, per_row=True)
    return values


def check_numbers(faults: Faults, values: FloatArray, owner: IntArray, offsets: IntArray, n_arms: int | None) -> None:
    """Numbers of eligible arms: whole, in range, none twice in a row."""
    most = LARGEST_WHOLE if n_arms is None else n_arms
    strange: BoolArray = np.logical_not((values == np.floor(values)) & (values >= 0) & (values < most))
    upper = "on" if n_arms is None else f"to {n_arms - 1}"

    def say(i: int) -> str:
        return f"must be numbers of arms, 0 {upper}. Got {values[strange & (owner == i)][0]:g}."

    faults.note(marked(strange, owner, faults.n), "eligible", say)
    order = np.lexsort((values, owner))
    twice = np.zeros(len(values), dtype=np.bool_)
    twice[order[1:]] = (values[order][1:] == values[order][:-1]) & (owner[order][1:] == owner[order][:-1])

    def doubled(i: int) -> str:
        return f"must name every arm once. Got {values[twice & (owner == i)][0]:g} twice."

    faults.note(marked(twice, owner, faults.n), "eligible", doubled)


def arms_of(raw: Raw, sizes: IntArray) -> IntArray:
    """(n,) positions of the arms served; 0 in bad rows."""
    column, faults = scalars(raw, "arm"), raw.faults
    if column is None:
        return np.zeros(raw.n, dtype=np.int64)
    values = column.values
    faults.note(column.null, "arm", lambda i: "must be the position of an eligible arm. Got null.")
    good = (values == np.floor(values)) & (values >= 0) & (values < sizes)

    def say(i: int) -> str:
        return f"must be the position of one of {sizes[i]} eligible arms, 0 to {sizes[i] - 1}. Got {values[i]:g}."

    faults.note(~good, "arm", say)
    return np.where(good & ~column.null, values, 0).astype(np.int64)


def chances_of(
    raw: Raw, probabilities: FloatArray | None, owner: IntArray, offsets: IntArray, arm: IntArray
) -> FloatArray | None:
    """(n,) the chance of the arm served, from `probability` or from those of all arms; None where there are neither."""
    faults, column, served = raw.faults, scalars(raw, "probability"), None
    if probabilities is not None:
        strange: BoolArray = np.logical_not((probabilities >= 0.0) & (probabilities <= 1.0 + SLACK))

        def say(i: int) -> str:
            return f"must be chances in [0, 1]. Got {probabilities[strange & (owner == i)][0]:g}."

        faults.note(marked(strange, owner, raw.n), "probabilities", say)
        total = np.bincount(owner, weights=np.where(strange, 0.0, probabilities), minlength=raw.n)
        faults.note(
            np.abs(total - 1.0) > SLACK, "probabilities", lambda i: f"must add up to 1. They add up to {total[i]:.6g}."
        )
        place = np.minimum(offsets[:-1] + arm, max(len(probabilities) - 1, 0))
        served = probabilities[place] if len(probabilities) else np.ones(raw.n)
        name = "probabilities" if column is None else "probability"
        faults.note(
            ~(served > 0.0), name, lambda i: f"must be in (0, 1] for the arm that was served. Got {served[i]:g}."
        )
    if column is None:
        return None if served is None else np.minimum(served, 1.0)
    values = column.values
    faults.note(column.null, "probability", lambda i: "must be in (0, 1]. Got null.")
    faults.note(~((values > 0.0) & (values <= 1.0)), "probability", lambda i: f"must be in (0, 1]. Got {values[i]:g}.")
    if served is not None:
        chance = served

        def differs(i: int) -> str:
            return f"must be that of the arm served in 'probabilities', {chance[i]:g}. Got {values[i]:g}."

        faults.note(np.abs(values - served) > SLACK, "probability", differs)
    return np.array(values)  # compiled code takes read-only memory for another type


def flags_of(raw: Raw, name: str) -> BoolArray | None:
    """(n,) true or false, or None where there is no such column."""
    column = scalars(raw, name)
    if column is None:
        return None
    raw.faults.note(
        column.null | ~np.isin(column.values, (0.0, 1.0)), name,
        lambda i: f"must be true or false. Got {'null' if column.null[i] else column.values[i]}.",
    )  # fmt: skip
    flags: BoolArray = column.values == 1.0
    return flags


def rewards_of(raw: Raw, settled: BoolArray | None) -> FloatArray:
    """(n,) rewards, NaN where there is none or it is not final."""
    column, faults = scalars(raw, "reward"), raw.faults
    if column is None:
        return np.full(raw.n, np.nan)
    values, null = column
    if settled is None:
        faults.note(
            null, "reward", lambda i: "must be a number; null is for logs with a column 'settled'. Got null."
        )  # fmt: skip
    strange = ~null & ~(np.abs(values) <= LARGEST_REWARD)
    faults.note(strange, "reward", lambda i: f"must be finite and within ±1e140. Got {values[i]}.")
    return np.where(null if settled is None else null | ~settled, np.nan, values)


def times_of(raw: Raw) -> FloatArray | None:
    """(n,) seconds, or None where there is no such column."""
    column = scalars(raw, "time")
    if column is None:
        return None
    raw.faults.note(column.null, "time", lambda i: "must be a number of seconds, or a date and time. Got null.")
    raw.faults.note(~np.isfinite(column.values), "time", lambda i: f"must be finite. Got {column.values[i]:g}.")
    return column.values
