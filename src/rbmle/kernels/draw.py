"""Random numbers by their place: number i of a stream, whatever was drawn before it, so that any round is drawn alone.

Philox4x32-10 (Salmon, Moraes, Dror & Shaw 2011) makes 128 random bits of a counter and a key: two numbers, the first
and the second of a pair. There is no table and no branch, so that loops become vector code; and every step is rounded
as IEEE arithmetic says, so that numbers are the same on every machine.

key     64 bits: which path
stream  which of the path's streams
first   the place of the first number wanted
"""

import math

import numpy as np

from rbmle.kernels.bits import bits_of, float_of
from rbmle.kernels.compile import compiled, embedded
from rbmle.types import FloatArray

LOW, FRACTION = 0xFFFFFFFF, 0x000FFFFFFFFFFFFF
ONE, BIG = 0x3FF0000000000000, 0x4330000000000000  # the bits of 1 and of 2^52
MULTIPLY, MULTIPLY_TOO = 0xD2511F53, 0xCD9E8D57
WEYL, WEYL_TOO = 0x9E3779B9, 0xBB67AE85

LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
# Rows whose lengths are computed together.
TOGETHER = 256


@embedded
def philox(a: int, b: int, c: int, d: int, key: int, key_too: int) -> tuple[int, int, int, int]:
    """Four words of 32 bits for a counter of four and a key of two."""
    for _ in range(10):
        p, q = a * MULTIPLY, c * MULTIPLY_TOO
        a, b, c, d = ((q >> 32) & LOW) ^ b ^ key, q & LOW, ((p >> 32) & LOW) ^ d ^ key_too, p & LOW
        key, key_too = (key + WEYL) & LOW, (key_too + WEYL_TOO) & LOW
    return a, b, c, d


@embedded
def bits_at(pair: int, stream: int, key: int) -> tuple[int, int]:
    """The 64 bits each of a pair."""
    a, b, c, d = philox(pair & LOW, (pair >> 32) & LOW, stream, 0, key & LOW, (key >> 32) & LOW)
    return a | (b << 32), c | (d << 32)


@embedded
def unit(bits: int) -> float:
    """A number in (0, 1), even on 2^52 places, from the upper bits."""
    return float_of(((bits >> 12) & FRACTION) | ONE) - (1.0 - 2.0**-53)


@embedded
def log(u: float) -> float:
    """log u of u in (0, 1): 2 artanh((m−1)/(m+1)) of its fraction m in [√½, √2], and its exponent times log 2."""
    bits = bits_of(u)
    m, e = float_of((bits & FRACTION) | ONE), float_of((bits >> 52) | BIG) - (2.0**52 + 1023.0)
    large = m > 1.4142135623730951
    m, e = (0.5 * m if large else m), (e + 1.0 if large else e)
    s = (m - 1.0) / (m + 1.0)
    w = s * s
    tail = 1 / 15 + w * (1 / 17 + w * (1 / 19 + w * (1 / 21)))
    rest = w * (1 / 3 + w * (1 / 5 + w * (1 / 7 + w * (1 / 9 + w * (1 / 11 + w * (1 / 13 + w * tail))))))
    return e * LN2_HIGH + (2.0 * (s + s * rest) + e * LN2_LOW)


@embedded
def sine(x: float) -> float:
    """sin x for |x| ≤ π/4."""
    w = x * x
    tail = 1 / 362880 - w * (1 / 39916800 - w * (1 / 6227020800 - w * (1 / 1307674368000)))
    return x - x * w * (1 / 6 - w * (1 / 120 - w * (1 / 5040 - w * tail)))


@embedded
def cosine(x: float) -> float:
    """cos x for |x| ≤ π/4."""
    w = x * x
    tail = 1 / 40320 - w * (1 / 3628800 - w * (1 / 479001600 - w * (1 / 87178291200 - w * (1 / 20922789888000))))
    return 1.0 - w * (0.5 - w * (1 / 24 - w * (1 / 720 - w * tail)))


@embedded
def normal_pair(pair: int, stream: int, key: int) -> tuple[float, float]:
    """Two standard normal numbers (Box & Muller 1958): a radius, and an angle of a quarter turn whose quarter two bits
    choose, a third mirrors.
    """
    one, two = bits_at(pair, stream, key)
    radius, angle = math.sqrt(-2.0 * log(unit(one))), (unit(two) - 0.5) * (0.5 * math.pi)
    x, y = radius * cosine(angle), radius * sine(angle)
    swapped = two & 1 == 1
    x, y = (y if swapped else x), (x if swapped else y)
    return (-x if two & 2 == 2 else x), (-y if two & 4 == 4 else y)


@embedded
def even_pair(pair: int, stream: int, key: int) -> tuple[float, float]:
    """Two numbers even on (0, 1)."""
    one, two = bits_at(pair, stream, key)
    return unit(one), unit(two)


@compiled
def uniforms(key: int, stream: int, first: int, out: FloatArray) -> None:
    """Numbers even on (0, 1)."""
    odd = min(first & 1, len(out))  # the first is the second of its pair
    whole, start = out[odd:], (first + 1) >> 1
    pairs = len(whole) // 2
    if odd:
        _, out[0] = even_pair(first >> 1, stream, key)
    for i in range(pairs):
        whole[2 * i], whole[2 * i + 1] = even_pair(start + i, stream, key)
    if 2 * pairs < len(whole):
        whole[2 * pairs], _ = even_pair(start + pairs, stream, key)


@compiled
def normals(key: int, stream: int, first: int, out: FloatArray) -> None:
    """Standard normal numbers."""
    odd = min(first & 1, len(out))
    whole, start = out[odd:], (first + 1) >> 1
    pairs = len(whole) // 2
    if odd:
        _, out[0] = normal_pair(first >> 1, stream, key)
    for i in range(pairs):
        whole[2 * i], whole[2 * i + 1] = normal_pair(start + i, stream, key)
    if 2 * pairs < len(whole):
        whole[2 * pairs], _ = normal_pair(start + pairs, stream, key)


@compiled
def directions(key: int, stream: int, first: int, length: float, out: FloatArray) -> None:
    """Rows (N, d) even on the sphere of a radius: normal numbers, divided by their length."""
    N, d = out.shape
    scale = np.empty(TOGETHER)
    for start in range(0, N, TOGETHER):
        rows = out[start : start + TOGETHER]
        normals(key, stream, first + start * d, rows.reshape(-1))
        for a in range(len(rows)):
            square = 0.0
            for i in range(d):
                square += rows[a, i] * rows[a, i]
            scale[a] = square
        for a in range(len(rows)):
            scale[a] = length / math.sqrt(scale[a])
        for a in range(len(rows)):
            for i in range(d):
                rows[a, i] *= scale[a]


@compiled
def products(rows: FloatArray, theta: FloatArray, out: FloatArray) -> None:
    """xᵀθ of every row (N, d), from left to right: the same whichever rows stand beside it."""
    for a in range(len(rows)):
        total = 0.0
        for i in range(len(theta)):
            total += rows[a, i] * theta[i]
        out[a] = total
