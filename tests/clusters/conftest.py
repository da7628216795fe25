"""A partitioned log, for evaluation on clusters."""

import numpy as np
import pytest

from rbmle.logs import Log

ROWS, FILES, K, d = 4000, 8, 4, 3


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Eight Parquet files: eight parts."""
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("log")
    for place in range(FILES):
        n = ROWS // FILES
        X, p = rng.standard_normal((n, K, d)), 0.1 + 0.6 * rng.dirichlet(np.ones(K), n)
        arms = (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
        rewards = (rng.random(n) < 1 / (1 + np.exp(-X[np.arange(n), arms, 0]))).astype(float)
        ids = np.arange(place * n, (place + 1) * n)
        log = Log.from_arrays(arms=arms, rewards=rewards, probabilities=p, contexts=X, ids=ids)
        log.to_parquet(path / f"part-{place}.parquet")
    return path
