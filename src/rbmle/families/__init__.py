"""Exponential families of rewards: p(r | z) ∝ exp(r z − b(z)) with z = xᵀθ, so that E[r] = μ(z) = b'(z).

A family is a small frozen object: it prints, compares, and can be saved as plain data. Its functions take a number or
an array. `extended(S)` is the link of the paper's appendix, μ inside [−S, S] and its tangents outside, which keeps
μ' ≥ κ_μ > 0 on the whole line.

>>> Logistic().mean(0.0)
0.5
>>> family = Logistic().extended(2.0)
>>> family
Extended(base=Logistic(fractions=False), limit=2.0)
>>> round(family.kappa, 4), family.lipschitz
(0.105, 0.25)
>>> get("poisson")
Poisson()
"""

from rbmle.families.base import Family
from rbmle.families.built_in import Gaussian, Logistic, Poisson
from rbmle.families.custom import Custom
from rbmle.families.extended import Extended
from rbmle.families.names import Known, get, register

__all__ = [
    "Custom",
    "Extended",
    "Family",
    "Gaussian",
    "Known",
    "Logistic",
    "Poisson",
    "get",
    "register",
]
