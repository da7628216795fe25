"""What belongs together, by name: the tuples that kernels of generalized linear models hand to each other.

Python passes plain tuples in the same order, because numba takes 3 µs longer to recognise a named one; the kernels that
Python calls give them their names first.

    d features, K arms, C rows of room, n rows in use rounded up to whole vectors (`LANES`)
"""

from typing import Any, NamedTuple

from numba import types

from rbmle.families.base import CUSTOM, GAUSSIAN, LOGISTIC, POISSON
from rbmle.kernels.compile import compiled
from rbmle.types import FloatArray, IntArray

__all__ = ["CUSTOM", "GAUSSIAN", "LOGISTIC", "POISSON"]

# Arrays of rows are padded with zeros to a multiple of this, so that no loop has a scalar remainder.
LANES = 16


class Link(NamedTuple):
    """μ, μ' and b of a family, and where the functions live that every estimate needs."""

    code: int  # GAUSSIAN, LOGISTIC, POISSON or CUSTOM
    limit: float  # S of the extended link, inf for none
    functions: IntArray  # (6,) addresses, see kernels.glm.code


class History(NamedTuple):
    """The compressed history: one row per distinct context, found by hashing (kernels.glm.rows)."""

    XT: FloatArray  # (d, C) distinct contexts as columns, zero beyond the rows in use
    counts: FloatArray  # (C,) how often each was observed
    sums: FloatArray  # (C,) the sum of its rewards
    table: IntArray  # (P,) open-addressing hash table of row numbers, -1 where free; P ≥ 2C a power of two
    totals: FloatArray  # (4 and more,) rows in use, rewards learnt, Σ r², …: by the names in kernels.glm.rows


class Likelihood(NamedTuple):
    """The regularised log-likelihood of a history."""

    XT: FloatArray
    n: int
    counts: FloatArray
    sums: FloatArray
    lam: float
    link: Link


class Rule(NamedTuple):
    """How GLM-RBMLE decides now, and where the functions live that only decisions need."""

    alpha: float  # α(t)
    eta: float  # η(t)
    concordance: float  # the family's self-concordance, -1 where unknown
    functions: IntArray  # (4,) addresses, see kernels.glm.code


class Arms(NamedTuple):
    """The arms as seen from the middle."""

    X: FloatArray  # (K, d)
    middle: FloatArray  # (d,) a point near θ̂, kept warm between decisions
    white: FloatArray  # (d, K) whitened contexts R x, with RᵀR = H⁻¹ at the middle


class Points(NamedTuple):
    """A point for every arm near its θ̄, and what is known there. G = K where gradients and inverses are kept, or 1."""

    theta: FloatArray  # (K, d)
    step: FloatArray  # (K, d) the Newton step from it
    known: FloatArray  # (K, 12) what is certified there, by the names in kernels.glm.prune.look
    gradient: FloatArray  # (G, d) ∇g
    inverse: FloatArray  # (G, d + 1, d) H⁻¹, and H⁻¹x in the last row
    clock: FloatArray  # (2,) the α that the points know of; rewards learnt since all arms were looked at


class Point(NamedTuple):
    """The point of one arm."""

    theta: FloatArray
    step: FloatArray
    known: FloatArray
    gradient: FloatArray
    inverse: FloatArray


class Scratch(NamedTuple):
    """Room for numbers on the way."""

    work: FloatArray  # (5, C) of the rows: z, μ, μ', b, and one more
    small: FloatArray  # (2d + 2, d) R∇, H, R, and the middle's own Newton step


class Rounds(NamedTuple):
    """A block of simulated rounds of GLM-RBMLE."""

    rewards: FloatArray  # (B, K) of all arms
    weights: FloatArray  # (2, B) α(t) and η(t)
    arms: IntArray  # (B,) output: the arms played
    solved: IntArray  # (B,) output: how many arms needed a closer look


VECTOR = types.Array(types.float64, 1, "C")
MATRIX = types.Array(types.float64, 2, "C")
CUBE = types.Array(types.float64, 3, "C")
ADDRESSES = types.Array(types.int64, 1, "C")
REAL, WHOLE = types.float64, types.int64
LINK = types.NamedTuple([WHOLE, REAL, ADDRESSES], Link)
LIKELIHOOD = types.NamedTuple([MATRIX, WHOLE, VECTOR, VECTOR, REAL, LINK], Likelihood)
RULE = types.NamedTuple([REAL, REAL, REAL, ADDRESSES], Rule)
ARMS = types.NamedTuple([MATRIX, VECTOR, MATRIX], Arms)
POINTS = types.NamedTuple([MATRIX, MATRIX, MATRIX, MATRIX, CUBE, VECTOR], Points)
POINT = types.NamedTuple([VECTOR, VECTOR, VECTOR, VECTOR, MATRIX], Point)
SCRATCH = types.NamedUniTuple(MATRIX, 2, Scratch)


@compiled
def named(problem: Any) -> Any:
    """The likelihood of a plain tuple (XT, n, counts, sums, λ, (code, limit, functions))."""
    XT, n, counts, sums, lam, link = problem
    return Likelihood(XT, n, counts, sums, lam, Link(*link))


@compiled
def padded(rows: int) -> int:
    """The number of rows rounded up to whole vectors."""
    return (rows + LANES - 1) // LANES * LANES


@compiled
def likelihood_of(history: Any, lam: float, link: Any) -> Any:
    """The regularised log-likelihood of what the history holds now."""
    rows = padded(int(history.totals[0]))
    return Likelihood(history.XT, rows, history.counts, history.sums, lam, link)


@compiled
def weighed(likelihood: Any, lam: float) -> Any:
    """The same likelihood with another λ."""
    return Likelihood(likelihood.XT, likelihood.n, likelihood.counts, likelihood.sums, lam, likelihood.link)
