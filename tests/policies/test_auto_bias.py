"""LinRBMLE(bias="auto") against its definition on the whole history, in any units, on all paths."""

import numpy as np
import pytest

import rbmle
from rbmle import LinRBMLE, LinUCB
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.problems import LinearProblem
from rbmle.schedules import Constant, Sqrt
from rbmle.simulation import simulate
from rbmle.testing import check_policy


def auto(d, **settings):
    return LinRBMLE(n_features=d, bias="auto", **settings)


def badly_scaled(rounds, n_arms=4, d=5, seed=0, sparse=0.3):
    """Contexts (B, K, d) with features between a thousandth and a thousand, some of them rare; rewards (B, K)."""
    rng = np.random.default_rng(seed)
    units = 10.0 ** rng.uniform(-3.0, 3.0, d)
    X = rng.standard_normal((rounds, n_arms, d)) * units
    X[rng.random(X.shape) < sparse] = 0.0
    return X, X @ (rng.standard_normal(d) / units) + 0.5 * rng.standard_normal((rounds, n_arms))


def by_definition(history, rewards, X, lam=0.1):
    """Scores of contexts X (K, d) after a history (n, d): everything anew, from the words of the docstring."""
    n, t = len(rewards), len(rewards) + 1
    if n == 0:
        return np.zeros(len(X))
    H, r = np.array(history), np.array(rewards)
    m = 1 << (n.bit_length() - 1)  # observations at the last renewal
    count = np.count_nonzero(H[:m], axis=0)
    norm = np.sqrt(max(count.sum(), 1) / m)
    S = np.zeros(H.shape[1])
    for i in range(len(S)):
        if count[i]:
            S[i] = np.sqrt((H[:m, i] ** 2).sum() / count[i]) * norm
        elif (H[:, i] != 0.0).any():
            S[i] = abs(H[np.flatnonzero(H[:, i])[0], i]) * norm

    def fit(k):
        Z = np.divide(H[:k], S, out=np.zeros(H[:k].shape), where=S > 0)
        V = lam * np.eye(len(S)) + Z.T @ Z
        return np.linalg.inv(V), Z.T @ r[:k]

    V_inv, b = fit(m)
    d_eff = len(S) - lam * np.trace(V_inv)
    factor = np.sqrt(max((r[:m] ** 2).sum() - b @ V_inv @ b, 0.0) / m / max(d_eff, 1.0)) if r[:m].any() else 1.0
    V_inv, b = fit(n)
    Z = np.where(S > 0, X / np.where(S > 0, S, 1.0), np.sign(X) / norm)
    return Z @ V_inv @ b + 0.5 * factor * np.sqrt(t) * np.einsum("ai,ij,aj->a", Z, V_inv, Z)


@pytest.mark.parametrize("sparse", [0.0, 0.7])
def test_scores_are_what_the_definition_gives_after_every_reward(sparse):
    contexts, rewards = badly_scaled(70, d=6, sparse=sparse)
    policy, history, seen = auto(6), [], []
    for X, r in zip(contexts, rewards, strict=True):
        np.testing.assert_allclose(policy.scores(X), by_definition(history, seen, X), rtol=1e-6, atol=1e-9)
        arm = policy.choose(X)
        policy.update(X[arm], r[arm])
        history.append(X[arm])
        seen.append(r[arm])


def paths(contexts, rewards):
    """The arms of one problem by every path."""
    d = contexts.shape[2]
    online, many = auto(d), auto(d)
    arms = {"choose": [], "choose_many": [], "catalogue": []}
    for X, r in zip(contexts, rewards, strict=True):
        arms["choose"].append(online.choose(X))
        arms["choose_many"].append(int(many.choose_many([X, X[::-1]])[0]))
        for policy, path in ((online, "choose"), (many, "choose_many")):
            policy.update(X[arms[path][-1]], r[arms[path][-1]])
    bound = auto(d).fix_arms(contexts[0])
    for r in rewards:
        arms["catalogue"].append(bound.choose())
        bound.update(arms["catalogue"][-1], r[arms["catalogue"][-1]])
    arms["play"] = auto(d).play(contexts, rewards).tolist()
    arms["play of a catalogue"] = auto(d).fix_arms(contexts[0]).play(rewards).tolist()
    return arms


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_arms", [4, 60])
def test_all_paths_agree(seed, n_arms):
    arms = paths(*badly_scaled(150, n_arms, seed=seed, sparse=0.6))
    assert arms["choose"] == arms["choose_many"] == arms["play"]
    assert arms["catalogue"] == arms["play of a catalogue"]
    assert len(set(arms["choose"])) > 1


UNITS = {
    "one feature": (np.array([1.0, 1.0, 8.0, 1.0, 1.0]), 1.0),
    "all contexts": (np.full(5, 2.0**-9), 1.0),
    "rewards": (np.ones(5), 2.0**17),
    "everything": (2.0 ** np.array([20, -13, 0, 4, -1]), 0.125),
}


@pytest.mark.parametrize("what", UNITS)
def test_powers_of_two_change_no_arm_on_any_path(what):
    units, money = UNITS[what]
    contexts, rewards = badly_scaled(140, seed=5)
    assert paths(contexts * units, rewards * money) == paths(contexts, rewards)


@pytest.mark.parametrize("units, money", [(3.0, 1.0), (np.array([1.0, 0.7, 1e4, 1e-6, np.pi]), 1.0), (1.0, 0.013)])
def test_other_factors_change_no_arm_without_a_tie(units, money):
    contexts, rewards = badly_scaled(140, seed=6)
    one, other = auto(5), auto(5)
    for X, r in zip(contexts, rewards, strict=True):
        scores, arm = one.scores(X), one.choose(X)
        np.testing.assert_allclose(other.scores(X * units), money * scores, rtol=1e-7, atol=1e-9 * money)
        best = np.sort(scores)[-2:]
        assert other.choose(X * units) == arm or best[1] - best[0] < 1e-7 * abs(best[1])
        one.update(X[arm], r[arm])
        other.update(X[arm] * units, money * r[arm])
    plain, scaled = paths(contexts, rewards), paths(contexts * units, rewards * money)
    assert plain == scaled  # these contexts have no ties after the first rounds, which go to the lowest number


def test_arms_of_new_features_tie_and_the_first_is_tried():
    """Block encoding with odd numbers: all arms not tried yet are as unknown as each other, to the bit."""
    x = np.array([0.1, 3.7, 1e-3])
    contexts = np.stack([np.kron(np.eye(4)[a], x) for a in range(4)])
    policy = auto(12)
    for arm in range(4):
        assert policy.choose(contexts) == arm
        policy.update(contexts[arm], -1.0)


def test_shipped_checks():
    check_policy(auto(3))


def test_a_merged_policy_is_the_whole_one_from_the_next_renewal_on():
    contexts, rewards = badly_scaled(128, n_arms=1, seed=2)
    X, r = contexts[:, 0], rewards[:, 0]
    whole, left, right = auto(5), auto(5), auto(5)
    whole.update_many(X, r)
    left.update_many(X[:41], r[:41])
    right.update_many(X[41:100], r[41:100])
    assert not left.merge_is_exact
    left.merge(right)
    left.update_many(X[100:], r[100:])
    np.testing.assert_allclose(left.scores(X[:9]), whole.scores(X[:9]), rtol=1e-7, atol=1e-10)
    assert LinRBMLE(n_features=2).merge_is_exact


def test_simulated_saved_and_copied_policies_go_on_alike(tmp_path):
    contexts, rewards = badly_scaled(90, seed=3)
    policy = auto(5)
    policy.play(contexts[:37], rewards[:37])
    policy.save(tmp_path / "policy.npz")
    twins = [policy.copy(), rbmle.load(tmp_path / "policy.npz"), policy]
    arms = [twin.play(contexts[37:], rewards[37:]).tolist() for twin in twins]
    assert arms[0] == arms[1] == arms[2]
    assert twins[1].params == policy.params


def test_reading_a_state_changes_no_later_bit():
    contexts, rewards = badly_scaled(60, seed=4)
    read, unread = auto(5), auto(5)
    one, other = read.fix_arms(contexts[0]), unread.fix_arms(contexts[0])
    for r in rewards:
        arm = one.choose()
        one.update(arm, r[arm])
        other.update(arm, r[arm])
        read.state()
    assert all((array == unread.state()[name]).all() for name, array in read.state().items())


def test_regularization_is_a_number_with_either_bias():
    assert (LinRBMLE(n_features=2).regularization, auto(2).regularization) == (1.0, 0.1)
    assert auto(2, regularization=0.7).model.regularization == 0.7
    assert LinRBMLE(n_features=2, bias=Constant(2.0)).model.regularization == 1.0
    with pytest.raises(InvalidParameterError, match="'regularization' parameter of LinRBMLE must be None or a float"):
        auto(2, regularization=0.0)


@pytest.mark.parametrize("bad", ["automatic", "", 2.0, None])
def test_other_words_are_no_bias(bad):
    with pytest.raises(InvalidParameterError, match="'bias' parameter of LinRBMLE must be a schedule .* or 'auto'"):
        LinRBMLE(n_features=2, bias=bad)


@pytest.mark.parametrize("bad", [1e80, np.inf, np.nan])
def test_numbers_beyond_the_limits_are_refused_although_they_are_scaled(bad):
    policy = auto(2)
    policy.update([1.0, 2.0], 1.0)
    before = policy.state()
    for call in (
        lambda: policy.choose([[bad, 0.0]]),
        lambda: policy.update([bad, 0.0], 1.0),
        lambda: policy.update(np.array([0.0, bad]), 1.0),
        lambda: policy.choose_many([[[bad, 0.0]]]),
        lambda: policy.fix_arms([[bad, 0.0]]),
    ):
        with pytest.raises(InvalidInputError):
            call()
    assert all((array == before[name]).all() for name, array in policy.state().items())


def classes(seed, n=600, p=6, n_arms=3):
    """A classification task in block encoding, its features in units from 0.01 to 1000: contexts and rewards."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((n_arms, p))
    y = rng.integers(n_arms, size=n)
    features = (centres[y] + 0.7 * rng.standard_normal((n, p)) + 3.0) * 10.0 ** np.linspace(-2.0, 3.0, p)
    contexts = np.stack([np.kron(np.eye(n_arms)[a], features) for a in range(n_arms)], axis=1)
    return contexts, (y[:, None] == np.arange(n_arms)).astype(float)


def test_badly_scaled_classes_need_no_tuning():
    """As in benchmarks/real_data.py: within 1.4 times of the best of LinUCB's α, where the default bias is lost."""
    wrong = {}
    for seed in range(4):
        contexts, rewards = classes(seed)
        d = contexts.shape[2]
        tried = {"auto": auto(d), "default": LinRBMLE(n_features=d)}
        tried |= {alpha: LinUCB(n_features=d, alpha=alpha) for alpha in (0.01, 0.1, 1.0, 10.0)}
        for name, policy in tried.items():
            arms = policy.play(contexts, rewards)
            wrong[name] = wrong.get(name, 0) + len(arms) - rewards[np.arange(len(arms)), arms].sum()
    assert wrong["auto"] <= 1.4 * min(wrong[alpha] for alpha in (0.01, 0.1, 1.0, 10.0))
    assert wrong["default"] > 1.4 * wrong["auto"]


@pytest.mark.parametrize("static", [True, False])
def test_where_the_default_is_at_home_it_does_not_lose(static):
    problem = LinearProblem((-0.3, 0.5, 0.8), 10, static=static)
    policies = {"auto": auto(3), "default": LinRBMLE(n_features=3, bias=Sqrt())}
    results = simulate(policies, problem, horizon=3000, trials=30, seed=11, n_jobs=1)
    assert results.final_regret("auto").mean() <= 1.2 * results.final_regret("default").mean()
