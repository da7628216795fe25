"""The normal interval θ̂ ± z se."""

from scipy.special import ndtri


def asymptotic(value: float, standard_error: float, level: float) -> tuple[float, float]:
    """Right for many rows of which none weighs much.

    >>> low, high = asymptotic(0.5, 0.1, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.304, 0.696)
    """
    width = float(ndtri(0.5 + level / 2.0)) * standard_error
    return value - width, value + width
