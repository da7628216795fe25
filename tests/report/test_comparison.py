"""Printed cells beside ours: a wrong cell must show as wrong, wherever it is."""

import csv
import io
import math

import numpy as np
import pytest

from rbmle.errors import InvalidInputError
from rbmle.report import ComparedCell, Comparison, bootstrap_errors, compare_cells, html
from rbmle.report.document import Report, Section
from rbmle.report.write import as_csv


def test_marks(comparison):
    marks = {(cell.row, cell.column): cell.mark for cell in comparison.cells}
    assert marks[("mean", "RBMLE")] == "exact"
    assert marks[("mean", "VIDS")] == "exact"
    assert marks[("mean", "LinTS")] == "close"  # half a standard error
    assert marks[("std", "LinTS")] == "differs"  # three and a half
    assert marks[("std", "VIDS")] == "missing"
    assert comparison.summary == "7 of 10 cells exact, 1 within two standard errors, 1 not measured"


@pytest.mark.parametrize("row", ["mean", "std"])
@pytest.mark.parametrize("column", ["RBMLE", "LinUCB", "KG*"])
@pytest.mark.parametrize("nudge", [0.01, -0.01])
def test_a_doctored_table_is_found_out(row, column, nudge, comparison, numbers):
    doctored, ours, errors = numbers
    doctored[row][column] += nudge
    found = compare_cells(doctored, ours, decimals=2, standard_error=errors)
    assert found.count("exact") == comparison.count("exact") - 1
    assert [(c.row, c.column) for c in found.cells if c.mark == "differs"].count((row, column)) == 1
    page = html(Report("Doctored", [Section("Table", [found.table("All", "all")])]))
    assert page.count('class="r differs"') == 2  # this one and LinTS's deviation
    assert f"Δ {'−' if nudge > 0 else '+'}0.0" in page


def test_difference_and_z_score():
    cell = ComparedCell("mean", "LinTS", printed=13.43, ours=13.23, decimals=2, standard_error=0.4)
    assert cell.difference == pytest.approx(-0.2)
    assert cell.z_score == pytest.approx(-0.5)
    assert cell.as_cell().notes == ["printed 13.43", "Δ −0.20", "SE 0.40, z −0.5"]


def test_two_standard_errors_are_close_and_more_are_not():
    def mark(ours):
        return ComparedCell("r", "c", 10.0, ours, 2, 0.5).mark

    assert [mark(11.0), mark(9.0), mark(11.01), mark(8.99)] == ["close", "close", "differs", "differs"]


def test_no_spread_at_all():
    same, other = (ComparedCell("r", "c", 1.0, ours, 2, 0.0) for ours in (1.0, 1.5))
    assert (same.z_score, same.mark) == (0.0, "exact")
    assert (other.z_score, other.mark) == (math.inf, "differs")


def test_not_a_number_differs():
    cell = ComparedCell("r", "c", 1.0, math.nan, 2, 0.5)
    assert cell.mark == "differs"
    assert not cell.exact


def test_rounding_is_that_of_the_table_and_minus_zero_is_zero():
    assert ComparedCell("r", "c", 0.0, -0.004, 2).exact
    assert ComparedCell("r", "c", 0.0, -0.004, 2).as_cell().text == "0.00"
    assert not ComparedCell("r", "c", 0.0, -0.006, 2).exact
    assert ComparedCell("r", "c", 0.127, 0.12749, 3).exact


def test_unknown_names_are_refused():
    with pytest.raises(InvalidInputError, match="KG star"):
        compare_cells({"mean": {"KG*": 1.0}}, {"mean": {"KG star": 1.0}}, 2)
    with pytest.raises(InvalidInputError, match="median"):
        compare_cells({"mean": {"KG*": 1.0}}, {"median": {"KG*": 1.0}}, 2)


def test_joined_and_restricted(comparison):
    both = comparison + comparison
    assert both.summary.startswith("14 of 20 cells exact")
    assert both.only(["RBMLE", "LinUCB"]).summary == "8 of 8 cells exact"
    with pytest.raises(InvalidInputError, match="once"):
        both.table("Twice", "twice")


def test_records_hold_full_precision(comparison, numbers):
    rows = list(csv.DictReader(io.StringIO(as_csv(comparison.table("All", "all")))))
    assert len(rows) == 10
    assert float(rows[0]["ours"]) == numbers[1]["mean"]["RBMLE"]
    assert rows[-1] == {
        **{"row": "std", "column": "VIDS", "printed": "74.66", "ours": "", "difference": "", "exact": "False"},
        **{"standard_error": "", "z": "", "mark": "missing"},
    }


def test_layout_follows_the_printed_table(comparison):
    table = comparison.table("All", "all", "statistic", {"mean": "Mean"})
    assert table.columns == ["statistic", "RBMLE", "LinUCB", "KG*", "LinTS", "VIDS"]
    assert [row[0] for row in table.rows] == ["Mean", "std"]
    assert [cell.text for cell in table.cells[1]] == ["std", "0.42", "14.87", "10.46", "2.90", "–"]


def test_empty_comparison():
    assert Comparison([]).summary == "0 of 0 cells exact"


def test_bootstrap_error_of_a_mean():
    values = np.random.default_rng(0).normal(size=200)

    def mean_and_median(samples):
        return np.column_stack([samples.mean(axis=1), np.median(samples, axis=1)])

    mean, median = bootstrap_errors(values, mean_and_median, draws=4000, seed=1)
    assert mean == pytest.approx(values.std() / math.sqrt(200), rel=0.05)
    assert median == pytest.approx(math.sqrt(math.pi / 2) / math.sqrt(200), rel=0.3)  # normal theory
    assert list(bootstrap_errors(values, mean_and_median, seed=1)) == list(
        bootstrap_errors(values, mean_and_median, seed=1)
    )
