"""The store: bit for bit, whoever writes, and no damage goes unseen."""

import json
import sqlite3
import subprocess
import sys
import threading
import zlib
from pathlib import Path

import numpy as np
import pytest

from rbmle import LinUCB, sweep
from rbmle.errors import StateFileError
from rbmle.problems import LinearProblem
from rbmle.simulation import simulate
from rbmle.simulation import store as module
from rbmle.simulation.store import Outcome, Store, key_of

OUTCOME = Outcome(np.array([0.1, 1 / 3]), 2e-7, b"state")


def test_trials_come_back_bit_for_bit(tmp_path: Path) -> None:
    with Store(tmp_path / "deep") as store:
        store.put("key", {"trial": 0}, OUTCOME)
        assert "key" in store
        first = store.run
    with Store(tmp_path / "deep") as store:
        found = store.get("key")
        assert len(store) == 1
        assert store.find("other") is None
        assert found.run == first != store.run
    assert found.regret.tobytes() == OUTCOME.regret.tobytes()
    assert found[1:3] == OUTCOME[1:3]


def test_many_trials_take_little_room(tmp_path: Path) -> None:
    """A curve of 20 points is 160 bytes; what it is found by, as text, is over a kilobyte and is kept packed."""
    policies = sweep(LinUCB, n_features=3, alpha=[0.1, 0.3])
    problem = LinearProblem([0.3, -0.5, 0.8], 5)
    simulate(policies, problem, horizon=100, trials=500, record=20, store=tmp_path, progress=False)
    with sqlite3.connect(tmp_path / "trials.sqlite") as file:
        rows = file.execute("SELECT settings FROM outcomes").fetchall()
    file.close()
    told = [zlib.decompress(packed).decode() for (packed,) in rows]
    assert {(json.loads(text)["trial"], json.loads(text)["name"]) for text in told} == {
        (trial, name) for trial in range(500) for name in policies
    }
    assert min(map(len, told)) > 1000
    assert (tmp_path / "trials.sqlite").stat().st_size < 1500 * len(rows)


def test_rows_of_files_that_were_written_before_settings_were_packed(tmp_path: Path) -> None:
    parts = ("key", '{"trial": 0}', OUTCOME.regret.tobytes(), OUTCOME.seconds, OUTCOME.state, "run")
    with Store(tmp_path):
        pass
    with sqlite3.connect(tmp_path / "trials.sqlite") as file:
        file.execute("INSERT INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?)", (*parts, module.checksum(*parts)))
    file.close()
    with Store(tmp_path) as store:
        assert store.get("key").regret.tobytes() == OUTCOME.regret.tobytes()


def test_a_file_of_any_name(tmp_path: Path) -> None:
    with Store(tmp_path / "mine.sqlite") as store:
        store.put("key", {}, OUTCOME)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.sqlite"]


def test_names_depend_on_every_setting_and_on_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"trial": 0, "policy": {"policy": "LinUCB", "alpha": 1.0}}
    assert key_of(settings) == key_of(dict(reversed(settings.items())))
    assert key_of(settings) != key_of({**settings, "trial": 1})
    assert key_of(settings) != key_of({**settings, "policy": {"policy": "LinUCB", "alpha": 2.0}})
    before = key_of(settings)
    for name in ("rbmle", "numpy", "scipy", "numba"):
        changed = {**module.computed_by(), name: "another"}
        with monkeypatch.context() as patch:
            patch.setattr(module, "computed_by", lambda changed=changed: changed)
            assert key_of(settings) != before, name


@pytest.mark.parametrize("column", ["settings", "regret", "seconds", "state", "run", "checksum"])
def test_a_changed_row_counts_as_not_there(tmp_path: Path, column: str) -> None:
    with Store(tmp_path) as store:
        store.put("good", {}, OUTCOME)
        store.put("bad", {}, OUTCOME)
    with sqlite3.connect(tmp_path / "trials.sqlite") as file:
        value: object = OUTCOME.seconds * 2 if column == "seconds" else b"\0" * 16
        file.execute(f"UPDATE outcomes SET {column} = ? WHERE key = 'bad'", (value,))
    file.close()
    with Store(tmp_path) as store:
        assert "good" in store
        assert "bad" not in store
        assert store.damaged == 1
        with pytest.raises(StateFileError, match="no undamaged trial bad"):
            store.get("bad")
        store.put("bad", {}, OUTCOME)
    with Store(tmp_path) as store:
        assert store.get("bad").seconds == OUTCOME.seconds


def test_a_file_that_is_no_store_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "trials.sqlite").write_text("not a database, but long enough to be taken for one " * 9)
    with pytest.raises(StateFileError, match=r"trials.sqlite cannot be used.*Move it away"):
        Store(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StateFileError, match="cannot be opened"):
        Store(tmp_path / "file")


def test_a_held_lock_is_said_with_the_name_of_the_file(tmp_path: Path) -> None:
    with Store(tmp_path, patience=0.05) as store:
        other = sqlite3.connect(tmp_path / "trials.sqlite")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StateFileError, match=r"trials.sqlite is locked: another program"):
            store.put("key", {}, OUTCOME)
        with pytest.raises(StateFileError, match=r"trials.sqlite is locked"):
            Store(tmp_path, patience=0.05)
        other.rollback()
        other.close()
    with Store(tmp_path) as store:
        assert "key" in store, "what waited for the lock was written later"


def test_threads(tmp_path: Path) -> None:
    with Store(tmp_path) as store:

        def work(worker: int) -> None:
            for number in range(100):
                key = f"{worker} {number}"
                store.put(key, {}, Outcome(np.array([float(number)]), 1.0))
                assert store.get(key).regret.tolist() == [float(number)]

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    with Store(tmp_path) as store:
        assert len(store) == 800
        assert all(f"{worker} {number}" in store for worker in range(8) for number in range(100))


CHILD = """
import sys, numpy as np
from rbmle.simulation import store as module
module.DELAY = 0.0
with module.Store(sys.argv[1]) as store:
    for number in range(60):
        store.put(f"{sys.argv[2]} {number}", {}, module.Outcome(np.array([float(number)]), 1.0))
        store.put(f"shared {number}", {}, module.Outcome(np.array([float(number)]), 1.0))
"""


def test_processes(tmp_path: Path) -> None:
    Store(tmp_path).__exit__()
    workers = [subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path), name]) for name in "ab"]
    assert [worker.wait(120) for worker in workers] == [0, 0]
    with Store(tmp_path) as store:
        assert len(store) == 180
        assert all(store.get(f"{name} {n}").regret.tolist() == [float(n)] for name in "ab" for n in range(60))
