"""What wrote agent.db, with version 0.2: the first version of journals. The file stays as it is, for ever.

An agent with features, arms that came and went, rewards, activations, decisions that were closed and others that are
still open, and a snapshot that is older than the last events.
"""

import sys
from pathlib import Path

import numpy as np

from rbmle import LinUCB
from rbmle.features import Category, Features, Number
from rbmle.online import Agent

path, now = Path(sys.argv[1]) / "agent.db", [1_790_000_000.0]
features = Features(shared=(Number("age", scale=10.0),), arm=(Category("kind", ("news", "sport")),), cross="all")
agent = Agent(
    LinUCB(n_features=features.n_features), journal=path, features=features, seed=11, wait=3600.0, default_reward=0.0,
    floor=0.1, clock=lambda: now[0],
)  # fmt: skip
rng = np.random.default_rng(4)
for i, kind in enumerate(("news", "sport", "news", "sport")):
    agent.arms.add(("article", i) if i else "first", {"kind": kind})
for i in range(24):
    now[0] += 300.0
    agent.decide({"age": int(rng.integers(18, 70))}, id=f"visit {i}", shown=i % 8 != 7)
    if i % 3 == 0 and i > 2:
        agent.reward(f"visit {i - 2}", float(rng.integers(0, 9)) / 8)
    if i == 15:
        agent.arms.retire(("article", 1))
        agent.activate("visit 15")
    if i == 18:
        agent.snapshot()
agent.reward("visit 4", 0.125)
agent.reward("nobody", 1.0)
agent.close(snapshot=False)
