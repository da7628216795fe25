"""What a picture is said to show is what it shows: curves are medians, and so is their order."""

import numpy as np

from rbmle.report.study import by_median
from rbmle.simulation import Results


def test_order_of_the_curves_is_that_of_medians():
    steady, lucky = np.array([10.0, 10.0, 10.0]), np.array([1.0, 1.0, 100.0])
    regret = {"steady": steady[:, None], "lucky": lucky[:, None]}
    results = Results(np.array([5]), regret, {name: np.ones(3) for name in regret}, {})
    assert results.ranking() == ["steady", "lucky"]
    assert by_median(results) == ["lucky", "steady"]
