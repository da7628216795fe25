"""ECOLog on the logistic bench: regret of the fork of ada-OFU-ECOLog there, run by others, on ten seeds.

The fork starts from λ = S and has a radius of its own.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from logistic_bench import regrets

from rbmle import ECOLog


@dataclass(kw_only=True, eq=False)
class Fork(ECOLog):
    """The radius of the fork: ρ² = 4S² + 2(2+S)(u + Σ(ℓ(θ̄) − ℓ(θ))) + 4 log(1+t)."""

    title = ""

    def radius_terms(self, rounds):
        S, lam = self.norm_bound, self.regularization
        nu = 0.5 + 2 * np.log(2 * np.sqrt(1 + rounds / (4 * lam)) / self.delta)
        u = (2 + S) * nu / 4 + S**2 / (2 + S)
        known = 4 * S**2 + 2 * (2 + S) * u + 4 * np.log(1 + rounds)
        return np.column_stack([known, np.full(len(rounds), 2 * (2 + S)), np.zeros(len(rounds))])


@pytest.mark.long
@pytest.mark.parametrize(("size", "printed", "spread"), [(3, 152.794, 5.7), (9, 327.637, 1.5)])
def test_the_forks_regret(size, printed, spread):
    S = size + 1.0
    lost = regrets(lambda: Fork(n_features=2, norm_bound=S, regularization=S), size)[:, -1]
    assert abs(lost.mean() - printed) < 0.001 * printed
    assert abs(lost.std() - spread) < 0.3
