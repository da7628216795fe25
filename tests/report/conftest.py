"""A small report that has one of everything."""

import copy

import numpy as np
import pytest

from rbmle.report import (
    Bullets,
    Facts,
    Figure,
    Highlights,
    Panels,
    Report,
    Section,
    Table,
    compare_cells,
    write,
)
from rbmle.report.figures import look, new_figure

PRINTED = {
    "mean": {"RBMLE": 1.86, "LinUCB": 5.41, "KG*": 3.86, "LinTS": 13.43, "VIDS": 12.20},
    "std": {"RBMLE": 0.42, "LinUCB": 14.87, "KG*": 10.46, "LinTS": 2.20, "VIDS": 74.66},
}
OURS = {
    "mean": {"RBMLE": 1.8649, "LinUCB": 5.4051, "KG*": 3.8551, "LinTS": 13.23, "VIDS": 12.20},
    "std": {"RBMLE": 0.4151, "LinUCB": 14.8652, "KG*": 10.4649, "LinTS": 2.9},
}
ERRORS = {"mean": {"LinTS": 0.4}, "std": {"LinTS": 0.2}}


@pytest.fixture
def numbers():
    """Printed, ours, and standard errors, to change at will."""
    return copy.deepcopy((PRINTED, OURS, ERRORS))


@pytest.fixture
def drawing():
    return draw


def draw(width=4.2):
    figure = new_figure(width, 3.0)
    axes = figure.subplots()
    rounds = np.arange(1, 51)
    for k in range(7):
        axes.plot(rounds, (k + 1) * np.sqrt(rounds), label=f"policy {k}", **look(k))
    axes.set_xlabel("round")
    axes.legend()
    return figure


@pytest.fixture(scope="session")
def comparison():
    return compare_cells(PRINTED, OURS, decimals=2, standard_error=ERRORS)


@pytest.fixture(scope="session")
def folder(report, tmp_path_factory):
    """The report, written."""
    target = tmp_path_factory.mktemp("report") / "deep" / "er"
    assert write(report, target) == target / "report.html"
    return target


@pytest.fixture(scope="session")
def report(comparison):
    words = Table(
        caption="Differences in words",
        columns=["method", "what differs", "cost"],
        rows=[["KG & KG*", "50 % of σ_a², {v_a} where #s stands | <script>alert('x')</script>", "−0.1"]],
        name="differences",
        align="llr",
    )
    deep = Section("By setting", ["Inside a section.", Bullets(["first", "second with `code_word`"])])
    return Report(
        title="Bandits & <b>bounds</b>",
        subtitle="A companion to *the paper*",
        notice="**Quick run**: 5 trials.",
        sections=[
            Section(
                "Linear regret",
                [
                    Highlights({"6 of 10": "cells are exact"}),
                    "Regret with `α(t) = √t` is **low**; KG* < LinTS, and *so on*.",
                    comparison.table("Table 1", "table-1", "statistic", {"mean": "Mean"}),
                    Panels("Figure 1", [Figure(f"({k})", draw(), f"panel-{k}") for k in "ab"]),
                ],
            ),
            Section("Differences", [words, Figure("One wide figure", draw(7.2), "wide", alt="Seven curves"), deep]),
            Section("Settings", [Facts({"seed": "46", "machine": "x86_64 " + "very-long-name-" * 12})]),
        ],
    )
