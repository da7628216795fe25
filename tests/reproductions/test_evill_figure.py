"""Figure 1 of EVILL (Janz, Liu, Ayoub & Szepesvári 2024): medians of the regret, run again by others.

All 120 arms of three ones among ten features, θ_i = (c₁/(i + c₂))² so that the arms' scores go from 0.1 to a highest
one: 1.5, where rewards vary much, or 4. T = 10 000, 120 random rounds first; 40 runs.
"""

import itertools

import numpy as np
import pytest
from scipy.optimize import fsolve
from scipy.special import expit

from rbmle import EVILL, GLMFPL, GLMTSL

pytestmark = pytest.mark.long

T, RUNS = 10_000, 40
ARMS = np.array([[float(j in three) for j in range(10)] for three in itertools.combinations(range(10), 3)])
METHODS = {
    "GLM-TSL": lambda seed: GLMTSL(n_features=10, warm_up=120, seed=seed),
    "EVILL": lambda seed: EVILL(n_features=10, warm_up=120, seed=seed),
    "GLM-FPL": lambda seed: GLMFPL(n_features=10, scale=0.5, prior_scale=1.0, warm_up=120, seed=seed),
}
MEDIANS = {1.5: (200, 198, 219), 4.0: (76, 80, 130)}
CASES = [(top, *case) for top in MEDIANS for case in zip(METHODS, MEDIANS[top], strict=True)]


def means(top):
    """The chance of a reward of every arm, (120,)."""
    i = np.arange(1, 11)

    def theta(c):
        return (c[0] / (i + c[1])) ** 2

    c = fsolve(lambda c: [theta(c)[:3].sum() - top, theta(c)[-3:].sum() - 0.1], [2.0, 0.5])
    assert np.ptp(ARMS @ theta(c)) == pytest.approx(top - 0.1)
    return expit(ARMS @ theta(c))


@pytest.mark.parametrize("top, name, median", CASES, ids=lambda value: str(value))
def test_the_median_is_that_of_another_implementation(top, name, median):
    chances, regrets = means(top), []
    for run in range(RUNS):
        rewards = (np.random.default_rng(run).random((T, len(ARMS))) < chances).astype(np.float64)
        arms = METHODS[name](run).fix_arms(ARMS).play(rewards)
        regrets.append(float((chances.max() - chances[arms]).sum()))
    found = float(np.median(regrets))
    print(f"{name}, highest score {top}: median {found:.1f}, mean {np.mean(regrets):.1f}")
    assert abs(found - median) < 0.12 * median, f"{found:.1f}"
