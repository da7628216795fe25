"""Settings of all tests, and a real browser for pages that we write: opens them, and says what it saw."""

import functools
import http.server
import json
import re
import shutil
import signal
import subprocess
import threading
from html import unescape

import pytest
from hypothesis import settings

# Fixtures of several files; a second conftest.py would be another module of the same name.
pytest_plugins = ("tests.evaluation.worlds", "tests.logs.samples", "tests.online.servers")
# There are no examples in them, and of several modules of one name only one can be looked through for some; programs
# that tests start, or that made their data, are not to be imported.
collect_ignore_glob = ["*conftest.py", "data/*", "clusters/on_ray.py"]

# The same examples in every run: a failure can be looked at again.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--disable-extensions", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars"),
    "--enable-logging=stderr",
)

# The page stands in a frame of the width wanted, for a headless window cannot be as narrow as a phone.
FRAME = """<!DOCTYPE html>
<html><body style="margin:0"><iframe src="/{name}" style="border:0; width:{width}px; height:{height}px"></iframe>
<pre id="measured"></pre>
<script>
addEventListener("load", () => {{
  const frame = document.querySelector("iframe"), page = frame.contentDocument, view = frame.contentWindow;
  const all = (query) => [...page.querySelectorAll(query)];
  const box = (node) => node.getBoundingClientRect();
  const name = (node) => node.tagName + "." + node.getAttribute("class") + " " + node.textContent.trim().slice(0, 40);
  const within = (node) => box(node).left >= -1 && box(node).right <= view.innerWidth + 1;
  const reaches = (scroll) => {{
    scroll.scrollLeft = 1e6;
    return [...scroll.querySelectorAll("td, th")].every((cell) => box(cell).right <= box(scroll).right + 1);
  }};
  const outside = all("body *").filter((node) => !node.closest(".scroll, svg") && !within(node)).map(name);
  const body = view.getComputedStyle(page.body);
  document.querySelector("#measured").textContent = JSON.stringify({{
    title: page.title,
    width: view.innerWidth,
    page_width: page.documentElement.scrollWidth,
    dark: view.matchMedia("(prefers-color-scheme: dark)").matches,
    ink: body.color,
    paper: body.backgroundColor,
    figures: all("svg").map((node) => ({{
      width: box(node).width, height: box(node).height, ink: view.getComputedStyle(node).color, within: within(node),
    }})),
    tables: all("table").length,
    containers: all(".scroll").length,
    cut_off_tables: all(".scroll").filter((node) => !within(node) || !reaches(node)).map(name),
    outside: outside,
  }});
}});
</script></body></html>
"""


@pytest.fixture
def listening():
    """Take Ctrl-C even where the tests were started in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Browser:
    """Chromium on a folder of pages."""

    def __init__(self, executable, folder, profile):
        self.executable, self.folder, self.profile = executable, folder, profile
        self.requests = []
        browser = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, format, *args):
                browser.requests.append(self.path)

        handler = functools.partial(Handler, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def measure(self, name, *, width, dark=False, height=3000):
        """Open a page at a width and in a colour scheme; returns what the script above found, and console messages."""
        frame = self.folder / f"frame-{width}-{int(dark)}.html"  # of one name, the browser would keep the first
        frame.write_text(FRAME.format(name=name, width=width, height=height), encoding="utf-8")
        done = self._run(frame.name, dark, "--dump-dom", f"--window-size={max(width, 600)},{height}")
        frame.unlink()
        found = re.search(r'<pre id="measured">(.*?)</pre>', done.stdout, re.DOTALL)
        assert found, f"the browser did not report: {done.stdout[-500:]} {done.stderr[-2000:]}"
        measured = json.loads(unescape(found[1]))
        measured["console"] = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        return measured

    def screenshot(self, name, path, *, dark=False, width=1200, height=1600):
        """Write what one sees as a PNG file."""
        self._run(name, dark, f"--screenshot={path}", f"--window-size={width},{height}")

    def _run(self, name, dark, *options):
        scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
        address = f"http://127.0.0.1:{self.server.server_port}/{name}"
        command = [self.executable, *OPTIONS, f"--user-data-dir={self.profile}", scheme, *options, address]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


@pytest.fixture(scope="session")
def open_browser(tmp_path_factory):
    """A function that opens Chromium on a folder; skips where there is none."""
    executable = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if executable is None:
        pytest.skip(f"no browser found on PATH (looked for {', '.join(CHROMIUM)}); pages were not opened")
    opened = []

    def open_on(folder):
        browser = Browser(executable, folder, tmp_path_factory.mktemp("profile"))
        opened.append(browser)
        return browser

    yield open_on
    for browser in opened:
        browser.server.shutdown()
        browser.server.server_close()
