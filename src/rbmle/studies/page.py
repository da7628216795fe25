"""The report of a study: what it says in short, a matrix of all, a section for every setting, and how it was made."""

import math
from collections.abc import Sequence
from typing import Any

from rbmle.display.grid import duration
from rbmle.policies import Policy
from rbmle.policies.about import provenance_of
from rbmle.report import Block, Bullets, Cell, Facts, Panels, Report, Section, Table, settings_section
from rbmle.simulation.manifest import machine, versions
from rbmle.simulation.paired import Difference
from rbmle.studies.experiments import Found, seeds
from rbmle.studies.figures import sensitivity_figure
from rbmle.studies.forms import FORMS, REFERENCES
from rbmle.studies.plan import Plan
from rbmle.studies.words import compared, ratios, reading

FINDING = (
    "**What is called LinUCB elsewhere.** The “LinUCB” in the code of NeuralTS, of LMC-TS and of the neural half of a "
    "2025 benchmark of Feel-Good Thompson sampling adds the *variance* v of an arm to its mean where LinUCB adds √v. "
    "That is LinRBMLE with a constant bias, α(t) = 2: published tables hold an RBMLE under another name. It is a row "
    "of its own here, and not counted among the rivals of LinRBMLE."
)


def report(found: Sequence[Found], plan: Plan, seed: int) -> Report:
    """All of it."""
    return Report(
        title="Contextual bandits, compared",
        subtitle=f"{len(found)} settings; every method as its theory says, as it comes, and tuned on other seeds.",
        notice=plan.notice,
        sections=[
            Section("In short", [Bullets(reading(found)), *matrices(found)]),
            *(setting_section(each) for each in found),
            origins_section(found),
            made_section(found, plan, seed),
        ],
    )


def matrices(found: Sequence[Found]) -> list[Block]:
    """Ratios to the best, by family and form."""
    blocks: list[Block] = []
    for family in REFERENCES:
        some = [each for each in compared(found) if each.setting.family == family]
        blocks += [matrix(some, form, family) for form in ("default", "tuned") if some]
    return blocks


def matrix(found: Sequence[Found], form: str, family: str) -> Table:
    """Method × setting: mean regret over that of the best method of the setting."""
    table, keys = ratios(found, form), [each.setting.key for each in found]
    rows: list[list[Cell | str]] = [
        [name, *(Cell(shown(row.get(key)), "best" if row.get(key) == 1.0 else "") for key in keys)]
        for name, row in table.items()
    ]
    words = {"default": "as it comes", "tuned": "tuned on other seeds (as it comes where there is nothing to tune)"}
    return Table(
        f"Mean regret as a multiple of the best method's, {words[form]}; best on the whole (geometric mean) first.",
        ["method", *keys],
        rows,
        f"matrix-{family}-{form}",
        records=[{"method": name, **row} for name, row in table.items()],
    )


def shown(value: float | None) -> str:
    """A ratio; a dash where the method did not play."""
    if value is None:
        return "–"
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def setting_section(found: Found) -> Section:
    """One setting: table of all methods, and how much hangs on the tuned parameter."""
    setting, facts, trials = found.setting, found.facts, found.results.trials
    words = (
        f"{setting.about} {facts.horizon:,} rounds, {trials} trials. Theorems were told σ = {facts.noise:g}, "
        f"S = {facts.norm_bound:.3g} and δ = {facts.delta:g}."
    )
    content: list[Block] = [words]
    if setting.real:
        content.append(FINDING)
    content.append(table(found))
    if found.curves:
        caption = (
            "Mean final regret of the tuning trials over the tuned parameter, in multiples of each method's default: "
            "the reward-biased method and those that do best once tuned. A flat curve needs no tuning."
        )
        content.append(Panels(caption, [sensitivity_figure(found)]))
    return Section(f"{setting.title.capitalize()} ({setting.key})", content)


def table(found: Found) -> Table:
    """Methods × forms with intervals, differences to the reference, and the time of a decision."""
    reference = REFERENCES[found.setting.family]
    seconds = found.results.seconds_per_decision()
    lowest = {form: min(means(found, form), default=math.inf) for form in FORMS}
    rows: list[list[Cell | str]] = []
    records: list[dict[str, Any]] = []
    for name in found.means("default"):
        row: list[Cell | str] = [name]
        record: dict[str, Any] = {"method": name}
        for form in FORMS:
            row.append(form_cell(found, name, form, lowest[form]))
            if found.has(name, form):
                value = found.interval(name, form)
                record |= {form: value.mean, f"{form}_low": value.low, f"{form}_high": value.high}
        record["tuned_at"] = found.chosen.get(name, "")
        for form in ("default", "tuned"):
            known = reference in found.methods and name != reference and (form == "default" or found.has(name, form))
            row.append(difference_cell(found.against(name, reference, form)) if known else "–")
            if known:
                extra = found.against(name, reference, form)
                record |= {f"{form}_more": extra.mean, f"{form}_more_low": extra.low, f"{form}_more_high": extra.high}
        time = seconds[found.names[name, "default"]]
        row.append(duration(time))
        records.append({**record, "seconds": time})
        rows.append(row)
    return Table(
        f"Final regret: mean ± half of its 95 % interval; more than {reference} in the same form, trial by trial, with "
        "its 95 % interval (bold where it excludes zero); time of a decision by default.",
        ["method", "theory", "default", "tuned", f"default: more than {reference}", "tuned: more", "time"],
        rows,
        f"regret-{found.setting.key}",
        records=records,
    )


def means(found: Found, form: str) -> list[float]:
    """Of the methods that have a form."""
    return [float(found.final(name, form).mean()) for name in found.methods if found.has(name, form)]


def form_cell(found: Found, name: str, form: str, lowest: float) -> Cell:
    """Mean and half-width; below it the chosen value, or what the form is the same as."""
    if not found.has(name, form):
        return Cell("–")
    value = found.interval(name, form)
    notes = []
    tuning = found.methods[name].tuning
    if form == "tuned" and tuning is not None:
        notes.append(f"{tuning.parameter} {found.chosen[name]:g}")
    elif form == "theory" and found.names[name, form] == found.names[name, "default"]:
        notes.append("= default")
    return Cell(
        f"{brief(value.mean)} ± {brief(value.high - value.mean)}", "best" if value.mean == lowest else "", notes
    )


def difference_cell(extra: Difference) -> Cell:
    """A paired difference."""
    text = f"{signed(extra.mean)} [{signed(extra.low)}, {signed(extra.high)}]"
    return Cell(text, "best" if extra.clear else "")


def brief(value: float) -> str:
    """Three digits, as far as they mean something."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def signed(value: float) -> str:
    """With its sign."""
    return ("+" if value > 0 else "") + brief(value).replace("-", "−")


def origins_section(found: Sequence[Found]) -> Section:
    """Who defined each method, what was read and changed, and what it was tested against."""
    names = list(dict.fromkeys(name for each in found for name in each.methods if name in Policy.registry))
    rows: list[list[Cell | str]] = []
    for name in names:
        told = provenance_of(Policy.registry[name])
        if told is not None:
            rows.append([name, told.defined_by, f"{told.trust}: {told.read}", told.changed, told.tested_against])
    words = "Said “by its authors” only where their own text or code was read."
    if not rows:
        return Section("Where the methods come from", [words])
    columns = ["method", "defined by", "as here", "changed", "tested against"]
    return Section(
        "Where the methods come from",
        [words, Table("Provenance of every method.", columns, rows, "provenance", align="lllll")],
    )


def made_section(found: Sequence[Found], plan: Plan, seed: int) -> Section:
    """All that is needed to run it again, and what the numbers are not."""
    evaluation, tuning = seeds(seed)
    facts = {
        "trials": f"{plan.trials} ({plan.tuning_trials} for each value of a tuned parameter), a share of that where "
        "trials are costly",
        "seeds": f"evaluation {evaluation}, tuning {tuning}: no sample path of the one is in the other",
        "settings": ", ".join(each.setting.key for each in found),
    }
    words = (
        "All methods of a setting see the same sample paths. One parameter of a method is tuned: the value of least "
        "mean regret on the tuning seeds is played on the evaluation seeds, so that the tuned column is not flattered. "
        "Intervals are Student's for one method or one pair by itself; of so many some exclude zero by chance. "
        "Times are processor time within one run: compare methods with each other, not machines."
    )
    rest = settings_section({"versions": versions(), "machine": machine()})
    return Section("How it was made", [words, Facts(facts), *rest.content])
