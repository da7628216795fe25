"""LinUCB in the libraries people would otherwise use, each through its own documented interface; optional imports."""

import importlib.util
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def peers(contexts: Floats, rewards: Floats) -> dict[str, Callable[[], None]]:
    """One run over the rounds for every peer that is installed.

    These libraries learn one vector per arm from a context common to all arms (a "disjoint" model), a smaller task than
    ours: K models of dimension d and no joint one. Contexts: the first arm's.
    """
    shared = np.ascontiguousarray(contexts[:, 0, :])
    n_arms = contexts.shape[1]
    found: dict[str, Callable[[], None]] = {}
    if importlib.util.find_spec("mabwiser"):
        found["MABWiser LinUCB (disjoint)"] = lambda: play_mabwiser(shared, rewards, n_arms)
    if importlib.util.find_spec("river"):
        found["river LinUCBDisjoint"] = lambda: play_river(shared, rewards, n_arms)
    return found


def play_mabwiser(contexts: Floats, rewards: Floats, n_arms: int) -> None:
    from mabwiser.mab import MAB, LearningPolicy

    mab = MAB(list(range(n_arms)), LearningPolicy.LinUCB(alpha=1.0, l2_lambda=1.0))
    start = np.arange(n_arms)
    mab.fit(decisions=start, rewards=rewards[0], contexts=np.repeat(contexts[:1], n_arms, axis=0))
    for x, r in zip(contexts, rewards, strict=True):
        arm = mab.predict(x[None])
        mab.partial_fit(decisions=[arm], rewards=[r[arm]], contexts=x[None])


def play_river(contexts: Floats, rewards: Floats, n_arms: int) -> None:
    from river import bandit

    policy = bandit.LinUCBDisjoint(alpha=1.0, seed=1)
    arms = list(range(n_arms))
    for x, r in zip(contexts, rewards, strict=True):
        features = dict(enumerate(x))
        arm = policy.pull(arms, context=features)
        policy.update(arm, features, r[arm])
