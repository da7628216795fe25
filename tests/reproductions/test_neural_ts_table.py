"""The linear rows of Table 2 of Zhang, Zhou, Li & Gu 2021 ("Neural Thompson Sampling"): mean ± sd of wrong answers.

Their rows are L2-normalised, NaN is −1, contexts are disjoint, λ = 1. Their "LinUCB" is coded as m + √(λν) v with the
*variance* v, ν = 1: LinRBMLE with the constant bias 2. Their LinTS draws N(θ̂, λν V⁻¹), ν = 0.1 (1 for Magic).

The files are looked for where RBMLE_DATA says, or in ../shared/data beside the repository.
"""

import math
import os
from pathlib import Path

import numpy as np
import pytest

from rbmle import LinRBMLE, LinTS, datasets
from rbmle.errors import MissingFileError
from rbmle.schedules import Constant
from rbmle.simulation import simulate

pytestmark = pytest.mark.long

FOLDER = os.environ.get("RBMLE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")
# Rounds, ν of LinTS, and as printed: LinUCB, LinTS.
PRINTED = {
    "mushroom": (8124, 0.1, (562.7, 23.1), (643.3, 30.4)),
    "shuttle": (10_000, 0.1, (966.6, 39.0), (1020.9, 42.8)),
    "magic": (10_000, 1.0, (2604.4, 34.6), (2700.5, 46.7)),
}


@pytest.mark.parametrize("name", PRINTED)
def test_within_one_printed_standard_deviation(name: str) -> None:
    horizon, nu, linucb, lints = PRINTED[name]
    try:
        problem = datasets.load(name, FOLDER).problem(normalize=True, missing=-1.0, horizon=horizon)
    except MissingFileError as reason:
        pytest.skip(str(reason))
    d = problem.n_features
    policies = {
        "LinUCB as coded": LinRBMLE(n_features=d, bias=Constant(2.0)),
        "LinTS": LinTS(n_features=d, scale=math.sqrt(nu)),
    }
    results = simulate(policies, problem, horizon=horizon, trials=16, seed=0)
    for method, (mean, deviation) in zip(policies, (linucb, lints), strict=True):
        wrong = results.final_regret(method)
        print(f"{name}, {method}: {np.mean(wrong):.1f} ± {np.std(wrong, ddof=1):.1f}, printed {mean} ± {deviation}")
        assert abs(np.mean(wrong) - mean) <= deviation
