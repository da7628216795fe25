"""Mean ranks and tests over many sets, against quantiles that others print and tests of SciPy."""

import numpy as np
import pytest
from scipy.stats import f, friedmanchisquare, wilcoxon

from rbmle.errors import InvalidInputError
from rbmle.report.ranks import critical_difference
from rbmle.studies.real.ranks import holm, ranking, signed_ranks

# Nemenyi's q at 5 % for 2 to 7 methods, as tables print them (Kourentzes; Demšar's Table 5 to within a unit).
Q = {2: 1.960, 3: 2.344, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.948}


def test_equal_values_share_their_ranks():
    found = ranking({"a": [3.0, 2.0, 1.0], "b": [3.0, 1.0, 2.0], "c": [1.0, 2.0, 3.0]})
    assert found.ranks == pytest.approx({"a": (1.5 + 1.5 + 3) / 3, "b": (1.5 + 3 + 2) / 3, "c": (3 + 1.5 + 1) / 3})
    assert next(iter(found.ranks)) == "c"


@pytest.mark.parametrize("k", Q)
def test_nemenyis_quantiles(k):
    rng = np.random.default_rng(k)
    values = {f"m{i}": rng.random(20).tolist() for i in range(k)}
    assert ranking(values).critical / np.sqrt(k * (k + 1) / 120) == pytest.approx(Q[k], abs=6e-4)


def test_friedman_without_ties_is_scipys():
    rng = np.random.default_rng(0)
    table = rng.random((5, 12)) + np.arange(5)[:, None] * 0.1
    found = ranking({f"m{i}": row for i, row in enumerate(table)})
    chi_square = friedmanchisquare(*table).statistic
    F = 11 * chi_square / (12 * 4 - chi_square)
    assert found.p == pytest.approx(f.sf(F, 4, 44), rel=1e-9)


def test_groups_are_the_longest_runs_that_are_not_told_apart():
    values = {"best": [9.0] * 30, "good": [8.0] * 30, "fair": [7.0] * 30, "poor": [1.0] * 30}
    found = ranking(values)  # ranks 1 to 4, critical difference 0.86
    assert found.groups == [] and found.told_apart("best", "good")
    values["good"] = [8.0] * 15 + [6.0] * 15
    values["fair"] = [7.0] * 30
    assert ranking(values).groups == [("good", "fair")]


def test_holm_and_signed_ranks():
    rng = np.random.default_rng(1)
    values = {"a": rng.random(10), "b": rng.random(10) + 0.5, "c": rng.random(10), "same": None}
    values["same"] = values["a"]
    raw = {name: wilcoxon(values[name] - values["a"]).pvalue for name in ("b", "c")}
    found = signed_ranks(values, "a")
    assert found["b"] == pytest.approx(min(1.0, 3 * raw["b"])) and found["same"] == 1.0
    assert found["c"] == pytest.approx(max(found["b"], min(1.0, 2 * raw["c"])))
    assert holm({}) == {}


def test_what_cannot_be_ranked():
    for values in ({"a": [1.0, 2.0]}, {"a": [1.0], "b": [2.0]}, {"a": [1.0, np.nan], "b": [1.0, 2.0]}):
        with pytest.raises(InvalidInputError, match="at least 2 methods on at least 2 sets"):
            ranking(values)


def test_the_diagram_shows_every_rank_and_joins_the_groups():
    ranks = {"first": 1.2, "second": 2.0, "third": 2.9, "last": 3.9}
    drawing = critical_difference(ranks, [("first", "second"), ("second", "third")], 1.0, marked=["second"])
    (axes,) = drawing.axes
    texts = " ".join(text.get_text() for text in axes.texts)
    for name, rank in ranks.items():
        assert name in texts and f"{rank:.1f}" in texts
    assert "critical difference 1.00" in texts
    bars = [line.get_xdata() for line in axes.lines if line.get_linewidth() > 3]
    assert [(min(bar), max(bar)) for bar in bars] == [pytest.approx((1.15, 2.05)), pytest.approx((1.95, 2.95))]
    dots = sorted(float(line.get_xdata()[0]) for line in axes.lines if line.get_marker() == "o")
    assert dots == sorted(ranks.values())
