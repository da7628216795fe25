"""The study in small: numbers against a direct simulation, tuning on seeds of its own, resume, filters."""

import csv
import sys
from dataclasses import replace

import numpy as np
import pytest

from rbmle import LinRBMLE, LinUCB, Policy
from rbmle.errors import InvalidParameterError, MissingFileError
from rbmle.problems import LinearProblem
from rbmle.schedules import Sqrt
from rbmle.simulation import simulate
from rbmle.studies import SETTINGS, Plan, study
from rbmle.studies.experiments import Trials, seeds
from rbmle.studies.forms import known_methods, methods_for
from rbmle.studies.words import Standing, geometric_mean, standing

TINY = Plan("tiny", trials=5, tuning_trials=3, longest=80)


@pytest.fixture(autouse=True)
def one_format(monkeypatch):
    """Figures as SVG alone: the other formats take most of the time."""
    monkeypatch.setattr(sys.modules["rbmle.report.write"], "FIGURE_ENDINGS", ("svg",))


@pytest.fixture
def small(monkeypatch):
    """The paper's problem with fewer rounds."""
    return Trials(SETTINGS["paper"], TINY, known_methods(["LinRBMLE", "LinUCB"]))


def run(folder, settings=("paper",), **other):
    return study(settings, methods=["LinUCB"], output=folder, plan=TINY, jobs=1, progress=False, **other)


def rows_of(path):
    with path.open() as lines:
        return {row["method"]: row for row in csv.DictReader(lines)}


def test_numbers_are_those_of_a_direct_simulation(tmp_path):
    done = run(tmp_path)
    problem = LinearProblem((-0.3, 0.5, 0.8), 10)
    options = {"horizon": 80, "progress": False}
    alphas = LinUCB.tuning.values
    tuning = simulate({str(a): LinUCB(n_features=3, alpha=a) for a in alphas}, problem, trials=3, seed=1, **options)
    best = min(alphas, key=lambda a: tuning.final_regret(str(a)).mean())
    theory = 1.0 + np.sqrt(2.0 * np.log(2.0 * 80 * 10 / 0.05))  # S + σ √(2 log(2TK/δ))
    direct = simulate(
        {
            "tuned": LinUCB(n_features=3, alpha=best), "default": LinUCB(n_features=3),
            "theory": LinUCB(n_features=3, alpha=theory), "reference": LinRBMLE(n_features=3),
        },
        problem, trials=5, seed=0, **options,
    )  # fmt: skip
    row = rows_of(tmp_path / "tables" / "regret-paper.csv")["LinUCB"]
    assert float(row["tuned_at"]) == best
    for form in ("theory", "default", "tuned"):
        assert float(row[form]) == pytest.approx(direct.final_regret(form).mean(), rel=1e-12)
    paired = direct.compare("reference")["default"]
    assert float(row["default_more"]) == pytest.approx(paired.mean, rel=1e-12)
    assert float(row["default_more_low"]) == pytest.approx(paired.low, rel=1e-12)
    assert done.found[0].curves["LinUCB"][best] == pytest.approx(tuning.final_regret(str(best)))
    page = done.page.read_text("utf-8")
    for words in ("In short", "The paper&#39;s first problem", "Where the methods come from", "evaluation 0, tuning 1"):
        assert words in page or words.replace("&#39;", "'") in page


def test_tuning_never_sees_an_evaluation_seed(small, monkeypatch):
    seen = []
    original = LinearProblem.rounds
    monkeypatch.setattr(
        LinearProblem, "rounds", lambda self, seed, *rest: seen.append(seed) or original(self, seed, *rest)
    )
    small.tuning.run(progress=False)
    assert set(seen) == {1}
    seen.clear()
    small.untuned.run(progress=False)
    assert set(seen) == {0}
    both = [set(seeds(number)) for number in range(5)]
    assert len(set.union(*both)) == 10  # no seed of any study is another's


def test_what_is_finished_is_not_played_again(tmp_path):
    first, again = run(tmp_path), run(tmp_path)
    assert first.new_trials > 0
    assert again.new_trials == 0
    assert again.found[0].means("tuned") == first.found[0].means("tuned")
    more = run(tmp_path, trials=7)
    played = len(more.found[0].results.policies)
    assert more.new_trials == 2 * played  # two more trials of each; tuning is as it was


def test_a_tuned_policy_that_is_the_default_is_not_played_twice(small):
    method = small.methods["LinRBMLE"]
    assert method.theory is method.default
    assert method.grid[1.0].params == method.default.params
    assert method.grid[0.1].bias == Sqrt(0.1)
    assert list(small.untuned.policies) == [
        "LinRBMLE · default", "LinRBMLE auto · default", "LinUCB · default", "LinUCB · theory"
    ]  # fmt: skip


def test_methods_are_found_by_what_they_say(monkeypatch):
    assert "VIDS" not in known_methods()
    assert "VIDS" in known_methods(["vids"])
    with pytest.raises(InvalidParameterError, match="Unknown method 'LinUBC'"):
        known_methods(["LinUBC"])
    for key in ("varying", "logistic"):
        trials = Trials(SETTINGS[key], TINY, known_methods())
        names = [name for name in trials.methods if name in Policy.registry]
        assert names
        for name in names:
            cls = Policy.registry[name]
            assert SETTINGS[key].family in cls.rewards
            assert trials.problem.static or not cls.fixed_arms
    setting = SETTINGS["varying"]
    monkeypatch.setattr(LinUCB, "fixed_arms", True)
    problem = setting.make()
    assert not methods_for(setting, problem, setting.facts(problem, 80), {"LinUCB": LinUCB})


def test_settings_that_are_not_there(tmp_path, monkeypatch):
    with pytest.raises(InvalidParameterError, match="must be some of paper, static"):
        run(tmp_path, settings=("papre",))
    monkeypatch.delenv("RBMLE_DATA", raising=False)
    with pytest.raises(MissingFileError, match="RBMLE_DATA"):
        run(tmp_path, settings=("magic",))
    few = {key: SETTINGS[key] for key in ("paper", "magic")}
    monkeypatch.setattr("rbmle.studies.run.SETTINGS", few)
    done = run(tmp_path, settings=None)
    assert [each.setting.key for each in done.found] == ["paper"]
    assert done.skipped[0].startswith("magic: The data set 'magic' is read from")


def test_every_setting_has_a_problem_that_methods_can_play(monkeypatch):
    monkeypatch.delenv("RBMLE_DATA", raising=False)
    for key, setting in SETTINGS.items():
        if key in ("mushroom", "magic"):
            continue
        problem = setting.make()
        facts = setting.facts(problem, 50)
        assert (facts.horizon, facts.n_features) == (50, problem.n_features)
        assert methods_for(setting, problem, facts, known_methods())


def test_the_linucb_of_others_is_named_on_real_data(tmp_path):
    cancer = replace(TINY, longest=40)
    done = study(["cancer"], methods=["LinUCB"], output=tmp_path, plan=cancer, jobs=1, progress=False)
    text = (tmp_path / "report.md").read_text("utf-8")
    assert "adds the *variance* v of an arm to its mean where LinUCB adds √v" in text
    label = "“LinUCB” of NeuralTS (m + v)"
    policy = done.found[0].methods[label].default
    x = np.eye(60)[:2]
    policy.update(x[0], 1.0)
    mean, variance = policy.model.predict(x)
    assert policy.scores(x) == pytest.approx(mean + variance)
    assert standing(done.found[0], "default").rival == "LinUCB"  # not the row that is LinRBMLE itself


def test_words():
    ahead = Standing("paper", "default", "LinUCB", 0.5, -3.0, -4.0, -2.0, 3)
    assert ahead.verdict == "ahead"
    assert replace(ahead, low=1.0, high=2.0).verdict == "behind"
    assert replace(ahead, high=2.0).verdict == "level"
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
