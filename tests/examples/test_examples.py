"""Every example runs, as somebody would run it; what it asserts holds. Guides: see test_guides."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(path):
    sources = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)], capture_output=True, text=True, timeout=300, check=False,
        env=os.environ | {"PYTHONPATH": sources},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_examples_are_short():
    assert {"quickstart", "news", "ads", "abtest"} <= {path.stem for path in EXAMPLES}
    assert [path.stem for path in EXAMPLES if len(path.read_text(encoding="utf-8").splitlines()) > 80] == []
