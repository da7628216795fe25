"""Very many arms that stay: most are not looked at in a round, for a bound on their index says that they are not best.

A pull of arm p with error e = r − m_p changes the mean of arm a by γ e x_aᵀV⁻¹x_p, which by Cauchy and Schwarz is at
most γ |e| √q √v_a (words as in kernels.linear.columns), and no variance ever grows. With the drift D = Σ γ |e| √q

    m_a ≤ top_a + reach_a (D − since_a),    v_a ≤ reach_a²

where top_a, reach_a and since_a were m_a, √v_a and D when arm a was last looked at. So the bounds serve an index that
grows with mean and variance, and only while nothing but observations is added to the model.

bounds    (3, K)  top, reach, since; top and reach so much larger that rounding, then and later, cannot undo them
squares   (K,)    ‖x_a‖²
lost      (2,)    what rounding is taken to be of m_a/‖x_a‖ and of v_a/‖x_a‖²
drift     (2,)    D, and lost[1], by which it takes into account that V⁻¹x_p is rounded
hot       (32,)   arms that were the best ones lately
found     (n,)    scratch: arms that are looked at
"""

import math
from typing import NamedTuple

import numpy as np

from rbmle.kernels.compile import compiled
from rbmle.kernels.linear.blocks import forms, means, quadratic
from rbmle.kernels.linear.columns import Columns
from rbmle.kernels.linear.index import upper
from rbmle.kernels.linear.posterior import dot
from rbmle.types import FloatArray, IntArray

# Arms that are scanned together, and looked at together.
SCANNED, LOOKED = 512, 32
# Of the unit of rounding, what an observation may add to it; models compute everything anew after as many.
OBSERVATIONS = 65536.0
# Bounds of sums are rounded too.
UP = 1.0 + 1e-12


class Bounds(NamedTuple):
    """The arrays of bounds."""

    bounds: FloatArray
    squares: FloatArray
    lost: FloatArray
    drift: FloatArray
    hot: IntArray
    found: IntArray


class Weights(NamedTuple):
    """An upper bound of `kernels.linear.index.upper` with weights that are not negative."""

    outer: float
    inner: float
    rooted: bool


@compiled
def losses(held: Columns, lost: FloatArray) -> None:
    """What rounding may be from now on; holds while ‖θ̂‖ is at most 8 times what it is now."""
    theta, inverse = held.theta, held.inverse
    d, lengths, squares = len(theta), 0.0, 0.0
    for i in range(d):
        lengths += theta[i] * theta[i]
        for j in range(d):
            squares += inverse[i, j] * inverse[i, j]
    unit = (64.0 * d + OBSERVATIONS) * 2.0**-53
    lost[0], lost[1] = 8.0 * unit * math.sqrt(lengths), unit * math.sqrt(squares)
    held.drift[1] = lost[1]


@compiled
def begin(rows: FloatArray, known: Bounds) -> None:
    """Bounds from means and variances that are up to date."""
    bounds, squares, lost, drift, _, _ = known
    for a in range(len(squares)):
        bounds[0, a] = rows[0, a] + lost[0] * math.sqrt(squares[a])
        bounds[1, a] = math.sqrt(max(rows[1, a], 0.0) + lost[1] * squares[a]) * UP
        bounds[2, a] = drift[0]


@compiled
def scan(known: Bounds, bonus: tuple[float, float], top: float) -> int:
    """Find arms whose bound reaches `top`: how many, in `found`; one more than fit there where they do not.

    bonus: the index is at most mean + bonus[0] · reach + bonus[1] · reach².
    """
    (tops, reaches, since), now, found = known.bounds, known.drift[0] * UP, known.found
    steady, squared = bonus
    highs, count = np.empty(SCANNED), 0
    for first in range(0, len(tops), SCANNED):
        last, above = min(len(tops), first + SCANNED), 0
        m, s, then = tops[first:last], reaches[first:last], since[first:last]
        for a in range(last - first):
            highs[a] = m[a] + s[a] * (now - then[a] + steady + squared * s[a])
            above += 1 if highs[a] >= top else 0
        if count + above > len(found):
            return len(found) + 1
        if above:
            for a in range(last - first):
                if highs[a] >= top:
                    found[count] = first + a
                    count += 1
    return count


@compiled
def look(held: Columns, known: Bounds, weights: Weights, arms: IntArray, best: int, top: float) -> tuple[int, float]:
    """Look at some arms: their bounds are renewed; the best arm of these and of `best`, and its score."""
    contexts, (bounds, squares, lost, drift, _, _) = held.contexts, known
    C, theta, T, m, v, g = quadratic(held.theta, held.inverse, LOOKED, held.theta)
    outer, inner, rooted = weights
    for first in range(0, len(arms), LOOKED):
        few = min(LOOKED, len(arms) - first)
        for lane in range(few):
            for j in range(contexts.shape[1]):
                T[j, lane] = contexts[arms[first + lane], j]
        means(T, theta, m)
        forms(T, C, g, v)
        for lane in range(few):
            arm = arms[first + lane]
            bounds[0, arm] = m[lane] + lost[0] * math.sqrt(squares[arm])
            bounds[1, arm] = math.sqrt(max(v[lane], 0.0) + lost[1] * squares[arm]) * UP
            bounds[2, arm] = drift[0]
            score = upper(m[lane], v[lane], outer, inner, rooted)
            if best < 0 or score > top or (score == top and arm < best):
                best, top = arm, score
    return best, top


@compiled
def choose(held: Columns, known: Bounds, weights: Weights) -> tuple[int, int]:
    """The arm of the largest index and how many were looked at; −1 where these are more than are worth it.

    Hot arms are looked at first: the higher a score is known, the fewer reach it.
    """
    contexts, theta, found = held.contexts, held.theta, known.found
    (tops, reaches, since), lost, now = known.bounds, known.lost, known.drift[0]
    outer, inner, rooted = weights
    steady = outer * math.sqrt(inner) * UP if rooted else 0.0
    squared = 0.0 if rooted else outer * UP
    best, top = look(held, known, weights, known.hot, -1, 0.0)
    count = scan(known, (steady, squared), top)
    if count > len(found):
        return -1, count
    hopeful, highest, leader = 0, -math.inf, -1
    for place in range(count):  # means first: they cost least, and move most
        arm = found[place]
        s = reaches[arm]
        tops[arm] = dot(contexts[arm], theta) + lost[0] * math.sqrt(known.squares[arm])
        since[arm] = now
        high = tops[arm] + s * (steady + squared * s)
        if high >= top:
            found[hopeful] = arm
            hopeful += 1
            if high > highest:
                highest, leader = high, arm
    if leader >= 0:
        best, top = look(held, known, weights, np.array([leader]), best, top)
    left = 0
    for place in range(hopeful):
        arm = found[place]
        s = reaches[arm]
        if arm != leader and tops[arm] + s * (steady + squared * s) >= top:
            found[left] = arm
            left += 1
    best, top = look(held, known, weights, found[:left], best, top)
    return best, count + 3 * left


@compiled
def near(rows: FloatArray, weights: Weights, top: float, drift: float) -> int:
    """How many arms could reach a score after so much drift."""
    outer, inner, rooted = weights
    count = 0
    for a in range(rows.shape[1]):
        high = upper(rows[0, a], rows[1, a], outer, inner, rooted) + drift * math.sqrt(max(rows[1, a], 0.0))
        count += 1 if high >= top else 0
    return count
