"""The figures show the numbers they were given."""

import numpy as np
import pytest

from rbmle.report import bias_sweep, bound_over_regret, compact, time_against_regret
from rbmle.report.svg import inline


def legend_of(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_time_against_regret():
    seconds, regret = {"A": 1e-6, "B": 2e-3}, {"A": 10.0, "B": 4000.0}
    figure = time_against_regret(seconds, regret, title="(a)")
    points = {line.get_label(): (line.get_xdata()[0], line.get_ydata()[0]) for line in figure.axes[0].lines}
    assert points == {"A": (1e-6, 10.0), "B": (2e-3, 4000.0)}
    assert figure.axes[0].get_yscale() == "log"
    assert legend_of(figure) == ["A", "B"]


def test_regrets_alike_start_from_zero():
    axes = time_against_regret({"A": 1e-6, "B": 1e-6}, {"A": 10.0, "B": 20.0}).axes[0]
    assert axes.get_yscale() == "linear"
    assert axes.get_ylim()[0] == 0.0


def test_bound_over_regret_shows_the_largest_trial():
    rounds = np.array([1, 10, 100])
    regret = np.array([[0.0, 2.0, 3.0], [1.0, 5.0, 9.0], [1.0, 4.0, 5.0]])
    figure = bound_over_regret(rounds, regret, {"Theorem 2": np.array([10.0, 50.0, 200.0])})
    axes = figure.axes[0]
    median, bound = axes.lines
    assert list(median.get_ydata()) == [1.0, 4.0, 5.0]
    assert list(bound.get_ydata()) == [10.0, 50.0, 200.0]
    edge = axes.collections[0].get_paths()[0].vertices
    assert edge[:, 1].max() == 9.0
    assert edge[:, 1].min() > 0.0
    assert legend_of(figure) == ["measured, median", "Theorem 2"]


def test_bound_over_no_regret_at_all():
    figure = bound_over_regret(np.array([1, 2]), np.zeros((3, 2)), {"bound": np.ones(2)})
    assert (figure.axes[0].lines[0].get_ydata() > 0).all()


def test_bias_sweep_rings_the_papers_choice():
    regret = np.array([[5.0, 4.0, 6.0], [3.0, 2.0, 7.0]])
    figure = bias_sweep([0.25, 0.5, 0.75], [0.5, 1.0], regret)
    lines = figure.axes[0].lines
    assert [list(line.get_ydata()) for line in lines[:2]] == regret.tolist()
    assert (lines[2].get_xdata()[0], lines[2].get_ydata()[0]) == (0.5, 2.0)
    assert legend_of(bias_sweep([0.1, 0.2], [0.5, 1.0], regret[:, :2])) == ["c = 0.5", "c = 1"]


@pytest.mark.parametrize("title", ["", "(a) static"])
def test_figures_can_stand_in_a_page(title):
    figure = time_against_regret({"A": 1e-6}, {"A": 10.0}, title=title)
    svg = inline(compact(figure), "one", "points")
    assert "#000000" not in svg
    assert figure.get_size_inches().tolist() == [5.6, 4.4]
