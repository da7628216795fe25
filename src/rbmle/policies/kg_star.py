"""KG*: the knowledge gradient of as many further observations as pay best, each."""

from dataclasses import dataclass
from math import floor, inf, sqrt

from rbmle import kernels
from rbmle.policies.about import Provenance
from rbmle.policies.knowledge_gradient import AheadInNoise
from rbmle.policies.linear import formula

# Where Δ² exceeds σ² v so many times, f is below 1e-33: no bit of the index would know of it.
NEVER = 144.0


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a − max_b m_b + (T−t) max_m ν_a(m)/m, ν_a(m) = s f(−|Δ_a|/s), s² = σ² v_a m / (1/v_a + m), 1 ≤ m ≤ T−t.

    m observations move the mean by N(0, s²): σ² v_a before, σ² / (1/v_a + m) after. Δ_a is the distance to the best
    of the other arms. ν(m)/m has one peak, between two integers.
    """
    remaining, noise = coefficients[0], coefficients[1]
    best, top, second = kernels.normal.best_and_second(mean)
    for a in range(len(mean)):
        gap = mean[a] - (second if a == best else top)
        scores[a] = mean[a] - top
        v = variance[a]
        if v <= 0.0 or gap == inf or remaining < 1.0:
            continue
        z = abs(gap) / noise
        if z * z > NEVER * v:
            continue
        peak = kernels.normal.best_count(z * z / v) / v
        low = min(max(1.0, floor(peak)), remaining)
        most = 0.0
        for step in range(1 if peak <= 1.0 or low == remaining else 2):
            m = low + step
            s = sqrt(v * m / (1.0 / v + m))
            most = max(most, s * kernels.normal.expected_excess(-z / s) / m)
        scores[a] += remaining * noise * most
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class KGStar(AheadInNoise):
    """The knowledge gradient looks one observation ahead; KG* looks as many ahead as pay best per observation.

    One observation may be worth next to nothing where ten together would change the choice. Rewards and noise in other
    units give the same choices. Beliefs about arms are taken as independent, as in `KnowledgeGradient`.

    horizon: T, the rounds to be played in all.
    noise:   σ, the standard deviation of the rewards' noise.
    """

    title = "knowledge gradient of several observations"
    notation = "m − max m + (T−t) max_k ν(k)/k,  ν(k) = s f(−|Δ|/s),  s² = σ² v k / (1/v + k)"
    source = "Frazier & Powell 2010; Kamiński 2015"
    kind = "linear: information and knowledge"
    provenance = Provenance(
        defined_by="Frazier & Powell 2010 (KG(*)); Kamiński 2015",
        read="no primary text: ν(k)/k is from memory, confirmed by the regret it gives",
        changed="beliefs about arms are taken as independent; the form in the paper's tables credits ν(k) to one pull "
        "and is in rbmle.paper",
        tested_against="a search over all k; the formula in plain NumPy from a dense inverse, round by round",
    )
    formula = index
