"""Files that version 0.1 wrote load, and go on as 0.1 itself did (tests/data/0.1; make.py there made them with 0.1)."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

from rbmle import KGStar, load
from rbmle.errors import StateFileError
from rbmle.policies import storage

FOLDER = Path(__file__).parents[1] / "data" / "0.1"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
MADE = runpy.run_path(str(FOLDER / "make.py"))

# What is not the same: a setting that is not there any more, and a formula that was wrong.
REFUSED, CORRECTED = ("VIDS-grid", "VIDS-least_gain"), ("KGStar",)
# Learns better than it did: what it knew is the same, what it does after learning more need not be.
LEARNS_OTHERWISE = ("GLMRBMLE-online",)
# Files whose class has another name now; the last two once the published forms are classes of their own.
RENAMED = {
    "BayesUCB-variance": "PublishedBayesUCB",
    "KnowledgeGradient-variance": "PublishedKnowledgeGradient",
    "KGStar-variance": "PublishedKGStar",
    "VIDS-published": "PublishedVIDS",
}


def test_there_is_a_file_of_every_case():
    assert set(EXPECTED) == set(MADE["CASES"]) == {file.stem for file in FOLDER.glob("*.npz")}


@pytest.mark.parametrize("name", [name for name in EXPECTED if name not in (*REFUSED, *CORRECTED)])
def test_a_file_of_0_1_goes_on_as_it_did(name, tmp_path):
    policy = load(FOLDER / f"{name}.npz")
    assert type(policy).__name__ in (RENAMED.get(name, name.split("-")[0]), f"Published{name.split('-')[0]}")
    assert policy.t == MADE["LEARNT"] + 1
    contexts, rewards = MADE["rounds"](MADE["NEXT"], seed=2)
    np.testing.assert_allclose(policy.copy().scores(contexts[0]), EXPECTED[name]["scores"], rtol=1e-9)
    policy.save(tmp_path / "again.npz")
    same = 1 if name in LEARNS_OTHERWISE else MADE["NEXT"]
    for each in (policy, load(tmp_path / "again.npz")):
        assert MADE["go_on"](each, contexts[:same], rewards[:same]) == EXPECTED[name]["arms"][:same]


@pytest.mark.parametrize("name", REFUSED)
def test_a_setting_that_is_gone_is_named(name):
    with pytest.raises(StateFileError, match=r"VIDS\(grid=.*, when_certain='least_.*'\) is not there any more"):
        load(FOLDER / f"{name}.npz")


def test_the_noise_of_kg_star_was_a_variance():
    policy = load(FOLDER / "KGStar.npz")
    assert type(policy) is KGStar
    assert policy.noise == 2.0  # 0.1 was told 4.0
    assert policy.t == MADE["LEARNT"] + 1


def test_what_was_learnt_is_what_dense_algebra_says():
    """The state of LinUCB from the rounds that it played, by solving the normal equations."""
    policy, (contexts, rewards) = load(FOLDER / "LinUCB.npz"), MADE["rounds"](MADE["LEARNT"], seed=1)
    V, b = np.eye(MADE["FEATURES"]), np.zeros(MADE["FEATURES"])
    for X, r in zip(contexts, rewards, strict=True):
        V_inv = np.linalg.inv(V)
        arm = np.argmax(X @ V_inv @ b + 0.5 * np.sqrt(np.einsum("ij,jk,ik->i", X, V_inv, X)))
        V, b = V + np.outer(X[arm], X[arm]), b + r[arm] * X[arm]
    np.testing.assert_allclose(policy.model.V, V, rtol=1e-12)
    np.testing.assert_allclose(policy.model.theta_hat, np.linalg.solve(V, b), rtol=1e-9)
    np.testing.assert_allclose(policy.model.log_det, np.linalg.slogdet(V)[1], rtol=1e-12)


def test_a_choice_that_0_1_did_not_have(tmp_path):
    header, arrays = storage.read(FOLDER / "BayesUCB.npz")
    header["params"]["spread"] = "wide"
    storage.files.write_arrays(tmp_path / "p.npz", header, arrays)
    with pytest.raises(StateFileError, match=r"BayesUCB\(spread='wide'\) is not among the choices of version 0.1"):
        load(tmp_path / "p.npz")
