"""What the numbers of an agent say in words: what is wrong, and what to do about it."""

from typing import NamedTuple

from rbmle.online.stats import Stats

# Below this p-value the log is not what was served; above these shares something is wrong with how rewards are told.
SURE, MANY, ILL = 1e-4, 0.05, 1e10


class Finding(NamedTuple):
    """One sentence. good: whether all is well with what it is about."""

    good: bool
    text: str


def findings(stats: Stats) -> list[Finding]:
    """All there is to say, the bad news first."""
    found = [*of_chances(stats), *of_rewards(stats), *of_service(stats)]
    return sorted(found, key=lambda each: each.good)


def of_chances(stats: Stats) -> list[Finding]:
    """Whether the logged probabilities are true."""
    p = stats["served_as_logged"]
    if p is None:
        return []
    if p < SURE:
        worst = max((each for each in stats["arms"] if each["spread"]),
                    key=lambda each: abs(each["by_chance"] - each["expected"]) / each["spread"])  # fmt: skip
        return [Finding(False, f"Arms were not served as often as the logged probabilities say (p = {p:.2g}): "
                f"{worst['arm']} {worst['by_chance']:,} times, {worst['expected']:,.0f} expected. Evaluation of this "
                "log would be wrong. Is something filtered after the decision?")]  # fmt: skip
    return [Finding(True, f"Arms were served as often as the logged probabilities say (p = {p:.2g}).")]


def of_rewards(stats: Stats) -> list[Finding]:
    """Whether rewards find their decisions."""
    rates, counts = stats["rates"], stats["counts"]
    if rates is None:
        return [Finding(False, "No reward was told so far.")] if counts["decisions"] else []
    advice = {
        "unknown": "of decisions that this journal never saw: another journal, or ids that are cut or changed?",
        "late": "after their decisions were closed: a longer waiting time would have learnt from them.",
        "conflict": "with another value than was told before: the first counts. Are there several rewards per decision?"
        " Then aggregate them.",
    }
    found = [
        Finding(False, f"{100 * rates[name]:.3g} % of the rewards told came {text}")
        for name, text in advice.items()
        if rates[name] > MANY
    ]
    return found or [Finding(True, f"{100 * rates['accepted']:.4g} % of the rewards told were accepted.")]


def of_service(stats: Stats) -> list[Finding]:
    """The policy itself."""
    counts, condition, found = stats["counts"], stats["condition_number"], []
    if counts.get("fallback", 0):
        found.append(Finding(False, f"The policy failed {counts['fallback']:,} times and the fallback was served; the "
                             "log of the program says why."))  # fmt: skip
    if counts.get("not learnt", 0):
        found.append(Finding(False, f"{counts['not learnt']:,} rewards could not be learnt: too large for the policy?"))
    if counts.get("closed: full", 0):
        found.append(Finding(False, f"{counts['closed: full']:,} decisions were closed before their time because too "
                             "many were open: raise max_pending, or wait less."))  # fmt: skip
    if condition is not None and condition > ILL:
        found.append(Finding(False, f"The features are nearly dependent or of very different size (condition number "
                             f"{condition:.2g}): scale them."))  # fmt: skip
    if stats["agreement"] is not None and stats["apprentice"]:
        found.append(Finding(True, f"The policy would have served what the caller's rule did in "
                             f"{100 * stats['agreement']:.3g} % of the decisions."))  # fmt: skip
    return found
