"""What the study is made of: the store, the jobs, the progress, the plain methods, the sentences."""

import _thread
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from rbmle.paper import LINEAR, authors_glm_policies, authors_policies
from rbmle.paper.experiment import frozen, restored
from rbmle.paper.plan import QUICK
from rbmle.paper.progress import Progress
from rbmle.paper.regret.differences import conclusions, differing
from rbmle.paper.regret.linear import linear_regret
from rbmle.paper.time.plain import PlainGLM, PlainLinear, vids_choice
from rbmle.paper.work import Batch, Job, carry_out, merged, worker_count
from rbmle.problems import GLMProblem, LinearProblem
from rbmle.simulation import Results
from rbmle.simulation.store import Outcome, Store


def job(name, play=None, before=None, cost=1.0):
    return Job("part", "here", name, {"name": name}, play or (lambda data, earlier: Outcome(data, 1.0)), cost, before)


def test_work_is_done_once_and_in_the_order_it_needs(tmp_path):
    seen = []

    def play(data, earlier):
        seen.append(None if earlier is None else earlier.state)
        return Outcome(data, 1.0, bytes([len(seen)]))

    first = job("first", play)
    second = job("second", play, before=first)
    third = job("third", play, before=second)
    loaded = []
    batch = Batch([third, second, first], lambda: loaded.append(1) or np.zeros(1))
    with Store(tmp_path) as store, Progress(False) as progress:
        carry_out([batch], store, 2, progress)
        carry_out([batch], store, 2, progress)
    assert seen == [None, b"\x01", b"\x02"]
    assert loaded == [1]


def test_a_failing_job_stops_the_run_and_keeps_what_was_done(tmp_path):
    def fail(data, earlier):
        raise ValueError("no")

    good, bad = job("good", cost=2.0), job("bad", fail)
    with pytest.raises(ValueError, match="no"), Store(tmp_path) as store, Progress(False) as progress:
        carry_out([Batch([good, bad], lambda: np.zeros(1))], store, 1, progress)
    with Store(tmp_path) as store:
        assert good.key in store
        assert bad.key not in store


@pytest.fixture
def listening():
    """Take Ctrl-C even where the tests were started in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
def test_stopped_by_hand_the_running_trial_is_kept(tmp_path):
    def interrupted(data, earlier):
        time.sleep(0.2)
        _thread.interrupt_main()
        time.sleep(0.2)
        return Outcome(data, 1.0)

    first, second = job("first", interrupted, cost=2.0), job("second")
    with pytest.raises(KeyboardInterrupt), Store(tmp_path) as store, Progress(False) as progress:
        carry_out([Batch([first, second], lambda: np.zeros(1))], store, 1, progress)
    with Store(tmp_path) as store:
        assert first.key in store
        assert second.key not in store


def test_jobs_run_side_by_side_unless_they_measure_time(tmp_path):
    meeting = threading.Barrier(2, timeout=10)

    def meet(data, earlier):
        meeting.wait()
        return Outcome(data, 1.0)

    with Store(tmp_path) as store, Progress(False) as progress:
        carry_out([Batch([job("a", meet), job("b", meet)], lambda: np.zeros(1))], store, 2, progress)
        assert len(store) == 2


def test_batches_on_the_same_data_become_one():
    one, other, third = Batch([job("a"), job("b")], dict), Batch([job("b"), job("c")], dict), Batch([job("d")], dict)
    joined = merged([one, other, third], ["x", "x", "y"])
    assert [[each.policy for each in batch.jobs] for batch in joined] == [["a", "b", "c"], ["d"]]


def test_worker_count():
    assert worker_count(3) == 3
    assert worker_count(-1) >= 1
    assert worker_count(-1000) == 1


def test_time_left_learns_from_what_jobs_took(monkeypatch):
    clock = iter([0.0, 0.0, 10.0, 14.0, 20.0, 20.0, 20.0])
    progress = Progress(False)
    monkeypatch.setattr("rbmle.paper.progress.time.monotonic", lambda: next(clock))
    slow = [job("slow", cost=2.0), job("slow", cost=2.0)]
    fast = job("fast", cost=1.0)
    progress.expect([*slow, fast])
    assert progress.seconds_done_and_left() == (0.0, 5.0)
    progress.starts[id(slow[0])] = 10.0
    next(clock), next(clock)
    progress.done(slow[0])  # took 4 s where 2 were expected, so all guesses are doubled
    assert progress.seconds_done_and_left() == (4.0, 4.0 + 2.0)


def test_progress_is_shown_on_a_terminal(capsys):
    with Progress(True) as progress:
        one = job("LinUCB")
        progress.expect([one])
        progress.loading(one)
        progress.started(one)
        progress.done(one)
        progress.working("report")
    assert "report" in capsys.readouterr().err


def test_legacy_stream_goes_on_from_where_it_was():
    stream = np.random.RandomState(46)
    stream.standard_normal(3)
    twin = restored(frozen(stream))
    assert np.array_equal(stream.standard_normal(1000), twin.standard_normal(1000))


@pytest.mark.parametrize("name", ["RBMLE", "LinUCB", "BUCB", "GPUCB", "GPUCBT", "KG", "KG*"])
def test_plain_linear_methods_play_the_same_arms(name):
    T, problem = 60, LinearProblem([0.6, -0.5, 0.3, 0.2], 8)
    path = problem.rounds(1, 0, 0, T)
    ours = authors_policies(4, T)[name].fix_arms(path.contexts[0]).play(path.rewards)
    plain, arms = PlainLinear(name, 4, T, 0, 100), []
    for rewards in path.rewards:
        arms.append(plain.choose(path.contexts[0]) if arms else ours[0])  # the first is a tie, decided by rounding
        plain.update(path.contexts[0][arms[-1]], rewards[arms[-1]])
    assert arms == ours.tolist()
    assert plain.t == T + 1


def test_plain_glm_rbmle_plays_the_same_arms():
    T, problem = 40, GLMProblem([0.6, -0.5, 0.3], 5)
    path = problem.rounds(3, 0, 0, T)
    ours = authors_glm_policies(3, 5, T)["GLM-RBMLE"].fix_arms(path.contexts[0]).play(path.rewards)
    plain, arms = PlainGLM("GLM-RBMLE", 3, T, 0), []
    for rewards in path.rewards:
        arms.append(plain.choose(path.contexts[0]) if arms else ours[0])
        plain.update(path.contexts[0][arms[-1]], rewards[arms[-1]])
    assert arms == ours.tolist()


@pytest.mark.parametrize("plain", [PlainLinear("LinTS", 3, 200, 0, 0), PlainLinear("VIDS", 3, 200, 0, 500),
                                   PlainGLM("UCB-GLM", 3, 200, 0), PlainGLM("Laplace-TS", 3, 200, 0)])  # fmt: skip
def test_plain_methods_with_samples_learn(plain):
    X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    rng, arms = np.random.default_rng(5), []
    for _ in range(200):
        arms.append(plain.choose(X))
        plain.update(X[arms[-1]], float(rng.random() < (0.95, 0.2, 0.1)[arms[-1]]))
    assert arms[100:].count(0) > 50


def test_plain_vids_without_information_plays_the_least_regret():
    drawn = np.tile([1.0, 0.0], (50, 1))
    assert vids_choice(np.eye(2)[::-1], drawn, 0.5) == 1


def results(means):
    regret = {name: np.array([[value], [value]]) for name, value in means.items()}
    return Results(np.array([10]), regret, {name: np.ones(2) for name in means}, {})


def test_conclusions_are_told_from_the_numbers():
    setting = LINEAR[0]
    part = linear_regret(replace(QUICK, linear=(setting,), linear_methods=("RBMLE", "LinUCB", "KG")), "both")
    assert differing(part) == ["KG"]
    both = {
        "published": {setting: results({"RBMLE": 10.0, "LinUCB": 20.0, "KG": 60.0})},
        "authors": {setting: results({"RBMLE": 10.0, "LinUCB": 20.0, "KG": 5.0})},
    }
    told = conclusions(part, both)
    assert told[0].startswith("By mean regret RBMLE takes place 2 of 3")
    assert "and 1 as published" in told[0]
    assert told[1] == "Better than RBMLE only by their authors' definitions: KG in (a)."
    assert "2.00 to 2.00 times that of the best method by the authors' definitions (KG)" in told[2]
    assert "RBMLE takes place 1 by the authors' definitions, 1 as published" in told[3]
    assert told[4] == "KG in (a): mean regret 60.00 as published, 5.00 by its authors, a factor of 12.0."
    turned = conclusions(part, {"published": both["authors"], "authors": both["published"]})
    assert turned[1] == "Better than RBMLE only as published: KG in (a)."
