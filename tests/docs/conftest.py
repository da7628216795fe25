"""The site, built once as `make docs` builds it, and a browser that looks at its pages."""

import fcntl
import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from html import unescape
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FRAME = (Path(__file__).parent / "frame.html").read_text(encoding="utf-8")
# Seconds that a batch of pages may take.
PATIENCE = 110.0


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """A function that lets `make` fill a folder, once for all workers of a run; the others wait for it."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent

    def once(name, make):
        folder, done = shared / name, shared / f"{name}.done"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                done.touch()
        return folder

    return once


@pytest.fixture(scope="session")
def site(once):
    """A folder of HTML. Any warning of Sphinx is an error, and so is a page whose code fails.

    With RBMLE_SITE, a site that was built before is looked at.
    """
    if "RBMLE_SITE" in os.environ:
        return Path(os.environ["RBMLE_SITE"]).resolve()
    if importlib.util.find_spec("sphinx") is None:
        pytest.skip("sphinx is not installed: pip install --group docs")
    return once("site", build) / "html"


def build(folder):
    """As `make docs` does, in a folder of its own."""
    source, target = folder / "docs", folder / "html"
    shutil.copytree(
        ROOT / "docs", source, ignore=shutil.ignore_patterns("_build", "methods", "reference", "__pycache__")
    )
    shutil.copy(ROOT / "CHANGELOG.md", source.parent)  # a page includes it
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "-W", "-n", "--keep-going", str(source), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False, env=dict(os.environ))
    assert done.returncode == 0, done.stderr[-5000:] + done.stdout[-2000:]


@pytest.fixture(scope="session")
def look(site, open_browser):
    """A function of pages, a width and a colour scheme: what was seen of each, and what the console said."""
    browser, seen_all = open_browser(site), threading.Event()
    plain = browser.server.RequestHandlerClass

    class Holding(plain.func):
        def do_GET(self):
            if self.path == "/_done":
                seen_all.set()
            if self.path == "/_hold":
                seen_all.wait(PATIENCE)
            if self.path in ("/_done", "/_hold"):
                self.send_error(404)
            else:
                super().do_GET()

    browser.server.RequestHandlerClass = functools.partial(Holding, **plain.keywords)

    def look(names, *, width, dark=False):
        frame = site / f"_frame-{os.getpid()}-{width}-{int(dark)}.html"
        frame.write_text(FRAME.replace("WIDTH", str(width)).replace("NAMES", " ".join(names)), encoding="utf-8")
        seen_all.clear()
        done = browser._run(frame.name, dark, "--dump-dom", f"--window-size={max(width, 600)},1000")
        frame.unlink()
        found = re.search(r'<pre id="measured">(.*?)</pre>', done.stdout, re.DOTALL)
        assert found and found[1], f"the browser did not report: {done.stdout[-300:]} {done.stderr[-2000:]}"
        # The theme tells what it does, under its name; that is no complaint.
        said = [line for line in done.stderr.splitlines() if "CONSOLE" in line and '"[PST]: ' not in line]
        said = [line for line in said if "/_hold" not in line and "/_done" not in line]
        return json.loads(unescape(found[1])), said

    return look
