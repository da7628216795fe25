"""What the page says of the bounds: a bound above all that can be lost is no finding."""

import math

from rbmle.paper.bounds.part import largest_loss, verdict
from rbmle.paper.settings import GLM, LINEAR


def record(bound, worst, below=8, trials=8):
    return {"bound": bound, "worst": worst, "below": below, "trials": trials}


def test_an_empty_bound_is_no_headline():
    line, highlight = verdict([record(3000.0, 1980.0), record(3000.0, 1855.0)])
    assert highlight == {}
    assert "in 16 of 16 trials" in line
    assert "So is every policy" in line


def test_a_bound_that_says_something_is_one():
    line, highlight = verdict([record(22813.0, 59397.0, below=7), record(22813.0, 55641.0)])
    assert list(highlight) == ["94%"]
    assert line.endswith("in 15 of 16 trials.")


def test_the_largest_loss_is_that_of_playing_minus_theta_where_theta_is_best():
    norm = math.sqrt(0.09 + 0.25 + 0.64)
    assert math.isclose(largest_loss(LINEAR[0], 1000), 1000 * 2 * norm)
    theta = GLM[0].theta
    norm = math.sqrt(sum(x * x for x in theta))
    gap = 1 / (1 + math.exp(-norm)) - 1 / (1 + math.exp(norm))
    assert math.isclose(largest_loss(GLM[0], 200), 200 * gap)
