"""Policies for every combination of some parameters, named by them."""

import itertools
from typing import Any, TypeVar

from rbmle.errors import InvalidParameterError

P = TypeVar("P")


def sweep(make: "type[P]", /, **parameters: Any) -> dict[str, P]:
    """Policies of a class for all combinations of the parameters given as lists; everything else is fixed.

    >>> from rbmle import LinUCB
    >>> list(sweep(LinUCB, alpha=[0.5, 1.0], regularization=[0.1, 1.0], n_features=3))[:2]
    ['LinUCB(alpha=0.5, regularization=0.1)', 'LinUCB(alpha=0.5, regularization=1.0)']

    `simulate(sweep(...), problem, ...)` compares them, and `to_frame()` of the results has a column per parameter.
    """
    label = getattr(make, "__name__", repr(make))
    swept = {name: values for name, values in parameters.items() if isinstance(values, list)}
    for name, values in swept.items():
        if not values:
            raise InvalidParameterError(f"The '{name}' parameter of sweep must be a list with something in it. Got [].")
    fixed = {name: value for name, value in parameters.items() if name not in swept}
    policies: dict[str, P] = {}
    for combination in itertools.product(*swept.values()):
        chosen = dict(zip(swept, combination, strict=True))
        name = f"{label}({', '.join(f'{key}={value!r}' for key, value in chosen.items())})"
        if name in policies:
            raise InvalidParameterError(f"The lists of sweep must hold different values. Twice: {name}.")
        try:
            policies[name] = make(**fixed, **chosen)
        except TypeError as reason:
            raise InvalidParameterError(f"{label} does not take these parameters: {reason}.") from reason
    return policies
