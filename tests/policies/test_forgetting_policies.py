"""Policies that forget: the shipped checks, D-LinUCB's index from its recursion, and what cannot be combined."""

import numpy as np
import pytest

import rbmle
from rbmle import GLMRBMLE, GLMTSL, OFUL, Discount, LinRBMLE, LinUCB, Policy, Window
from rbmle.errors import InvalidParameterError, NotMergeableError
from rbmle.problems import DriftingProblem
from rbmle.schedules import Constant
from rbmle.simulation import simulate
from rbmle.testing.policies import POLICY_CHECKS, STANDARD, check_policy

LAWS = (Discount(0.95), Discount(0.95, sandwich=True), Window(15))
ABLE = {
    name: cls
    for name, cls in sorted(Policy.registry.items())
    if cls.__module__.startswith("rbmle.policies.") and "forgetting" in cls.__dataclass_fields__
}
# Of two formulas and a sampler: the others only differ in their formula.
FEW = ("LinRBMLE", "OFUL", "LinTS", "EVILL")


def made(name, law):
    cls = ABLE[name]
    if "family" in cls.__dataclass_fields__ and isinstance(law, Discount) and law.sandwich:
        pytest.skip("the same as without a sandwich")
    known = {key: value for key, value in STANDARD.items() if key in cls.__dataclass_fields__}
    return cls(n_features=3, forgetting=law, **known)


def test_every_linear_policy_can_forget_and_those_over_an_estimate_of_a_glm():
    assert {"LinRBMLE", "LinUCB", "OFUL", "LinTS", "RandLinUCB", "SquareCB", "Greedy", "EpsilonGreedy"} <= set(ABLE)
    assert {"GLMRBMLE", "EpsilonGreedyGLM", "SquareCBGLM", "GLMTSL", "GLMFPL", "EVILL"} <= set(ABLE)


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("name", FEW)
def test_policies_pass_the_checks(name, law):
    check_policy(made(name, law))


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("name", [name for name in ABLE if name not in FEW])
def test_all_others_pass_the_checks_too(name, law):
    policy = made(name, law)
    for check in POLICY_CHECKS:
        # Of timestamps the sandwich keeps no digit, and sampling hangs on the last ones.
        if not (check.__name__ == "hard_data_is_learnt" and name == "VIDS"):
            check(policy.copy())


def test_oful_with_a_sandwich_is_d_linucb():
    """m + β √(xᵀV⁻¹ṼV⁻¹x) from Russac's recursion, d = 1, where the prior is λ in every round: to all digits."""
    rng, lam, gamma, S, sigma, delta = np.random.default_rng(0), 0.1, 0.97, 1.0, 1.0, 0.01
    policy = OFUL(
        n_features=1, regularization=lam, radius="trace", delta=delta, forgetting=Discount(gamma, sandwich=True)
    )
    V, squares, b = lam, lam, 0.0
    for n in range(200):
        arms = rng.uniform(-1, 1, (5, 1))
        beta = np.sqrt(lam) * S + sigma * np.sqrt(
            2 * np.log(1 / delta) + np.log(1 + (1 - gamma ** (2 * n)) / (lam * (1 - gamma**2)))
        )
        expected = arms[:, 0] * b / V + beta * np.abs(arms[:, 0]) * np.sqrt(squares) / V
        np.testing.assert_allclose(policy.scores(arms), expected, rtol=1e-10, atol=1e-12)
        x, r = arms[policy.choose(arms), 0], rng.standard_normal()
        policy.update([x], r)
        V = gamma * V + x * x + (1 - gamma) * lam
        squares = gamma**2 * squares + x * x + (1 - gamma**2) * lam
        b = gamma * b + r * x


@pytest.mark.parametrize(
    "law, remembered", [(Discount(0.9), lambda t: (1 - 0.9**t) / 0.1), (Window(4), lambda t: min(t, 4))]
)
def test_schedules_see_how_much_is_remembered(law, remembered):
    """Discounted LinRBMLE: m + ½ √n_eff v, n_eff = (1 − γᵗ)/(1 − γ); with a window √min(t, τ)."""
    policy, arms = LinRBMLE(n_features=2, forgetting=law), np.eye(2)
    for t in range(1, 30):
        mean, variance = policy.model.predict(arms)
        np.testing.assert_allclose(policy.scores(arms), mean + 0.5 * np.sqrt(remembered(t)) * variance, rtol=1e-12)
        policy.update(arms[t % 2], 1.0)
    glm = GLMRBMLE(n_features=2, forgetting=law, boost=Constant(1.0))
    assert glm.coefficients(glm.effective_rounds(np.array([25.0])))[0, 0] == pytest.approx(np.sqrt(remembered(25)))


def test_what_is_learnt_comes_from_the_last_rewards_alone():
    """Rewards turn after 300 rounds: with a window of 50 the estimate is that of the last 50, in every model."""
    X = np.random.default_rng(1).standard_normal((400, 2))
    r = (X @ [1.0, -1.0] > 0).astype(float)
    r[300:] = 1.0 - r[300:]
    for make in (LinUCB, GLMRBMLE, GLMTSL):
        policy, fresh = make(n_features=2, forgetting=Window(50)), make(n_features=2)
        policy.update_many(X, r)
        fresh.update_many(X[350:], r[350:])
        np.testing.assert_allclose(policy.model.theta_hat, fresh.model.theta_hat, rtol=1e-8)


def test_files_keep_what_is_forgotten(tmp_path):
    for policy in (LinUCB(n_features=2, forgetting=Window(9)), GLMRBMLE(n_features=2, forgetting=Discount(0.9))):
        X = np.random.default_rng(2).standard_normal((30, 2))
        policy.update_many(X, np.ones(30))
        policy.save(tmp_path / "policy.npz")
        twin = rbmle.load(tmp_path / "policy.npz")
        assert repr(twin) == repr(policy) and "forgetting=" in repr(twin)
        for each in (policy, twin):
            each.update_many(X, np.zeros(30))
        for name, array in policy.state().items():
            np.testing.assert_array_equal(array, twin.state()[name])


def test_the_parameter_is_told_only_where_it_is_set():
    assert "forgetting" not in repr(LinUCB(n_features=2))
    assert LinUCB(n_features=2).params["forgetting"] is None


def test_merging_is_refused():
    policy = LinRBMLE(n_features=2, forgetting=Window(5))
    assert not policy.merge_is_exact
    with pytest.raises(NotMergeableError, match="Window"):
        policy.merge(policy.copy())


@pytest.mark.parametrize(
    "make, match",
    [
        (lambda: LinRBMLE(n_features=2, bias="auto", forgetting=Window(5)), "bias='auto'"),
        (lambda: GLMRBMLE(n_features=2, bias="auto", forgetting=Window(5)), "bias='auto'"),
        (lambda: GLMRBMLE(n_features=2, memory="online", forgetting=Window(5)), "memory='online'"),
        (lambda: GLMTSL(n_features=2, memory="online", forgetting=Window(5)), "memory='online'"),
        (lambda: OFUL(n_features=2, radius="cmm", forgetting=Window(5)), "radius='cmm'"),
        (lambda: LinUCB(n_features=2, forgetting=0.9), r"must be None, Discount\(gamma\) or Window\(length\). Got 0.9"),
    ],
)
def test_what_cannot_forget_says_so(make, match):
    with pytest.raises(InvalidParameterError, match=match):
        make()


def test_forgetting_pays_where_rewards_turn():
    """Russac's abrupt problem, six trials: discounted LinRBMLE loses less than a third of what LinRBMLE loses."""
    problem = DriftingProblem.russac_abrupt()
    law = Discount.theory(n_features=2, horizon=6000, variation=4 + 2**0.5)
    policies = {"plain": LinRBMLE(n_features=2), "forgets": LinRBMLE(n_features=2, forgetting=law)}
    results = simulate(policies, problem, horizon=6000, trials=6, progress=False)
    assert (results.final_regret("forgets") < results.final_regret("plain") / 3).all()
