"""The compiled paths of every linear policy: one decision, many at once, or a block of simulated rounds.

Single decisions take plain arrays, for a tuple from Python costs more than many a decision; blocks take a `Rule`.
Loops copy the rows they hand on: a view of an array costs an atomic count of its owners, more than its few numbers.
"""

import numpy as np

from rbmle.inputs import LARGEST_CONTEXT
from rbmle.kernels.border import all_within
from rbmle.kernels.compile import compiled, inlined
from rbmle.kernels.linear.catalogue import Form, learn_gram, learn_root
from rbmle.kernels.linear.formula import NOT_FINITE, Known, Rule, arm_or_why, ask, call
from rbmle.kernels.linear.posterior import draw, extend, project
from rbmle.kernels.linear.predict import SMALL, first_identical, predict, predict_three
from rbmle.kernels.linear.ridge import LEARNT, ROUGH, STRANGE, Ridge, learn, learn_three, ridge_in, root
from rbmle.types import FloatArray, IntArray


@inlined
def copy_row(table: FloatArray, t: int, row: FloatArray) -> None:
    """row ← table[t]."""
    for i in range(len(row)):
        row[i] = table[t, i]


@compiled
def moments_of(X: FloatArray, ridge: Ridge, width: int) -> Known:
    """Mean and variance of every arm, and room for a root of that width."""
    K = len(X)
    mean, variance = np.empty(K), np.empty(K)
    predict(X, ridge.theta, ridge.V_inv, mean, variance)
    return Known(mean, variance, np.empty((K, width)), ridge.volume)


@compiled
def known_of(X: FloatArray, ridge: Ridge, needs_root: bool) -> Known:
    """Mean and variance of every arm, and the root where it is asked for."""
    known = moments_of(X, ridge, X.shape[1] if needs_root else 0)
    if needs_root:
        root(X, ridge, known.root)
    return known


@compiled
def decide(
    address: int, X: FloatArray, c: FloatArray, z: FloatArray, bank: FloatArray, block: FloatArray, scores: FloatArray
) -> int:
    """One decision without a root, which takes long to compile: the arm, or why there is none. `scores` is filled."""
    if not all_within(X, LARGEST_CONTEXT):
        return NOT_FINITE
    return ask(address, moments_of(X, ridge_in(block, X.shape[1]), 0), c, z, bank, scores)


@compiled
def decide_rooted(
    address: int, X: FloatArray, c: FloatArray, z: FloatArray, bank: FloatArray, block: FloatArray, scores: FloatArray
) -> int:
    """`decide` for a formula that needs the root."""
    if not all_within(X, LARGEST_CONTEXT):
        return NOT_FINITE
    arm = ask(address, known_of(X, ridge_in(block, X.shape[1]), True), c, z, bank, scores)
    if z.size == 0 and arm >= 0:
        arm = first_identical(X, arm, scores)
    return arm


@compiled
def known_by_draw(X: FloatArray, ridge: Ridge, U: FloatArray, z: FloatArray) -> Known:
    """Means, and in place of the root one draw from the posterior at every arm."""
    K, d = X.shape
    mean, step, y = np.empty(K), np.empty((K, 1)), np.empty(d)
    draw(U, z, y)
    project(X, ridge.theta, y, mean, step)
    return Known(mean, np.empty(0), step, ridge.volume)


@compiled
def decide_by_draw(
    address: int, X: FloatArray, c: FloatArray, z: FloatArray, U: FloatArray, block: FloatArray, scores: FloatArray
) -> int:
    """`decide` for a formula that asks for one draw from the posterior; contexts are known to be numbers."""
    known = known_by_draw(X, ridge_in(block, X.shape[1]), U, z)
    return ask(address, known, c, np.ones(1), np.empty((0, 0)), scores)


@compiled
def decide_plain(address: int, X: FloatArray, c: FloatArray, block: FloatArray) -> int:
    """`decide` for a formula that draws nothing and needs no root, the arm alone: fewer arrays to hand over."""
    return decide(address, X, c, np.empty(0), np.empty((0, 0)), block, np.empty(len(X)))


@compiled
def decide_drawn(address: int, X: FloatArray, c: FloatArray, draw: float, bank: FloatArray, block: FloatArray) -> int:
    """`decide` for a formula of one random number that needs no root: that number costs less than an array of one."""
    z = np.full(1, draw)
    return decide(address, X, c, z, bank, block, np.empty(len(X)))


@compiled
def decide_many(
    rule: Rule, X: FloatArray, offsets: IntArray, block: FloatArray, scores: FloatArray, arms: IntArray
) -> int:
    """One decision for each set of arms X[offsets[s]:offsets[s+1]]; returns how many went well."""
    d = X.shape[1]
    ridge, one = ridge_in(block, d), np.ones(1)
    for s in range(len(arms)):
        now = X[offsets[s] : offsets[s + 1]]
        index, draws = scores[offsets[s] : offsets[s + 1]], rule.draws[s]
        if rule.factor.size:
            known, draws = known_by_draw(now, ridge, rule.factor, draws), one
        else:
            known = known_of(now, ridge, rule.needs_root)
        arm = ask(rule.address, known, rule.coefficients[0], draws, rule.bank, index)
        if rule.needs_root and draws.size == 0 and arm >= 0:
            arm = first_identical(now, arm, index)
        arms[s] = arm
        if arm < 0:
            return s
    return len(arms)


@compiled
def play(
    rule: Rule, X: FloatArray, rewards: FloatArray, block: FloatArray, arms: IntArray, most: float
) -> tuple[int, int]:
    """Choose and learn in every round of X (B, K, d) and rewards (B, K): how many went well, how the last one did.

    X: (1, K, d) where the arms stay.
    arms: the arms played; of a round without one, why.
    most: variances that sum to more are STRANGE. Contexts that are no numbers, or far too large, are found so, where
        a look at all of them would cost a tenth of the time.
    """
    _, K, d = X.shape
    ridge = ridge_in(block, d)
    _, V_inv, _, theta, volume = ridge
    address, coefficients, draws, bank, needs_root, U = rule
    projects = len(U) > 0
    mean, scores, W = np.empty(K), np.empty(K), np.empty((K, 1 if projects else d if needs_root else 0))
    variance = np.empty(0 if projects else K)
    c, z, one, y = np.empty(coefficients.shape[1]), np.empty(draws.shape[1]), np.ones(1), np.empty(len(U))
    now, x, u = np.empty((K, d)), np.empty(d), np.empty(d)
    for t in range(len(rewards)):
        at, total = min(t, len(X) - 1), 0.0
        copy_row(coefficients, t, c)
        copy_row(draws, t, z)
        if d > SMALL:
            now = X[at]
        elif d != 3 or projects:
            for a in range(K):
                for i in range(d):
                    now[a, i] = X[at, a, i]
        if projects:
            draw(U, z, y)
            total = project(now, theta, y, mean, W)
        elif d == 3:
            predict_three(X, at, theta, V_inv, mean, variance)
        else:
            predict(now, theta, V_inv, mean, variance)
        for a in range(len(variance)):
            total += variance[a]
        if not total <= most:
            return t, STRANGE
        if needs_root and not projects:
            root(X[at], ridge, W)
        known = (mean, variance, W, volume, c, one if projects else z, bank, scores)
        arm = arm_or_why(call(address, known), K)
        if needs_root and len(z) == 0 and arm >= 0:
            arm = first_identical(X[at], arm, scores)
        arms[t] = arm
        if arm < 0:
            return t, LEARNT
        if d == 3:
            outcome = learn_three(ridge, X, at, arm, rewards[t, arm])
        else:
            copy_row(now, arm, x)
            outcome = learn(ridge, x, rewards[t, arm], u)
        if projects and outcome in (LEARNT, ROUGH):
            extend(U, X[at, arm], u)
        if outcome != LEARNT:
            return t + int(outcome == ROUGH), outcome
    return len(rewards), LEARNT


@compiled
def shares(rule: Rule, known: Known, shares: FloatArray) -> int:
    """Count how often each arm is chosen when one decision is taken for every row of draws; a negative code if not."""
    scores = np.empty(len(shares))
    for s in range(len(rule.draws)):
        arm = ask(rule.address, known, rule.coefficients[0], rule.draws[s], rule.bank, scores)
        if arm < 0:
            return arm
        shares[arm] += 1.0
    return 0


@compiled
def shares_of_many(
    rule: Rule, X: FloatArray, offsets: IntArray, block: FloatArray, samples: int, chances: FloatArray
) -> int:
    """`shares` of each set of arms, with `samples` rows of draws each; a negative code where a formula fails."""
    ridge = ridge_in(block, X.shape[1])
    for s in range(len(offsets) - 1):
        known = known_of(X[offsets[s] : offsets[s + 1]], ridge, rule.needs_root)
        own = rule.draws[s * samples : (s + 1) * samples]
        now = Rule(rule.address, rule.coefficients, own, rule.bank, rule.needs_root, rule.factor)
        code = shares(now, known, chances[offsets[s] : offsets[s + 1]])
        if code < 0:
            return code
    return 0


@compiled
def decide_fixed(
    address: int,
    rows: FloatArray,
    W: FloatArray,
    volume: FloatArray,
    c: FloatArray,
    z: FloatArray,
    bank: FloatArray,
    scores: FloatArray,
) -> int:
    """One decision among arms that stay."""
    return ask(address, Known(rows[0], rows[1], W, volume), c, z, bank, scores)


@compiled
def decide_fixed_plain(address: int, rows: FloatArray, W: FloatArray, volume: FloatArray, c: FloatArray) -> int:
    """`decide_fixed` for a formula that draws nothing, the arm alone."""
    return decide_fixed(address, rows, W, volume, c, np.empty(0), np.empty((0, 0)), np.empty(rows.shape[1]))


@compiled
def shares_fixed(rule: Rule, form: Form, chances: FloatArray) -> int:
    """`shares` among arms that stay."""
    return shares(rule, Known(form.rows[0], form.rows[1], form.root, form.volume), chances)


@compiled
def play_fixed(rule: Rule, rewards: FloatArray, form: Form, arms: IntArray) -> int:
    """Choose and learn in every round of rewards (B, K) with arms that stay; how many rounds went well.

    arms: as in `play`. A round that failed with an arm: the form has lost its definiteness to rounding.
    """
    rows, gram, W, volume = form
    mean, variance, counts, sums = rows[0], rows[1], rows[2], rows[3]
    known, K = Known(mean, variance, W, volume), len(mean)
    address, coefficients, draws, bank, _, _ = rule
    scores, scratch = np.empty(K), np.empty(K)
    c, z = np.empty(coefficients.shape[1]), np.empty(draws.shape[1])
    if gram.size:  # a loop of its own: with both forms in one body the compiler does worse by half
        for t in range(len(rewards)):
            copy_row(coefficients, t, c)
            copy_row(draws, t, z)
            arms[t] = arm = arm_or_why(call(address, (mean, variance, W, volume, c, z, bank, scores)), K)
            if arm < 0 or not gram[arm, arm] >= 0.0:  # rounding has eaten what was known: derive it anew
                return t
            r = rewards[t, arm]
            learn_gram(known, gram, scratch, arm, r)
            counts[arm] += 1.0
            sums[arm] += r
        return len(rewards)
    for t in range(len(rewards)):
        copy_row(coefficients, t, c)
        copy_row(draws, t, z)
        arms[t] = arm = arm_or_why(call(address, (mean, variance, W, volume, c, z, bank, scores)), K)
        if arm < 0:
            return t
        r = rewards[t, arm]
        learn_root(known, scratch, arm, r)
        counts[arm] += 1.0
        sums[arm] += r
    return len(rewards)
