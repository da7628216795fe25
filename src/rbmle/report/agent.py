"""The report of an agent: how it is doing, what was earned, and what stands behind its last decision."""

import numpy as np

from rbmle.online import Agent
from rbmle.online.course import Course, course_of
from rbmle.online.explain import Explanation
from rbmle.online.health import findings
from rbmle.online.stats import Stats, number, told
from rbmle.report.agent_plots import (
    arms_figure,
    days_figure,
    delays_figure,
    moment,
    rewards_figure,
    shares_figure,
)
from rbmle.report.document import Block, Bullets, Facts, Figure, Highlights, Panels, Report, Section, Table
from rbmle.report.evaluation import of_grid

WIDE = 1.96
# Arms in the table of a page.
SHOWN = 100


def agent_report(agent: Agent, title: str = "How an agent is doing") -> Report:
    """The report of an agent, of all that its journal still has; `write` puts it on disk. Nothing is written to the
    journal."""
    agent.read()
    stats, course = agent.stats(), course_of(agent.journal, agent.rules)
    sections = [
        Section("How it is doing", summary(stats)),
        Section("Rewards", rewards(stats, course, agent.rules.wait)),
        Section("Arms", arms(stats, course)),
    ]
    if course.last is not None:
        sections.append(Section("The last decision", last(agent.explain(id=course.last.subject), course.last.time)))
    settings = {name: str(value) for name, value in agent.rules.to_plain().items() if value is not None}
    told_by = {"policy": stats["policy"], "features": str(agent.features or "contexts are given"), **settings}
    sections.append(Section("Settings", [Facts(told_by)]))
    since = f" from {moment(course.time.min())} to {moment(course.time.max())} (UTC)" if len(course.time) else ""
    return Report(
        title=title,
        subtitle=f"{stats['counts']['decisions']:,} decisions{since}.",
        notice="An apprentice: the caller's own rule is served, the policy learns." if stats["apprentice"] else "",
        sections=sections,
    )


def summary(stats: Stats) -> list[Block]:
    """The few numbers that matter, what they say, and all others."""
    main = {f"{stats['counts']['learnt']:,}": "rewards learnt", number(stats["mean_reward"]): "mean reward"}
    if stats["agreement"] is not None:
        main[f"{100 * stats['agreement']:.1f} %"] = "of the decisions as the caller's rule"
    lines = [each.text if each.good else f"**{each.text}**" for each in findings(stats)]
    return [Highlights(main), Bullets(lines or ["Nothing was decided so far."]), Facts(told(stats))]


def rewards(stats: Stats, course: Course, wait: float | None) -> list[Block]:
    """Rewards in time, and how late they come."""
    blocks: list[Block] = []
    if course.learnable.any():
        blocks.append(
            Figure(
                "Mean reward of spans of equally many decisions, with 95 % intervals; up to the first decision that is "
                "still open, for those decided later are known only where their reward came early.",
                rewards_figure(course), "rewards", alt="Mean reward over time.",
            )
        )  # fmt: skip
    days = stats["by_day"]
    if len(days) > 1:
        blocks.append(Figure("Rewards learnt of the decisions of each day (UTC).", days_figure(days), "days",
                             alt="Mean reward by day."))  # fmt: skip
    delays = course.delay[~np.isnan(course.delay)]
    if len(delays):
        line = "" if wait is None else " The line is the end of the waiting time."
        caption = f"How long after its decision the first reward was told.{line}"
        blocks.append(Figure(caption, delays_figure(course, wait), "delays", alt="Share of rewards told over time."))
    if days:
        rows = [[day["day"], f"{day['learnt']:,}", number(day["mean_reward"])] for day in days]
        blocks.append(Table("Rewards learnt by day (UTC).", ["day", "learnt", "mean reward"], rows, "days"))
    return blocks or ["No reward was learnt so far."]


def arms(stats: Stats, course: Course) -> list[Block]:
    """What arms earn and how often they were served."""
    blocks: list[Block] = []
    panels = []
    if course.learnable.any():
        panels.append(
            Figure("What the decisions for each arm earned, with 95 % intervals. Who was served an arm was not left to "
                   "chance alone: to compare arms, evaluate policies on the log.", arms_figure(course), "arm-rewards",
                   alt="Mean reward by arm.")
        )  # fmt: skip
    if stats["served_as_logged"] is not None:
        panels.append(
            Figure(f"Times served against times expected, of decisions left to chance: p = "
                   f"{stats['served_as_logged']:.3g} for no difference.", shares_figure(stats["arms"]), "shares",
                   alt="On the diagonal where logged chances are true.")
        )  # fmt: skip
    if len(panels) > 1:
        blocks.append(Panels("Rewards of arms, and whether they were served as logged.", panels))
    else:
        blocks += panels
    return [*blocks, arms_table(stats, course)]


def arms_table(stats: Stats, course: Course) -> Table:
    """What is known of each arm: those served most on the page, all of them in the CSV file."""
    earned = {arm: (mean, error) for arm, _, mean, error in course.by_arm()}
    total = max(1, stats["counts"]["decisions"])
    ranked = sorted(stats["arms"], key=lambda each: -each["served"])
    rows, records = [], []
    for each in ranked:
        mean, error = earned.get(each["arm"], (float("nan"), float("nan")))
        records.append({**each, "arm": str(each["arm"]), "mean_reward": mean, "standard_error": error})
        spread = "" if error != error else f" ± {WIDE * error:.2g}"
        by_chance = f"{each['by_chance']:,} of {each['expected']:,.1f}" if each["spread"] else "–"
        name = f"{each['arm']}{' (retired)' if each['retired'] else ''}"
        share = f"{100 * each['served'] / total:.1f} %"
        rows.append([name, f"{each['served']:,}", share, "–" if mean != mean else number(mean) + spread, by_chance])
    more = f" {SHOWN} of {len(rows)} are shown." if len(rows) > SHOWN else ""
    return Table(
        f"Arms. By chance: times served of times expected, where the policy left it to chance.{more}",
        ["arm", "served", "share", "mean reward", "by chance"], rows[:SHOWN], "arms", records=records,
    )  # fmt: skip


def last(explained: Explanation, time: float) -> list[Block]:
    """What stands behind one decision."""
    return [f"Decided at {moment(time)} (UTC), as the policy sees it now.", of_grid(explained.table, "last-decision")]
