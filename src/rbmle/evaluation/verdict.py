"""What an evaluation says, in plain language: what the numbers are, and when the log cannot give them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rbmle.evaluation.diagnostics import Diagnostics
from rbmle.evaluation.finishing import BIAS, Estimate
from rbmle.evaluation.kinds import KINDS

Grade: TypeAlias = Literal["answers", "with care", "cannot answer"]

# Fewer effective rows than these, or a larger share of the weight on three rows, answer nothing; ten times as many do.
LEAST_SIZE, CARE_SIZE = 20.0, 200.0
MOST_SHARE, CARE_SHARE = 0.5, 0.1
# More of the target's choices than this share without a chance in the log, and its value is not in the log.
MOST_UNSUPPORTED = 0.05
# Differences less likely than this are not taken for chance.
RARE, FAR = 1e-3, 3.3
COUNTS = ("No", "One", "Two", "Three")


@dataclass(frozen=True)
class Verdict:
    """Whether the log can answer, and why not; sentences for people."""

    grade: Grade
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.lines)


def percent(share: float) -> str:
    """A share as people say it."""
    value = 100.0 * share
    return f"{value:.0f} %" if value >= 9.5 or value == 0.0 else f"{value:.2g} %"


def brief(value: float) -> str:
    """A number of about three digits."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def troubles(found: Diagnostics) -> tuple[list[str], list[str]]:
    """What makes an answer impossible, and what asks for care."""
    no, care = list[str](), list[str]()
    count = min(3, len(found.largest))
    if found.n and not found.mean_weight > 0.0:
        return ["The target would never have served what was served: the log says nothing about it."], care
    if found.largest_share > MOST_SHARE:
        verb = "carries" if count == 1 else "carry"
        no.append(f"{COUNTS[count]} row{'s' * (count > 1)} {verb} {percent(found.largest_share)} of the weight.")
    elif found.largest_share > CARE_SHARE:
        care.append(f"{COUNTS[count]} rows carry {percent(found.largest_share)} of the weight.")
    size = f"The log is worth {brief(found.effective_size)} rows of the target's own, of {found.n:,}."
    if found.effective_size < LEAST_SIZE:
        no.append(size)
    elif found.effective_size < CARE_SIZE:
        care.append(size)
    if found.unsupported is not None and found.unsupported > MOST_UNSUPPORTED:
        no.append(
            f"{percent(found.unsupported)} of what the target would serve had no chance in the log: what that earns is "
            "not in it."
        )
    elif found.unsupported:
        care.append(f"{percent(found.unsupported)} of what the target would serve had no chance in the log.")
    error = found.mean_weight_error
    if error > 0.0 and abs(found.mean_weight - 1.0) > FAR * error:
        care.append(
            f"Weights average {brief(found.mean_weight)} where they must average 1: logged probabilities are wrong, or "
            "the target serves arms that had no chance."
        )
    if abs(found.inverse_z) > FAR:
        care.append("1/p does not add up to the number of arms: logged probabilities are wrong, or some were 0.")
    if found.calibration_p < RARE:
        care.append("Arms were not served as often as the logged probabilities say.")
    if found.drift_p < RARE:
        care.append("Mean rewards changed over time: an estimate is about the time of the log.")
    return no, care


def verdict(
    estimates: Mapping[str, Estimate],
    headline: str,
    diagnostics: Diagnostics | None,
    adaptive: bool | None,
    notes: tuple[str, ...],
) -> Verdict:
    """All that is to be said."""
    no, care = ([], []) if diagnostics is None else troubles(diagnostics)
    told = estimates[headline]
    if told.value != told.value:
        no.append("No row could be used.")
    if told.name in BIAS:
        care.append(f"{told.name} is right only if {BIAS[told.name]}.")
    kinds = {kind for each in estimates.values() for kind in each.intervals}
    unproved = sorted(kind for kind in kinds if not KINDS[kind].adaptive)
    if adaptive and unproved:
        care.append(
            "The policy that wrote the log learnt from it: only the confidence sequence (intervals='sequence') is "
            f"proved for such logs, not {', '.join(unproved)}."
        )
    care += notes
    if no:
        first = "This log cannot tell what the target would have earned."
        return Verdict("cannot answer", (first, *no, *care))
    return Verdict("with care" if care else "answers", (answer(told), *care))


def answer(told: Estimate) -> str:
    """The value with its interval, and how it compares with the logging policy."""
    text = f"The target would have earned {brief(told.value)} per decision"
    kind = next(iter(told.intervals), None)
    if kind is not None:
        found = told.intervals[kind]
        text += f", {percent(found.level)} interval {brief(found.low)} to {brief(found.high)} ({told.name}, {kind})"
    more = told.difference
    if more is None:
        return text + "."
    middle = 0.5 * (more.low + more.high)
    if more.low <= 0.0 <= more.high:
        return f"{text}; that is not told apart from the logging policy ({brief(more.low)} to +{brief(more.high)})."
    word = "more" if middle > 0 else "less"
    ends = sorted((abs(more.low), abs(more.high)))
    return f"{text}: {brief(abs(middle))} {word} than the logging policy ({brief(ends[0])} to {brief(ends[1])})."
