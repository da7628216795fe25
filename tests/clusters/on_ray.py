"""Run by test_simulation_ray.py in a network of its own, where Ray can hear nobody else: prints what it found."""

import json
import sys
from pathlib import Path

import ray
from tests.clusters.played import HORIZON, PROBLEM, TRIALS, Deadly, Failing, Heavy, Noted, begun, compiled, equal, play

from rbmle.simulation import simulate


def raised(call):
    """What a call raises."""
    try:
        call()
    except Exception as reason:  # noqa: BLE001 - whatever it is, it is told
        return f"{type(reason).__name__}: {reason}"
    return ""


def main(folder):
    """Everything that is to be known."""
    found = {"unconnected": raised(lambda: play(compiled(), backend="ray"))}
    for name in ("heavy", "killed", "plain", "stored", "failing"):
        (folder / name).mkdir()
    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
    options = {"horizon": HORIZON, "trials": TRIALS}
    here = simulate(compiled(), PROBLEM, **options)
    found["equal"] = [equal(here, simulate(compiled(), PROBLEM, n_jobs=n, backend="ray", **options)) for n in (None, 1)]
    play({"own": Noted(folder / "heavy" / "begun", 0.02)}, Heavy(folder / "heavy" / "notes"), trials=60, backend="ray")
    found["unpacked"] = [line.split()[1] for line in (folder / "heavy" / "notes").read_text().splitlines()]
    found["begun"] = begun(folder / "heavy" / "begun")
    truth = play({"own": Noted(folder / "plain" / "notes")})
    lossy = play({"own": Deadly(folder / "killed" / "notes")}, backend="ray")
    stored = play({"own": Deadly(folder / "stored" / "notes", 0.35)}, backend="ray", store=folder / "store")
    found["after a kill"] = [equal(truth, lossy), equal(truth, stored), (folder / "killed" / "killed").exists()]
    found["begun with a store"] = begun(folder / "stored" / "notes")
    found["raised"] = raised(lambda: play({"own": Failing(folder / "failing" / "notes")}, backend="ray"))
    ray.shutdown()
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
