"""What the page says where the reader looks: names, cells that differ, short runs, differences with intervals."""

from dataclasses import replace

import numpy as np
import pytest

from rbmle import policies
from rbmle.paper import LINEAR
from rbmle.paper.bias.part import GREEDY, name_of, without_bias
from rbmle.paper.names import names_section
from rbmle.paper.plan import FULL, QUICK
from rbmle.paper.regret.differences import robustness
from rbmle.paper.regret.linear import linear_regret
from rbmle.paper.regret.words import intro, vids_words
from rbmle.report import Table, compare_cells
from rbmle.simulation import Results

STATIC, VARYING = LINEAR[0], LINEAR[2]


def results(**final):
    regret = {name: np.array(values, dtype=float)[:, None] for name, values in final.items()}
    return Results(np.array([10]), regret, {name: np.ones(len(v)) for name, v in final.items()}, {})


def test_every_name_of_the_paper_has_its_class():
    table = names_section().content[0]
    rows = {row[0]: row for row in table.rows}
    assert {name: rows[name][1] for name in ("BUCB", "GPUCBT", "KG", "KG*")} == {
        "BUCB": "`BayesUCB`",
        "GPUCBT": "`GPUCBTuned`",
        "KG": "`KnowledgeGradient`",
        "KG*": "`KGStar`",
    }
    assert len(rows) == 12
    assert all(hasattr(policies, row[1].strip("`")) for row in table.rows)
    assert rows["RBMLE"][3] == "the same"
    assert rows["LinTS"][3] == "the same class, other settings"


def test_a_short_run_announces_no_differences():
    assert "no difference is shown" in intro(False, "published", ("RBMLE",))
    assert "the difference" in intro(True, "published", ("RBMLE",))


def compared(printed, ours):
    return compare_cells({"mean": {"VIDS": printed}}, {"mean": {"VIDS": ours}}, 2, {"mean": {"VIDS": 1.0}})


def test_vids_is_explained_below_the_table_that_shows_it():
    (told,) = vids_words(compared(20.4, 230.1), VARYING)
    assert "**VIDS above: 230.10 where 20.40 is printed.**" in told
    assert "smallest" in told
    assert vids_words(compared(20.4, 20.9), VARYING) == [], "it agrees"
    assert vids_words(compared(20.4, 230.1), STATIC) == [], "another rule explains static contexts"
    part = linear_regret(replace(FULL, linear=(VARYING,)), "published")
    assert "VIDS" in part.comparable(VARYING)


def test_paired_differences_of_a_part():
    part = linear_regret(replace(QUICK, linear=(STATIC, VARYING)), "published")
    one = results(RBMLE=[1, 2, 3, 4], KG=[11, 13, 12, 14.5])
    other = results(RBMLE=[1, 2, 3, 4], KG=[1, 3, 2, 4.5])
    (table,) = part._paired({STATIC: one, VARYING: other})
    assert isinstance(table, Table)
    assert table.columns == ["method", "(a) static", "(b) varying"]
    ((name, clear, chance),) = table.rows
    assert (name, clear.text, clear.mark) == ("KG", "+10.12", "best")
    assert (chance.text, chance.mark) == ("+0.12", "")
    assert chance.notes[1] == "worse in 62%"
    assert [record["mean"] for record in table.records] == [10.125, 0.125]
    assert part._paired({STATIC: results(KG=[1, 2])}) == []


def test_greedy_beside_the_chosen_bias():
    told = without_bias(results(**{name_of(1.0, 0.5): [1, 2, 3], GREEDY: [2, 3, 4.5]}))
    # Differences 1, 1, 1.5: mean 7/6, s = √(1/12), t of 2 degrees of freedom at 97.5 % is 4.3027.
    half = 4.302653 * (1 / 12) ** 0.5 / 3**0.5
    assert told == f"1.17 [{7 / 6 - half:.2f}, {7 / 6 + half:.2f}]"


def test_robustness_is_told_in_numbers():
    rows = {STATIC: results(RBMLE=[9, 10, 11], KG=[1, 1, 28])}
    told = robustness({"authors": rows, "published": rows}, "RBMLE")
    assert "its worst trial loses 1.1 to 1.1 times its mean, that of another method up to 2.8 times" in told


@pytest.mark.parametrize("plan", [QUICK, FULL])
def test_every_linear_setting_is_also_played_without_bias(plan):
    from rbmle.paper.bias.part import BiasPart

    part = BiasPart(plan)
    assert all(GREEDY in each.policies for each in part.experiments)
    assert all(each.policies[GREEDY].bias(7) == 0.0 for each in part.experiments)
