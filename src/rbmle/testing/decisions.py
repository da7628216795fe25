"""Checks of `decide`: the probability of a decision is the chance that it was served with; one may divide by it.

Seeds are fixed, so that a check gives the same answer in every run; with other seeds it would give a false alarm about
once in a million comparisons.
"""

from collections.abc import Callable

import numpy as np
from scipy.stats import chi2

from rbmle.policies.base import Policy
from rbmle.policies.decision import Decision
from rbmle.testing.rounds import ARMS, is_random, learnt
from rbmle.testing.tools import expect, unit_contexts
from rbmle.types import FloatArray, IntArray

# Decisions taken of each kind, samples for each, and the chance of a false alarm that sets the thresholds.
DECISIONS, SAMPLES, ALARM = 1000, 10, 1e-6
# An arm expected less often than this says nothing that a normal approximation could use.
FEWEST = 5.0


def probabilities_are_chances(policy: Policy) -> None:
    """Chances are not negative, add up to one, and match how often each arm is chosen."""
    learnt(policy)
    X = unit_contexts(11, ARMS, policy.n_features)
    expect_chances(policy.probabilities(X), ARMS)
    sets = np.tile(X, (DECISIONS, 1, 1))
    seen = np.bincount(policy.choose_many(sets), minlength=ARMS).astype(np.float64)
    told = policy.decide_many(sets, samples=SAMPLES).probabilities.reshape(DECISIONS, ARMS).mean(axis=0)
    often = told * DECISIONS >= FEWEST
    # What is told is itself a mean of SAMPLES times as many draws.
    spread = DECISIONS * told[often] * (1.0 + 1.0 / SAMPLES)
    statistic = float(((seen - DECISIONS * told)[often] ** 2 / spread).sum())
    limit = float(chi2.isf(ALARM, int(often.sum())))
    rare, most = seen[~often].sum(), DECISIONS * told[~often].sum() + 4 * FEWEST
    expect(rare <= most, f"arms of hardly any chance were chosen {rare} times: chances {told}, choices {seen}")
    expect(statistic <= limit, f"chances {told} do not match the choices {seen / DECISIONS} (χ² = {statistic:.1f})")


def decisions_say_what_they_are(policy: Policy) -> None:
    """A decision has an arm of positive chance, the chances that `probabilities` showed before, floor and round."""
    learnt(policy)
    X = unit_contexts(13, ARMS, policy.n_features)
    arms = policy.fix_arms(X)
    ways: tuple[tuple[Callable[..., Decision], Callable[[], FloatArray]], ...] = (
        (lambda **more: policy.decide(X, **more), lambda: policy.probabilities(X)),
        (arms.decide, arms.probabilities),
    )
    for decide, probabilities in ways:
        for _ in range(5):
            foreseen = probabilities()
            decision = decide()
            expect_decision(decision, ARMS)
            expect(np.array_equal(decision.probabilities, foreseen), "decide has other chances than probabilities")
            expect(decision.t == policy.t, "a decision must name its round")
        expect(decide(t=7).t == 7, "a decision must name the round that was passed")
        lifted = decide(floor=1.0)
        expect_decision(lifted, ARMS)
        expect(bool((np.abs(lifted.probabilities - 1.0 / ARMS) < 1e-12).all()), "a floor of 1 must make all arms alike")
        if not is_random(policy):
            expect(decide().probability == 1.0, "a deterministic policy serves its arm with probability 1")


def decisions_are_served_as_told(policy: Policy) -> None:
    """Arms are served as often as they should be, and mean(1[arm = a] / probability) is how often arm a had a chance.

    With a floor and without, one by one, many at once and on a catalogue.
    """
    learnt(policy)
    X = unit_contexts(11, ARMS, policy.n_features)
    arms, sets = policy.fix_arms(X), np.tile(X, (DECISIONS, 1, 1))
    for floor in (0.0, 0.2):
        many = policy.decide_many(sets, samples=SAMPLES, floor=floor)
        expect_served(many.arm, many.probabilities.reshape(DECISIONS, ARMS), f"decide_many with floor {floor}")
        ways: dict[str, Callable[..., Decision]] = {
            "decide": lambda **more: policy.decide(X, **more),
            "decide of a catalogue": arms.decide,
        }
        for what, decide in ways.items():
            taken = [decide(samples=SAMPLES, floor=floor) for _ in range(DECISIONS // 5)]
            served = np.array([decision.arm for decision in taken])
            expect_served(served, np.array([decision.probabilities for decision in taken]), f"{what}, floor {floor}")


def expect_chances(chances: FloatArray, n_arms: int) -> None:
    """Not negative, one per arm, and one in all."""
    expect(chances.shape == (n_arms,) and bool((chances >= 0).all()), "chances must not be negative, one per arm")
    expect(abs(chances.sum() - 1.0) < 1e-9, "chances must add up to one")


def expect_decision(decision: Decision, n_arms: int) -> None:
    """An arm that has a chance, and says which."""
    expect_chances(decision.probabilities, n_arms)
    expect(isinstance(decision.arm, int) and 0 <= decision.arm < n_arms, f"decide gave the arm {decision.arm!r}")
    told, chance = decision.probability, decision.probabilities[decision.arm]
    expect(told == chance > 0.0, f"decide served an arm of chance {chance} and told {told}")


def expect_served(arms: IntArray, chances: FloatArray, what: str) -> None:
    """Arms (N,) are draws from the rows of `chances` (N, K): by a χ² test, and by inverse probabilities arm by arm."""
    n, n_arms = chances.shape
    own = chances[np.arange(n), arms]
    expect(bool((own > 0.0).all()), f"{what}: an arm without a chance was served")
    lack = np.bincount(arms, minlength=n_arms) - chances.sum(axis=0)
    covariance = np.diag(chances.sum(axis=0)) - chances.T @ chances
    rank = int(np.linalg.matrix_rank(covariance, tol=1e-6))
    statistic = float(lack @ np.linalg.pinv(covariance, rcond=1e-9) @ lack)
    limit = float(chi2.isf(ALARM, rank)) if rank else 1e-9
    expect(statistic <= limit, f"{what}: arms are not served with their probabilities (χ² = {statistic:.1f})")
    for arm in range(n_arms):
        chance = chances[chances[:, arm] > 0.0, arm]
        if chance.sum() < FEWEST:
            continue
        mean, positive = float((1.0 / own[arms == arm]).sum()) / n, len(chance) / n
        error = float(np.sqrt((1.0 / chance - 1.0).sum())) / n
        expect(
            abs(mean - positive) <= 5.0 * error + 1e-9,
            f"{what}: mean(1[arm = {arm}] / probability) is {mean:.3f}, but {positive:.3f} ± {error:.3f} have a chance",
        )
