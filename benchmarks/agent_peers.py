"""Deciding and learning in the libraries people would otherwise use, each through its own interface; optional imports.

The nearest that each has to `agent.decide` and `agent.reward`: choose an arm for a context, then learn one reward. None
of them keeps a journal, gives decisions ids or joins late rewards to them; most learn one vector per arm from a context
that arms share. Contexts: the first arm's, where arms share one.
"""

import importlib.util
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.peers import play_mabwiser, play_river

Floats = npt.NDArray[np.float64]
Play = Callable[[Floats, Floats], None]


def play_vw(contexts: Floats, rewards: Floats) -> None:
    """cb_explore_adf, ε-greedy, text examples."""
    vw, rng = (
        import_module("vowpalwabbit").Workspace("--cb_explore_adf --epsilon 0.1 --quiet"),
        np.random.default_rng(0),
    )
    for X, r in zip(contexts, rewards, strict=True):
        arms = ["|a " + " ".join(f"{i}:{x:.6g}" for i, x in enumerate(row)) for row in X.tolist()]
        chances = np.array(vw.predict(arms))
        arm = int(rng.choice(len(arms), p=chances / chances.sum()))
        arms[arm] = f"0:{-r[arm]:.6g}:{chances[arm]:.6g} {arms[arm]}"
        vw.learn(arms)


def play_coba(contexts: Floats, rewards: Floats) -> None:
    """LinUCBLearner over the features of actions."""
    learner = import_module("coba.learners").LinUCBLearner(alpha=1.0, features=["a"])
    for X, r in zip(contexts, rewards, strict=True):
        actions: list[Any] = [tuple(row) for row in X.tolist()]
        action, probability = learner.predict(None, actions)
        learner.learn(None, action, float(r[actions.index(action)]), probability)


def play_contextualbandits(contexts: Floats, rewards: Floats) -> None:
    """LinUCB, one model per arm."""
    n_arms = contexts.shape[1]
    policy = import_module("contextualbandits.online").LinUCB(n_arms, alpha=1.0, lambda_=1.0, random_state=1)
    for X, r in zip(contexts, rewards, strict=True):
        arm = int(policy.predict(X[:1])[0])
        policy.partial_fit(X[:1], np.array([arm]), r[arm : arm + 1])


def play_bayesianbandits(contexts: Floats, rewards: Floats) -> None:
    """Thompson sampling, a Bayesian linear regression per arm."""
    theirs = import_module("bayesianbandits")
    arms = [theirs.Arm(k, learner=theirs.NormalRegressor(alpha=1.0, beta=1.0)) for k in range(contexts.shape[1])]
    agent = theirs.ContextualAgent(arms, theirs.ThompsonSampling(), random_seed=0)
    for X, r in zip(contexts, rewards, strict=True):
        (arm,) = agent.pull(X[:1])
        agent.update(X[:1], r[arm : arm + 1])


def shared(play: Callable[[Floats, Floats, int], None]) -> Play:
    """A player that takes the context that arms share, and how many arms there are."""
    return lambda contexts, rewards: play(np.ascontiguousarray(contexts[:, 0, :]), rewards, contexts.shape[1])


# By the module to be imported: what the table calls it, how it plays, and so many rounds at a time.
PEERS: dict[str, tuple[str, Play, int]] = {
    "vowpalwabbit": ("Vowpal Wabbit, cb_explore_adf", play_vw, 300),
    "river": ("river, LinUCBDisjoint", shared(play_river), 20),
    "mabwiser": ("MABWiser, LinUCB", shared(play_mabwiser), 30),
    "coba": ("coba, LinUCBLearner", play_coba, 50),
    "contextualbandits": ("contextualbandits, LinUCB", play_contextualbandits, 50),
    "bayesianbandits": ("bayesianbandits, Thompson sampling", play_bayesianbandits, 50),
}


def installed() -> dict[str, tuple[str, Play, int]]:
    """Those that can be imported."""
    return {name: peer for name, peer in PEERS.items() if importlib.util.find_spec(name)}


def quietly(play: Play) -> Play:
    """A player whose warnings are its own business."""

    def run(contexts: Floats, rewards: Floats) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            play(contexts, rewards)

    return run
