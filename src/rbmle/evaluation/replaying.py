"""A policy that goes on learning, on rows of a log that are left as if it had written them itself (rejection).

A row is kept with chance π(a) p_min / p, where π is what the policy, as it is by then, gives to the arm served. What is
kept has the policy's own law, so it learns from these rows alone, one after the other (Li et al. 2011, whose
replay this is where all arms were served alike).
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.evaluation.bounded import SequenceSums
from rbmle.evaluation.diagnostics import error
from rbmle.evaluation.evaluation import Evaluation
from rbmle.evaluation.finishing import Estimate
from rbmle.evaluation.intervals.asymptotic import asymptotic
from rbmle.evaluation.intervals.sequence import lower_bound
from rbmle.evaluation.kinds import BOUNDED, GIVEN_PAST, Interval, require_kinds
from rbmle.evaluation.options import Options
from rbmle.evaluation.targets import contexts_of
from rbmle.logs import Batch, Log
from rbmle.logs.ids import Ids
from rbmle.policies import Policy
from rbmle.types import FloatArray

FIRST_ROUNDS = "about the first {n:,} rounds of a policy that learns: as many rows as could be kept"
LARGE = "many rounds, whose rewards given the past vary alike"


@dataclass(eq=False)
class Replayed:
    """What was kept of a log.

    rewards   of the rows kept, in their order
    count     rows looked at
    truncated rows whose logged chance was below p_min: they were kept too seldom
    """

    rewards: list[float] = field(default_factory=list)
    count: int = 0
    truncated: int = 0
    skipped: dict[str, int] = field(default_factory=dict)


def replay_learner(
    log: Log, target: Any, options: Options, estimators: Any, intervals: Any, reward_range: tuple[float, float] | None
) -> Evaluation:
    """What a policy that goes on learning would have earned per decision, in as many rounds as the log has for it."""
    if not isinstance(target, Policy):
        raise InvalidParameterError(f"learn=True needs a policy as target. Got {target!r}.")
    asked = (estimators,) if isinstance(estimators, str) else tuple(estimators or ("replay",))
    if asked != ("replay",):
        raise InvalidParameterError(f"A policy that goes on learning can only be evaluated by 'replay'. Got {asked}.")
    kinds = require_kinds(intervals)
    odd = [kind for kind in kinds if kind not in ("asymptotic", "sequence")]
    if odd or ("sequence" in kinds and reward_range is None):
        raise InvalidParameterError(
            "A policy that goes on learning has the intervals 'asymptotic' and, with reward_range, 'sequence'. "
            f"Got {', '.join(odd or kinds)}."
        )
    kept, mean = play(log, target.copy(), options)
    rewards = np.array(kept.rewards)
    n = len(rewards)
    if n == 0:
        raise InvalidInputError(f"No row of {log.name} was kept: the policy never chose what was served.")
    value, spread = float(rewards.mean()), error(n, float(rewards.sum()), float(rewards @ rewards))
    found = Estimate("replay", value, spread)
    about = FIRST_ROUNDS.format(n=n)
    if "asymptotic" in kinds:
        ends = asymptotic(value, spread, options.level)
        found.intervals["asymptotic"] = Interval(*ends, options.level, "asymptotic", (GIVEN_PAST, LARGE, about))
    if "sequence" in kinds and reward_range is not None:
        ends = anytime(rewards, options, reward_range)
        found.intervals["sequence"] = Interval(*ends, options.level, "sequence", (GIVEN_PAST, BOUNDED, about))
    notes = [f"{n:,} of {kept.count:,} rows were kept; the value is {about}."]
    if kept.truncated:
        notes.append(f"{kept.truncated:,} rows had a chance below min_probability and were kept too seldom.")
    return Evaluation(
        log=log.name, target=type(target).__name__, n=n, estimates={"replay": found}, mean_reward=mean[0],
        mean_reward_error=mean[1], skipped=kept.skipped, adaptive=log.adaptive, notes=tuple(notes),
        settings={"estimators": ["replay"], "intervals": list(kinds), "learn": True, "seed": options.seed},
    )  # fmt: skip


def anytime(rewards: FloatArray, options: Options, reward_range: tuple[float, float]) -> tuple[float, float]:
    """The confidence sequence of rewards that came one after the other."""
    low, high = reward_range
    scaled = (rewards - low) / (high - low)
    if not bool(((scaled >= 0.0) & (scaled <= 1.0)).all()):
        raise InvalidInputError(f"Rewards must lie in reward_range=({low:g}, {high:g}). Some do not.")
    sums, bounds = SequenceSums(None), []
    for side, values in enumerate((scaled, 1.0 - scaled)):
        kernels.logs.sequence.follow(values, 1.0, sums.past[side], sums.totals[side])
        n, total, v = sums.totals[side]
        bounds.append(lower_bound(n, total, v, options.rho, 0.5 - 0.5 * options.level))
    return low + (high - low) * bounds[0], low + (high - low) * (1.0 - bounds[1])


def play(log: Log, policy: Policy, options: Options) -> tuple[Replayed, tuple[float, float]]:
    """Let a policy decide and learn row by row; what was kept, and the mean reward of the log with its error."""
    least = options.min_probability
    if least is None:
        least = log.scanned.probability
        if not least > 0.0:
            raise InvalidInputError("Replay needs a log with probabilities above 0, or min_probability=…")
    kept, ids, policy_seed = Replayed(), Ids(), options.seed
    policy.reseed(policy_seed)
    n, total, squares = 0, 0.0, 0.0
    for index, part in enumerate(log.parts):
        for batch in log.usable.batches(part, index):
            for why, count in batch.skipped.items():
                kept.skipped[why] = kept.skipped.get(why, 0) + count
            if len(batch):
                ids.add(batch.keys, batch.rows)
                n, total = n + len(batch), total + float(batch.reward.sum())
                squares += float(batch.reward @ batch.reward)
                replay_batch(batch, policy, float(least), options, kept)
    ids.require_different(log)
    if not n:
        raise InvalidInputError(f"No row of {log.name} can be used.")
    return kept, (total / n, error(n, total, squares))


def replay_batch(batch: Batch, policy: Policy, least: float, options: Options, kept: Replayed) -> None:
    """Decide and learn row by row. A row that could not be kept whatever is chosen is not asked for."""
    if batch.probability is None:
        raise InvalidInputError("Replay needs a log with probabilities.")
    contexts, places = contexts_of(batch), np.empty(len(batch))
    kernels.logs.multipliers.uniform(batch.keys, options.seed, places)
    chance = least / batch.probability
    kept.count += len(batch)
    kept.truncated += int(np.count_nonzero(chance > 1.0 + 1e-9))
    for row in np.flatnonzero(places < chance):
        X, arm = contexts[row], int(batch.arm[row])
        if policy.random:
            share = float(policy.probabilities(X, samples=options.samples)[arm])
            accepted = places[row] < share * chance[row]
        else:
            accepted = policy.choose(X) == arm
        if accepted:
            policy.update(X[arm], batch.reward[row])
            kept.rewards.append(float(batch.reward[row]))
