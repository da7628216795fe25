"""simulate with a store: finished trials are found again by what they are, and by nothing else."""

import signal
import sqlite3
import subprocess
import sys
import time
import warnings
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbmle import LinRBMLE, LinTS, LinUCB
from rbmle.problems import LinearProblem, Problem, Rounds
from rbmle.simulation import Results, engine, experiment, simulate

PROBLEM = LinearProblem([0.6, -0.3], n_arms=4)


class Own:
    """A policy of somebody else."""

    def __init__(self, arm: int) -> None:
        self.arm = arm

    def choose(self, contexts: Any) -> int:
        return self.arm

    def update(self, context: Any, reward: float) -> None: ...


def run(store: Path, policies: Any = None, problem: Problem = PROBLEM, **options: Any) -> Results:
    chosen = {"TS": LinTS(n_features=2), "UCB": LinUCB(n_features=2)} if policies is None else policies
    return simulate(chosen, problem, **{"horizon": 50, "trials": 4, "store": store, **options})


def new_trials(results: Results) -> dict[str, int]:
    """How many trials of each policy were timed in the call, which are those that were played."""
    return {name: int(np.sum(~np.isnan(seconds))) for name, seconds in results.seconds.items()}


def test_found_trials_are_the_same_bit_for_bit_and_have_no_time(tmp_path: Path) -> None:
    alone, first = run(None), run(tmp_path)  # type: ignore[arg-type]
    assert new_trials(first) == {"TS": 4, "UCB": 4}
    again = run(tmp_path, n_jobs=2)
    assert new_trials(again) == {"TS": 0, "UCB": 0}
    for name in alone.policies:
        assert alone.regret[name].tobytes() == first.regret[name].tobytes() == again.regret[name].tobytes()
    assert all(np.isnan(value) for value in again.seconds_per_decision().values())
    assert "–" in str(again)


def test_only_what_is_missing_is_played(tmp_path: Path) -> None:
    run(tmp_path)
    more = run(tmp_path, {"TS": LinTS(n_features=2), "mine": LinRBMLE(n_features=2)}, trials=6)
    assert new_trials(more) == {"TS": 2, "mine": 6}
    assert np.isfinite(more.seconds_per_decision()["TS"])
    assert np.array_equal(more.regret["TS"], run(None, trials=6).regret["TS"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options",
    [
        {"seed": 1},
        {"horizon": 51},
        {"record": [10]},
        {"log": True},
        {"problem": LinearProblem([0.6, -0.3], n_arms=5)},
        {"policies": {"TS": LinTS(n_features=2, regularization=2.0)}},
        {"policies": {"Thompson": LinTS(n_features=2)}},
    ],
    ids=lambda options: next(iter(options)),
)
def test_every_setting_counts(tmp_path: Path, options: dict[str, Any]) -> None:
    run(tmp_path)
    again = run(tmp_path, **options)
    assert set(new_trials(again).values()) == {4}


def test_own_policies_and_problems_are_found_by_their_source(tmp_path: Path) -> None:
    def module(body: str) -> dict[str, Any]:
        path = tmp_path / "own.py"
        path.write_text(
            "import numpy as np\n"
            "class Mine:\n"
            "    def choose(self, contexts):\n"
            f"        return {body}\n"
            "    def update(self, context, reward): ...\n"
        )
        code = "import importlib, own; importlib.reload(own)"
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT.format(code=code, store=str(tmp_path / "store"))],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        return {"played": int(done.stdout)}

    assert module("0") == {"played": 4}
    assert module("0") == {"played": 0}
    assert module("1") == {"played": 4}


SCRIPT = """
import sys
sys.path.insert(0, "")
{code}
import numpy as np
from rbmle.problems import LinearProblem
from rbmle.simulation import simulate
problem = LinearProblem([0.6, -0.3], n_arms=4)
results = simulate({{"mine": own.Mine()}}, problem, horizon=20, trials=4, store={store!r}, n_jobs=1)
print(int(np.sum(~np.isnan(results.seconds["mine"]))))
"""


def test_an_object_is_found_by_what_it_holds(tmp_path: Path) -> None:
    assert new_trials(run(tmp_path, {"own": Own(0)})) == {"own": 4}
    assert new_trials(run(tmp_path, {"own": Own(0)})) == {"own": 0}
    assert new_trials(run(tmp_path, {"own": Own(1)})) == {"own": 4}


def test_lambdas_run_unstored_and_that_is_said_once(tmp_path: Path) -> None:
    policies = {"free": LinRBMLE(n_features=2, bias=lambda t: 1.0), "UCB": LinUCB(n_features=2)}
    for expected in ({"free": 4, "UCB": 4}, {"free": 4, "UCB": 0}):
        with pytest.warns(UserWarning, match=r"Not stored.*policies\['free'\]: a lambda has no source") as told:
            results = run(tmp_path, policies)
        assert len(told) == 1
        assert new_trials(results) == expected
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(None, policies)  # type: ignore[arg-type]


def test_a_problem_without_a_source_is_played_again(tmp_path: Path) -> None:
    space: dict[str, Any] = {"__name__": "typed_by_hand", "Problem": Problem, "Rounds": Rounds, "np": np}
    exec(
        "class Typed(Problem):\n"
        "    n_arms, n_features, static, params = 2, 2, True, {}\n"
        "    def rounds(self, seed, trial, start, stop):\n"
        "        return Rounds(np.eye(2)[None], np.ones((1, 2)), np.ones((stop - start, 2)))\n",
        space,
    )
    for _ in range(2):
        with pytest.warns(UserWarning, match="Not stored.*problem: Typed has no source"):
            results = run(tmp_path, problem=space["Typed"]())
        assert new_trials(results) == {"TS": 4, "UCB": 4}


def test_logs_come_back_from_the_store(tmp_path: Path) -> None:
    first, again = (run(tmp_path, {"own": Own(2)}, log=True) for _ in range(2))
    assert new_trials(again) == {"own": 0}
    for name, column in first.log("own").items():
        assert np.array_equal(column, again.log("own")[name], equal_nan=True)


def test_the_versions_of_what_computes_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path)
    monkeypatch.setattr("rbmle.simulation.store.computed_by", lambda: {"numpy": "another"})
    assert new_trials(run(tmp_path)) == {"TS": 4, "UCB": 4}


KILLED = """
import sys
from rbmle import LinTS, VIDS
from rbmle.problems import LinearProblem
from rbmle.simulation import simulate
policies = {{"VIDS": VIDS(n_features=2, samples=3000), "TS": LinTS(n_features=2)}}
problem = LinearProblem([0.6, -0.3], n_arms=4)
results = simulate(policies, problem, horizon=1500, trials=40, store={store!r}, n_jobs=2, progress=False)
print(results.final_regret("VIDS").tolist(), results.final_regret("TS").tolist())
"""


def stored(path: Path) -> int:
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path, timeout=30.0)) as file:
        try:
            return int(file.execute("SELECT COUNT(*) FROM outcomes").fetchone()[0])
        except sqlite3.OperationalError:  # no table yet
            return 0


def test_killed_and_called_again_it_goes_on(tmp_path: Path) -> None:
    def start(name: str) -> "subprocess.Popen[str]":
        code = KILLED.format(store=str(tmp_path / name))
        return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)

    whole = start("whole.sqlite").communicate()[0]
    path = tmp_path / "killed.sqlite"
    for _ in range(2):
        before, child = stored(path), start(path.name)
        while stored(path) == before and child.poll() is None:
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert child.returncode == -signal.SIGKILL
        assert before < stored(path) < 80
    assert start(path.name).communicate()[0] == whole
    assert stored(path) == 80


def test_jobs_share_the_sample_path_of_a_trial() -> None:
    made = experiment.Experiment(
        {"a": LinUCB(n_features=2), "b": LinTS(n_features=2)},
        experiment.Source(0, {}, ["p"], lambda: PROBLEM),
        10,
        3,
        0,
        np.array([10]),
    )
    assert [list(job.pieces) for job in made.jobs(workers=3)] == [
        [(trial, name) for name in "ab"] for trial in range(3)
    ]
    assert [list(job.pieces) for job in made.jobs()] == [[(trial, name) for trial in range(3) for name in "ab"]]
    assert engine.MOST_JOBS >= 64
