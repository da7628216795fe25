"""Settings: defaults, then the file, then the command line."""

from pathlib import Path

import pytest

from rbmle import GPUCB, KGStar, LinRBMLE, LinUCB
from rbmle.cli import choose
from rbmle.cli.config import Comparison
from rbmle.errors import RbmleError
from rbmle.policies import LinearPolicy, Policy
from rbmle.problems import GLMProblem, LinearProblem
from rbmle.schedules import Power, Sqrt

FILE = """
theta = [0.5, -0.5]
arms = 7
static = false
noise = "Uniform(half_width=0.5)"
methods = ["LinUCB"]
horizon = 50
figure = "figure.svg"

[policies."twice as bold"]
method = "LinRBMLE"
bias = "Sqrt(scale=2.0)"

[policies.slow]
method = "LinRBMLE"
bias = { schedule = "Power", scale = 1.0, exponent = 0.25 }
regularization = 0.1

[policies.KGStar]
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(text)
    return path


def test_file_then_command_line(tmp_path: Path) -> None:
    found = Comparison.from_toml(written(tmp_path, FILE)).changed(
        {"arms": 3, "horizon": None, "methods": "GPUCB, LinUCB"}
    )
    assert (found.theta, found.arms, found.static, found.horizon, found.trials) == (
        [0.5, -0.5],
        3,
        False,
        50,
        20,
    )
    assert found.methods == ["GPUCB", "LinUCB"]
    assert found.figure == Path("figure.svg")


def test_policies_and_problem_of_a_file(tmp_path: Path) -> None:
    found = Comparison.from_toml(written(tmp_path, FILE))
    problem = choose.problem(found)
    assert isinstance(problem, LinearProblem)
    assert repr(problem) == "LinearProblem(theta=[0.5, -0.5], n_arms=7, static=False, noise=Uniform(half_width=0.5))"
    policies = choose.policies(found)
    assert list(policies) == ["LinUCB", "twice as bold", "slow", "KGStar"]
    bold, slow, star = policies["twice as bold"], policies["slow"], policies["KGStar"]
    assert isinstance(policies["LinUCB"], LinUCB)
    assert isinstance(bold, LinRBMLE)
    assert (bold.bias, bold.n_features) == (Sqrt(scale=2.0), 2)
    assert isinstance(slow, LinRBMLE)
    assert (slow.bias, slow.regularization) == (Power(scale=1.0, exponent=0.25), 0.1)
    assert isinstance(star, KGStar)
    assert star.horizon == 50


def test_tables_alone_are_the_whole_comparison(tmp_path: Path) -> None:
    found = Comparison.from_toml(written(tmp_path, '[policies.mine]\nmethod = "GPUCB"\ndelta = 0.1'))
    policies = choose.policies(found)
    assert list(policies) == ["mine"]
    assert isinstance(policies["mine"], GPUCB)
    assert policies["mine"].params["delta"] == 0.1


def test_default_and_all_methods() -> None:
    default = choose.policies(Comparison())
    assert {"LinRBMLE", "LinUCB", "BayesUCB", "KnowledgeGradient", "Uniform"} <= set(default)
    assert "VIDS" not in default
    assert set(choose.policies(Comparison(methods=["all"]))) == {*default, "VIDS"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("thet = [1.0]", r"study.toml: Unknown setting 'thet'. Did you mean theta"),
        ("arms = 2.5", "The setting 'arms' must be an integer. Got 2.5"),
        ("seed = true", "The setting 'seed' must be an integer"),
        ("static = 1", "The setting 'static' must be true or false"),
        ("methods = [1]", "The setting 'methods' must be a list of names"),
        ("policies = 3", "The setting 'policies' must be tables"),
        ("arms = ", "is not a valid TOML file"),
    ],
)
def test_bad_files(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(RbmleError, match=words):
        Comparison.from_toml(written(tmp_path, text))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RbmleError, match=r"nothing.toml cannot be read"):
        Comparison.from_toml(tmp_path / "nothing.toml")


@pytest.mark.parametrize(
    ("comparison", "words"),
    [
        (Comparison(methods=["LinUBC"]), r"Unknown method 'LinUBC'. Did you mean LinUCB"),
        (
            Comparison(policies={"a": {"method": "LinUCB", "alhpa": 2.0}}),
            r"LinUCB has no parameter 'alhpa'. Did you mean alpha\?",
        ),
        (Comparison(policies={"a": {"method": "LinUCB", "alpha": -2.0}}), "The 'alpha' parameter of LinUCB must be"),
        (Comparison(policies={"a": {"method": "LinRBMLE", "bias": "exec()"}}), "Unknown schedule 'exec'"),
    ],
)
def test_bad_policies(comparison: Comparison, words: str) -> None:
    with pytest.raises(RbmleError, match=words):
        choose.policies(comparison)


def test_generalized_linear_families() -> None:
    found = Comparison(family="logistic", arms=6, static=False)
    problem = choose.problem(found)
    assert isinstance(problem, GLMProblem)
    assert (problem.n_arms, problem.static) == (6, False)
    for name, policy in choose.policies(found).items():
        assert name == "Uniform" or not isinstance(policy, LinearPolicy)
        assert getattr(policy, "family", "logistic") == "logistic"


def test_a_method_without_a_choice_of_family_is_for_successes() -> None:
    class Chances(Policy):
        title = ""

    assert choose.families(Chances) == ("logistic",)
    assert choose.families(LinRBMLE) == ("gaussian",)


def test_bad_families() -> None:
    with pytest.raises(RbmleError, match=r"Unknown family 'logit'. Did you mean logistic\?"):
        choose.problem(Comparison(family="logit"))
    with pytest.raises(RbmleError, match="'noise' goes with the gaussian family only"):
        choose.problem(Comparison(family="logistic", noise="uniform"))
