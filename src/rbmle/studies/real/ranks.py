"""Methods over many data sets: mean ranks, and which differences of them are more than chance.

The sets are the sample here, not the shuffles: what is asked is how methods would stand on another set like these.
Formulas: Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7 (2006).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import f, rankdata, studentized_range, wilcoxon

from rbmle.errors import InvalidInputError


@dataclass(frozen=True)
class Ranking:
    """k methods on N sets.

    ranks     mean rank of each, the best first; 1 is best
    sets      N
    p         of Friedman's test as Iman and Davenport corrected it: how likely ranks so different are if all are alike
    critical  Nemenyi's critical difference: mean ranks further apart differ, all pairs together at `level`
    level     of significance
    """

    ranks: Mapping[str, float]
    sets: int
    p: float
    critical: float
    level: float

    def told_apart(self, one: str, other: str) -> bool:
        """Whether two differ by more than the critical difference."""
        return abs(self.ranks[one] - self.ranks[other]) > self.critical

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """Methods side by side in the ranking that are not told apart; none within another."""
        order, found, reach = list(self.ranks), list[tuple[str, ...]](), 0
        for first, name in enumerate(order):
            last = max(i for i in range(first, len(order)) if not self.told_apart(name, order[i]))
            if last > first and last + 1 > reach:
                found.append(tuple(order[first : last + 1]))
                reach = last + 1
        return found


def ranking(values: Mapping[str, Sequence[float]], level: float = 0.05) -> Ranking:
    """From the value of each method on each set; the largest is best, equal ones share their ranks.

    >>> found = ranking({"a": [3.0, 2.0, 2.5], "b": [1.0, 1.0, 2.0], "c": [2.0, 1.5, 1.0]})
    >>> {name: round(rank, 2) for name, rank in found.ranks.items()}
    {'a': 1.0, 'c': 2.33, 'b': 2.67}
    """
    table = np.array([list(row) for row in values.values()], dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 2 or not np.isfinite(table).all():
        raise InvalidInputError(
            f"values must be finite, of at least 2 methods on at least 2 sets. Got shape {table.shape}."
        )
    k, sets = table.shape
    mean = rankdata(-table, axis=0).mean(axis=1)
    chi_square = 12.0 * sets / (k * (k + 1)) * float((mean**2).sum() - k * (k + 1) ** 2 / 4.0)
    rest = sets * (k - 1) - chi_square
    p = 0.0 if rest <= 0.0 else float(f.sf((sets - 1) * chi_square / rest, k - 1, (k - 1) * (sets - 1)))
    quantile = float(studentized_range.ppf(1.0 - level, k, np.inf)) / math.sqrt(2.0)
    order = np.argsort(mean, kind="stable")
    names = list(values)
    ranks = {names[i]: float(mean[i]) for i in order}
    return Ranking(ranks, sets, p, quantile * math.sqrt(k * (k + 1) / (6.0 * sets)), level)


def signed_ranks(values: Mapping[str, Sequence[float]], reference: str) -> dict[str, float]:
    """Wilcoxon's signed-rank test of each method against one over the sets, as Holm corrects for their number.

    Unlike a difference of mean ranks it does not hang on which other methods took part (Benavoli, Corani & Mangili,
    JMLR 17 (2016)).
    """
    own = np.array(values[reference], dtype=np.float64)
    raw = {}
    for name, row in values.items():
        if name != reference:
            more = np.array(row, dtype=np.float64) - own
            raw[name] = float(wilcoxon(more).pvalue) if more.any() else 1.0
    return holm(raw)


def holm(raw: Mapping[str, float]) -> dict[str, float]:
    """P values of several tests, corrected so that all hold together.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    order = sorted(raw, key=lambda name: raw[name])
    found, least = dict[str, float](), 0.0
    for place, name in enumerate(order):
        least = max(least, min(1.0, (len(order) - place) * raw[name]))
        found[name] = least
    return {name: found[name] for name in raw}
