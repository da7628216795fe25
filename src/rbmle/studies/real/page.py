"""The report of the study of real data."""

from collections.abc import Sequence

from rbmle.display.grid import duration
from rbmle.report import Block, Bullets, Cell, Facts, Figure, Report, Section, Table, settings_section
from rbmle.report.ranks import critical_difference
from rbmle.simulation.manifest import machine, versions
from rbmle.studies.experiments import seeds
from rbmle.studies.real.entrants import BASELINE, OURS, REFERENCE
from rbmle.studies.real.found import FORMS, Found
from rbmle.studies.real.ranks import signed_ranks
from rbmle.studies.real.reading import ours_of, p_value, percent, ranked, reading, rewards, shared

DIAGRAM = (
    "Mean ranks over {sets} sets by reward, {form}; 1 is best, ours in orange. A bar joins methods whose ranks are too "
    "near to be told apart (Nemenyi's critical difference for all pairs at 5 %, the sets being the sample)."
)


def report(found: Sequence[Found], skipped: Sequence[str], tuning_trials: int, seed: int) -> Report:
    """All of it."""
    results = found[0].results
    sections = [Section("In short", [Bullets(reading(found))])]
    if len(found) > 1 and len(shared(found)) > 2:
        sections.append(Section("Over all sets", over_sets(found)))
    sections += [
        Section("Reward", [reward_table(found, form) for form in FORMS]),
        Section("Shuffle by shuffle", [difference_table(found, form) for form in FORMS]),
        Section("Time", [time_table(found)]),
        Section("The sets", [sets_table(found)]),
        Section("Who takes part", [entrants_table(found), *([Bullets(skipped)] if skipped else [])]),
        made(found, tuning_trials, seed),
    ]
    return Report(
        title="Real data: our methods and those of other libraries",
        subtitle=f"{len(found)} sets, {len(found[0].methods)} methods of {len(libraries(found))} libraries, "
        f"{results.trials} shuffles of each set; every method as it comes and tuned on other shuffles.",
        sections=sections,
    )


def libraries(found: Sequence[Found]) -> list[str]:
    """With their versions."""
    return list(dict.fromkeys(each.version for each in found[0].methods.values()))


def over_sets(found: Sequence[Found]) -> list[Block]:
    """A diagram for each form, and the tests against the reference."""
    blocks: list[Block] = []
    for form, words in FORMS.items():
        standing = ranked(found, form)
        order = ", ".join(f"{name} {rank:.1f}" for name, rank in standing.ranks.items())
        groups = "; ".join(f"{group[0]} to {group[-1]}" for group in standing.groups) or "none"
        blocks.append(
            Figure(
                caption=DIAGRAM.format(sets=standing.sets, form=words),
                drawing=critical_difference(
                    standing.ranks, standing.groups, standing.critical, marked=ours_of(found), title=words.capitalize()
                ),
                name=f"critical-difference-{form}",
                alt=f"Mean ranks, best first: {order}. Not told apart: {groups}.",
            )
        )
    return [*blocks, rank_table(found)]


def rank_table(found: Sequence[Found]) -> Table:
    """Mean ranks in both forms, with Wilcoxon's tests."""
    standing = {form: ranked(found, form) for form in FORMS}
    p = {form: signed_ranks(rewards(found, form), REFERENCE) for form in FORMS}
    rows: list[list[Cell | str]] = []
    for name in standing["default"].ranks:
        row: list[Cell | str] = [name]
        for form in FORMS:
            small = p[form].get(name, 1.0) < standing[form].level
            row += [f"{standing[form].ranks[name]:.1f}"]
            row.append("" if name == REFERENCE else Cell(p_value(p[form][name]), "best" if small else ""))
        rows.append(row)
    return Table(
        f"Mean rank over the sets, and how likely differences to {REFERENCE} so one-sided are by chance (Wilcoxon's "
        "signed ranks over the sets, corrected by Holm for their number; bold below 5 %).",
        ["method", "rank", "p", "rank, tuned", "p, tuned"],
        rows,
        "ranks",
    )


def reward_table(found: Sequence[Found], form: str) -> Table:
    """Method × set, the best on average first."""
    keys = [each.real.key for each in found]
    order = sorted(found[0].methods, key=lambda name: -sum(each.mean(name, form) for each in found))
    best = {each.real.key: max(each.mean(name, form) for name in each.ranked) for each in found}
    rows: list[list[Cell | str]] = []
    for name in order:
        cells = [
            Cell(f"{each.mean(name, form):.3f}", "best" if each.mean(name, form) == best[each.real.key] else "")
            for each in found
        ]
        rows.append([name, *cells, f"{sum(each.mean(name, form) for each in found) / len(found):.3f}"])
    return Table(
        f"Reward per decision, {FORMS[form]}: the share of rounds in which the right arm was played, mean of the "
        "shuffles; best of a set bold, best on average first.",
        ["method", *keys, "mean"],
        rows,
        f"reward-{form}",
        records=[{"method": name, **{each.real.key: each.mean(name, form) for each in found}} for name in order],
    )


def difference_table(found: Sequence[Found], form: str) -> Table:
    """Method × set, against the reference."""
    keys = [each.real.key for each in found]
    names = [name for name in found[0].methods if name != REFERENCE]
    rows: list[list[Cell | str]] = []
    records = []
    for name in names:
        row: list[Cell | str] = [name]
        record: dict[str, str | float] = {"method": name}
        for each in found:
            more = each.more(name, REFERENCE, form)
            text = f"{percent(more.mean)} ± {100 * (more.high - more.mean):.1f}"
            row.append(Cell(text, "best" if more.clear else ""))
            key = each.real.key
            record |= {key: more.mean, f"{key}_low": more.low, f"{key}_high": more.high}
        rows.append(row)
        records.append(record)
    return Table(
        f"How much more than {REFERENCE}, in rounds of a hundred, {FORMS[form]}: mean over the shuffles, which all "
        "methods share, ± half of the 95 % interval (Student's, one pair by itself); bold where it excludes zero.",
        ["method", *keys],
        rows,
        f"difference-{form}",
        records=records,
    )


def time_table(found: Sequence[Found]) -> Table:
    """Method × set, the quickest first."""
    order = sorted(found[0].methods, key=lambda name: sum(each.times[name] for each in found))
    return Table(
        "Processor time of a decision, choosing and learning together, as it comes. Our methods run compiled; others "
        "are called through an adapter, whose few microseconds are counted with them.",
        ["method", *(each.real.key for each in found)],
        [[name, *(duration(each.times[name]) for each in found)] for name in order],
        "time",
        records=[{"method": name, **{each.real.key: each.times[name] for each in found}} for name in order],
    )


def sets_table(found: Sequence[Found]) -> Table:
    """Sizes."""
    rows = []
    for each in found:
        problem = each.problem
        kind = "of each arm" if each.real.choices else "shared, a block for each arm"
        sizes = (problem.n_arms, problem.n_features, each.results.horizon)
        rows.append([each.real.key, each.real.about, kind, *map(str, sizes)])
    return Table(
        "The sets: what rows are, whether contexts are the arms' own, and sizes.",
        ["set", "rows", "contexts", "arms", "features", "rounds"],
        rows,
        "sets",
        align="lllrrr",
    )


def entrants_table(found: Sequence[Found]) -> Table:
    """Whose each method is, what is tuned, and the values taken."""
    rows: list[list[Cell | str]] = []
    for name, each in found[0].methods.items():
        chosen = ", ".join(f"{one.chosen[name]:g}" for one in found if name in one.chosen)
        tried = ", ".join(f"{value:g}" for value in each.values)
        rows.append([name, each.version if each.library != OURS else "rbmle", each.dial or "–", tried, chosen])
    return Table(
        "Methods: their library, what is tuned of them, the values tried, and those taken, in the order of the sets.",
        ["method", "library", "tuned", "tried", "taken"],
        rows,
        "methods",
        align="lllll",
    )


def made(found: Sequence[Found], tuning_trials: int, seed: int) -> Section:
    """What is needed to run it again, and what the numbers are not."""
    evaluation, tuning = seeds(seed)
    words = (
        "Every method meets the same shuffles. Columns have mean 0 and deviation 1 over the whole set and a column of "
        "ones is added; contexts are divided by one number, so that their mean square norm is 1. Of sets of classes "
        "every method sees the row, each arm with a model of its own. Of choices ours, coba and Vowpal Wabbit see each "
        "arm's own numbers with one model; libraries that have one context for all arms see the numbers of all arms in "
        "a row. One dial of each method is tuned: the value of most reward on the tuning shuffles plays on the others. "
        f"{BASELINE} takes part for comparison and is in no ranking."
    )
    facts = {
        "shuffles": f"{found[0].results.trials} (seed {evaluation}); {tuning_trials} for each value that is tried "
        f"(seed {tuning})",
        "reference": REFERENCE,
    }
    rest = settings_section({"versions": versions(), "machine": machine()})
    return Section("How it was made", [words, Facts(facts), *rest.content])
