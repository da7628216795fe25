"""Simulations on a local Dask cluster of two worker processes: the same bits, whatever dies."""

import logging
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from tests.clusters.logged import LOOPBACK, listening
from tests.clusters.played import (
    HORIZON,
    PROBLEM,
    TRIALS,
    Deadly,
    Failing,
    Fatal,
    Heavy,
    Noted,
    begun,
    compiled,
    equal,
    play,
)
from typer.testing import CliRunner

from rbmle.cli import app
from rbmle.errors import InvalidInputError, WorkerLostError
from rbmle.simulation import Results, simulate

pytestmark = pytest.mark.cluster


@contextmanager
def cluster():
    """Two worker processes that listen on loopback only."""
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}
    with (
        LocalCluster(**options, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL) as local,
        Client(local) as client,
    ):
        client.wait_for_workers(2)
        yield client


@pytest.fixture(scope="module")
def client():
    with cluster() as client:
        yield client


@pytest.fixture
def doomed():
    """A cluster for tests that kill its workers: they may be slow to come back."""
    with cluster() as client:
        yield client


@pytest.fixture
def address(client):
    return client.scheduler.address.replace("tcp://", "dask://")


@pytest.mark.parametrize("n_jobs", [None, 1, 3, -2])
def test_the_same_bits_for_any_number_of_packets(client, n_jobs):
    assert listening() <= LOOPBACK
    options = {"horizon": HORIZON, "trials": TRIALS, "log": True}
    here = simulate(compiled(), PROBLEM, **options)
    there = simulate(compiled(), PROBLEM, n_jobs=n_jobs, backend="dask", **options)
    assert equal(here, there)
    for name in here.policies:
        assert here.logs[name].arms.tobytes() == there.logs[name].arms.tobytes()


def test_a_client_or_an_address(client, address, tmp_path):
    here = play(compiled())
    for backend in (client, address):
        assert equal(here, play(compiled(), backend=backend, store=tmp_path / f"{len(str(backend))}"))


def test_data_are_unpacked_once_by_every_worker(client, tmp_path):
    notes = tmp_path / "notes"
    found = play({"own": Noted(tmp_path / "begun", 0.02)}, Heavy(notes), trials=60, backend="dask")
    workers = [line.split()[1] for line in notes.read_text().splitlines()]
    assert 1 <= len(workers) == len(set(workers)) <= 2
    assert begun(tmp_path / "begun") == dict.fromkeys(range(60), 1)
    assert found.trials == 60


def test_a_killed_worker_costs_what_it_had_not_finished(doomed, tmp_path):
    (tmp_path / "here").mkdir()
    found = play({"own": Deadly(tmp_path / "notes", 0.35)}, backend=doomed, store=tmp_path / "store")
    assert (tmp_path / "killed").exists()
    assert begun(tmp_path / "notes") == {**dict.fromkeys(range(12), 1), 5: 2}
    assert equal(found, play({"own": Noted(tmp_path / "here" / "notes")}))
    assert not (tmp_path / "store" / "trials.shards").exists()


def test_without_a_store_its_packet_is_played_again(doomed, tmp_path):
    (tmp_path / "here").mkdir()
    found = play({"own": Deadly(tmp_path / "notes")}, backend=doomed)
    assert equal(found, play({"own": Noted(tmp_path / "here" / "notes")}))


def test_a_trial_that_kills_every_worker_is_named(doomed, tmp_path):
    with pytest.raises(WorkerLostError, match=r"trials: workers died again and again over \[\(5, 'own'\)\]"):
        play({"own": Fatal(tmp_path / "notes")}, backend=doomed, store=tmp_path / "store")


def test_what_a_policy_raises_is_raised_here(client, tmp_path):
    with pytest.raises(ZeroDivisionError, match="a mistake of the policy"):
        play({"own": Failing(tmp_path / "notes")}, backend="dask")


def test_what_cannot_be_sent_is_said(client):
    policy = Noted(None)
    policy.handle = iter(lambda: 0, 1), (each for each in ())
    with pytest.raises(InvalidInputError, match="must be such as can be sent"):
        play({"own": policy}, backend="dask")


DRIVER = """
import sys
from pathlib import Path
from tests.clusters.played import Noted, play
play({"own": Noted(Path(sys.argv[1]), 0.3)}, trials=40, backend=sys.argv[2] or None, store=sys.argv[3])
"""


def test_whoever_sent_packets_is_killed_and_another_goes_on(client, address, tmp_path):
    arguments = [sys.executable, "-c", DRIVER, str(tmp_path / "notes")]
    first = subprocess.Popen([*arguments, address, str(tmp_path / "store")])
    while not (tmp_path / "notes").exists() or sum(begun(tmp_path / "notes").values()) < 12:
        assert first.poll() is None
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    first.wait()
    time.sleep(3)  # the cluster notices, and drops its packets
    before = begun(tmp_path / "notes")
    subprocess.run([*arguments, "", str(tmp_path / "store")], check=True)  # on another machine, without a cluster
    twice = [trial for trial, count in begun(tmp_path / "notes").items() if count > 1]
    assert sorted(begun(tmp_path / "notes")) == list(range(40))
    assert len(twice) <= 6 and len(before) - len(twice) >= 6


def test_the_shell(client, address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    common = ["compare", "--methods", "LinUCB,LinTS", "--trials", "6", "--horizon", "200"]
    for name, more in (("here", []), ("local", ["--cluster", "local"]), ("there", ["--cluster", address])):
        done = CliRunner().invoke(app, [*common, "--out", name, *more])
        assert done.exit_code == 0, done.output
    assert equal(Results.load("here"), Results.load("there"))
    assert equal(Results.load("here"), Results.load("local"))
    wrong = CliRunner().invoke(app, [*common, "--cluster", "nowhere"])
    assert wrong.exit_code == 2 and "must be local, dask://host:port" in wrong.output
    nobody = CliRunner().invoke(app, [*common, "--cluster", "spark://127.0.0.1:7077"])
    assert nobody.exit_code == 2
