"""Simulations on a local Ray of two processors. It would listen on the network, so it runs in a network of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.cluster

# A new network has a loopback that is down.
UP = """
import fcntl, os, socket, struct, sys
with socket.socket() as one:
    fcntl.ioctl(one, 0x8914, struct.pack("16sh", b"lo", 0x49))  # SIOCSIFFLAGS: up, loopback, running
os.execv(sys.argv[1], sys.argv[1:])
"""


def isolated(*command):
    """A command in a network of its own; None where that is not permitted."""
    if shutil.which("unshare") is None:
        return None
    for options in (["-n"], ["-rn"]):  # as root, or with a user of its own too
        whole = ["unshare", *options, sys.executable, "-c", UP, *command]
        tried = subprocess.run([*whole[: -len(command)], shutil.which("true")], check=False, capture_output=True)
        if tried.returncode == 0:
            return whole
    return None


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What `on_ray.py` prints."""
    pytest.importorskip("ray")
    command = isolated(sys.executable, "-m", "tests.clusters.on_ray", str(tmp_path_factory.mktemp("ray")))
    if command is None:
        pytest.skip("a network of its own is not permitted here (unshare -n), and Ray would listen on the other")
    home = Path(__file__).parents[2]
    settings = {"PYTHONPATH": os.pathsep.join([str(home), *sys.path]), "RAY_AUTH_MODE": "disabled",
                "RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}  # fmt: skip
    done = subprocess.run(
        command, check=False, env=os.environ | settings, cwd=home, capture_output=True, text=True, timeout=400
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_the_same_bits_for_any_number_of_packets(found):
    assert found["equal"] == [True, True]


def test_data_are_unpacked_once_by_every_worker(found):
    assert 1 <= len(found["unpacked"]) == len(set(found["unpacked"])) <= 2
    assert found["begun"] == {str(trial): 1 for trial in range(60)}


def test_a_killed_worker_costs_what_it_had_not_finished(found):
    assert found["after a kill"] == [True, True, True]
    assert found["begun with a store"] == {**{str(trial): 1 for trial in range(12)}, "5": 2}


def test_errors_are_those_of_the_policy_and_say_what_is_missing(found):
    assert found["raised"] == "ZeroDivisionError: a mistake of the policy"
    assert "backend='ray' needs Ray: call ray.init first" in found["unconnected"]
