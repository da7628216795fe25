"""Stats in the text format that Prometheus reads (exposition format 0.0.4)."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from rbmle.errors import InvalidInputError, describe
from rbmle.online.stats import Stats

HELP = {
    "decisions": "Decisions in the journal.",
    "accepted": "Rewards that count.",
    "duplicate": "Rewards that were told before.",
    "conflict": "Rewards other than what was told before.",
    "unknown": "Rewards of decisions that nobody knows.",
    "late": "Rewards of decisions that were closed.",
    "learnt": "Decisions that the policy has learnt from.",
    "defaulted": "Decisions that got the default reward.",
    "void": "Decisions that were closed with nothing to learn.",
    "baseline": "Decisions of the caller's own rule.",
    "fallback": "Decisions of the fallback, because the policy failed.",
    "agreed": "Decisions in which the policy and the caller's rule agree.",
    "disagreed": "Decisions in which they do not.",
}
GAUGES = {
    "pending": "Decisions that are open.",
    "unwritten": "Events that wait to be written.",
    "apprentice": "1 while the caller's own rule is served.",
    "mean_reward": "Mean of all rewards learnt.",
    "effective_sample_size": "Of the logged probabilities: the square of the sum of 1/p over the sum of 1/p squared.",
    "served_as_logged_p": "p-value of a test that arms are served as often as logged.",
    "condition_number": "Condition number of V.",
    "journal_position": "The last event that was read.",
}
RENAMED = {"served_as_logged_p": "served_as_logged", "journal_position": "version"}
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def prometheus(stats: Stats, labels: Mapping[str, str] | None = None, arms: bool = True) -> str:
    """All families, each with its help and its type; labels are put on every sample."""
    for name in labels or {}:
        if not isinstance(name, str) or not re.fullmatch("(?!__)(?!arm$)[a-zA-Z_][a-zA-Z0-9_]*", name):
            raise InvalidInputError(
                f"labels must have names of letters, digits and _, and not 'arm', which is taken. Got {describe(name)}."
            )
    lines: list[str] = []
    for name, text in HELP.items():
        lines += family(f"rbmle_{name}_total", "counter", text, [({}, stats["counts"].get(name, 0))], labels)
    for name, text in GAUGES.items():
        value = stats[RENAMED.get(name, name)]
        if value is not None:
            lines += family(f"rbmle_{name}", "gauge", text, [({}, value)], labels)
    if not arms:
        return "\n".join(lines) + "\n"
    served: Counter[str] = Counter()
    for each in stats["arms"]:
        served[str(each["arm"])] += each["served"]  # the arms 1 and "1" have the same label
    samples = [({"arm": arm}, count) for arm, count in served.items()]
    lines += family("rbmle_served_total", "counter", "Decisions for an arm.", samples, labels)
    return "\n".join(lines) + "\n"


def family(metric: str, kind: str, text: str, samples: list[tuple[dict[str, str], Any]],
           labels: Mapping[str, str] | None) -> Iterator[str]:  # fmt: skip
    """One metric with its samples."""
    yield f"# HELP {metric} {text}"
    yield f"# TYPE {metric} {kind}"
    for own, value in samples:
        pairs = ",".join(f'{name}="{escaped(str(told))}"' for name, told in {**(labels or {}), **own}.items())
        yield f"{metric}{{{pairs}}} {number(value)}" if pairs else f"{metric} {number(value)}"


def escaped(text: str) -> str:
    """A label's value: backslashes, quotes and ends of lines are written out."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def number(value: float) -> str:
    """A number as Go reads it."""
    value = float(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
