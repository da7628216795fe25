"""Sweeps: every combination, named by what is swept; parameters become columns."""

import pytest

import rbmle
from rbmle import LinRBMLE
from rbmle.errors import InvalidParameterError
from rbmle.problems import LinearProblem
from rbmle.schedules import Sqrt
from rbmle.simulation import simulate


def test_every_combination_is_named_by_what_is_swept() -> None:
    policies = rbmle.sweep(LinRBMLE, bias=[Sqrt(scale=0.5), Sqrt(scale=2.0)], regularization=[0.1, 1.0], n_features=3)
    assert next(iter(policies)) == "LinRBMLE(bias=Sqrt(scale=0.5), regularization=0.1)"
    assert [(each.bias.scale, each.regularization) for each in policies.values()] == [  # type: ignore[attr-defined]
        (0.5, 0.1),
        (0.5, 1.0),
        (2.0, 0.1),
        (2.0, 1.0),
    ]
    assert {each.n_features for each in policies.values()} == {3}


def test_parameters_are_columns() -> None:
    policies = rbmle.sweep(LinRBMLE, regularization=[0.1, 1.0], n_features=2)
    frame = simulate(policies, LinearProblem([0.6, -0.3], n_arms=4), horizon=20, trials=2, record=[20]).to_frame()
    assert set(frame["method"]) == {"LinRBMLE"}
    assert frame["regularization"].tolist() == [0.1, 0.1, 1.0, 1.0]
    assert set(frame["bias"]) == {"Sqrt(scale=1.0)"}
    assert frame.groupby("regularization")["regret"].mean().shape == (2,)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"regularization": [], "n_features": 2}, "'regularization' parameter of sweep must be a list with something"),
        ({"lambda_": [1.0], "n_features": 2}, "LinRBMLE does not take these parameters: .*lambda_"),
        ({"regularization": [-1.0], "n_features": 2}, "'regularization' parameter of LinRBMLE"),
        ({"regularization": [1.0, 1.0], "n_features": 2}, "must hold different values"),
    ],
)
def test_bad_sweeps(parameters: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        rbmle.sweep(LinRBMLE, **parameters)


def test_the_package_has_no_other_names_in_waiting() -> None:
    with pytest.raises(AttributeError, match="no attribute 'sweeep'"):
        rbmle.sweeep  # noqa: B018
