"""What the study of real data says, in plain words computed from its numbers."""

from collections.abc import Sequence

from rbmle.display.grid import duration
from rbmle.studies.real.entrants import OURS, REFERENCE
from rbmle.studies.real.found import FORMS, Found
from rbmle.studies.real.ranks import Ranking, ranking, signed_ranks


def shared(found: Sequence[Found]) -> list[str]:
    """Methods that are ranked and played every set."""
    return [name for name in found[0].ranked if all(name in each.methods for each in found)]


def rewards(found: Sequence[Found], form: str) -> dict[str, list[float]]:
    """By method, the mean reward on each set."""
    return {name: [each.mean(name, form) for each in found] for name in shared(found)}


def ranked(found: Sequence[Found], form: str) -> Ranking:
    """Mean ranks over the sets."""
    return ranking(rewards(found, form))


def ours_of(found: Sequence[Found]) -> list[str]:
    """Methods of this library."""
    return [name for name, each in found[0].methods.items() if each.library == OURS]


def reading(found: Sequence[Found]) -> list[str]:
    """Sentences for the top of the report and for the terminal."""
    lines = []
    for form in FORMS:
        lines.append(against_peers(found, form))
        if len(found) > 1 and len(shared(found)) > 2:
            lines.append(over_sets(found, form))
    lines += [what_tuning_gives(found), times(found)]
    return [line for line in lines if line]


def against_peers(found: Sequence[Found], form: str) -> str:
    """The reference against the best method of other libraries on each set."""
    ours = set(ours_of(found))
    parts: dict[str, list[str]] = {"ahead of": [], "not told apart from": [], "behind": []}
    for each in found:
        peers = [name for name in each.ranked if name not in ours]
        if not peers:
            return ""
        best = max(peers, key=lambda name: each.mean(name, form))
        more = each.more(best, REFERENCE, form)
        verdict = "behind" if more.low > 0.0 else "ahead of" if more.high < 0.0 else "not told apart from"
        parts[verdict].append(f"{each.real.key}: {best}, {percent(more.mean)}")
    told = "; ".join(
        f"{verdict} it on {len(some)} of {len(found)} ({', '.join(some)})" for verdict, some in parts.items() if some
    )
    return (
        f"{FORMS[form].capitalize()}: **{REFERENCE}** against the best method of any other library, chosen on each set "
        f"after the fact, in rounds of a hundred: {told}."
    )


def over_sets(found: Sequence[Found], form: str) -> str:
    """What the ranking says."""
    standing = ranked(found, form)
    p = signed_ranks(rewards(found, form), REFERENCE)
    order = list(standing.ranks)
    best = ", ".join(f"{name} {standing.ranks[name]:.1f}" for name in order[:4])
    apart = [name for name in order if standing.told_apart(order[0], name)]
    small = [name for name, value in p.items() if value < standing.level]
    text = (
        f"{FORMS[form].capitalize()}: mean ranks over {standing.sets} sets are {best}; {REFERENCE} is number "
        f"{order.index(REFERENCE) + 1} of {len(order)} with {standing.ranks[REFERENCE]:.1f}. Ranks so different come "
        f"by chance with {p_value(standing.p)} (Friedman). Only differences above {standing.critical:.1f} count "
        f"(Nemenyi): {order[0]} is told apart from {', '.join(apart) if apart else 'nobody'}."
    )
    if small:
        text += f" Signed ranks tell {REFERENCE} apart from {', '.join(small)} (Wilcoxon, Holm)."
    else:
        text += f" Signed ranks tell {REFERENCE} apart from nobody (Wilcoxon, Holm)."
    return text


def what_tuning_gives(found: Sequence[Found]) -> str:
    """How much a dial is worth."""
    gains = {}
    for name in shared(found):
        if any(name in each.chosen for each in found):
            gains[name] = sum(each.mean(name, "tuned") - each.mean(name, "default") for each in found) / len(found)
    if not gains:
        return ""
    order = sorted(gains, key=lambda name: -gains[name])
    told = ", ".join(f"{name} {percent(gains[name])}" for name in order)
    return f"What tuning gives, in rounds of a hundred on average over the sets: {told}."


def times(found: Sequence[Found]) -> str:
    """Ours and others'."""
    ours = set(ours_of(found))
    spans = []
    for words, names in (
        ("our methods", [name for name in found[0].ranked if name in ours]),
        ("those of other libraries", [name for name in found[0].ranked if name not in ours]),
    ):
        every = [each.times[name] for each in found for name in names]
        if every:
            middle = sorted(every)[len(every) // 2]
            spans.append(f"{words} {duration(min(every))} to {duration(max(every))}, half of them below "
                         f"{duration(middle)}")  # fmt: skip
    return f"Processor time of a decision over methods and sets: {'; '.join(spans)}."


def percent(share: float) -> str:
    """Rounds of a hundred, with a sign.

    >>> [percent(share) for share in (0.012, -0.25, 0.0001)]
    ['+1.2', '−25.0', '0.0']
    """
    text = f"{100.0 * share:.1f}".replace("-", "−")
    return "0.0" if text.strip("−") == "0.0" else text if share < 0.0 else f"+{text}"


def p_value(p: float) -> str:
    """A probability as text."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
