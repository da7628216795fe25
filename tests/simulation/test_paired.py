"""Paired differences: against SciPy's paired t-test and by hand."""

import numpy as np
import pytest
from scipy import stats

from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.simulation import Results


def results(**final: list[float]) -> Results:
    regret = {name: np.array(values)[:, None] for name, values in final.items()}
    return Results(np.array([9]), regret, {name: np.ones(len(values)) for name, values in final.items()}, {})


def test_intervals_are_those_of_the_paired_t_test() -> None:
    rng = np.random.default_rng(4)
    base = rng.normal(100, 50, 20)
    made = results(
        mine=base.tolist(), other=(base + rng.normal(2, 3, 20)).tolist(), far=rng.normal(300, 5, 20).tolist()
    )
    paired = made.compare("mine", level=0.9)
    assert [each.policy for each in paired.differences] == ["other", "far"]
    for each in paired.differences:
        test = stats.ttest_rel(made.final_regret(each.policy), made.final_regret("mine"))
        low, high = test.confidence_interval(0.9)
        assert (each.low, each.high) == pytest.approx((low, high), rel=1e-9)
        assert each.clear == (test.pvalue < 0.1)


def test_by_hand() -> None:
    paired = results(a=[1.0, 2.0, 3.0, 4.0], b=[2.0, 2.0, 5.0, 3.0]).compare("a")
    (each,) = paired.differences
    assert (each.mean, each.worse) == (0.5, (2 + 0.5) / 4)
    # Differences 1, 0, 2, −1 have s = √(5/3); t of 3 degrees of freedom at 97.5 % is 3.1824.
    half = 3.182446 * (5 / 3) ** 0.5 / 2
    assert (each.low, each.high) == pytest.approx((0.5 - half, 0.5 + half), rel=1e-6)
    assert not each.clear
    assert paired["b"] is each


def test_one_trial_says_nothing_about_chance() -> None:
    (each,) = results(a=[1.0], b=[5.0]).compare("a").differences
    assert (each.low, each.high, each.clear) == (-np.inf, np.inf, False)


def test_how_it_is_shown() -> None:
    paired = results(a=[1.0, 2.0], b=[11.0, 12.5], c=[0.5, 1.5]).compare("a")
    text = str(paired)
    assert "paired over 2 trials; 95% interval by Student's t" in text
    assert [line.split()[:2] for line in text.splitlines()[2:]] == [["c", "−0.50"], ["b", "+10.25"]]
    assert "<td" in paired._repr_html_()
    assert "+10.25" in paired._repr_html_()
    frame = paired.to_frame()
    assert list(frame.columns) == ["policy", "mean", "low", "high", "worse"]
    assert frame["mean"].tolist() == [-0.5, 10.25]


def test_bad_arguments() -> None:
    made = results(a=[1.0], b=[2.0])
    with pytest.raises(InvalidInputError, match="policy must be one of a, b. Got 'c'"):
        made.compare("c")
    with pytest.raises(InvalidInputError, match="policy must be one of b. Got 'a'"):
        made.compare("a")["a"]
    with pytest.raises(InvalidParameterError, match="'level' parameter of compare"):
        made.compare("a", level=1.0)
