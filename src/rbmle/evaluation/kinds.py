"""The intervals by their names: for which estimators they are, and what they assume."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rbmle.errors import InvalidParameterError

TRUE = "logged probabilities are true"
GIVEN_PAST = "logged probabilities are true given all rows before"
INDEPENDENT = "rows are independent of each other: the logging policy did not learn from them"
BOUNDED = "rewards lie in the range that was told beforehand"
ONCE = "the log is looked at once, at a size that does not hang on what was seen"
MANY = "many rows, of which none weighs much"
WEIGHED = "the bound of weights was chosen beforehand"


@dataclass(frozen=True)
class Interval:
    """An interval for the value of the target.

    kind         how it was made
    assumptions  what it needs to be right
    """

    low: float
    high: float
    level: float
    kind: str
    assumptions: tuple[str, ...]

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


class Kind(NamedTuple):
    """A kind of interval.

    suits        estimators it is for
    ranged       whether it needs the range of rewards
    exact        whether it holds for any number of rows
    adaptive     whether it holds for logs of policies that learnt
    assumptions  what it needs to be right
    """

    title: str
    suits: tuple[str, ...]
    ranged: bool
    exact: bool
    adaptive: bool
    assumptions: tuple[str, ...]


EVERY = ("replay", "ips", "clipped-ips", "snips", "dm", "dr", "sndr", "switch-dr", "dros")
KINDS: dict[str, Kind] = {
    "asymptotic": Kind("normal", EVERY, False, False, False, (TRUE, INDEPENDENT, MANY, ONCE)),
    "bootstrap": Kind("studentised Poisson bootstrap", EVERY, False, False, False, (TRUE, INDEPENDENT, MANY, ONCE)),
    "cressie-read": Kind(
        "empirical likelihood (Cressie–Read)", ("ips",), True, False, False,
        (TRUE, INDEPENDENT, BOUNDED, "many rows", ONCE),
    ),
    "empirical-bernstein": Kind(
        "empirical Bernstein", ("ips", "clipped-ips"), True, True, False,
        (TRUE, INDEPENDENT, BOUNDED, WEIGHED, ONCE),
    ),
    "clopper-pearson": Kind(
        "Clopper–Pearson, rows made coins", ("clipped-ips",), True, True, False,
        (TRUE, INDEPENDENT, BOUNDED, "clip was chosen beforehand", ONCE),
    ),
    "kl": Kind(
        "Chernoff, Kullback–Leibler", ("clipped-ips",), True, True, False,
        (TRUE, INDEPENDENT, BOUNDED, "clip was chosen beforehand", ONCE),
    ),
    "sequence": Kind(
        "confidence sequence", ("ips", "dr"), True, True, True,
        (GIVEN_PAST, BOUNDED, "rho was chosen beforehand", "of the mean value so far, should it drift"),
    ),
}  # fmt: skip
"""All of them take the bias of dm, clipped-ips, switch-dr and dros as it is, but for those with a bound."""


def require_kinds(kinds: Sequence[str] | str | None) -> tuple[str, ...]:
    """Kinds that were asked for, checked; "asymptotic" unless others are."""
    asked = ("asymptotic",) if kinds is None else (kinds,) if isinstance(kinds, str) else tuple(kinds)
    for kind in asked:
        if kind not in KINDS:
            raise InvalidParameterError(
                f"The 'intervals' parameter of evaluate must name some of {', '.join(KINDS)}. Got {kind!r} instead."
            )
    return tuple(dict.fromkeys(asked))
