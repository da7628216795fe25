"""Selection by a log of real data: the bias it chooses is as good online as the best of its sweep."""

import pytest

from rbmle import LinRBMLE, datasets, sweep
from rbmle.evaluation import select
from rbmle.schedules import Constant
from rbmle.simulation import simulate


@pytest.mark.long
def test_the_bias_that_a_log_of_digits_chooses_is_good_online():
    digits = datasets.load("digits")
    log = digits.as_log("uniform", n=12_000, normalize=True, seed=5)
    bias = [Constant(value) for value in (0.01, 0.1, 0.3, 1.0, 3.0, 10.0)]
    policies = sweep(LinRBMLE, n_features=640, bias=bias)
    found = select(log, policies, replicates=100)
    problem = digits.as_problem(normalize=True)
    results = simulate(policies, problem, horizon=1797, trials=3, seed=0, n_jobs=1, progress=False)
    regret = {name: results.final_regret(name).mean() for name in policies}
    (tuned,) = found.tuned
    assert found.best == tuned
    assert regret[tuned] <= 1.1 * min(regret.values())
    assert max(regret.values()) > 2.0 * min(regret.values())  # there was something to be found
