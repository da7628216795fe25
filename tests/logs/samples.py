"""One small log in every shape that can be read."""

import json

import numpy as np
import pytest


class Sample:
    """Forty rows of three to five arms with two features, as plain lists; `rows()` as dicts, one per row."""

    def __init__(self):
        rng = np.random.default_rng(5)
        self.sizes = rng.integers(3, 6, 40).tolist()
        self.columns = {name: [] for name in ("id", "time", "contexts", "eligible", "arms", "arm", "probability")}
        self.columns |= {"probabilities": [], "reward": [], "settled": []}
        for i, K in enumerate(self.sizes):
            chances = rng.dirichlet(np.ones(K))
            arm = int(rng.choice(K, p=chances))
            values = {
                "id": f"décision-{i}",
                "time": 1.7e9 + i / 8,
                "contexts": rng.standard_normal((K, 2)).tolist(),
                "eligible": rng.permutation(9)[:K].tolist(),
                "arms": [f"a{k}" for k in range(K)],
                "arm": arm,
                "probability": float(chances[arm]),
                "probabilities": chances.tolist(),
                "reward": float(rng.random()) if i < 38 else None,
                "settled": i != 39,
            }
            for name, value in values.items():
                self.columns[name].append(value)

    def rows(self):
        return [dict(zip(self.columns, cells, strict=True)) for cells in zip(*self.columns.values(), strict=True)]

    def jsonl(self):
        return "".join(json.dumps(row) + "\n" for row in self.rows())


@pytest.fixture
def sample():
    return Sample()


@pytest.fixture
def same():
    """Asserts that two logs hold the same rows."""

    def check(log, other):
        mine, theirs = list(log), list(other)
        assert sum(map(len, mine)) == sum(map(len, theirs)) > 0
        names = ("keys", "arm", "reward", "settled", "time", "probability", "probabilities", "contexts", "context")
        for name in (*names, "eligible", "sizes"):
            left = [getattr(batch, name) for batch in mine]
            right = [getattr(batch, name) for batch in theirs]
            assert (left[0] is None) == (right[0] is None), name
            if left[0] is not None:
                np.testing.assert_array_equal(np.concatenate(left), np.concatenate(right), err_msg=name)

    return check
