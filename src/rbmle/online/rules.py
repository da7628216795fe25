"""The rules of an agent: what its journal means. They are written into it, and are the same for all who read it."""

from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any

from rbmle import params
from rbmle.errors import InvalidParameterError, StateFileError
from rbmle.inputs import LARGEST_REWARD
from rbmle.online.ids import as_arm, from_json, to_json
from rbmle.params import Flag, Integer, OneOf, Optional, Real

MONTH = 30 * 86400.0


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How decisions are made and when they are closed; `rbmle.online.Agent` describes each."""

    seed: Annotated[int, Integer(0)]
    wait: Annotated[float | None, Optional(Real(0.0))] = None
    default_reward: Annotated[float | None, Optional(Real(-LARGEST_REWARD, LARGEST_REWARD))] = None
    aggregate: Annotated[str, OneOf("first", "last", "sum", "max")] = "first"
    learn: Annotated[str, OneOf("at_close", "immediate")] = "at_close"
    pending: Annotated[str, OneOf("ignore", "count")] = "ignore"
    max_pending: Annotated[int, Integer(1)] = 100_000
    max_age: Annotated[float, Real(0.0, open_low=True)] = MONTH
    floor: Annotated[float, Real(0.0, 1.0)] = 0.0
    samples: Annotated[int | None, Optional(Integer(1))] = None
    fallback: Any = None
    apprentice: Annotated[bool, Flag()] = False

    def __post_init__(self) -> None:
        for field in fields(self):
            constraint = params.constraints(Rules).get(field.name)
            if constraint is not None:
                params.require("Agent", field.name, getattr(self, field.name), constraint)
        if self.fallback is not None:
            object.__setattr__(self, "fallback", as_arm(self.fallback, "fallback"))
        if self.default_reward is not None and self.wait is None:
            raise InvalidParameterError("default_reward needs wait: the seconds after which it applies. Got none.")
        if self.aggregate != "first" and self.wait is None:
            raise InvalidParameterError(
                f"aggregate={self.aggregate!r} needs wait: the seconds until the last reward. Got none."
            )
        if self.aggregate != "first" and self.learn == "immediate":
            raise InvalidParameterError(
                f"learn='immediate' learns from the first reward, and aggregate={self.aggregate!r} needs all of them: "
                "use learn='at_close'."
            )

    @property
    def closes_with_reward(self) -> bool:
        """Whether a decision is closed by its first reward; otherwise by the end of its waiting time."""
        return self.wait is None or self.learn == "immediate"

    @property
    def patience(self) -> float:
        """Seconds after which a decision is closed at the latest."""
        return self.max_age if self.wait is None else self.wait

    def to_plain(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self) | {"fallback": to_json(self.fallback)}

    @classmethod
    def from_plain(cls, data: Any) -> "Rules":
        """What `to_plain` gave."""
        known = {field.name for field in fields(cls)}
        if not isinstance(data, dict) or not set(data) <= known:
            raise StateFileError(f"The rules of an agent must be among {', '.join(sorted(known))}. Got {data!r}.")
        return cls(**data | {"fallback": from_json(data.get("fallback"))})
