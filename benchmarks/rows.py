"""Our rows of `make bench` as pieces of work that any version of rbmle can do: public names of version 0.1 alone.

A row is made once per process, which compiles what it needs; then each `work()` is a fresh copy of one and the same
task, so that what a row costs does not depend on how often it was asked before.
"""

import itertools
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import rbmle
from rbmle import GLMRBMLE, LinRBMLE, LinTS, LinUCB
from rbmle.families import Logistic
from rbmle.problems import LinearProblem
from rbmle.simulation import simulate

Floats = npt.NDArray[np.float64]
Work = Callable[[], object]

LOGISTIC = Logistic()


@dataclass(frozen=True)
class Row:
    """`make()` prepares; what it returns gives one piece of work, not yet begun, of so many decisions."""

    make: Callable[[], Callable[[], Work]]
    decisions: int


def unit(rng: np.random.Generator, *shape: int) -> Floats:
    X = rng.standard_normal(shape)
    return np.asarray(X / np.linalg.norm(X, axis=-1, keepdims=True))


def varying(rounds: int, K: int, d: int) -> Callable[[], Callable[[], Work]]:
    """Simulated LinRBMLE, new contexts in every round."""

    def make() -> Callable[[], Work]:
        rng = np.random.default_rng(0)
        X, R = unit(rng, rounds, K, d), rng.standard_normal((rounds, K))

        def work() -> Work:
            policy = LinRBMLE(n_features=d)
            return lambda: policy.play(X, R)

        return work

    return make


def staying(rounds: int, K: int, d: int) -> Callable[[], Callable[[], Work]]:
    """Simulated LinRBMLE, arms that stay."""

    def make() -> Callable[[], Work]:
        rng = np.random.default_rng(1)
        X, R = unit(rng, K, d), rng.standard_normal((rounds, K))

        def work() -> Work:
            arms = LinRBMLE(n_features=d).fix_arms(X)
            return lambda: arms.play(R)

        return work

    return make


def online(
    method: type, rounds: int = 500, K: int = 10, d: int = 10, **settings: object
) -> Callable[[], Callable[[], Work]]:
    """Choose and update from Python."""

    def make() -> Callable[[], Work]:
        rng = np.random.default_rng(0)
        X, R = unit(rng, rounds, K, d), rng.random((rounds, K)).round()

        def work() -> Work:
            policy = method(n_features=d, **settings)

            def loop() -> None:
                for contexts, rewards in zip(X, R, strict=True):
                    arm = policy.choose(contexts)
                    policy.update(contexts[arm], rewards[arm])

            return loop

        return work

    return make


def catalogue(method: type, rounds: int = 1000, K: int = 10, d: int = 10) -> Callable[[], Callable[[], Work]]:
    """Choose and update from Python among arms that stay."""

    def make() -> Callable[[], Work]:
        rng = np.random.default_rng(0)
        X, R = unit(rng, K, d), rng.random((rounds, K)).round()

        def work() -> Work:
            arms = method(n_features=d).fix_arms(X)

            def loop() -> None:
                for rewards in R:
                    arm = arms.choose()
                    arms.update(arm, rewards[arm])

            return loop

        return work

    return make


def glm(rounds: int, K: int, d: int, static: bool) -> Callable[[], Callable[[], Work]]:
    """Simulated GLM-RBMLE from its first round on."""

    def make() -> Callable[[], Work]:
        rng = np.random.default_rng(46)
        theta = unit(rng, d)
        X = unit(rng, 1 if static else rounds, K, d)
        R = LOGISTIC.sample(rng, np.broadcast_to(X @ theta, (rounds, K)))

        def work() -> Work:
            policy = GLMRBMLE(n_features=d)
            if not static:
                return lambda: policy.play(X, R)
            arms = policy.fix_arms(X[0])
            return lambda: arms.play(R)

        return work

    return make


def glm_arms(K: int, own: bool) -> Callable[[], Callable[[], Work]]:
    """Thirty rounds of GLM-RBMLE at t ≈ 1000 among K arms, after random contexts or after its own play."""

    def make() -> Callable[[], Work]:
        rng = np.random.default_rng(7)
        theta = unit(rng, 5)
        history = GLMRBMLE(n_features=5)
        if own:
            for _ in range(20):
                X = unit(rng, 50, K, 5)
                history.play(X, LOGISTIC.sample(rng, X @ theta))
        else:
            X = unit(rng, 1000, 5)
            history.update_many(X, LOGISTIC.sample(rng, X @ theta))
        X = unit(rng, 30, K, 5)
        R = LOGISTIC.sample(rng, X @ theta)

        def work() -> Work:
            policy = history.copy()
            return lambda: policy.play(X, R)

        return work

    return make


def glm_fixed_at(t: int) -> Callable[[], Callable[[], Work]]:
    """Five hundred rounds of GLM-RBMLE after t of them, 100 arms that stay, d = 10."""

    def make() -> Callable[[], Work]:
        rng = np.random.default_rng(9)
        X, theta = unit(rng, 100, 10), unit(rng, 10)
        learnt = GLMRBMLE(n_features=10)
        learnt.fix_arms(X).play(LOGISTIC.sample(rng, np.broadcast_to(X @ theta, (t, 100))))
        R = LOGISTIC.sample(rng, np.broadcast_to(X @ theta, (500, 100)))

        def work() -> Work:
            arms = learnt.copy().fix_arms(X)
            return lambda: arms.play(R)

        return work

    return make


def glm_online_at(t: int) -> Callable[[], Callable[[], Work]]:
    """A thousand rounds of GLM-RBMLE with bounded memory after t of them, new contexts in every round."""

    def make() -> Callable[[], Work]:
        rng = np.random.default_rng(9)
        X, theta = unit(rng, 1000, 10, 5), unit(rng, 5)
        learnt = GLMRBMLE(n_features=5, memory="online")
        while learnt.t < t:
            learnt.play(X, LOGISTIC.sample(rng, X @ theta))
        R = LOGISTIC.sample(rng, X @ theta)

        def work() -> Work:
            policy = learnt.copy()
            return lambda: policy.play(X, R)

        return work

    return make


STUDY = ("LinRBMLE", "LinUCB", "BayesUCB", "GPUCB", "GPUCBTuned", "KnowledgeGradient", "KGStar")


def study(horizon: int = 3000, trials: int = 2) -> Callable[[], Callable[[], Work]]:
    """The linear study in small: seven methods, static and varying contexts, through `simulate`."""

    def make() -> Callable[[], Work]:
        problems = [LinearProblem([-0.3, 0.5, 0.8], n_arms=10, static=static) for static in (True, False)]

        def once() -> None:
            for problem in problems:
                policies = []
                for name in STUDY:
                    method = getattr(rbmle, name)
                    needs = {"horizon": horizon} if "horizon" in method.__dataclass_fields__ else {}
                    policies.append(method(n_features=3, **needs))
                simulate(policies, problem, horizon=horizon, trials=trials, seed=1, n_jobs=1, record=[horizon],
                         progress=False)  # fmt: skip

        return lambda: once

    return make


def path(rounds: int, K: int, d: int) -> Callable[[], Callable[[], Work]]:
    """The sample path of a trial, as a simulation draws it: blocks of 4096 rounds at most."""

    def make() -> Callable[[], Work]:
        trials = itertools.count()

        def work() -> Work:
            problem, trial = LinearProblem(np.linspace(-0.3, 0.3, d), n_arms=K, static=False), next(trials)

            def draw() -> None:
                for start in range(0, rounds, 4096):
                    problem.rounds(0, trial, start, min(rounds, start + 4096))

            return draw

        return work

    return make


def importing() -> Callable[[], Work]:
    """`import rbmle` in a process of its own."""
    return lambda: lambda: subprocess.run([sys.executable, "-c", "import rbmle"], check=True)


ROWS: dict[str, Row] = {
    "linear, simulated, contexts vary, d=3 K=10": Row(varying(30_000, 10, 3), 30_000),
    "linear, simulated, arms stay, d=3 K=10": Row(staying(30_000, 10, 3), 30_000),
    "linear, simulated, contexts vary, d=100 K=100": Row(varying(300, 100, 100), 300),
    "linear, simulated, arms stay, d=100 K=100": Row(staying(5000, 100, 100), 5000),
    "linear, simulated, arms stay, d=300 K=200": Row(staying(2000, 200, 300), 2000),
    "LinRBMLE, choose and update, d=10 K=10": Row(online(LinRBMLE), 500),
    "LinUCB, choose and update, d=10 K=10": Row(online(LinUCB), 500),
    "linear study in small": Row(study(), 2 * 2 * 3000 * len(STUDY)),
    "sample path, d=3 K=10": Row(path(30_000, 10, 3), 30_000),
    "sample path of ten rounds, d=20 K=50": Row(path(10, 50, 20), 10),
    "import rbmle": Row(importing, 1),
    "glm, arms stay, d=5 K=10 T=1000": Row(glm(1000, 10, 5, True), 1000),
    "glm, contexts vary, d=5 K=10 T=1000": Row(glm(1000, 10, 5, False), 1000),
    "glm, arms stay, d=5 K=30 T=100": Row(glm(100, 30, 5, True), 100),
    **{
        f"glm, t=1000 after {'own play' if own else 'random contexts'}, d=5 K={K}": Row(glm_arms(K, own), 30)
        for K in (10, 100, 1000, 10_000)
        for own in (False, True)
    },
    **{f"glm, arms stay, d=10 K=100, from t={t}": Row(glm_fixed_at(t), 500) for t in (1000, 10_000, 100_000)},
    **{f"glm, online memory, d=5 K=10, from t={t}": Row(glm_online_at(t), 1000) for t in (1000, 100_000)},
}
"""What `make bench` shows of ours."""

MORE: dict[str, Row] = {
    "LinTS, choose and update, d=10 K=10": Row(online(LinTS), 500),
    "GLMRBMLE, choose and update, d=5 K=10": Row(online(GLMRBMLE, rounds=200, d=5), 200),
    "GLMRBMLE online, choose and update, d=5 K=10": Row(online(GLMRBMLE, d=5, memory="online"), 500),
    "LinRBMLE, choose and update, arms stay, d=10 K=10": Row(catalogue(LinRBMLE), 1000),
    "GLMRBMLE, choose and update, arms stay, d=10 K=10": Row(catalogue(GLMRBMLE), 1000),
}
"""What `make bench` does not show but users feel; only with --more."""
