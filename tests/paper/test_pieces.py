"""What the study is made of: the legacy stream, the plain methods, the sentences."""

from dataclasses import replace

import numpy as np
import pytest

from rbmle.paper import LINEAR, authors_glm_policies, authors_policies
from rbmle.paper.legacy import frozen, restored
from rbmle.paper.plan import QUICK
from rbmle.paper.regret.differences import conclusions, differing
from rbmle.paper.regret.linear import linear_regret
from rbmle.paper.time.plain import PlainGLM, PlainLinear, vids_choice
from rbmle.problems import GLMProblem, LinearProblem
from rbmle.simulation import Results


def test_legacy_stream_goes_on_from_where_it_was():
    stream = np.random.RandomState(46)
    stream.standard_normal(3)
    twin = restored(frozen(stream))
    assert np.array_equal(stream.standard_normal(1000), twin.standard_normal(1000))


@pytest.mark.parametrize("name", ["RBMLE", "LinUCB", "BUCB", "GPUCB", "GPUCBT", "KG", "KG*"])
def test_plain_linear_methods_play_the_same_arms(name):
    T, problem = 60, LinearProblem([0.6, -0.5, 0.3, 0.2], 8)
    path = problem.rounds(1, 0, 0, T)
    ours = authors_policies(4, T)[name].fix_arms(path.contexts[0]).play(path.rewards)
    plain, arms = PlainLinear(name, 4, T, 0, 100), []
    for rewards in path.rewards:
        arms.append(plain.choose(path.contexts[0]) if arms else ours[0])  # the first is a tie, decided by rounding
        plain.update(path.contexts[0][arms[-1]], rewards[arms[-1]])
    assert arms == ours.tolist()
    assert plain.t == T + 1


def test_plain_glm_rbmle_plays_the_same_arms():
    T, problem = 40, GLMProblem([0.6, -0.5, 0.3], 5)
    path = problem.rounds(3, 0, 0, T)
    ours = authors_glm_policies(3, 5, T)["GLM-RBMLE"].fix_arms(path.contexts[0]).play(path.rewards)
    plain, arms = PlainGLM("GLM-RBMLE", 3, T, 0), []
    for rewards in path.rewards:
        arms.append(plain.choose(path.contexts[0]) if arms else ours[0])
        plain.update(path.contexts[0][arms[-1]], rewards[arms[-1]])
    assert arms == ours.tolist()


@pytest.mark.parametrize("plain", [PlainLinear("LinTS", 3, 200, 0, 0), PlainLinear("VIDS", 3, 200, 0, 500),
                                   PlainGLM("UCB-GLM", 3, 200, 0), PlainGLM("Laplace-TS", 3, 200, 0)])  # fmt: skip
def test_plain_methods_with_samples_learn(plain):
    X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    rng, arms = np.random.default_rng(5), []
    for _ in range(200):
        arms.append(plain.choose(X))
        plain.update(X[arms[-1]], float(rng.random() < (0.95, 0.2, 0.1)[arms[-1]]))
    assert arms[100:].count(0) > 50


def test_plain_vids_without_information_plays_the_least_regret():
    drawn = np.tile([1.0, 0.0], (50, 1))
    assert vids_choice(np.eye(2)[::-1], drawn, 0.5) == 1


def results(means):
    regret = {name: np.array([[value], [value]]) for name, value in means.items()}
    return Results(np.array([10]), regret, {name: np.ones(2) for name in means}, {})


def test_conclusions_are_told_from_the_numbers():
    setting = LINEAR[0]
    part = linear_regret(replace(QUICK, linear=(setting,), linear_methods=("RBMLE", "LinUCB", "KG")), "both")
    assert differing(part) == ["KG"]
    both = {
        "published": {setting: results({"RBMLE": 10.0, "LinUCB": 20.0, "KG": 60.0})},
        "authors": {setting: results({"RBMLE": 10.0, "LinUCB": 20.0, "KG": 5.0})},
    }
    told = conclusions(part, both)
    assert told[0].startswith("By mean regret RBMLE takes place 2 of 3")
    assert "and 1 as published" in told[0]
    assert told[1] == "Better than RBMLE only by their authors' definitions: KG in (a)."
    assert "2.00 to 2.00 times that of the best method by the authors' definitions (KG)" in told[2]
    assert "RBMLE takes place 1 by the authors' definitions, 1 as published" in told[3]
    assert told[4] == "KG in (a): mean regret 60.00 as published, 5.00 by its authors, a factor of 12.0."
    turned = conclusions(part, {"published": both["authors"], "authors": both["published"]})
    assert turned[1] == "Better than RBMLE only as published: KG in (a)."
