"""A confidence sequence: bounds that hold at all times together.

It is for logs that are watched while they grow, and for logs written by a policy that learnt (Howard, Ramdas, McAuliffe
& Sekhon 2021; Waudby-Smith, Wu, Ramdas, Karampatziakis & Mineiro 2022).

For rows X with X − X̂ ≥ −1, X̂ a guess from the rows before, E exp(λ (X − ν) − ψ(λ)(X − X̂)²) ≤ 1 given these, where ν is
the mean of X given these and ψ(λ) = −log(1 − λ) − λ. (exp(λy − ψ(λ)y²) ≤ 1 + λy for y ≥ −1, with y = X − X̂, and
exp(λ(X̂ − ν)) (1 + λ(ν − X̂)) ≤ 1.) So the product over rows, and its mixture over λ, is at most 1/α at all times with
probability 1 − α (Ville). With 1 − λ ~ Gamma(ρ, ρ) below 1, S = Σ (X − μ) and v = Σ (X − X̂)² the mixture is

    log m = S + v + ρ log ρ − (v + ρ) log(S + v + ρ) + log γ(v + ρ, S + v + ρ) − log γ(ρ, ρ)

(γ the lower incomplete gamma function), and the bound is the μ with log m = log(1/α): of the mean of the ν so far,
should they drift. Only sums of rows enter, so rows may be added up over shards, each with guesses of its own.
"""

from math import inf, log

from scipy.optimize import brentq
from scipy.special import gammainc, gammaln


def log_mixture(S: float, v: float, rho: float) -> float:
    """log m, where S + v + ρ > 0."""
    total = S + v + rho
    if total <= 0.0:
        return -inf
    return S + v + rho * log(rho) - (v + rho) * log(total) + log_gamma(v + rho, total) - log_gamma(rho, rho)


def log_gamma(a: float, x: float) -> float:
    """log γ(a, x)."""
    share = float(gammainc(a, x))
    return float(gammaln(a)) + log(share) if share > 0.0 else -inf


def lower_bound(n: float, total: float, v: float, rho: float, alpha: float) -> float:
    """The lower bound at 1 − alpha, at all times together, of the mean of n rows that add up to `total`; at least 0.

    rho: chosen before looking: about the v at which the bound is to be tight, n Var(X) or a few times less.

    >>> round(lower_bound(1000, 500.0, 250.0, 100.0, 0.025), 4)
    0.447
    """
    if n <= 0 or total <= 0.0:
        return 0.0
    wanted = log(1.0 / alpha)

    def excess(mu: float) -> float:
        return log_mixture(total - n * mu, v, rho) - wanted

    if excess(0.0) <= 0.0:
        return 0.0
    return float(brentq(excess, 0.0, total / n, xtol=1e-14, rtol=1e-14))
