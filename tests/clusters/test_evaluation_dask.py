"""Evaluation and fitting on a local Dask cluster of two worker processes."""

import logging

import numpy as np
import pytest
from tests.clusters.logged import LOOPBACK, OPTIONS, Deadly, Softmax, listening, numbers

from rbmle import LinRBMLE
from rbmle.evaluation import evaluate, fit, select
from rbmle.logs import Log

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}
    with (
        LocalCluster(**options, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(2)
        yield client


def test_the_same_numbers_to_the_last_bit(folder, client):
    assert len(client.scheduler_info()["workers"]) == 2 and listening() <= LOOPBACK
    local, remote = (evaluate(folder, Softmax(), engine=engine, **OPTIONS) for engine in (None, "dask"))
    np.testing.assert_array_equal(numbers(local), numbers(remote))
    assert local.n == remote.n == 4000 and str(local) == str(remote)


def test_functions_of_a_notebook_go_along(folder, client):
    first, again = (
        evaluate(folder, lambda batch: np.zeros(len(batch), dtype=int), estimators="ips", engine=engine)
        for engine in ("dask", None)
    )
    assert first.value("ips") == again.value("ips")


def test_a_worker_killed_in_the_middle(folder, client, tmp_path):
    before = set(client.scheduler_info()["workers"])
    marker = tmp_path / "killed"
    found = evaluate(folder, Deadly(marker, "python"), engine="dask", **OPTIONS)
    assert marker.exists()  # somebody died
    np.testing.assert_array_equal(numbers(found), numbers(evaluate(folder, Softmax(), **OPTIONS)))
    client.wait_for_workers(2)
    assert set(client.scheduler_info()["workers"]) != before


def test_fitting_and_selecting(folder, client):
    one, many = (fit(Log.read(folder), LinRBMLE(n_features=3), engine=engine) for engine in (None, "dask"))
    assert many.n_observed == 4000
    for name in ("V", "V_inv", "b", "theta_hat"):
        np.testing.assert_allclose(getattr(many.model, name), getattr(one.model, name), rtol=1e-12, atol=1e-12)
    here, there = (
        select(folder, {"a": Softmax(), "b": "uniform"}, replicates=100, engine=engine) for engine in (None, "dask")
    )
    assert here.candidates == there.candidates
