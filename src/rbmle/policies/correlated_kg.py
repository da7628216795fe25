"""The online knowledge gradient with correlated beliefs: an observation of one arm moves the means of all."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from rbmle import kernels
from rbmle.policies.about import Provenance
from rbmle.policies.knowledge_gradient import AheadInNoise
from rbmle.policies.linear import formula


@formula
def index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + (T−t) ν_a, ν_a = E max_b(m_b + c_ab Z) − max_b m_b, c_ab = σ x_aᵀV⁻¹x_b / √(1 + v_a), Z standard normal."""
    remaining, noise = coefficients[0], coefficients[1]
    K, d = root.shape
    slopes = np.empty(K)
    for a in range(K):
        scale = noise / sqrt(1.0 + max(variance[a], 0.0))
        for b in range(K):
            inner = 0.0
            for i in range(d):
                inner += root[a, i] * root[b, i]
            slopes[b] = scale * inner
        scores[a] = mean[a] + remaining * kernels.normal.expected_gain(mean, slopes)
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class CorrelatedKnowledgeGradient(AheadInNoise):
    """Play the arm whose mean plus the value of what it would teach of all arms, over the remaining rounds, is largest.

    An observation of arm a moves the mean of arm b by c_ab Z. The expected largest mean afterwards is that of the upper
    envelope of K lines in Z, in closed form: O(K² (d + log K)) a decision, K log K more than with independent beliefs.
    Rewards and noise in other units give the same choices.

    horizon: T, the rounds to be played in all.
    noise:   σ, the standard deviation of the rewards' noise.
    """

    title = "online knowledge gradient, correlated beliefs"
    notation = "m + (T−t) (E max_b(m_b + c_b Z) − max m),  c_b = σ xᵀV⁻¹x_b / √(1 + v)"
    source = "Frazier, Powell & Dayanik 2009; Ryzhov, Powell & Frazier 2012"
    kind = "linear: information and knowledge"
    seconds = 1e-5
    provenance = Provenance(
        defined_by="Frazier, Powell & Dayanik 2009; Ryzhov, Powell & Frazier 2012",
        read="no text of theirs: derived here",
        changed="nothing known",
        tested_against="the expected largest mean by numerical integration; the formula in plain NumPy",
    )
    formula = index
    needs_root = True
