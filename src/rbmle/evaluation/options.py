"""What can be set for an evaluation, and what it must be."""

from dataclasses import dataclass, fields
from math import inf
from typing import Annotated, Any, TypedDict

from rbmle import params
from rbmle.errors import InvalidParameterError
from rbmle.params import Flag, Integer, Optional, Real


class OptionNames(TypedDict, total=False):
    """The options of `evaluate` and `select`, see `Options`."""

    clip: float | None
    switch_threshold: float | None
    shrinkage: float | None
    level: float
    folds: int
    regularization: float
    seed: int
    replicates: int
    rho: float
    margin: float
    largest_weight: float | None
    min_probability: float | None
    samples: int | None
    learn: bool


@dataclass(frozen=True)
class Options:
    """Options of an evaluation.

    clip              of clipped-ips: weights above are cut to it. Chosen before looking, it also bounds the rows of the
                      intervals that need a bound
    switch_threshold  of switch-dr: rows of a larger weight are left to the model
    shrinkage         of dros: λ in w → λ w / (w² + λ)
    level             of intervals
    folds             of cross-fitted reward models
    regularization    λ of the reward models "ridge", "logistic" and "poisson"
    seed              of the bootstrap, of replay's draws and of policies that draw samples
    replicates        of the bootstrap
    rho               of the confidence sequence: about the sum of squares at which it is to be tight, chosen before
                      looking, n Var(w r) for the n that is planned
    margin            k of the doubly robust confidence sequence: corrections are capped so that no row is below −k
    largest_weight    an upper bound of all weights that is known beforehand (1 over the least probability that the
                      logging policy could give)
    min_probability   of replay: a lower bound of all logged probabilities; by default the smallest in the log
    samples           draws of a target policy that has no closed form for its chances; by default its own
    learn             the target is a policy that goes on learning: only replay can evaluate it
    """

    clip: Annotated[float | None, Optional(Real(0.0, open_low=True))] = None
    switch_threshold: Annotated[float | None, Optional(Real(0.0))] = None
    shrinkage: Annotated[float | None, Optional(Real(0.0))] = None
    level: Annotated[float, Real(0.0, 1.0, open_low=True, open_high=True)] = 0.95
    folds: Annotated[int, Integer(2)] = 5
    regularization: Annotated[float, Real(0.0, open_low=True)] = 1.0
    seed: Annotated[int, Integer(0)] = 0
    replicates: Annotated[int, Integer(50)] = 500
    rho: Annotated[float, Real(0.0, open_low=True)] = 1000.0
    margin: Annotated[float, Real(0.0)] = 1.0
    largest_weight: Annotated[float | None, Optional(Real(0.0, open_low=True))] = None
    min_probability: Annotated[float | None, Optional(Real(0.0, 1.0, open_low=True))] = None
    samples: Annotated[int | None, Optional(Integer(1))] = None
    learn: Annotated[bool, Flag()] = False

    @classmethod
    def of(cls, given: Any, owner: str) -> "Options":
        """Options from keyword arguments, checked."""
        known = [each.name for each in fields(cls)]
        for name in given:
            if name not in known:
                raise InvalidParameterError(f"{owner} has no option {name!r}. It takes {', '.join(known)}.")
        options = cls(**given)
        kind: type = cls
        rules = params.constraints(kind)
        for name in given:
            params.require(owner, name, getattr(options, name), rules[name])
        return options

    @property
    def weight_bound(self) -> float:
        """The largest weight there can be, as far as is known."""
        return inf if self.largest_weight is None else float(self.largest_weight)
