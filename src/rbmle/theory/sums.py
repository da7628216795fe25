"""α(T) and Σ 1/α(t) at each horizon, also where there are too many rounds to add them one by one."""

import math

import numpy as np

from rbmle import schedules
from rbmle.errors import InvalidInputError
from rbmle.params import ScheduleLike
from rbmle.types import FloatArray

EXACT_ROUNDS = 1 << 20
"""Σ 1/α(t) is added round by round up to here; beyond, the rest is an integral that is right to about 1e-12."""


def bias_and_inverse_sum(bias: ScheduleLike, T: FloatArray) -> tuple[FloatArray, FloatArray]:
    """α(T) and Σ_{t ≤ T} 1/α(t) at each horizon."""
    flat = T.reshape(-1)
    if flat.max() > EXACT_ROUNDS and not isinstance(bias, schedules.Schedule):
        raise InvalidInputError(
            f"horizon must be at most {EXACT_ROUNDS} with a bias that is a plain function, computed in every round. "
            f"Got {flat.max():g}. Use a schedule such as Sqrt or Power."
        )
    last = int(min(flat.max(), EXACT_ROUNDS))
    alpha = schedules.evaluate(bias, np.arange(1.0, last + 1), "bias")
    _require_rising(alpha, np.arange(1.0, last + 1))
    sums = np.cumsum(1 / alpha)
    exact = np.minimum(flat, last).astype(np.int64) - 1
    at_end, inverse_sum = alpha[exact], sums[exact]
    if flat.max() > last:
        far = np.unique(flat[flat > last])
        ends, rest = _beyond(bias, far)
        place = np.searchsorted(far, flat[flat > last])
        at_end[flat > last] = ends[place]
        inverse_sum[flat > last] += rest[place]
    return at_end.reshape(T.shape), inverse_sum.reshape(T.shape)


def _beyond(bias: ScheduleLike, far: FloatArray) -> tuple[FloatArray, FloatArray]:
    """α(T) and Σ 1/α(t) over EXACT_ROUNDS < t ≤ T at rising horizons; the sum as ∫ 1/α over log t, block by block."""
    doublings = EXACT_ROUNDS * 2.0 ** np.arange(0, math.ceil(math.log2(far[-1] / EXACT_ROUNDS)))
    edges = np.unique(np.concatenate([doublings, far])) + 0.5
    nodes, weights = np.polynomial.legendre.leggauss(12)
    left, right = np.log(edges[:-1, None]), np.log(edges[1:, None])
    t = np.exp((left + right) / 2 + (right - left) / 2 * nodes)
    blocks = (right - left)[:, 0] / 2 * ((t / bias(t)) @ weights)
    ends = bias(far)
    _require_rising(np.concatenate([bias(np.array([float(EXACT_ROUNDS)])), ends]), np.append(EXACT_ROUNDS, far))
    return ends, np.cumsum(blocks)[np.searchsorted(edges[1:], far + 0.5)]


def _require_rising(alpha: FloatArray, rounds: FloatArray) -> None:
    bad = np.flatnonzero(~(alpha > 0) | (np.diff(alpha, prepend=alpha[0]) < 0))
    if len(bad):
        raise InvalidInputError(
            f"bias must be positive and must not fall from round to round, as the theorems assume. It is "
            f"{alpha[bad[0]]:g} at t = {int(rounds[bad[0]])}" + (f", after {alpha[bad[0] - 1]:g}." if bad[0] else ".")
        )
