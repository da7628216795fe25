"""The report of any comparison: the numbers are the results', the verdict fits them."""

import numpy as np
import pytest

from rbmle.report import html, markdown, report_for, write
from rbmle.report.study import shown, verdict
from rbmle.simulation import Results


def results(trials=8, extra=5.0, policies=("LinRBMLE", "LinUCB")):
    rng = np.random.default_rng(1)
    rounds = np.array([1, 10, 100, 1000])
    base = np.cumsum(rng.uniform(0.0, 4.0, size=(trials, 4)), axis=1)
    regret = {name: base + k * extra + 0.01 * rng.random((trials, 4)) for k, name in enumerate(policies)}
    seconds = {name: np.full(trials, 1e-7 * (k + 1)) for k, name in enumerate(policies)}
    manifest = {
        "problem": {"problem": "LinearProblem", "theta": [-0.3, 0.5, 0.8]},
        "policies": {name: {"policy": name, "n_features": 3, "bias": "Sqrt(scale=1.0)"} for name in policies},
        "seed": 46,
        "horizon": 1000,
        "trials": trials,
        "versions": {"rbmle": "0.1.0"},
        "machine": {"cpus": 2, "platform": "Linux"},
    }
    return Results(rounds=rounds, regret=regret, seconds=seconds, manifest=manifest)


def test_everything_is_in_it(tmp_path):
    study = results()
    report = report_for(study, title="My study")
    text = markdown(report)
    statistics = study.statistics()
    for name in study.policies:
        for value in statistics[name].values():
            assert f"{value:.2f}" in text
    for piece in (
        "seed: 46",
        "`LinUCB(n_features=3, bias=Sqrt(scale=1.0))`",
        "theta: (-0.3, 0.5, 0.8)",
        "100 ns",
        "0.1.0",
    ):
        assert piece in text
    assert "2.0 |" in text  # LinUCB takes twice as long
    write(report, tmp_path)
    assert (tmp_path / "tables" / "regret-statistics.csv").exists()
    assert (tmp_path / "figures" / "regret-curves.svg").exists()


def test_a_clear_difference():
    text = verdict(results(extra=5.0))
    assert "**LinRBMLE** has the lowest mean final regret" in text
    assert "more than chance explains" in text


def test_a_difference_that_may_be_chance():
    study = results()
    noise = np.random.default_rng(2).normal(size=(8, 4))
    study.regret["LinUCB"] = study.regret["LinRBMLE"] + noise - noise.mean(axis=0) + 0.01
    assert "too little to tell the two apart" in verdict(study)


def test_one_trial_and_one_policy():
    assert "run more" in verdict(results(trials=1))
    assert verdict(results(policies=("LinRBMLE",))).endswith(".")
    assert "LinRBMLE" in html(report_for(results(trials=1, policies=("LinRBMLE",))))


def test_large_numbers_and_no_clock():
    study = results()
    study.regret["LinUCB"] = study.regret["LinUCB"] + 123456.0
    study.seconds = {name: np.zeros(8) for name in study.policies}
    text = markdown(report_for(study))
    assert "123,4" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (0.5, "0.5"),
        (None, "None"),
        ([1, 2.0], "(1, 2)"),
        ({"policy": "A", "x": 1.0}, "`A(x=1)`"),
        ({"name": "gaussian", "scale": 1.0}, "name=gaussian, scale=1"),
    ],
)
def test_settings_as_text(value, text):
    assert shown(value) == text
