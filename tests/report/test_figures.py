"""The regret figure: what is drawn is the median or mean, in an order and colours one can follow."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbmle.errors import InvalidParameterError, RbmleError
from rbmle.report.figures import PALETTE, look, regret_figure
from rbmle.report.plots import compact
from rbmle.simulation import Results

ROUNDS = np.array([1, 2, 4, 8])


def made(**scales: float) -> Results:
    rng = np.random.default_rng(0)
    regret = {name: scale * np.cumsum(rng.random((9, 4)), axis=1) for name, scale in scales.items()}
    return Results(ROUNDS, regret, {name: np.ones(9) for name in scales}, {})


def axes_of(results: Results, **options: Any) -> Any:
    return regret_figure(results, **options).axes[0]


def line(axes: Any, name: str) -> Any:
    return next(each for each in axes.lines if each.get_label().startswith(name))


def test_curves_and_bands() -> None:
    results = made(a=1.0, b=2.0)
    values = results.regret["a"]
    axes = axes_of(results)
    assert np.array_equal(line(axes, "a").get_ydata(), np.median(values, axis=0))
    edges = axes.collections[1].get_paths()[0].vertices[:, 1]
    low, high = np.sort(values, axis=0)[[2, 6]]  # of nine trials, places 2 and 6 are the quartiles
    assert edges.min() == pytest.approx(low.min())
    assert edges.max() == pytest.approx(high.max())
    for band, width in (("std", values.std(axis=0)), ("error", values.std(axis=0) / 3)):
        axes = axes_of(results, band=band)
        np.testing.assert_allclose(line(axes, "a").get_ydata(), values.mean(axis=0))
        edges = axes.collections[1].get_paths()[0].vertices[:, 1]
        assert edges.max() == pytest.approx((values.mean(axis=0) + width).max())
    assert not axes_of(results, band=None).collections


def test_legend_is_in_the_order_of_the_ends() -> None:
    legend = axes_of(made(good=1.0, bad=3.0, fair=2.0)).get_legend()
    assert [text.get_text().split()[0] for text in legend.get_texts()] == ["bad", "fair", "good"]


def test_axes() -> None:
    axes = axes_of(made(a=1.0, b=2.0), log_x=True, title="A title")
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "linear")
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title(loc="left")) == (
        "round",
        "cumulative regret",
        "A title",
    )
    assert axes.get_ylim()[0] == 0.0
    assert axes_of(made(a=1.0, b=100.0)).get_yscale() == "log", "far apart: only so all are seen"
    assert axes_of(made(a=1.0, b=100.0), log_y=False).get_yscale() == "linear"
    assert axes_of(made(a=0.0, b=100.0), log_y=True).get_yscale() == "linear", "no regret has no logarithm"


def test_looks_differ() -> None:
    looks = [tuple(look(number).values()) for number in range(4 * len(PALETTE))]
    assert len(set(looks)) == len(looks)


def test_thirty_curves_and_none_is_cut_off(tmp_path: Path) -> None:
    results = made(**{f"LinRBMLE(bias=Sqrt(scale={k}), regularization=0.1)": 1.0 + k for k in range(30)})
    for figure in (results.plot(), compact(results.plot())):
        figure.savefig(tmp_path / "figure.png", dpi=60)
        legends = [*figure.legends, *filter(None, (axes.get_legend() for axes in figure.axes))]
        assert len(legends) == 1
        assert len(legends[0].get_texts()) == 30
        page = figure.bbox
        for text in legends[0].get_texts():
            box = text.get_window_extent()
            assert page.x0 <= box.x0 <= box.x1 <= page.x1
            assert page.y0 <= box.y0 <= box.y1 <= page.y1
        plot = figure.axes[0].get_window_extent()
        assert plot.width > 0.25 * page.width
        assert plot.height > 0.25 * page.height
    assert len({tuple(map(str, look(number).values())) for number in range(30)}) == 30


def test_axes_of_the_caller() -> None:
    from matplotlib.figure import Figure

    mine = Figure()
    left, right = mine.subplots(1, 2)
    assert made(a=1.0, b=2.0).plot(ax=right) is mine
    assert len(right.lines) == 2
    assert not left.lines
    inner = Figure()
    assert made(a=1.0).plot(ax=inner.subfigures(1, 2)[0].subplots()) is inner


def test_a_notebook_shows_the_figure() -> None:
    assert made(a=1.0).plot()._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


def test_bad_band() -> None:
    with pytest.raises(InvalidParameterError, match="The 'band' parameter of plot must be one of 'quantile'"):
        made(a=1.0).plot(band="wide")


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.delitem(sys.modules, "rbmle.display.drawing", raising=False)
    with pytest.raises(RbmleError, match="pip install 'rbmle"):
        made(a=1.0).plot()
