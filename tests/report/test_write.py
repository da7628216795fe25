"""All files of a report, and what is in them."""

import csv
import re

import pytest

from rbmle.errors import RbmleError
from rbmle.report import Cell, Report, Table, latex, markdown, write
from rbmle.report.latex import escape
from rbmle.report.write import as_csv


def test_files(folder):
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    figures = [
        f"figures/{name}.{ending}" for name in ("panel-a", "panel-b", "wide") for ending in ("pdf", "png", "svg")
    ]
    tables = [f"tables/{name}.{ending}" for name in ("differences", "table-1") for ending in ("csv", "tex")]
    assert names == [*figures, "report.html", "report.md", *tables]


def test_figures_are_what_their_names_say(folder):
    assert (folder / "figures/wide.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "figures/wide.pdf").read_bytes().startswith(b"%PDF")
    assert "<svg" in (folder / "figures/wide.svg").read_text(encoding="utf-8")


def test_csv_of_a_plain_table(folder):
    with (folder / "tables/differences.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["method", "what differs", "cost"]
    assert rows[1][0] == "KG & KG*"


def test_writing_again_replaces(tmp_path):
    for title in ("First", "Second"):
        write(Report(title, []), tmp_path)
    assert "Second" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "First" not in (tmp_path / "report.md").read_text(encoding="utf-8")
    assert list(tmp_path.rglob("*.part")) == []


def test_where_nothing_can_be_written(report, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RbmleError, match="cannot be written"):
        write(report, tmp_path / "file")


def test_markdown(report):
    text = markdown(report)
    assert text.startswith(
        "# Bandits & \\<b\\>bounds\\</b\\>\n\nA companion to *the paper*\n\n> **Quick run**: 5 trials.\n"
    )
    assert "| Mean | 1.86 ✓ (printed 1.86; Δ 0.00) |" in text
    assert "13.23 ≈ (printed 13.43; Δ −0.20; SE 0.40, z −0.5)" in text
    assert "![Seven curves](figures/wide.svg)" in text
    assert "### By setting\n" in text
    assert "- second with `code_word`\n" in text
    assert "- **6 of 10** cells are exact\n" in text
    assert "\n\n\n" not in text


def test_markdown_tables_are_rectangular(report):
    lines = [line for line in markdown(report).splitlines() if line.startswith("|")]
    bars = [len(re.findall(r"(?<!\\)\|", line)) for line in lines]
    assert bars == [7] * 4 + [4] * 3


def test_latex(report):
    text = latex(report.tables[0])
    assert r"\begin{tabular}{lrrrrr}" in text
    assert r"\shortstack[r]{1.86$^{=}$\\{\tiny printed 1.86}\\{\tiny $\Delta$ 0.00}}" in text
    for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert text.count(rule) == 1
    assert text.count("{") == text.count("}")
    assert text.count("$") % 2 == 0


def test_latex_escapes(report):
    text = latex(report.tables[1])
    assert r"KG \& KG*" in text
    assert r"50 \% of $\sigma$\_a${}^2$, \{v\_a\} where \#s" in text
    assert escape("a_b^c~\\") == r"a\_b\textasciicircum{}c\textasciitilde{}\textbackslash{}"
    assert escape("T₀ ≤ 10⁴") == r"T${}_0$ $\leq$ 10${}^4$"


def test_best_cells_are_bold():
    table = Table("c", ["n", "v"], [["x", Cell("1", "best")]], "a")
    assert r"\textbf{1}" in latex(table)


def test_no_cell_of_a_csv_file_is_a_formula():
    table = Table("t", ["=name", "value"], [["=1+1", "-0.5"], ["plain", "+x"]], "formulas")
    assert as_csv(table).splitlines() == ["'=name,value", "'=1+1,-0.5", "plain,'+x"]
    records = Table("t", ["a"], [["x"]], "records", records=[{"policy": "@sum", "mean": -1.5}, {"policy": "b"}])
    assert as_csv(records).splitlines() == ["policy,mean", "'@sum,-1.5", "b,"]
