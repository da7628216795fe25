"""Ten lines: a policy that learns which of three pages to show."""

import numpy as np

from rbmle import LinRBMLE

rng = np.random.default_rng(0)
taste = np.array([0.8, -0.3])  # what visitors like; the policy does not know
pages = np.array([[1.0, 0.0], [0.0, 1.0], [0.7, 0.7]])

policy = LinRBMLE(n_features=2)
for _ in range(500):
    page = policy.choose(pages)
    policy.update(pages[page], pages[page] @ taste + rng.normal(scale=0.5))

assert policy.choose(pages) == 0
assert np.allclose(policy.model.theta_hat, taste, atol=0.2)
print("estimated taste:", policy.model.theta_hat.round(2))
