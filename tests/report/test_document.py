"""The data model refuses what could not be shown or written."""

import pytest

from rbmle.errors import InvalidInputError
from rbmle.report import Cell, Figure, Report, Section, Table
from rbmle.report.document import slug
from rbmle.report.inline import Span, spans


def table(name="a", rows=(("x", "1"),), **more):
    return Table(caption="c", columns=["n", "v"], rows=rows, name=name, **more)


def test_rows_must_fit_the_columns():
    with pytest.raises(InvalidInputError, match=r"2 cells, one per column\. Got 3"):
        table(rows=[["x", "1", "2"]])


@pytest.mark.parametrize("align", ["l", "lx", "lrr"])
def test_alignment_must_fit(align):
    with pytest.raises(InvalidInputError, match="align"):
        table(align=align)


@pytest.mark.parametrize("name", ["", "../up", "A b", "a/b", "ä"])
def test_names_become_files(name):
    with pytest.raises(InvalidInputError, match="file name"):
        table(name=name)
    with pytest.raises(InvalidInputError, match="file name"):
        Figure("c", None, name)


def test_two_tables_of_one_name():
    with pytest.raises(InvalidInputError, match=r"tables of a report must have different names\. Twice: a"):
        Report("t", [Section("one", [table()]), Section("two", [Section("deep", [table()])])])


def test_alignment_and_plain_cells():
    assert table().alignment == "lr"
    assert table(align="lc").alignment == "lc"
    assert table().cells == [[Cell("x"), Cell("1")]]


def test_legend_names_only_the_marks_that_occur():
    assert table().legend == []
    assert [mark for mark, _, _ in table(rows=[["x", Cell("1", "differs")]]).legend] == ["differs"]


def test_slug():
    assert slug("Linear regret, θ = (−0.3, 0.5)") == "linear-regret-0-3-0-5"
    assert slug("θ") == "part"


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("KG* and KG*", [Span("text", "KG* and KG*")]),
        ("2 * 3 * 4", [Span("text", "2 * 3 * 4")]),
        ("a ` b", [Span("text", "a ` b")]),
        ("**a b**, *c*", [Span("strong", "a b"), Span("text", ", "), Span("em", "c")]),
        ("`**a**`", [Span("code", "**a**")]),
    ],
)
def test_spans(text, pieces):
    assert spans(text) == pieces
