"""simulate: the same result on any number of workers, and clear words for what cannot be run."""

import subprocess
import sys
from typing import Any

import joblib
import numpy as np
import pytest

from rbmle import LinRBMLE, LinTS, Uniform
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.problems import LinearProblem, PreparedProblem, Problem, Rounds
from rbmle.simulation import Results, simulate
from rbmle.simulation.experiment import recorded_rounds
from rbmle.types import FloatArray

PROBLEM = LinearProblem([0.6, -0.3], n_arms=4)


class Follower:
    """Plays at random from its own generator; stands for a policy of somebody else."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.seen = 0

    def choose(self, contexts: FloatArray) -> int:
        return int(self.rng.integers(len(contexts)))

    def update(self, context: FloatArray, reward: float) -> None:
        self.seen += 1


class Reseeded(Follower):
    def reseed(self, seed: int, *path: int) -> None:
        self.rng = np.random.default_rng([seed, *path])


class Broken(Follower):
    def choose(self, contexts: FloatArray) -> int:
        return len(contexts)


def ours() -> dict[str, object]:
    return {"RBMLE": LinRBMLE(n_features=2), "TS": LinTS(n_features=2), "random": Uniform(n_features=2)}


def run(policies: object = None, problem: object = PROBLEM, **options: object) -> Results:
    settings = {"horizon": 60, "trials": 5, "seed": 3, **options}
    return simulate(ours() if policies is None else policies, problem, **settings)  # type: ignore[arg-type]


def same(one: Results, other: Results) -> bool:
    return one.policies == other.policies and all(np.array_equal(one.regret[n], other.regret[n]) for n in one.policies)


@pytest.mark.parametrize("static", [True, False])
def test_bit_identical_for_threads_and_processes(static: bool) -> None:
    problem = LinearProblem([0.6, -0.3, 0.1], n_arms=4, static=static)
    policies = {name: type(policy)(n_features=3) for name, policy in ours().items()}
    alone = run(policies, problem)
    for backend in ("threading", "loky"):
        assert same(alone, run(policies, problem, n_jobs=2, backend=backend)), backend
    assert same(alone, run(policies, problem, n_jobs=-1))


def test_backends_that_give_all_results_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, parallel = run(), joblib.Parallel

    def only_lists(**options: Any) -> Any:
        if "return_as" in options:
            raise ValueError("this backend cannot return a generator")
        return parallel(**options)

    monkeypatch.setattr(joblib, "Parallel", only_lists)
    assert same(expected, run(n_jobs=2))


def test_policies_do_not_influence_each_other() -> None:
    together, alone = run(), run({"TS": LinTS(n_features=2)})
    assert np.array_equal(together.regret["TS"], alone.regret["TS"])


def test_seed_and_trials() -> None:
    assert same(run(), run())
    assert not same(run(), run(seed=4))
    few, many = run(trials=2), run(trials=5)
    assert np.array_equal(few.regret["TS"], many.regret["TS"][:2]), "a trial does not depend on how many there are"
    finals = many.final_regret("random")
    assert len(np.unique(finals)) == 5


def test_a_policy_that_has_learnt_goes_on_from_there() -> None:
    fresh, taught = LinRBMLE(n_features=2), LinRBMLE(n_features=2)
    angles = np.linspace(0, np.pi, 400)
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    taught.update_many(X, X @ PROBLEM.theta)
    results = run({"fresh": fresh, "taught": taught})
    assert taught.n_observed == 400
    assert results.final_regret("taught").mean() < 0.5 * results.final_regret("fresh").mean()


def test_objects_of_others_and_factories() -> None:
    follower = Follower(0)
    results = run(
        {"object": follower, "factory": Follower, "reseeded": Reseeded(0), "ours": lambda seed: LinTS(n_features=2)}
    )
    assert follower.seen == 0
    for name in ("factory", "reseeded", "ours"):
        assert len(np.unique(results.final_regret(name))) == 5
    assert results.manifest["policies"]["factory"] == {"policy": "Follower"}
    assert same(run({"factory": Follower}), run({"factory": Follower}, n_jobs=2))


def test_names_of_a_list() -> None:
    results = run([LinRBMLE(n_features=2), LinTS(n_features=2), LinTS(n_features=2)])
    assert results.policies == ["LinRBMLE", "LinTS", "LinTS 2"]
    assert not np.array_equal(results.regret["LinTS"], results.regret["LinTS 2"]), "each name has its own generator"


def test_recorded_rounds() -> None:
    assert recorded_rounds(None, 10).tolist() == list(range(1, 11))
    default = recorded_rounds(None, 30_000)
    assert 120 < len(default) <= 201
    assert (default[0], default[-1]) == (1, 30_000)
    steps = np.diff(np.log(default[100:]))
    assert steps.max() < 1.3 * steps.min()
    assert recorded_rounds([5, 3, 3], 9).tolist() == [3, 5, 9]
    assert recorded_rounds(1, 9).tolist() == [1, 9]
    assert run(record=[10, 20]).rounds.tolist() == [10, 20, 60]
    every, some = run(record=range(1, 61)), run(record=[10, 20])
    assert np.array_equal(every.regret["TS"][:, [9, 19, 59]], some.regret["TS"])


@pytest.mark.parametrize("record", [0, -3, [], [0, 5], [61], [1.5], [[1]], "all"])
def test_bad_record(record: object) -> None:
    with pytest.raises(InvalidParameterError, match="The 'record' parameter of simulate"):
        run(record=record)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"horizon": 0}, r"'horizon' parameter of simulate must be an int in \[1, inf\). Got 0 instead."),
        ({"horizon": 10.5}, "'horizon'"),
        ({"trials": 0}, "'trials'"),
        ({"seed": -1}, "'seed'"),
        ({"n_jobs": 0}, "'n_jobs'"),
        ({"n_jobs": "2"}, "'n_jobs' parameter of simulate must be a non-zero int.* Got '2' instead"),
        ({"n_jobs": 2.0}, "'n_jobs'"),
        ({"n_jobs": True}, "'n_jobs'"),
        ({"n_jobs": 100_000}, "'n_jobs' parameter of simulate must be a non-zero int, at most 1024"),
        ({"seed": 1.5}, r"'seed' parameter of simulate must be None or an int in \[0, inf\)"),
        ({"log": 1}, "'log' parameter of simulate must be True or False"),
        ({"log": True, "trials": 10**6}, "'log' parameter of simulate must be False.*take 3.4 GiB"),
    ],
)
def test_bad_settings(options: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        run(**options)


@pytest.mark.parametrize(
    ("policies", "words"),
    [
        ({}, "at least one policy"),
        (5, "must be a dict of names or a list"),
        ({"it": 5}, r"policies\['it'\] must have choose.* Got 5 without choose and update"),
        ({"it": LinRBMLE}, r"must be a policy such as LinRBMLE\(n_features=2\). Got the class LinRBMLE"),
        ({"it": LinRBMLE(n_features=3)}, r"policies\['it'\] must have n_features=2 as the problem has. Got 3."),
        ({"it": lambda seed: LinRBMLE(n_features=3)}, "must have n_features=2"),
        ({"it": Broken}, r"policies\['it'\].choose returned no arm: arm must be an int from 0 to 3. Got 4."),
    ],
)
def test_bad_policies(policies: object, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        run(policies)


def test_errors_come_back_from_workers() -> None:
    for backend in ("threading", "loky"):
        with pytest.raises(InvalidInputError, match="returned no arm"):
            run({"it": Broken}, n_jobs=2, backend=backend)


def test_problems_of_others() -> None:
    class Coin(Problem):
        n_arms, n_features, static = 2, 1, True

        @property
        def params(self) -> dict[str, Any]:
            return {"sides": 2}

        def rounds(self, seed: int, trial: int, start: int, stop: int) -> Rounds:
            means = np.array([[0.0, 1.0]])
            return Rounds(np.array([[[0.0], [1.0]]]), means, np.repeat(means, stop - start, axis=0))

    results = run([LinRBMLE(n_features=1)], Coin())
    assert (results.final_regret("LinRBMLE") < 5.0).all()
    assert results.manifest["problem"] == {"problem": "Coin", "sides": 2}
    assert repr(Coin()) == "Coin(sides=2)"


def test_bad_problems() -> None:
    with pytest.raises(InvalidInputError, match="problem must be a Problem"):
        run(problem="linear")
    prepared = PreparedProblem(np.ones((2, 3, 2)), np.ones((2, 3)), np.ones((2, 50, 3)))
    with pytest.raises(InvalidParameterError, match=r"'horizon' parameter of simulate must be at most 50.* Got 60"):
        run(problem=prepared)
    with pytest.raises(InvalidParameterError, match=r"'trials' parameter of simulate must be at most 2.* Got 3"):
        run(problem=prepared, horizon=50, trials=3)


def test_rounds_that_no_memory_holds_are_refused_before_they_are_drawn() -> None:
    huge = LinearProblem([0.6, -0.3], n_arms=10**9)
    with pytest.raises(InvalidParameterError, match="1,000,000,000 arms of 2 features"):
        run(problem=huge)


def test_a_fresh_seed_is_recorded() -> None:
    one, other = run(seed=None), run(seed=None)
    assert one.manifest["seed"] != other.manifest["seed"]
    assert not same(one, other)
    assert same(one, run(seed=one.manifest["seed"]))


def test_a_policy_s_own_seed_is_replaced() -> None:
    """Trials differ although the policy has one seed, and another seed of the policy changes nothing."""
    one, other = run({"TS": LinTS(n_features=2, seed=1)}), run({"TS": LinTS(n_features=2, seed=2)})
    assert same(one, other)
    assert len(np.unique(one.final_regret("TS"))) == 5


def test_python_s_global_generator_is_left_alone() -> None:
    code = """
import random
before = random.getstate()
from rbmle import LinRBMLE
from rbmle.problems import LinearProblem
from rbmle.simulation import simulate
simulate([LinRBMLE(n_features=2)], LinearProblem([1.0, 0.0], 5), horizon=10, trials=2)
assert random.getstate() == before
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_progress_bar(capfd: pytest.CaptureFixture[str]) -> None:
    run(progress=True)
    assert "1/1 jobs" in capfd.readouterr().err
    run()
    assert capfd.readouterr().err == "", "not a terminal: no bar"


def test_manifest() -> None:
    manifest = run({"a": LinRBMLE(n_features=2), "b": LinRBMLE(n_features=2, bias=lambda t: 1.0)}).manifest
    assert manifest["problem"] == {"problem": "LinearProblem", **PROBLEM.params}
    assert manifest["policies"]["a"] == {
        "policy": "LinRBMLE",
        "n_features": 2,
        "regularization": 1.0,
        "bias": "Sqrt(scale=1.0)",
        "forgetting": None,
    }
    assert "0x" not in manifest["policies"]["b"]["bias"]
    assert (manifest["seed"], manifest["horizon"], manifest["trials"]) == (3, 60, 5)
    assert set(manifest["versions"]) == {"rbmle", "numpy", "scipy", "numba", "python"}
    assert manifest["machine"]["cpus"] >= 1
