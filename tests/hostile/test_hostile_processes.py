"""Checks in processes of their own: they pass for some policies of every kind, and find the fault they look for."""

import os
import signal
import time

import numpy as np
import pytest

from rbmle import (
    ACB,
    EVILL,
    GLMRBMLE,
    VIDS,
    Discount,
    ECOLog,
    EpsilonGreedy,
    LaplaceTS,
    LinRBMLE,
    LinTS,
    LinUCB,
    Window,
)
from rbmle.testing import HOSTILE_CHECKS, CheckFailed, hostile, run_in_subprocess
from rbmle.testing.subprocesses import expect_survived

POLICIES = {
    "LinRBMLE": LinRBMLE(n_features=30),
    "LinTS": LinTS(n_features=4),
    "GLMRBMLE": GLMRBMLE(n_features=3, memory="online"),
    "LaplaceTS": LaplaceTS(n_features=3),
}
MORE = {
    "LinUCB that forgets": LinUCB(n_features=3, forgetting=Window(9)),
    "EVILL that forgets": EVILL(n_features=3, forgetting=Discount(0.9)),
    "ACB": ACB(n_features=3),
    "ECOLog": ECOLog(n_features=3),
}


@pytest.mark.parametrize("check", HOSTILE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", POLICIES)
def test_policies_pass(name, check):
    check(POLICIES[name].copy())


@pytest.mark.parametrize("name", list(MORE)[:2])
def test_saves_of_what_forgets_are_whole(name):
    hostile.saves_are_never_torn(MORE[name].copy())


@pytest.mark.long
@pytest.mark.parametrize("check", HOSTILE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", MORE)
def test_more_policies_pass(name, check):
    check(MORE[name].copy())


@pytest.mark.parametrize(
    "policy", [VIDS(n_features=3, samples=50), EpsilonGreedy(n_features=14)], ids=lambda each: type(each).__name__
)
def test_wrong_numbers_for_other_formulas(policy):
    hostile.wrong_numbers_are_refused(policy)


def test_three_thousand_files():
    hostile.saves_are_never_torn(LinUCB(n_features=30), files=3000)


def test_four_threads_of_five_thousand():
    hostile.threads_lose_nothing(LinUCB(n_features=5), threads=4, rounds=5000)


def dies():
    os.kill(os.getpid(), signal.SIGSEGV)


def fails():
    raise KeyError("told on the error stream")


def test_outcomes():
    assert run_in_subprocess(divmod, 7, 2).result == (3, 1)
    assert run_in_subprocess(dies).ended == "crashed"
    failed = run_in_subprocess(fails)
    assert failed.ended == "raised"
    assert "told on the error stream" in failed.told
    assert run_in_subprocess(time.sleep, 60, timeout=1.0).ended == "hung"
    for call in (dies, fails):
        with pytest.raises(CheckFailed, match="the process"):
            expect_survived("a call", call)


class Torn(LinUCB):
    """Learns and counts in two goes, without a lock."""

    title = "torn"

    def update(self, context, reward):
        n = self.model.n
        self.model.observe(context, reward)
        self.model._n = n
        time.sleep(1e-3)
        self.model._n = n + 1


class Uncounted(LinUCB):
    """Counts by itself, without a lock."""

    title = ""

    def update(self, context, reward):
        n = self.model.n
        super().update(context, reward)
        time.sleep(1e-4)
        self.model._n = n + 1


class Trusting(LinTS):
    """Hands on whatever was drawn."""

    title = ""

    def _drawn(self, count):
        return np.array(self.draws(self.rng, count), dtype=float).reshape(count, -1)


def test_torn_files_are_found():
    with pytest.raises(CheckFailed, match="V of another moment"):
        hostile.saves_are_never_torn(Torn(n_features=3), files=20)


def test_lost_rewards_are_found():
    with pytest.raises(CheckFailed, match="rewards are counted"):
        hostile.threads_lose_nothing(Uncounted(n_features=3), rounds=50)


def test_unchecked_numbers_are_found():
    with pytest.raises(CheckFailed):
        hostile.wrong_numbers_are_refused(Trusting(n_features=3))


def loads_an_impostor():
    """In a process of its own, for it makes a class known that nobody else should meet."""
    hostile.load = lambda path: LinTS(n_features=2)
    hostile.load_beside_a_namesake(LinUCB, "nowhere")


def test_impostors_are_found():
    with pytest.raises(CheckFailed, match="was loaded as"):
        expect_survived("loading", loads_an_impostor)
