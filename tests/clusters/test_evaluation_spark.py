"""Evaluation and fitting on a local Spark cluster of two executors, each a process of its own."""

import os
import shutil
import sys

import numpy as np
import pytest
from tests.clusters.logged import LOOPBACK, OPTIONS, Deadly, Softmax, listening, numbers

from rbmle import LinRBMLE
from rbmle.evaluation import evaluate, fit
from rbmle.logs import Log

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of py4j
]


@pytest.fixture(scope="module")
def session():
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_TESTING", "1")
        settings = {
            "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
            "spark.executorEnv.PYTHONPATH": os.pathsep.join(sys.path), "spark.log.level": "OFF",
        }  # fmt: skip
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("rbmle")
        for key, value in settings.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        yield session
        session.stop()


def test_the_same_numbers_to_the_last_bit(folder, session):
    local, remote = (evaluate(folder, Softmax(), engine=engine, **OPTIONS) for engine in (None, "spark"))
    np.testing.assert_array_equal(numbers(local), numbers(remote))
    assert session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() == 3  # two executors and the driver
    assert listening() <= LOOPBACK


def test_functions_of_a_notebook_go_along(folder, session):
    first, again = (
        evaluate(folder, lambda batch: np.zeros(len(batch), dtype=int), estimators="ips", engine=engine)
        for engine in ("spark", None)
    )
    assert first.value("ips") == again.value("ips")


def test_an_executor_killed_in_the_middle(folder, session, tmp_path):
    marker = tmp_path / "killed"
    found = evaluate(folder, Deadly(marker, "CoarseGrainedExecutorBackend"), engine="spark", **OPTIONS)
    assert marker.exists()  # somebody died
    np.testing.assert_array_equal(numbers(found), numbers(evaluate(folder, Softmax(), **OPTIONS)))


def test_fitting(folder, session):
    one, many = (fit(Log.read(folder), LinRBMLE(n_features=3), engine=engine) for engine in (None, "spark"))
    assert many.n_observed == 4000
    for name in ("V", "V_inv", "b", "theta_hat"):
        np.testing.assert_allclose(getattr(many.model, name), getattr(one.model, name), rtol=1e-12, atol=1e-12)
