"""The knowledge gradient as the published tables were made."""

from dataclasses import dataclass
from math import inf, sqrt

from rbmle import kernels
from rbmle.policies.knowledge_gradient import KnowledgeGradient
from rbmle.policies.linear import formula


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + (T−t) σ̃_a f(−|m_a − max_{b≠a} m_b| / σ̃_a), σ̃_a² = v_a² / (1 + 1/v_a²): v_a² where v_a belongs."""
    remaining = coefficients[0]
    best, top, second = kernels.normal.best_and_second(mean)
    for a in range(len(mean)):
        other = second if a == best else top
        square = variance[a] * variance[a]
        scores[a] = mean[a]
        if square > 0.0 and other > -inf:
            # As written: the ties of t = 1 hang on how this rounds.
            sigma = sqrt(square / (1.0 + 1.0 / square))
            if sigma > 0.0:
                scores[a] += remaining * sigma * kernels.normal.expected_excess(-abs(mean[a] - other) / sigma)
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class PublishedKnowledgeGradient(KnowledgeGradient):
    """`KnowledgeGradient` with v in place of √v, for comparison with the published tables alone."""

    title = "online knowledge gradient, as published"
    notation = "m + (T−t) σ̃ f(−|m − max_other m| / σ̃),  σ̃² = v² / (1 + 1/v²)"
    source = "tables of Hung, Hsieh, Liu & Kumar 2021"
    formula = index
