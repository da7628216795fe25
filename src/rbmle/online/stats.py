"""How an agent is doing, in numbers: for people, for programs, for Prometheus."""

import datetime
from typing import Any

import numpy as np
from scipy import stats as distributions

from rbmle.online.core import Core
from rbmle.online.counts import DAY, Counts

# Names of counts that are told even where they are 0.
ALWAYS = ("decisions", "accepted", "duplicate", "conflict", "unknown", "late", "learnt", "defaulted", "void")
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
}


def stats_of(core: Core) -> dict[str, Any]:
    """Everything, as plain data; see `Agent.stats`."""
    with core.lock:
        state, counts = core.state, core.state.counts
        told = dict.fromkeys(ALWAYS, 0) | counts.by_name
        for name, more in core.tally.items():
            told[name] = told.get(name, 0) + more
        asked = told.get("agreed", 0) + told.get("disagreed", 0)
        V = state.policy.state().get("V")
        return {
            "version": state.position,
            "policy": repr(state.policy),
            "apprentice": state.apprentice,
            "pending": len(state.open),
            "waiting to be written": len(core.writer.waiting),
            "counts": told,
            "agreement": told.get("agreed", 0) / asked if asked else None,
            "mean reward": mean_of(counts),
            "by day": by_day(counts),
            "arms": by_arm(counts, state.arms.numbers, state.arms.retired),
            "served as told": frequency_test(counts),
            "effective sample size": counts.weights[0] ** 2 / counts.weights[1] if counts.weights[1] else 0.0,
            "condition number": None if V is None else float(np.linalg.cond(V)),
        }


def mean_of(counts: Counts) -> float | None:
    """The mean of all rewards learnt."""
    n = sum(day[0] for day in counts.by_day.values())
    return sum(day[1] for day in counts.by_day.values()) / n if n else None


def by_day(counts: Counts) -> list[dict[str, Any]]:
    """Rewards learnt of the decisions of each day (UTC), in order."""
    return [
        {"day": day_text(day), "learnt": int(n), "mean reward": total / n}
        for day, (n, total) in sorted(counts.by_day.items())
    ]


def day_text(day: int) -> str:
    """A day, as ISO 8601 writes it; its number where there is no such date."""
    try:
        return datetime.datetime.fromtimestamp(day * DAY, datetime.UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return f"day {day}"


def by_arm(counts: Counts, numbers: dict[Any, int], retired: set[Any]) -> list[dict[str, Any]]:
    """How often each arm was served."""
    size = len(counts.arm_served)
    return [
        {"arm": arm, "served": int(counts.arm_served[k]) if k < size else 0, "retired": arm in retired}
        for arm, k in numbers.items()
    ]


def frequency_test(counts: Counts) -> float | None:
    """Whether arms were served as often as their logged chances say: a p-value, None where nothing was left to chance.

    The largest |n_a − Σp| / √Σp(1−p) over the arms, against the normal, times the number of arms (Bonferroni).
    """
    tested = counts.arm_variance > 0.0
    if not tested.any():
        return None
    z = (counts.arm_by_chance - counts.arm_expected)[tested] / np.sqrt(counts.arm_variance[tested])
    return float(min(1.0, 2.0 * len(z) * distributions.norm.sf(np.abs(z).max())))


def prometheus(told: dict[str, Any]) -> str:
    """Stats in the text format that Prometheus reads."""
    lines = []
    for name, help_text in HELP.items():
        metric = f"rbmle_{name}_total"
        lines += [f"# HELP {metric} {help_text}", f"# TYPE {metric} counter", f"{metric} {told['counts'][name]}"]
    gauges = {
        "rbmle_pending": ("Decisions that are open.", told["pending"]),
        "rbmle_journal_position": ("The last event that was read.", told["version"]),
        "rbmle_mean_reward": ("Mean of all rewards learnt.", told["mean reward"]),
        "rbmle_effective_sample_size": ("Of the logged probabilities.", told["effective sample size"]),
        "rbmle_served_as_told_p": ("p-value: arms are served as often as logged.", told["served as told"]),
    }
    for metric, (help_text, value) in gauges.items():
        if value is not None:
            lines += [f"# HELP {metric} {help_text}", f"# TYPE {metric} gauge", f"{metric} {value!r}"]
    lines += ["# HELP rbmle_served_total Decisions for an arm.", "# TYPE rbmle_served_total counter"]
    for each in told["arms"]:
        label = str(each["arm"]).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        lines.append(f'rbmle_served_total{{arm="{label}"}} {each["served"]}')
    return "\n".join(lines) + "\n"
