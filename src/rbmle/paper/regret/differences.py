"""Where the published baselines differ from their authors' definitions, both results, and what that changes."""

from collections.abc import Mapping, Sequence
from typing import Any

from rbmle.display.grid import number
from rbmle.paper.experiments import same_definition
from rbmle.paper.part import LETTERS, Finding
from rbmle.paper.regret.part import RegretPart, headings
from rbmle.paper.settings import Setting
from rbmle.report import Block, Bullets, Cell, Section, Table
from rbmle.simulation import Results
from rbmle.simulation.outcomes import Outcomes

DEFINITIONS = {
    "BUCB": ("mean + Φ⁻¹(1 − 1/t) · standard deviation", "the variance stands where the standard deviation belongs"),
    "KG": (
        "σ̃² = v / (1 + 1/v), with v the variance of an arm's mean",
        "v² stands where v belongs, so what an arm can teach is underrated",
    ),
    "KG*": (
        "the value of k further observations, divided by k, for the best k; σ² = v",
        "the value of k + 1 observations credited to one; k from bounds; σ² = v², as in KG",
    ),
    "LinTS": ("posterior widened by v = R √(24/ε · d · ln(1/δ))", "ε = 0.9 is left out"),
    "VIDS": (
        "the pair of arms with the least squared regret per gain; the arm of least regret when no gain is left",
        "as soon as any arm's gain is below 1e-6 the arm with the *smallest* gain is played",
    ),
    "GLM-RBMLE": (
        "the index holds the logistic log-likelihood",
        "the index holds the Gaussian surrogate −½ Σ (xᵀθ − r)²",
    ),
    "UCB-GLM": ("V = Σ x xᵀ, σ = ½ for rewards of 0 and 1", "V = I + Σ x xᵀ, σ = 1"),
    "Laplace-TS": (
        "one draw of w a round; labels −1 and 1; the newest observation alone",
        "a draw per arm; labels 0 and 1, so that a zero teaches nothing; the history again in every round; weights q²; "
        "another p; the newest observation left out",
    ),
}
ByVariant = Mapping[str, Mapping[Setting, Results]]


def differences(parts: Sequence[RegretPart], outcomes: Outcomes) -> Finding:
    """The section; results of both definitions where both were run."""
    content: list[Block] = [
        "Some baselines of the published tables are not what their own papers define. Both are run here on the same "
        "sample paths, so that the difference is due to the definition alone.",
        definitions_table([name for part in parts for name in differing(part)]),
    ]
    records, lines = list[dict[str, Any]](), list[str]()
    for part in parts:
        if part.variant != "both":
            continue
        results = {definition: part.results(outcomes, definition) for definition in ("published", "authors")}
        part_records = both_results(part, results)
        records += part_records
        sentences = conclusions(part, results)
        lines.append(f"by their authors: {sentences[0]}")
        content.append(
            Section(part.heading.split(":")[0], [Bullets(sentences), results_table(part, results, part_records)])
        )
    if not records:
        content.append("Run with `--variant both` to see what that changes.")
    return Finding(Section(HEADING, content), {"differences": records} if records else {}, lines)


HEADING = "Where the published baselines differ from their authors' definitions"


def differing(part: RegretPart) -> list[str]:
    """Methods with two definitions."""
    setting = part.settings[0]
    published, authors = (part.by_definition[name][setting] for name in ("published", "authors"))
    same = same_definition(published, authors)
    return [name for name in published.policies if name not in same]


def definitions_table(names: Sequence[str]) -> Table:
    """Both definitions in words."""
    rows: list[list[Cell | str]] = [[name, *DEFINITIONS[name]] for name in names]
    return Table("The definitions.", ["method", "by its authors", "as published"], rows, "definitions", align="lll")


def both_results(part: RegretPart, results: ByVariant) -> list[dict[str, Any]]:
    """A record per setting and differing method."""
    return [
        {
            "setting": setting.key,
            "method": name,
            "printed": part.printed[setting.key]["mean"][name] * part.scale,
            **{
                f"{definition}_{statistic}": results[definition][setting].statistics()[name][statistic]
                for definition in results
                for statistic in ("mean", "std", "q50")
            },
        }
        for setting in part.settings
        for name in differing(part)
    ]


def results_table(part: RegretPart, results: ByVariant, records: Sequence[Mapping[str, Any]]) -> Table:
    """Mean final regret of all methods by their authors' definitions, the other numbers below."""
    different, rows = differing(part), list[list[Cell | str]]()
    for name in results["authors"][part.settings[0]].policies:
        row: list[Cell | str] = [name]
        for setting in part.settings:
            means = {definition: mean(results[definition][setting], name) for definition in results}
            best = results["authors"][setting].ranking()[0]
            notes = [f"as published {number(means['published'])}"] if name in different else ["the same"]
            if part.plan.faithful:
                notes.append(f"printed {number(part.printed[setting.key]['mean'][name] * part.scale)}")
            row.append(Cell(number(means["authors"]), "best" if name == best else "", notes))
        rows.append(row)
    return Table(
        "Mean final regret by the authors' definitions, and as published; the lowest of a setting is bold. Settings as "
        f"in Figure {part.figure}.",
        ["method", *headings(part.settings)],
        rows,
        f"definitions-{part.name}",
        records=records,
    )


def conclusions(part: RegretPart, results: ByVariant) -> list[str]:
    """What the authors' definitions change in the paper's conclusions, in numbers of this run."""
    own = part.own
    if own not in results["authors"][part.settings[0]].policies:
        return ["Our own method was not run."]
    places = {name: [each.ranking().index(own) + 1 for each in rows.values()] for name, rows in results.items()}
    count = len(results["authors"][part.settings[0]].policies)
    letters = ", ".join(f"({letter})" for letter, _ in zip(LETTERS, part.settings, strict=False))
    sentences = [
        f"By mean regret {own} takes place {listed(places['authors'])} of {count} in settings {letters} when every "
        f"baseline is defined as by its authors, and {listed(places['published'])} as published"
        + (": the order does not change for it." if places["authors"] == places["published"] else ".")
    ]
    ahead = {name: overtaking(rows, own) for name, rows in results.items()}
    gained = {key: names for key, names in newly(ahead["authors"], ahead["published"]).items() if names}
    lost = {key: names for key, names in newly(ahead["published"], ahead["authors"]).items() if names}
    if gained:
        told = "; ".join(f"{', '.join(names)} in ({letter})" for letter, names in gained.items())
        sentences.append(f"Better than {own} only by their authors' definitions: {told}.")
    if lost:
        told = "; ".join(f"{', '.join(names)} in ({letter})" for letter, names in lost.items())
        sentences.append(f"Better than {own} only as published: {told}.")
    sentences += [distance(results, own), robustness(results, own)]
    sentences += largest_changes(part, results)
    return sentences


def distance(results: ByVariant, own: str) -> str:
    """How far the paper's method is from the best, under both definitions."""
    ranges = {}
    for name, rows in results.items():
        ratios = [mean(each, own) / max(mean(each, each.ranking()[0]), 1e-12) for each in rows.values()]
        ranges[name] = f"{min(ratios):.2f} to {max(ratios):.2f}"
    best = [each.ranking()[0] for each in results["authors"].values()]
    return (
        f"{own}'s mean regret is {ranges['authors']} times that of the best method by the authors' definitions "
        f"({listed(best)}), {ranges['published']} times as published."
    )


def robustness(results: ByVariant, own: str) -> str:
    """The paper's second point: how much regret varies from trial to trial, beside the others."""
    places = {}
    for name, rows in results.items():
        spreads = [{policy: row["std"] for policy, row in each.statistics().items()} for each in rows.values()]
        places[name] = [sorted(each, key=each.__getitem__).index(own) + 1 for each in spreads]
    worst = [{policy: worst_trial(each, policy) for policy in each.policies} for each in results["authors"].values()]
    mine, others = [each.pop(own) for each in worst], [ratio for each in worst for ratio in each.values()]
    return (
        f"Robustness, the paper's other point: by standard deviation over the trials {own} takes place "
        f"{listed(places['authors'])} by the authors' definitions, {listed(places['published'])} as published. By the "
        f"authors' definitions its worst trial loses {min(mine):.1f} to {max(mine):.1f} times its mean, that of "
        f"another method up to {max(others, default=1.0):.1f} times."
    )


def worst_trial(results: Results, name: str) -> float:
    """The largest final regret in multiples of the mean."""
    return float(results.final_regret(name).max()) / max(mean(results, name), 1e-12)


def largest_changes(part: RegretPart, results: ByVariant) -> list[str]:
    """The three numbers that the definition moves most."""
    changes = []
    for letter, setting in zip(LETTERS, part.settings, strict=False):
        for name in differing(part):
            before, after = (mean(results[definition][setting], name) for definition in ("published", "authors"))
            changes.append((max(before, after) / max(min(before, after), 1e-12), name, letter, before, after))
    changes.sort(reverse=True)
    return [
        f"{name} in ({letter}): mean regret {number(before)} as published, {number(after)} by its authors, "
        f"a factor of {ratio:,.1f}."
        for ratio, name, letter, before, after in changes[:4]
    ]


def overtaking(rows: Mapping[Setting, Results], own: str) -> dict[str, list[str]]:
    """By setting, the methods with less mean regret."""
    return {
        letter: each.ranking()[: each.ranking().index(own)]
        for letter, each in zip(LETTERS, rows.values(), strict=False)
    }


def newly(now: Mapping[str, list[str]], before: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Those that are there now and were not before."""
    return {key: [name for name in names if name not in before[key]] for key, names in now.items()}


def mean(results: Results, name: str) -> float:
    """Mean final regret."""
    return float(results.final_regret(name).mean())


def listed(items: Sequence[Any]) -> str:
    """One, two and three."""
    words = [str(item) for item in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
