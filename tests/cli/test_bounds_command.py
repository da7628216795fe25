"""`rbmle bounds`: the numbers are the theorems', the words fit the numbers."""

import math

import pytest
from typer.testing import CliRunner

from rbmle.cli import app
from rbmle.schedules import Power
from rbmle.theory import GLMBound, LinearBound


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")

    def invoke(*arguments):
        return CliRunner().invoke(app, ["bounds", *arguments])

    return invoke


def flat(result):
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def test_linear(run):
    text = flat(run("--dim", "5", "--horizon", "10000"))
    bound = LinearBound(n_features=5)
    assert f"loses at most {bound(10000):,.0f} in 10,000 rounds" in text
    assert f"says something from {bound.informative_horizon(2.0):,} rounds on" in text
    assert f"{bound(10**6):,.0f}" in text


def test_every_option_reaches_the_bound(run):
    text = flat(
        run(
            *("--dim", "2", "--horizon", "5000", "--delta", "0.01", "--regularization", "2", "--noise", "0.1"),
            *("--bias", "Power(scale=2.0, exponent=0.6)"),
        )
    )
    bound = LinearBound(
        n_features=2, delta=0.01, regularization=2.0, noise_scale=0.1, bias=Power(scale=2.0, exponent=0.6)
    )
    assert f"loses at most {bound(5000):,.0f} in 5,000 rounds" in text
    assert "probability at least 0.99" in text
    assert "Power(scale=2.0, exponent=0.6)" in text


def test_a_horizon_at_which_the_guarantee_is_empty_is_called_so(run):
    text = flat(run("--dim", "20", "--horizon", "1000"))
    bound = LinearBound(n_features=20)
    assert "at this horizon the guarantee says nothing" in text
    assert f"only from {bound.informative_horizon(2.0):,} rounds on" in text
    assert "loses at most" not in text


def test_logistic_says_how_many_rounds_are_not_covered(run):
    text = flat(run("--dim", "5", "--horizon", "1000", "--family", "logistic"))
    slope = math.exp(-1) / (1 + math.exp(-1)) ** 2
    start = GLMBound(n_features=5, L_mu=0.25, kappa_mu=slope, noise_scale=0.5).start
    assert f"{start:.2e}".replace("e+", "e") in text
    assert "no more than 0.462 a round" in text  # μ(1) − μ(−1) = tanh(½)


def test_logistic_without_any_hope(run):
    text = flat(run("--dim", "5", "--horizon", "1000", "--family", "logistic", "--max-score", "6"))
    assert "more rounds than can ever be played" in text
    assert "at none up to 10¹⁵ rounds for good" in text


def test_the_edge_at_which_the_printed_theorem_is_false(run):
    arguments = ("--dim", "51", "--horizon", "50", "--noise", "0.01")
    text = flat(run(*arguments))
    assert "at this horizon the guarantee says nothing, only from 33,171 rounds on" in text  # no claim of 8.85
    assert "8.85" not in text.replace(text[text.index("best arm") : text.index("worst:")], "")
    printed = flat(run(*arguments, "--printed"))
    assert "As printed: with probability at least 0.9, LinRBMLE loses at most 8.85" in printed
    assert "says something for good from 33,150 rounds on" in printed
    assert "They promise too much" in printed


def test_printed_logistic(run):
    arguments = (
        "--dim",
        "2",
        "--horizon",
        "100",
        "--family",
        "logistic",
        "--max-score",
        "0.5",
        "--regularization",
        "9",
    )
    slope = math.exp(-0.5) / (1 + math.exp(-0.5)) ** 2
    settings = {"n_features": 2, "L_mu": 0.25, "kappa_mu": slope, "noise_scale": 0.5, "regularization": 9.0}
    played = GLMBound(**settings, theta_norm=0.5).terms(100)["played_arm"]
    assert f"{played:,.0f}" in flat(run(*arguments))
    played = GLMBound(**settings, potential="printed", radius="printed").terms(100)["played_arm"]
    assert f"{played:,.0f}" in flat(run(*arguments, "--printed"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dim", "0"], "n_features"),
        (["--dim", "2", "--delta", "1"], "delta"),
        (["--dim", "2", "--family", "poisson"], "'gaussian', 'logistic'"),
        (["--dim", "2", "--max-score", "2"], "max-score"),
        (["--dim", "2", "--bias", "Pow(2)"], "Did you mean Power?"),
        (["--dim", "2000", "--printed"], "horizon must be at least 1999"),
    ],
)
def test_errors_in_one_line(run, arguments, message):
    result = run("--horizon", "100", *arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert result.output.count("\n") == 1
