"""GP-UCB with a linear kernel, and its tuned variant."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.params import Real
from rbmle.policies.about import Facts, Provenance, Tuning, half_decades
from rbmle.policies.formulas import bound, inner
from rbmle.policies.linear import LinearPolicy
from rbmle.types import FloatArray


def confidences(coefficients: FloatArray, n_arms: int) -> FloatArray:
    """1 and β_t."""
    beta = np.empty((len(coefficients), 1))
    kernels.linear.index.confidences(coefficients, n_arms, beta[:, 0])
    return inner(beta, n_arms)


@bound(rooted=True, weights=confidences)
def confidence_index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + √(β_t v_a), β_t = 2 log(K t² π² / (6δ)). One root of the product: √β·√v rounds ties of t = 1 otherwise."""
    beta = kernels.linear.index.confidence(coefficients[0], coefficients[1], len(mean))
    for a in range(len(mean)):
        scores[a] = kernels.linear.index.upper(mean[a], variance[a], 1.0, beta, True)
    return kernels.normal.first_max(scores)


@bound(rooted=True, weights=inner)
def tuned_index(mean, variance, root, volume, coefficients, draws, bank, scores):  # type: ignore[no-untyped-def]
    """m_a + √(c log t · v_a)."""
    for a in range(len(mean)):
        scores[a] = kernels.linear.index.upper(mean[a], variance[a], 1.0, coefficients[0], True)
    return kernels.normal.first_max(scores)


@dataclass(kw_only=True, eq=False)
class GPUCB(LinearPolicy):
    """Play the largest upper confidence bound that holds for all rounds and arms with probability 1 − δ.

    delta: chance that some bound fails.
    """

    title = "Gaussian process upper confidence bound, linear kernel"
    notation = "m + √(β_t v),  β_t = 2 log(K t² π² / 6δ)"
    source = "Srinivas, Krause, Kakade & Seeger 2010"
    kind = "linear: optimistic"
    provenance = Provenance(
        defined_by="Srinivas, Krause, Kakade & Seeger 2010, finite set of arms",
        read="no text of theirs: the index as the paper's experiments state it",
        changed="the kernel is linear, noise has variance 1",
        tested_against="224 printed cells of Tables 1, 3, 4 and 5, digit for digit (together with the six other index "
        "methods); the formula in plain NumPy from a dense inverse, round by round",
    )
    formula = confidence_index

    delta: Annotated[float, Real(0.0, 1.0, open_low=True, open_high=True)] = 1e-5

    @classmethod
    def theory(cls, facts: Facts) -> dict[str, Any]:
        """δ."""
        return {"delta": facts.delta}

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """t and δ; β_t also needs the number of arms, which may change from round to round."""
        return np.column_stack([rounds, np.full(len(rounds), float(self.delta))])


@dataclass(kw_only=True, eq=False)
class GPUCBTuned(LinearPolicy):
    """GP-UCB with a width tuned by hand: no guarantee, often the lowest regret.

    c: the tuned constant.
    """

    title = "GP-UCB with a tuned width"
    notation = "m + √(c log t · v)"
    source = "Russo & Van Roy 2018"
    kind = "linear: optimistic"
    provenance = Provenance(
        defined_by="Russo & Van Roy 2018, section on experiments",
        read="no text of theirs: the index as the paper's experiments state it",
        changed="nothing; RegCB's optimistic form with an exact ridge oracle is this method with another logarithm",
        tested_against="224 printed cells of Tables 1, 3, 4 and 5, digit for digit (together with the six other index "
        "methods); the formula in plain NumPy from a dense inverse, round by round",
    )
    tuning = Tuning("c", half_decades(0.001, 10.0), 0.9)
    formula = tuned_index

    c: Annotated[float, Real(0.0)] = 0.9

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """c log t."""
        return np.column_stack([self.c * np.log(rounds)])
