"""KG* as the published tables were made."""

from dataclasses import dataclass
from math import ceil, inf, sqrt

from rbmle import kernels
from rbmle.policies.kg_star import KGStar
from rbmle.policies.linear import formula


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a − max_b m_b + (T−t) s f(−|Δ_a|/s), s² = (m+1) v_a² / ((η/v_a)² + m + 1), m the middle of the bounds of m*.

    Unlike KG*: v_a² where v_a belongs, the gain of m + 1 observations, and all of it credited to one of them.
    """
    remaining, noise = coefficients[0], coefficients[1]
    best, top, second = kernels.normal.best_and_second(mean)
    for a in range(len(mean)):
        gap = mean[a] - (second if a == best else top)
        sigma = variance[a]
        scores[a] = mean[a] - top
        if sigma <= 0.0 or gap == inf:
            continue
        r = (gap / sigma) ** 2
        scale = noise / (4.0 * sigma**2)
        low = scale * (-1.0 + r + sqrt(1.0 + 6.0 * r + r**2))
        high = scale * (1.0 + r + sqrt(1.0 + 10.0 * r + r**2))
        if remaining <= low:
            count = remaining
        elif gap == 0.0 or high <= 1.0:
            count = 1.0
        else:
            count = float(ceil((low + high) / 2.0))
        learnt = sqrt((count + 1.0) * sigma**2 / ((noise / sigma) ** 2 + count + 1.0))
        scores[a] += remaining * learnt * kernels.normal.expected_excess(-abs(gap) / (learnt + 1e-8))
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class PublishedKGStar(KGStar):
    """KG* with three slips (see the formula), for comparison with the published tables alone; they have noise = 1."""

    title = "knowledge gradient of several observations, as published"
    notation = "m − max m + (T−t) s f(−|Δ|/s),  s² = (k+1) v² / ((η/v)² + k + 1)"
    source = "tables of Hung, Hsieh, Liu & Kumar 2021"
    formula = index
