"""Every linear method beside LinRBMLE, simulated and online; `python -m benchmarks.methods`, or with names of methods.

Methods are found in the registry, those that others add included. Each meets LinRBMLE alone, in bursts that alternate,
and the ratio of the two fastest bursts is told: the machine is seldom quiet for as long as a whole table takes.
"""

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks.linear import Floats, sample
from benchmarks.timing import readable
from rbmle.models import Discount, Window
from rbmle.policies import LinearPolicy, LinRBMLE, Policy
from rbmle.testing.policies import STANDARD

FEATURES, ARMS = 10, 10
SIMULATED, ONLINE = 2000, 300
TARGET = 1.3
# Settings whose cost is another than the default's, by the name of their method.
MORE: dict[str, dict[str, dict[str, Any]]] = {
    "LinRBMLE": {
        "LinRBMLE, discount": {"forgetting": Discount(0.99)},
        "LinRBMLE, discount and sandwich": {"forgetting": Discount(0.99, sandwich=True)},
        "LinRBMLE, window": {"forgetting": Window(200)},
    },
    "LinTS": {"LinTS, optimistic": {"optimistic": True}},
    "OFUL": {"OFUL, det": {"radius": "det"}, "OFUL, trace": {"radius": "trace"}, "OFUL, cmm": {"radius": "cmm"}},
}

Make = Callable[[], Policy]


def contenders(names: Iterable[str] = ()) -> dict[str, Make]:
    """A maker of every linear method, or of those named, with its standard settings."""
    wanted, found = set(names), {}
    for name, cls in sorted(Policy.registry.items()):
        if not issubclass(cls, LinearPolicy) or (wanted and name not in wanted):
            continue
        known = cls.__dataclass_fields__
        needs = {key: value for key, value in STANDARD.items() if key in known}
        for label, settings in {name: {}, **MORE.get(name, {})}.items():
            found[label] = maker(cls, {**needs, **settings})
    return found


def maker(cls: type[Policy], settings: Mapping[str, Any]) -> Make:
    return lambda: cls(n_features=FEATURES, **settings)


def simulated(make: Make, contexts: Floats, rewards: Floats) -> Callable[[], object]:
    """A fresh policy plays a block."""
    return lambda: make().play(contexts, rewards)


def online(make: Make, contexts: Floats, rewards: Floats) -> Callable[[], object]:
    """A fresh policy chooses and updates from Python."""

    def loop() -> None:
        policy = make()
        for X, r in zip(contexts, rewards, strict=True):
            arm = policy.choose(X)
            policy.update(X[arm], r[arm])

    return loop


def pair(ours: Callable[[], object], theirs: Callable[[], object], turns: int = 15) -> tuple[float, float]:
    """Seconds of the fastest burst of each, in turns."""
    best = [float("inf"), float("inf")]
    ours()
    theirs()
    for _ in range(turns):
        for number, run in enumerate((ours, theirs)):
            start = time.perf_counter()
            run()
            best[number] = min(best[number], time.perf_counter() - start)
    return best[0], best[1]


def main(names: Iterable[str] = ()) -> None:
    """Print the table."""
    contexts, rewards = sample(SIMULATED, ARMS, FEATURES)
    few = slice(0, ONLINE)
    table = Table(
        title=f"Linear methods beside LinRBMLE, d = {FEATURES}, K = {ARMS}: a decision and its update",
        title_justify="left",
        caption=f"target: {TARGET} times LinRBMLE, forgetting too (with a sandwich 2.2); excepted: CMM, ensembles, "
        "LinPHE and methods over many samples",
        caption_justify="left",
    )
    for column in ("method", "simulated", "times LinRBMLE", "online", "times LinRBMLE"):
        table.add_column(column, justify="left" if column == "method" else "right")

    def reference() -> Policy:
        return LinRBMLE(n_features=FEATURES)

    with threadpool_limits(limits=1):
        for name, make in contenders(names).items():
            cells = [name]
            for way, X, r in ((simulated, contexts, rewards), (online, contexts[few], rewards[few])):
                mine, base = pair(way(make, X, r), way(reference, X, r))
                cells += [readable(mine / len(r)), f"{mine / base:.2f}"]
            table.add_row(*cells)
    Console().print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
