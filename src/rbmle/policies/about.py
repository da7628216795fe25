"""What a method says of itself: its kind, where it comes from, what its theory asks for, what people tune.

All of it is data beside the class. Nothing here changes a decision; `rbmle methods` shows it and `rbmle study` runs by
it. A policy of your own needs none of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar

from rbmle.models.forgetting import Discount

# In the order in which they are listed.
KINDS = (
    "linear: reward-biased",
    "linear: optimistic",
    "linear: randomised",
    "linear: information and knowledge",
    "generalized linear: reward-biased",
    "generalized linear: optimistic",
    "generalized linear: randomised",
    "inverse gap weighting",
    "baseline",
)


@dataclass(frozen=True)
class Provenance:
    """Where a method comes from.

    defined_by      who defined it
    read            what of that was read for this implementation, and what was not
    changed         what differs from the definition
    tested_against  numbers that somebody else printed or that were computed in another way
    primary         whether `read` includes its authors' text or code: only then we say "by its authors"
    """

    defined_by: str
    read: str
    changed: str
    tested_against: str
    primary: bool = False

    @property
    def trust(self) -> str:
        """How sure the definition is, in a few words."""
        return "by its authors" if self.primary else "by a secondary source, from memory or derived here"


@dataclass(frozen=True)
class Tuning:
    """The one parameter that people tune, and the values that are tried.

    parameter  its name
    values     numbers, ascending, half a decade apart unless something else is natural
    default    the number that the default corresponds to; None where the default is not on this scale
    make       from a number to the parameter's value, where that is not the number itself
    symbol     what the number is called in a figure
    """

    parameter: str
    values: tuple[float, ...]
    default: float | None = None
    make: Callable[[float], Any] | None = None
    symbol: str = ""

    def argument(self, value: float) -> dict[str, Any]:
        """The constructor's argument for a value."""
        return {self.parameter: value if self.make is None else self.make(value)}

    @property
    def label(self) -> str:
        """The symbol, or else the parameter's name."""
        return self.symbol or self.parameter


@dataclass(frozen=True)
class Facts:
    """What is known of a problem before it is played: all that a theorem or a constructor may ask for.

    noise          σ, the sub-Gaussian scale of the rewards' noise
    norm_bound     S ≥ ‖θ*‖
    context_bound  L ≥ ‖x‖
    delta          δ, the chance with which a guarantee may fail
    variation      B_T = Σ ‖θ_{t+1} − θ_t‖ where θ drifts, else 0
    """

    n_features: int
    n_arms: int
    horizon: int
    family: str = "gaussian"
    noise: float = 1.0
    norm_bound: float = 1.0
    context_bound: float = 1.0
    delta: float = 0.05
    variation: float = 0.0

    def discount(self, **more: Any) -> Discount:
        """The discount that theory asks for where θ drifts."""
        return Discount.theory(n_features=self.n_features, horizon=self.horizon, variation=self.variation, **more)

    def required(self, cls: type) -> dict[str, Any]:
        """What of a problem's size and family the constructor of a policy takes."""
        known = {name: getattr(self, name) for name in ("n_features", "n_arms", "horizon", "family")}
        names = {each.name for each in fields(cls)}
        return {name: value for name, value in known.items() if name in names}


class Described:
    """The attributes that a policy describes itself by.

    title, notation, source  in five words; the formula; the paper
    kind          one of KINDS
    rewards       the families of rewards that it is made for
    fixed_arms    True where it can play arms that stay, and no others
    costly        True where a decision takes so long that comparisons leave it out unless it is asked for
    seconds       what a simulated decision takes about, for progress and the size of jobs: five features, ten arms
    provenance    who defined it, what was read, changed and tested; of this very class, not of one it derives from
    tuning        what people tune; None where there is nothing
    variants      by name, arguments of settings so different that comparisons list them beside the default
    """

    title: ClassVar[str] = ""
    notation: ClassVar[str] = ""
    source: ClassVar[str] = ""
    kind: ClassVar[str] = ""
    rewards: ClassVar[tuple[str, ...]] = ()
    fixed_arms: ClassVar[bool] = False
    costly: ClassVar[bool] = False
    seconds: ClassVar[float] = 4e-7
    provenance: ClassVar[Provenance | None] = None
    tuning: ClassVar[Tuning | None] = None
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})

    @classmethod
    def theory(cls, facts: Facts) -> dict[str, Any] | None:
        """The arguments that the method's own theory asks for, given what is known; None where it has no theory."""
        return None


def provenance_of(cls: type[Described]) -> Provenance | None:
    """What a class says of its own origin; a class derived from one of ours has another one."""
    found: Provenance | None = vars(cls).get("provenance")
    return found


def half_decades(low: float, high: float) -> tuple[float, ...]:
    """1 and 3 times the powers of ten, from `low` to `high`.

    >>> half_decades(0.1, 3.0)
    (0.1, 0.3, 1.0, 3.0)
    """
    steps = [float(f"{digit}e{power}") for power in range(-9, 10) for digit in (1, 3)]
    return tuple(value for value in steps if low <= value <= high)


def missing_of(cls: type[Described]) -> str:
    """What a public method of ours fails to say of itself; empty where nothing is missing."""
    name = cls.__name__
    if cls.kind not in KINDS:
        return f"{name}.kind must be one of {', '.join(map(repr, KINDS))}. Got {cls.kind!r}."
    found = provenance_of(cls)
    if not isinstance(found, Provenance):
        return (
            f"{name} must say where it comes from: give the class `provenance = Provenance(defined_by=…, read=…, "
            "changed=…, tested_against=…)`, see rbmle/policies/about.py."
        )
    empty = [each.name for each in fields(found) if getattr(found, each.name) == ""]
    if empty:
        return f"{name}.provenance must say something for {' and '.join(empty)}."
    if not cls.rewards:
        return f"{name}.rewards must name the families it is made for, such as ('gaussian',)."
    return ""
