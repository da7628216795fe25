"""Linear policies: in the simulator, online from Python, and with many features; `python -m benchmarks.linear`."""

import subprocess
import sys
import time

import numpy as np
import numpy.typing as npt
from rich.console import Console
from threadpoolctl import threadpool_limits

from benchmarks.peers import peers
from benchmarks.plain import PlainRBMLE, play_plain
from benchmarks.timing import Contender, best_seconds, show
from rbmle import LinRBMLE, LinUCB
from rbmle.paper import LINEAR, prepared, published_policies
from rbmle.simulation import simulate

Floats = npt.NDArray[np.float64]


def sample(rounds: int, n_arms: int, d: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(0)
    contexts = rng.standard_normal((rounds, n_arms, d))
    contexts /= np.linalg.norm(contexts, axis=-1, keepdims=True)
    return contexts, rng.standard_normal((rounds, n_arms))


def simulation() -> None:
    contexts, rewards = sample(30_000, 10, 3)
    few = slice(0, 600)
    contenders: dict[str, Contender] = {
        "rbmle, contexts vary": (lambda: LinRBMLE(n_features=3).play(contexts, rewards), 30_000),
        "rbmle, arms stay": (lambda: LinRBMLE(n_features=3).fix_arms(contexts[0]).play(rewards), 30_000),
        "plain NumPy": (lambda: play_plain(contexts[few], rewards[few]), 600),
    }
    for name, run in peers(contexts[few], rewards[few]).items():
        contenders[name] = (run, 600)
    show(
        "Simulated LinRBMLE, d = 3, K = 10, T = 30000",
        best_seconds(contenders),
        "rbmle, contexts vary",
        "target: at most 200 ns, plain NumPy at least 100 times as long",
    )


def many_features() -> None:
    contexts, rewards = sample(300, 100, 100)
    V_inv, u = np.eye(100), np.ones(100)

    def product_and_update() -> None:
        for t in range(300):
            contexts[t] @ V_inv
            V_inv[:] -= 1e-9 * u[:, None] * u

    show(
        "Contexts vary, d = 100, K = 100",
        best_seconds(
            {
                "rbmle": (lambda: LinRBMLE(n_features=100).play(contexts, rewards), 300),
                "product X V⁻¹ and a rank-one update": (product_and_update, 300),
                "plain NumPy": (lambda: play_plain(contexts, rewards), 300),
            }
        ),
        "product X V⁻¹ and a rank-one update",
        "target: rbmle at most 1.5",
    )
    for d, n_arms, target in ((100, 100, "3 µs; the paper: 1270 µs"), (300, 200, "12 µs; the paper: 4520 µs")):
        X, r = sample(1, n_arms, d)[0], np.random.default_rng(1).standard_normal((20_000, n_arms))
        arms = LinRBMLE(n_features=d).fix_arms(X[0])
        contenders: dict[str, Contender] = {
            "rbmle": (lambda arms=arms, r=r: arms.play(r), 20_000),  # type: ignore[misc]
            "plain NumPy": (lambda X=X, r=r: play_plain(X, r[:100]), 100),  # type: ignore[misc]
        }
        show(f"Arms stay, d = {d}, K = {n_arms}", best_seconds(contenders), "rbmle", f"target: at most {target}")


def online() -> None:
    contexts, rewards = sample(2000, 10, 10)

    def loop(policy: LinRBMLE | LinUCB | PlainRBMLE) -> None:
        for X, r in zip(contexts, rewards, strict=True):
            arm = policy.choose(X)
            policy.update(X[arm], r[arm])

    contenders: dict[str, Contender] = {
        "rbmle LinRBMLE": (lambda: loop(LinRBMLE(n_features=10)), 2000),
        "rbmle LinUCB": (lambda: loop(LinUCB(n_features=10)), 2000),
        "plain NumPy, no checks": (lambda: loop(PlainRBMLE(10)), 2000),
    }
    for name, run in peers(contexts[:300], rewards[:300]).items():
        contenders[name] = (run, 300)
    show(
        "Online from Python, d = 10, K = 10: choose and update",
        best_seconds(contenders),
        "rbmle LinRBMLE",
        "target: at most 8 µs, input checks included",
    )


def study() -> None:
    console, start = Console(), time.perf_counter()
    for setting in LINEAR:
        policies = published_policies(3, setting.horizon)
        for name in ("LinTS", "VIDS"):
            del policies[name]
        simulate(policies, prepared(setting), horizon=setting.horizon, trials=50, n_jobs=2, record=[setting.horizon])
        prepared.cache_clear()
    console.print(f"The paper's linear study (7 methods, 4 settings, 50 trials, T = 30000) on 2 cores, data included: "
                  f"{time.perf_counter() - start:.1f} s; target: 60 s")  # fmt: skip


def import_time() -> None:
    def seconds(code: str) -> float:
        runs = []
        for _ in range(7):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            runs.append(time.perf_counter() - start)
        return min(runs)

    extra = seconds("import numpy, rbmle") - seconds("import numpy")
    Console().print(f"import rbmle adds {extra:.3f} s to importing NumPy; target: 0.2 s")


def main() -> None:
    with threadpool_limits(limits=1):
        simulation()
        many_features()
        online()
    study()
    import_time()


if __name__ == "__main__":
    main()
