"""How one decision is made: by the policy, by the caller's own rule, or by the fallback."""

import logging
from itertools import islice
from typing import Any

import numpy as np

from rbmle.errors import FormulaError, InvalidInputError, RbmleError, describe
from rbmle.inputs import LARGEST_CONTEXT, as_numbers, is_whole, require_contexts
from rbmle.kernels import border
from rbmle.online.decision import FEW_ARMS, KIND, ONCE, Decision, certain, kept
from rbmle.online.fold import State
from rbmle.online.ids import as_arm, place_of, to_json
from rbmle.online.journal.base import Event
from rbmle.online.rules import Rules
from rbmle.plain import is_ours
from rbmle.policies.base import Policy, one_hot
from rbmle.policies.decision import served
from rbmle.policies.drawing import Drawing
from rbmle.policies.linear import LinearPolicy
from rbmle.random import generator
from rbmle.types import FloatArray

log = logging.getLogger("rbmle.online")
# How far the chances of a user's policy may be from adding up to 1.
ROUNDING = 1e-9


class Decider:
    """Makes decisions from a state. Their random numbers are a function of (the agent's seed, the decision's id)."""

    def __init__(self) -> None:
        self._twin: Policy | None = None
        self._twin_of: tuple[int, int] = (-1, -1)
        self._counted = 0
        self._policy: Policy | None = None
        self._ours = self._is_sure = self._looks = False

    def make(self, state: State, X: FloatArray, ids: tuple[Any, ...] | None, name: str, now: float,
             baseline: Any = None, shown: bool = True) -> tuple[Event, Decision]:  # fmt: skip
        """A decision among arms X (K, d), which are called `ids`, and the event to be written."""
        K = len(X)
        if state.apprentice and baseline is None:
            raise InvalidInputError("baseline must be given while the agent is an apprentice: the arm to serve.")
        t = state.policy.t
        (index, chances, content), source = self._own(state, X, ids, name, t)
        data: dict[str, Any] = {"K": K, "arm": index, "t": t, "model": state.position}
        if ids is not None:
            data["arms"] = [to_json(arm) for arm in ids]
        if baseline is not None:
            theirs = baseline_of(baseline, ids, K, state.rules.seed, name)
            data["agreed"] = theirs[0] == index
            if state.apprentice:
                (index, chances), content, source = theirs, None, "baseline"
                data["arm"] = index
        if source != "policy":
            data["by"] = source
        if not shown:
            data["hold"] = True
        chance = 1.0
        if content is None:
            chances.setflags(write=False)
            chance, content = float(chances[index]), chances.tobytes()
        event = Event(KIND, now, name, ONCE, data, X.tobytes() + content)
        arm = index if ids is None else ids[index]
        return event, Decision(name, arm, index, chance, chances, state.position, t, now, source)

    def _own(
        self, state: State, X: FloatArray, ids: Any, name: str, t: int
    ) -> tuple[tuple[int, FloatArray, bytes | None], str]:
        """The policy's decision: arm, chances, these as bytes where all is on one arm; the fallback where it fails."""
        rules, policy = state.rules, state.policy
        if policy is not self._policy:
            self._look_at(policy, rules)
        ours = self._ours
        if not self._looks and not border.all_within(X, LARGEST_CONTEXT):
            require_contexts(X)
        try:
            if self._is_sure:
                return (certain if len(X) > FEW_ARMS else kept)(policy._choose(X, None, t), len(X)), "policy"
            asked = self._with_pending(state) if rules.pending == "count" else policy
            if asked.random or rules.floor > 0.0 or not ours:
                Drawing.reseed(asked, rules.seed, *place_of(name))  # its generator alone: an ensemble keeps its targets
            chosen = asked.decide(X, t=t, samples=rules.samples, floor=rules.floor)
            own = chosen.arm, chosen.probabilities
            if not ours:
                own = require_decision(chosen, len(X), type(policy).__name__)
        except InvalidInputError:  # what was asked is wrong, not the policy
            raise
        except Exception as reason:  # a policy of somebody else may raise anything; without a fallback they get it
            if rules.fallback is None:
                if isinstance(reason, RbmleError):
                    raise
                raise FormulaError(f"{type(policy).__name__}.decide raised {reason!r}.") from reason
            log.exception("The policy failed; the fallback is served")
            return (*fallback_of(rules.fallback, ids, len(X), rules.seed, name), None), "fallback"
        return (*own, None), "policy"

    def _look_at(self, policy: Policy, rules: Rules) -> None:
        """See whether a policy is of this package, whether `_choose` alone says what it does, and whether that looks at
        contexts itself."""
        kind = type(policy)
        self._policy, self._ours = policy, is_ours(kind)
        self._is_sure = self._looks = False
        if self._ours and isinstance(policy, LinearPolicy) and kind._chances is LinearPolicy._chances:
            self._is_sure = not policy.random and rules.floor == 0.0 and rules.pending == "ignore"
            self._looks = self._is_sure and not policy._look_first

    def _with_pending(self, state: State) -> Policy:
        """The policy as it would be if all pending decisions had earned what it expects of them."""
        if self._twin is None or self._twin_of != (state.closings, id(state.policy)):
            self._twin, self._counted = state.policy.copy(), 0
            self._twin_of = (state.closings, id(state.policy))
        new = list(islice(state.open.values(), self._counted, None))
        if new:
            X = np.array([record.x for record in new])
            self._twin.update_many(X, state.policy.model.predict(X)[0])
            self._counted += len(new)
        return self._twin


def baseline_of(baseline: Any, ids: Any, K: int, seed: int, name: str) -> tuple[int, FloatArray]:
    """The caller's own decision: an arm, or one drawn from chances (K,) of theirs."""
    if isinstance(baseline, list | np.ndarray):
        chances = as_numbers(baseline, "baseline")
        if chances.shape != (K,) or not is_law(chances):
            raise InvalidInputError(
                f"baseline must be an arm or {K} chances that add up to 1. Got {describe(baseline)}."
            )
        drawn = served(generator(seed, *place_of(name), 1), np.array(chances), 0.0, 1)
        return drawn.arm, drawn.probabilities
    if ids is None:
        if is_whole(baseline) and 0 <= baseline < K:
            return int(baseline), one_hot(int(baseline), K)
    else:
        arm = as_arm(baseline, "baseline")
        if arm in ids:
            return ids.index(arm), one_hot(ids.index(arm), K)
    raise InvalidInputError(f"baseline must be one of the {K} arms of the decision. Got {describe(baseline)}.")


def fallback_of(fallback: Any, ids: Any, K: int, seed: int, name: str) -> tuple[int, FloatArray]:
    """The fallback arm, for sure; where it cannot be served, any arm, all alike."""
    known = ids if ids is not None else range(K)
    if fallback in known:
        return known.index(fallback), one_hot(known.index(fallback), K)
    drawn = served(generator(seed, *place_of(name), 2), np.full(K, 1.0 / K), 0.0, 1)
    return drawn.arm, drawn.probabilities


def require_decision(chosen: Any, K: int, name: str) -> tuple[int, FloatArray]:
    """The arm and the chances of a user's policy; raises unless it is an arm, served with the chance it says."""
    try:
        arm, chances = chosen.arm, np.array(chosen.probabilities, dtype=np.float64)
    except (AttributeError, TypeError, ValueError):
        arm, chances = None, np.zeros(0)
    good = is_whole(arm) and 0 <= arm < K and chances.shape == (K,)
    if not good or not is_law(chances) or not chances[arm] > 0.0:
        raise FormulaError(f"{name}.decide must return an arm of {K}, and chances that add up to 1. Got {chosen!r}.")
    return int(arm), chances


def is_law(chances: FloatArray) -> bool:
    """Whether these are chances, but for rounding; none is above 1."""
    return bool(((chances >= 0.0) & (chances <= 1.0)).all() and abs(chances.sum() - 1.0) <= ROUNDING)
