"""The compiled paths of every linear policy: one decision, or a block of simulated rounds.

    address       where the formula lives (kernels.formula)
    coefficients  (B, P), draws (B, D): the policy's numbers and random numbers of every round
    bank          random numbers it keeps for all rounds
    needs_root    whether the formula asks for the root of the arms' covariance

Loops copy the rows they hand on: a view of an array costs an atomic count of its owners, more than its few numbers.
"""

import numpy as np

from rbmle.kernels.compile import compiled, inlined
from rbmle.kernels.fixed import learn_gram, learn_root
from rbmle.kernels.formula import formula_at
from rbmle.kernels.ridge import SMALL, all_finite, first_identical, learn, learn_three, predict, predict_three, root
from rbmle.types import FloatArray, IntArray


@inlined
def copy_row(table: FloatArray, t: int, row: FloatArray) -> None:
    """row ← table[t]."""
    for i in range(len(row)):
        row[i] = table[t, i]


@compiled
def decide(
    address: int,
    X: FloatArray,
    coefficients: FloatArray,
    draws: FloatArray,
    bank: FloatArray,
    V: FloatArray,
    V_inv: FloatArray,
    theta: FloatArray,
    volume: FloatArray,
    needs_root: bool,
    scores: FloatArray,
) -> int:
    """One decision: the arm, or -1 where a context is not finite. `scores` is filled."""
    if not all_finite(X):
        return -1
    K, d = X.shape
    mean, variance = np.empty(K), np.empty(K)
    W = np.empty((K, d if needs_root else 0))
    predict(X, theta, V_inv, mean, variance)
    if needs_root:
        root(X, V, W)
    arm = formula_at(address)(mean, variance, W, volume, coefficients, draws, bank, scores)
    if d > SMALL and draws.size == 0:
        arm = first_identical(X, arm, scores)
    return arm


@compiled
def play(
    address: int,
    X: FloatArray,
    rewards: FloatArray,
    coefficients: FloatArray,
    draws: FloatArray,
    bank: FloatArray,
    V: FloatArray,
    V_inv: FloatArray,
    b: FloatArray,
    theta: FloatArray,
    volume: FloatArray,
    needs_root: bool,
    arms: IntArray,
) -> int:
    """Choose and learn in every round of X (B, K, d) and rewards (B, K); returns how many rounds went well."""
    B, K, d = X.shape
    formula = formula_at(address)
    mean, variance, scores = np.empty(K), np.empty(K), np.empty(K)
    W = np.empty((K, d if needs_root else 0))
    c, z = np.empty(coefficients.shape[1]), np.empty(draws.shape[1])
    now, x, u = np.empty((K, d)), np.empty(d), np.empty(d)
    for t in range(B):
        copy_row(coefficients, t, c)
        copy_row(draws, t, z)
        if d == 3:
            predict_three(X, t, theta, V_inv, mean, variance)
        else:
            for a in range(K):
                for i in range(d):
                    now[a, i] = X[t, a, i]
            predict(now, theta, V_inv, mean, variance)
        if needs_root:
            root(X[t], V, W)
        arm = formula(mean, variance, W, volume, c, z, bank, scores)
        if d > SMALL and len(z) == 0:
            arm = first_identical(now, arm, scores)
        arms[t] = arm
        if d == 3:
            good = learn_three(V, V_inv, b, theta, volume, X, t, arm, rewards[t, arm])
        else:
            copy_row(now, arm, x)
            good = learn(V, V_inv, b, theta, volume, x, rewards[t, arm], u)
        if not good:
            return t
    return B


@compiled
def shares(
    address: int,
    X: FloatArray,
    coefficients: FloatArray,
    draws: FloatArray,
    bank: FloatArray,
    V: FloatArray,
    V_inv: FloatArray,
    theta: FloatArray,
    volume: FloatArray,
    needs_root: bool,
    shares: FloatArray,
) -> None:
    """How often each arm is chosen when the same decision is taken once for every row of draws."""
    K, d = X.shape
    formula = formula_at(address)
    mean, variance, scores = np.empty(K), np.empty(K), np.empty(K)
    W = np.empty((K, d if needs_root else 0))
    predict(X, theta, V_inv, mean, variance)
    if needs_root:
        root(X, V, W)
    for s in range(len(draws)):
        shares[formula(mean, variance, W, volume, coefficients, draws[s], bank, scores)] += 1.0 / len(draws)


@compiled
def decide_fixed(
    address: int,
    mean: FloatArray,
    variance: FloatArray,
    W: FloatArray,
    volume: FloatArray,
    coefficients: FloatArray,
    draws: FloatArray,
    bank: FloatArray,
    scores: FloatArray,
) -> int:
    """One decision among arms that stay."""
    return formula_at(address)(mean, variance, W, volume, coefficients, draws, bank, scores)


@compiled
def learn_fixed(
    arm: int,
    r: float,
    mean: FloatArray,
    variance: FloatArray,
    gram: FloatArray,
    W: FloatArray,
    volume: FloatArray,
    counts: FloatArray,
    sums: FloatArray,
    scratch: FloatArray,
) -> None:
    """One reward of an arm that stays. A gram of size 0 means: use the root W."""
    if gram.size:
        learn_gram(mean, variance, volume, gram, scratch, arm, r)
    else:
        learn_root(mean, variance, volume, W, scratch, arm, r)
    counts[arm] += 1.0
    sums[arm] += r


@compiled
def play_fixed(
    address: int,
    rewards: FloatArray,
    coefficients: FloatArray,
    draws: FloatArray,
    bank: FloatArray,
    mean: FloatArray,
    variance: FloatArray,
    gram: FloatArray,
    W: FloatArray,
    volume: FloatArray,
    counts: FloatArray,
    sums: FloatArray,
    arms: IntArray,
) -> None:
    """Choose and learn in every round of rewards (B, K) with arms that stay."""
    formula = formula_at(address)
    scores, scratch = np.empty(len(mean)), np.empty(len(mean))
    c, z = np.empty(coefficients.shape[1]), np.empty(draws.shape[1])
    if gram.size:  # a loop of its own: with both forms in one body the compiler does worse by half
        for t in range(len(rewards)):
            copy_row(coefficients, t, c)
            copy_row(draws, t, z)
            arm = formula(mean, variance, W, volume, c, z, bank, scores)
            r = rewards[t, arm]
            learn_gram(mean, variance, volume, gram, scratch, arm, r)
            counts[arm] += 1.0
            sums[arm] += r
            arms[t] = arm
        return
    for t in range(len(rewards)):
        copy_row(coefficients, t, c)
        copy_row(draws, t, z)
        arm = formula(mean, variance, W, volume, c, z, bank, scores)
        r = rewards[t, arm]
        learn_root(mean, variance, volume, W, scratch, arm, r)
        counts[arm] += 1.0
        sums[arm] += r
        arms[t] = arm
