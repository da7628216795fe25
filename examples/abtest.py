"""An A/B/n test with contexts: first an apprentice that serves your split and learns, then the policy itself."""

import sys

import numpy as np

from rbmle import LinUCB
from rbmle.evaluation import evaluate
from rbmle.features import Category, Features
from rbmle.online import Agent

VARIANTS = ["old", "short", "bold"]
FEATURES = Features(shared=[Category("device", ["phone", "desk"])], arm_ids=VARIANTS, cross="all")
# How often each variant sells; the agent does not know. No variant is best for everybody.
SALES = {"phone": {"old": 0.30, "short": 0.45, "bold": 0.15}, "desk": {"old": 0.30, "short": 0.15, "bold": 0.50}}


def serve(agent: Agent, visits: int, rng: np.random.Generator, split: list[float] | None = None) -> float:
    """Serve visitors and tell the agent what they bought; the share of sales."""
    sales, stage = 0, "split" if split else "policy"
    for visit in range(visits):
        device = ["phone", "desk"][int(rng.integers(2))]
        decision = agent.decide({"device": device}, arms=VARIANTS, baseline=split, id=f"{stage} {visit}")
        bought = bool(rng.random() < SALES[device][decision.arm])
        agent.reward(decision.id, float(bought))
        sales += bought
    return sales / visits


def main(visits: int = 1500) -> None:
    rng = np.random.default_rng(0)
    policy = LinUCB(n_features=FEATURES.n_features, alpha=0.3)
    agent = Agent(policy, features=FEATURES, seed=1, apprentice=True, floor=0.05)

    # 1. Your own split is served, drawn by the agent so that the chances in the log are exact. The policy learns.
    split = serve(agent, visits, rng, split=[0.4, 0.3, 0.3])
    told = agent.stats()
    print(f"split: {split:.3f} sales a visit; the policy would have agreed in {told['agreement']:.0%} of the visits")
    assert told["served_as_logged"] > 1e-4  # visitors saw what the log says: the test of every A/B test

    # 2. Would the policy, as it is now, have sold more? The log of the split answers before anyone is served by it.
    found = evaluate(agent.log(), agent.policy, estimators=["ips", "dr"])
    print(found.verdict)
    assert found.interval("dr", "asymptotic").low > split

    # 3. Let it serve. A floor of 5 % goes to any variant, so that the log stays good for the next question.
    agent.promote()
    itself = serve(agent, visits, rng)
    print(f"policy: {itself:.3f} sales a visit")
    assert itself > split
    for device, best in (("phone", "short"), ("desk", "bold")):
        explained = agent.explain({"device": device}, arms=VARIANTS)
        print(explained)
        assert explained.arms[int(np.argmax(explained.index))] == best


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1500)
