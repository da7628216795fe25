"""Open Bandit Pipeline's own estimators on the same arrays: equal where the definitions coincide.

Its newest wheel is 0.4.1 (`pip install --no-deps obp==0.4.1`). It imports torch for estimators of tensors, which are
not asked for here: an empty module stands in.
"""

import sys
import types

import numpy as np
import pytest

from rbmle.evaluation import evaluate
from rbmle.logs import Log

pytestmark = pytest.mark.long

N, K = 3000, 5


@pytest.fixture
def ope(monkeypatch):
    """The module of its estimators."""
    pytest.importorskip("obp", reason="obp is not installed: pip install --no-deps obp==0.4.1")
    if "torch" not in sys.modules:
        torch = types.ModuleType("torch")
        torch.Tensor = type("Tensor", (), {})
        for name in ("nn", "optim", "utils", "utils.data", "nn.functional"):
            monkeypatch.setitem(sys.modules, f"torch.{name}", types.ModuleType(f"torch.{name}"))
        monkeypatch.setitem(sys.modules, "torch", torch)
    package = types.ModuleType("obp.ope")
    package.__path__ = [str(sys.modules["obp"].__path__[0]) + "/ope"]
    monkeypatch.setitem(sys.modules, "obp.ope", package)  # its own would import torch's data sets
    import importlib

    module = importlib.import_module("obp.ope.estimators")
    yield module
    for name in [name for name in sys.modules if name.startswith("obp.")]:
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.fixture
def data():
    """A log, chances of a target, and predictions of a reward model."""
    rng = np.random.default_rng(0)
    p, pi = rng.dirichlet(np.ones(K), N) * 0.8 + 0.04, rng.dirichlet(np.ones(K), N)
    arms = (p.cumsum(axis=1) > rng.random((N, 1))).argmax(axis=1)
    rewards, q = rng.random(N), rng.random((N, K))
    return p, pi, arms, rewards, q


def test_weighted_and_doubly_robust_estimators(ope, data):
    p, pi, arms, rewards, q = data
    log = Log.from_arrays(arms=arms, rewards=rewards, probabilities=p)
    found = evaluate(
        log, pi, estimators=("ips", "snips", "dm", "dr", "sndr", "switch-dr", "dros"), reward_model=q,
        switch_threshold=1.3, shrinkage=2.5,
    )  # fmt: skip
    common = {"action_dist": pi[:, :, None], "position": np.zeros(N, dtype=int)}
    seen = {**common, "reward": rewards, "action": arms, "pscore": p[np.arange(N), arms]}
    modelled = {**seen, "estimated_rewards_by_reg_model": q[:, :, None]}
    theirs = {
        "ips": ope.InverseProbabilityWeighting().estimate_policy_value(**seen),
        "snips": ope.SelfNormalizedInverseProbabilityWeighting().estimate_policy_value(**seen),
        "dm": ope.DirectMethod().estimate_policy_value(
            **common, estimated_rewards_by_reg_model=modelled["estimated_rewards_by_reg_model"]
        ),
        "dr": ope.DoublyRobust().estimate_policy_value(**modelled),
        "switch-dr": ope.SwitchDoublyRobust(tau=1.3).estimate_policy_value(**modelled),
        "dros": ope.DoublyRobustWithShrinkage(lambda_=2.5).estimate_policy_value(**modelled),
    }
    for name, value in theirs.items():
        assert found.value(name) == pytest.approx(value, abs=1e-10), name
    # Its self-normalised doubly robust estimator divides w by its mean row by row: the same number.
    sndr = ope.SelfNormalizedDoublyRobust().estimate_policy_value(**modelled)
    assert found.value("sndr") == pytest.approx(sndr, abs=1e-10)


def test_replay_of_a_uniform_log(ope, data):
    """Theirs matches whatever the logging policy was; ours is the same where all arms were served alike."""
    _, _, _, rewards, _ = data
    rng = np.random.default_rng(1)
    arms, chosen = rng.integers(0, K, N), rng.integers(0, K, N)
    log = Log.from_arrays(arms=arms, rewards=rewards, probabilities=np.full(N, 1 / K), n_arms=K)
    theirs = ope.ReplayMethod().estimate_policy_value(
        reward=rewards, action=arms, action_dist=np.eye(K)[chosen][:, :, None], position=np.zeros(N, dtype=int)
    )
    assert evaluate(log, chosen, estimators="replay").value("replay") == pytest.approx(theirs, abs=1e-10)
