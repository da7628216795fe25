"""A generalized linear model in bounded memory: a window of rows kept exactly, and a quadratic for what has left it.

With A and b of the quadratic (the prior's λI and 0 to begin with), what is maximised is

    g(θ) = Σ sums_i z_i − counts_i b(z_i) over the window's rows  + bᵀθ − ½ θᵀAθ

A reward moves θ̂ at once to the maximiser of −½(θ−θ̂)ᵀH(θ−θ̂) plus its own log-likelihood, which takes O(d²). From time to
time θ̂ and H are made those of g (`relinearise`): as often as keeps the work per reward constant. When the window is
full, half of its rows, those seen least often and the oldest first, are folded into the quadratic at θ̂.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from rbmle.inputs import LARGEST_CONTEXT, LARGEST_REWARD
from rbmle.kernels.assign import assign
from rbmle.kernels.compile import compiled
from rbmle.kernels.glm.link import fill_link
from rbmle.kernels.glm.named import Likelihood, Link, padded
from rbmle.kernels.glm.newton import VALUE_ROUNDING, curvature_of, evaluate, gradient_of, scores_of_rows
from rbmle.kernels.glm.root import apply_root, apply_transposed, invert_root
from rbmle.kernels.glm.rows import REWARDS, ROWS, SQUARES, find, put
from rbmle.kernels.glm.scalar import solve
from rbmle.types import FloatArray, IntArray

# Where in the totals the rewards are counted that came since θ̂ and H were those of g.
PENDING = 3
# Rewards after which g is maximised again: this share of the window's rows, which keeps the work per reward constant,
# but not more often than so many rewards, or so small a part of all, can change anything.
SHARE_OF_ROWS, MOST_ALONE, SHARE_OF_REWARDS = 0.5, 16.0, 1 / 16
# Newton steps for that, cuts of a step, and the squared step, in standard deviations, after which none is needed.
MOST_STEPS, MOST_CUTS, ENOUGH = 20, 30, 1e-8


class Window(NamedTuple):
    """What is learnt. The rows are those of a History and may stand for one; totals have a fourth entry, PENDING."""

    XT: FloatArray  # (d, C)
    counts: FloatArray  # (C,)
    sums: FloatArray  # (C,)
    table: IntArray  # (P,)
    totals: FloatArray  # (4,)
    theta: FloatArray  # (d,) θ̂
    H_inv: FloatArray  # (d, d) the inverse of the curvature at θ̂
    A: FloatArray  # (d, d) of the quadratic
    b: FloatArray  # (d,)


@compiled
def learn(window: Any, link: Any, x: FloatArray, r: float) -> bool:
    """Learn one reward, and count it. False, nothing changed, where its maximiser was not reached.

    The maximiser lies on the ray θ + τ H⁻¹x with τ = r − μ(z + vτ), a decreasing equation in one number.
    """
    theta, H_inv, d = window.theta, window.H_inv, len(x)
    u = np.empty(d)
    z = v = largest = 0.0
    for i in range(d):
        s = 0.0
        for j in range(d):
            s += H_inv[i, j] * x[j]
        u[i] = s
        z += x[i] * theta[i]
        v += x[i] * s
        largest = max(largest, math.fabs(x[i]))
    if not (largest <= LARGEST_CONTEXT and math.fabs(r) <= LARGEST_REWARD and math.isfinite(z) and v >= 0.0):
        return False
    tau, slope, good = solve(z, v, r, link)
    gain = slope / (1.0 + slope * v)
    if not (good and math.isfinite(tau) and math.isfinite(gain) and put(window, x, 1.0, r)):
        return False
    for i in range(d):
        theta[i] += tau * u[i]
    for i in range(d):
        for j in range(d):
            H_inv[i, j] -= gain * (u[i] * u[j])
    totals = window.totals
    totals[REWARDS] += 1.0
    totals[SQUARES] += r * r
    totals[PENDING] += 1.0
    full = totals[ROWS] >= len(window.counts)
    due = max(SHARE_OF_ROWS * totals[ROWS], min(MOST_ALONE, SHARE_OF_REWARDS * totals[REWARDS]))
    if full or totals[PENDING] >= due:
        relinearise(window, link)
        if full:
            fold(window, link)
    return True


@compiled
def value_at(window: Any, likelihood: Any, theta: FloatArray, work: FloatArray, g: FloatArray, H: FloatArray) -> float:
    """g(θ), its gradient in g, its curvature in the lower triangle of H, and the value's rounding in work[4, 1]."""
    value, scale = evaluate(likelihood, window.b, theta, work, g, H)
    square = 0.0
    for i in range(len(theta)):
        s = 0.0
        for j in range(len(theta)):
            s += window.A[i, j] * theta[j]
        for j in range(i + 1):
            H[i, j] += window.A[i, j]
        g[i] -= s
        square += theta[i] * s
    work[4, 1] = VALUE_ROUNDING * (scale + 0.5 * square)
    return value - 0.5 * square


@compiled
def relinearise(window: Any, link: Any) -> None:
    """Move θ̂ to the maximiser of g, and H with it. Where Newton's method does not get there both stay as they are: then
    they are as good as rewards learnt one by one make them.
    """
    d, n = len(window.theta), padded(int(window.totals[ROWS]))
    likelihood = Likelihood(window.XT, n, window.counts, window.sums, 0.0, link)
    work, gradient, H, R = np.empty((5, n)), np.empty(d), np.empty((d, d)), np.empty((d, d))
    theta, half, step, trial = window.theta.copy(), np.empty(d), np.empty(d), np.empty(d)
    value = value_at(window, likelihood, theta, work, gradient, H)
    window.totals[PENDING] = 0.0
    for _ in range(MOST_STEPS):
        slack = work[4, 1]
        if not (math.isfinite(value) and invert_root(H, R)):
            return
        square = apply_root(R, gradient, half)
        apply_transposed(R, half, step)
        if square <= ENOUGH:
            for i in range(d):
                window.theta[i] = theta[i] + step[i]
                for j in range(i + 1):
                    s = 0.0
                    for k in range(i, d):
                        s += R[k, i] * R[k, j]
                    window.H_inv[i, j] = window.H_inv[j, i] = s
            return
        length, new = 1.0, -math.inf
        for _ in range(MOST_CUTS):
            for j in range(d):
                trial[j] = theta[j] + length * step[j]
            new = value_at(window, likelihood, trial, work, gradient, H)
            if new >= value - slack and new < math.inf:
                break
            length *= 0.5
        else:
            return
        assign(theta, trial)
        value = new


@compiled
def leaving(counts: FloatArray, rows: int) -> FloatArray:
    """The counts of half of the rows, zero for the others: those seen least often leave, up to a factor of two, and of
    these the oldest, which stand first.
    """
    leaves, left, most = np.zeros(padded(rows)), rows // 2, 1.0
    while left > 0:
        for row in range(rows):
            if left > 0 and leaves[row] == 0.0 and counts[row] <= most:
                leaves[row] = counts[row]
                left -= 1
        most *= 2.0
    return leaves


@compiled
def fold(window: Any, link: Any) -> None:
    """Replace half of the rows by their quadratic expansion around θ̂; H stays what it is."""
    XT, counts, sums = window.XT, window.counts, window.sums
    d, rows = len(XT), int(window.totals[ROWS])
    n, leaves = padded(rows), leaving(counts, rows)
    work, x, gradient, H = np.empty((5, n)), np.empty(d), np.empty(d), np.empty((d, d))
    scores_of_rows(XT, n, window.theta, work[0])
    fill_link(link, n, work)
    curvature_of(XT, n, leaves, work, H)
    for row in range(n):  # the gradient of the expansion is (sum − count μ + count μ' z) x at θ = 0
        work[1, row] -= work[2, row] * work[0, row]
    gradient_of(XT, n, leaves, np.where(leaves > 0.0, sums[:n], 0.0), work, gradient)
    for i in range(d):
        window.b[i] += gradient[i]
        for j in range(i + 1):
            window.A[i, j] += H[i, j]
            window.A[j, i] = window.A[i, j]
    kept = 0
    window.table[:] = -1
    for row in range(rows):
        if leaves[row] == 0.0:
            for j in range(d):
                x[j] = XT[j, row]
                XT[j, kept] = x[j]
            counts[kept], sums[kept] = counts[row], sums[row]
            window.table[find(window, x)] = kept
            kept += 1
    for j in range(d):
        XT[j, kept:rows] = 0.0
    counts[kept:rows] = 0.0
    sums[kept:rows] = 0.0
    window.totals[ROWS] = kept


@compiled
def observe(window: Any, link: Any, x: FloatArray, r: float) -> bool:
    """`learn` for plain tuples."""
    return learn(Window(*window), Link(*link), x, r)


@compiled
def observe_many(window: Any, link: Any, X: FloatArray, rewards: FloatArray) -> int:
    """Learn rewards one after the other; returns how many were learnt before one was refused."""
    for s in range(len(rewards)):
        if not learn(Window(*window), Link(*link), X[s], rewards[s]):
            return s
    return len(rewards)


@compiled
def absorb(window: Any, link: Any, X: FloatArray, counts: FloatArray, sums: FloatArray) -> None:
    """Add rows of another window, uncounted, and make θ̂ and H those of all."""
    window, link = Window(*window), Link(*link)
    for s in range(len(counts)):
        put(window, X[s], counts[s], sums[s])
        if window.totals[ROWS] >= len(window.counts):
            relinearise(window, link)
            fold(window, link)
    relinearise(window, link)
