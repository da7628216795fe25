"""How an agent is doing, in numbers: for people and for programs. `exposition` has them for Prometheus."""

import datetime
from typing import Any

import numpy as np
from scipy import stats as distributions

from rbmle.display.grid import Grid
from rbmle.online.core import Core
from rbmle.online.counts import DAY, Counts

# What can become of a reward that somebody tells.
TOLD = ("accepted", "duplicate", "conflict", "unknown", "late")
# Names of counts that are there even where they are 0.
ALWAYS = ("decisions", *TOLD, "learnt", "defaulted", "void")


class Stats(dict[str, Any]):
    """What `Agent.stats` tells: plain data, with a table of the main numbers for `print` and for notebooks."""

    @property
    def table(self) -> Grid:
        """The main numbers, one a row."""
        return Grid(self["policy"], ("", ""), [[name, text] for name, text in told(self).items()])

    def __str__(self) -> str:
        lines = told(self)
        width = max(map(len, lines)) + 2
        return "\n".join([self["policy"], *(f"{name:<{width}}{text}" for name, text in lines.items())])

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def stats_of(core: Core) -> Stats:
    """Everything; see `Agent.stats`."""
    with core.lock:
        state, counts = core.state, core.state.counts
        found = dict.fromkeys(ALWAYS, 0) | counts.by_name
        for name, more in core.tally.items():
            found[name] = found.get(name, 0) + more
        asked = found.get("agreed", 0) + found.get("disagreed", 0)
        V = state.policy.state().get("V")
        return Stats(
            version=state.position,
            policy=repr(state.policy),
            apprentice=state.apprentice,
            pending=len(state.open),
            unwritten=len(core.writer.waiting),
            counts=found,
            rates=rates(found),
            agreement=found.get("agreed", 0) / asked if asked else None,
            mean_reward=mean_of(counts),
            by_day=by_day(counts),
            arms=by_arm(counts, state.arms.numbers, state.arms.retired),
            served_as_logged=frequency_test(counts),
            effective_sample_size=counts.weights[0] ** 2 / counts.weights[1] if counts.weights[1] else 0.0,
            condition_number=None if V is None else float(np.linalg.cond(V)),
        )


def rates(counts: dict[str, int]) -> dict[str, float] | None:
    """The share of each status among all rewards that were told; None before the first."""
    total = sum(counts[name] for name in TOLD)
    return {name: counts[name] / total for name in TOLD} if total else None


def mean_of(counts: Counts) -> float | None:
    """The mean of all rewards learnt."""
    n = sum(day[0] for day in counts.by_day.values())
    return sum(day[1] for day in counts.by_day.values()) / n if n else None


def by_day(counts: Counts) -> list[dict[str, Any]]:
    """Rewards learnt of the decisions of each day (UTC), in order."""
    return [
        {"day": day_text(day), "learnt": int(n), "mean_reward": total / n}
        for day, (n, total) in sorted(counts.by_day.items())
    ]


def day_text(day: int) -> str:
    """A day, as ISO 8601 writes it; its number where there is no such date."""
    try:
        return datetime.datetime.fromtimestamp(day * DAY, datetime.UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return f"day {day}"


def by_arm(counts: Counts, numbers: dict[Any, int], retired: set[Any]) -> list[dict[str, Any]]:
    """How often each arm was served; of the decisions that were left to chance also how often it should have been, Σp,
    and the standard deviation of that, √Σp(1−p)."""
    size = len(counts.arm_served)
    rows = []
    for arm, k in numbers.items():
        there = k < size
        rows.append(
            {
                "arm": arm,
                "served": int(counts.arm_served[k]) if there else 0,
                "by_chance": int(counts.arm_by_chance[k]) if there else 0,
                "expected": float(counts.arm_expected[k]) if there else 0.0,
                "spread": float(np.sqrt(counts.arm_variance[k])) if there else 0.0,
                "retired": arm in retired,
            }
        )
    return rows


def frequency_test(counts: Counts) -> float | None:
    """Whether arms were served as often as their logged chances say: a p-value, None where nothing was left to chance.

    The largest |n_a − Σp| / √Σp(1−p) over the arms, against the normal, times the number of arms (Bonferroni).
    """
    tested = counts.arm_variance > 0.0
    if not tested.any():
        return None
    z = (counts.arm_by_chance - counts.arm_expected)[tested] / np.sqrt(counts.arm_variance[tested])
    return float(min(1.0, 2.0 * len(z) * distributions.norm.sf(np.abs(z).max())))


def told(stats: Stats) -> dict[str, str]:
    """The main numbers in words, for whoever looks."""
    counts = stats["counts"]
    sources = {"by the caller's rule": counts.get("baseline", 0), "by the fallback": counts.get("fallback", 0)}
    others = "".join(f", {count:,} {name}" for name, count in sources.items() if count)
    shares = stats["rates"]
    asked = counts.get("agreed", 0) + counts.get("disagreed", 0)
    lines = {
        "decisions": f"{counts['decisions']:,}{others}",
        "open": f"{stats['pending']:,}",
        "learnt": f"{counts['learnt']:,}, {counts['defaulted']:,} of them by default; "
        f"{counts['void']:,} closed with nothing to learn",
        "rewards told": "none"
        if shares is None
        else ", ".join(f"{counts[name]:,} {name} ({100 * shares[name]:.3g} %)" for name in TOLD if counts[name]),
        "mean reward": number(stats["mean_reward"]),
        "agreed with the caller": "not asked"
        if stats["agreement"] is None
        else f"{100 * stats['agreement']:.1f} % of {asked:,}",
        "served as logged": "nothing was left to chance"
        if stats["served_as_logged"] is None
        else f"p = {stats['served_as_logged']:.3g}",
        "effective sample size": f"{stats['effective_sample_size']:,.0f}",
        "condition number of V": number(stats["condition_number"]),
    }
    if stats["unwritten"]:
        lines["waiting to be written"] = f"{stats['unwritten']:,} events"
    return lines


def number(value: float | None) -> str:
    """Four digits; a dash where there is no number."""
    return "–" if value is None else f"{value:.4g}"
