"""What the numbers say, in plain words computed from them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rbmle.display.grid import number
from rbmle.studies.experiments import Found
from rbmle.studies.forms import REFERENCES

HOW = {"default": "As it comes", "tuned": "Tuned"}


@dataclass(frozen=True)
class Standing:
    """The reference method in one setting and form, against the best of all others.

    verdict  "ahead" or "behind" where the paired interval excludes zero, else "level"
    ratio    its mean regret over that of the best other
    """

    setting: str
    form: str
    rival: str
    ratio: float
    mean: float
    low: float
    high: float
    others: int

    @property
    def verdict(self) -> str:
        """Where it stands."""
        return "behind" if self.low > 0.0 else "ahead" if self.high < 0.0 else "level"


def family_of(name: str, reference: str) -> bool:
    """Whether a row is the reference itself in another setting of its parameters, and so no rival."""
    return name == reference or name.startswith(f"{reference} ")


def standing(found: Found, form: str, variant: str = "") -> Standing:
    """The reference, or a variant of it, against the best other method of a setting."""
    reference = REFERENCES[found.setting.family]
    means = found.means(form)
    rivals = [name for name in means if not family_of(name, reference) and name not in found.setting.extras]
    rival, own = rivals[0], variant or reference
    extra = found.against(own, rival, form)
    ratio = means[own] / means[rival] if means[rival] > 0.0 else math.inf
    return Standing(found.setting.key, form, rival, ratio, extra.mean, extra.low, extra.high, len(rivals))


def compared(found: Sequence[Found]) -> list[Found]:
    """Settings in which the reference has somebody to be compared with."""
    with_rivals = []
    for each in found:
        reference = REFERENCES[each.setting.family]
        rivals = [name for name in each.methods if not family_of(name, reference) and name not in each.setting.extras]
        if rivals and reference in each.methods:
            with_rivals.append(each)
    return with_rivals


def reading(found: Sequence[Found]) -> list[str]:
    """Sentences for the top of the report and for the terminal."""
    sentences = []
    for family, reference in REFERENCES.items():
        some = [each for each in compared(found) if each.setting.family == family]
        if not some:
            continue
        for form in HOW:
            sentences.append(sentence(reference, form, [standing(each, form) for each in some]))
        everywhere = set.intersection(*(set(each.methods) for each in some))
        for variant in sorted(name for name in everywhere if family_of(name, reference) and name != reference):
            standings = [standing(each, "default", variant) for each in some]
            sentences.append(sentence(variant, "default", standings))
        sentences += [overall(reference, form, some) for form in HOW if len(some) > 1]
    sentences += [text for text in (drifting(found), tuning_gain(found)) if text]
    return sentences


def ratios(found: Sequence[Found], form: str) -> dict[str, dict[str, float]]:
    """By method and setting, mean regret over that of the best method there; the best on the whole first.

    What is shown in one setting only has no place here; a method that did not play has no number.
    """
    by_setting = {each.setting.key: each.means(form) for each in found}
    names = dict.fromkeys(name for each in found for name in each.methods if name not in each.setting.extras)
    table = {
        name: {key: ratio(means[name], min(means.values())) for key, means in by_setting.items() if name in means}
        for name in names
    }
    return dict(sorted(table.items(), key=lambda item: geometric_mean(list(item[1].values()))))


def ratio(value: float, best: float) -> float:
    """1 for the best, also where it lost nothing."""
    return 1.0 if value == best else value / best if best > 0.0 else math.inf


def geometric_mean(values: Sequence[float]) -> float:
    """Of ratios: a method twice as good here and half as good there is neither."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.inf


def overall(reference: str, form: str, found: Sequence[Found]) -> str:
    """The order on the whole, of methods that played everywhere."""
    table = {name: row for name, row in ratios(found, form).items() if len(row) == len(found)}
    order = list(table)
    words = {"default": "as they come", "tuned": "tuned"}[form]
    first = ", ".join(f"{name} {geometric_mean(list(table[name].values())):.2f}" for name in order[:5])
    return (
        f"Over these settings together (geometric mean of the regret as a multiple of the best, {words}): {first}; "
        f"**{reference}** is number {order.index(reference) + 1} of {len(order)} with "
        f"{geometric_mean(list(table[reference].values())):.2f}."
    )


def sentence(reference: str, form: str, standings: Sequence[Standing]) -> str:
    """Where the reference is ahead, level and behind."""
    parts = []
    for verdict, words in (
        ("ahead", "ahead in"),
        ("level", "not to be told apart in"),
        ("behind", "behind in"),
    ):
        some = [each for each in standings if each.verdict == verdict]
        if some:
            named = ", ".join(described(each) for each in sorted(some, key=lambda each: each.ratio))
            parts.append(f"{words} {len(some)} of {len(standings)} ({named})")
    others = max(each.others for each in standings)
    return f"{HOW[form]}, **{reference}** against the best of {others} other methods in a setting: {'; '.join(parts)}."


def described(each: Standing) -> str:
    """A setting with the ratio and the rival."""
    return f"{each.setting}: {each.ratio:.2f} × {each.rival}"


def drifting(found: Sequence[Found]) -> str:
    """What forgetting is worth."""
    parts = []
    for each in found:
        reference = REFERENCES[each.setting.family]
        if each.facts.variation > 0.0 and each.has(reference, "theory"):
            plain, forgetful = each.interval(reference, "default"), each.interval(reference, "theory")
            if plain.mean != forgetful.mean:
                parts.append(f"{each.setting.key}: {number(plain.mean)} without, {number(forgetful.mean)} with")
    return f"Where θ drifts, mean regret of LinRBMLE without and with forgetting: {'; '.join(parts)}." if parts else ""


def tuning_gain(found: Sequence[Found]) -> str:
    """How much tuning is worth to the reference and to the others."""
    own: list[float] = []
    others: list[float] = []
    for each in found:
        reference = REFERENCES[each.setting.family]
        for method in each.methods:
            if each.has(method, "tuned"):
                tuned, plain = each.final(method, "tuned").mean(), each.final(method, "default").mean()
                if tuned > 0.0:
                    (own if method == reference else others).append(plain / tuned)
    if not own or not others:
        return ""
    return (
        f"Untuned, reward-biased methods lose {median(own):.1f} times what they lose tuned (median over settings; at "
        f"worst {max(own):.1f}), the other methods {median(others):.1f} times (at worst {max(others):.0f})."
    )


def median(values: Sequence[float]) -> float:
    """The middle one."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else 0.5 * (ordered[half - 1] + ordered[half])
