"""A newcomer: an empty environment, the wheel, and the code of every tutorial from top to bottom."""

import json
import os
import subprocess
import sys
import venv

import pytest
from tests.docs.pages import DOCS, ROOT, TUTORIALS, figure_cells

pytestmark = pytest.mark.long
RUNNER = ROOT / "tests" / "docs" / "newcomer.py"
FAMILY = DOCS / "explanation" / "family.md"


def clean():
    """An environment that knows nothing of this folder."""
    return {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    }


@pytest.fixture(scope="module")
def python(once):
    """The interpreter of an environment in which only the wheel was installed."""
    return once("newcomer", install) / "env" / "bin" / "python"


def install(folder):
    """The wheel of this folder into an empty environment, with what figures and tables need."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(pip, check=True, timeout=600, env=clean())
    (wheel,) = folder.glob("rbmle-*.whl")
    venv.create(folder / "env", with_pip=True)
    wanted = [
        str(folder / "env" / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        f"rbmle[report] @ {wheel.as_uri()}",
    ]
    subprocess.run(wanted, check=True, timeout=1200, env=clean())


@pytest.mark.parametrize("page", [*TUTORIALS, DOCS / "index.md", FAMILY], ids=lambda page: page.stem)
def test_a_newcomer_runs_it(page, python, tmp_path):
    cells = figure_cells(page)
    done = subprocess.run(
        [str(python), str(RUNNER)], input=json.dumps(cells), capture_output=True, text=True, timeout=600, check=False,
        cwd=tmp_path, env=clean() | {"RBMLE_CACHE_DIR": str(python.parents[1] / "cache")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    promised = sum(shows for _, shows in cells)
    assert done.stdout.splitlines()[-1].startswith(f"{promised} figures, rbmle from {python.parents[1]}")
    assert promised >= 1
