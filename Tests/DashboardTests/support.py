# SPDX-License-Identifier: Apache-2.0
"""Test support: a browser that records all errors, and a server that tests can kill and restart."""
import functools
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

from playwright.sync_api import sync_playwright

import shipped
import world

HERE = pathlib.Path(__file__).resolve().parent
# The same engine without the windows of a browser opens a page with less than half the work.
CHROMIUM = os.environ.get("AXIOM_CHROMIUM") or next(filter(None, map(shutil.which, ["chromium-headless-shell", "chromium", "chromium-browser"])), None)
# The URL of a running server. If it is set, tests that only read a page use that server.
GIVEN_URL = os.environ.get("AXIOM_DASHBOARD_URL")
# The longest wait of a test in seconds. It is long enough for any slow machine.
PATIENCE = 120
# A window that shows every panel. It has few pixels, so that painting is fast.
TALL = {"viewport": {"width": 1400, "height": 6000}, "device_scale_factor": 0.2}
# Records violations of the policy, where the latest click arrived, and the number of the latest tick that the page received.
HOOK = "window.__violations = []; document.addEventListener('securitypolicyviolation', (e) => __violations.push(e.violatedDirective + ' ' + e.blockedURI));"
HOOK += "addEventListener('click', (e) => { window.__clicked = e.target; }, true);"
HOOK += "window.EventSource = class extends EventSource { constructor(url) { super(url); this.addEventListener('tick', (e) => window.__tick = +e.lastEventId); } };"


@functools.cache
def chromium():
    playwright = sync_playwright().start()
    return playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--enable-precise-memory-info", "--js-flags=--expose-gc"])


def eventually(holds, what, seconds=PATIENCE, pause=lambda: time.sleep(0.02)):
    """Calls `holds` until it returns a true value, and returns that value. The limit only ends waits for what never comes."""
    deadline = time.monotonic() + seconds
    while not (given := holds()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        pause()
    return given


class Server:
    """The fake server in a separate process. After a kill and a restart it has the same `address`."""

    def __init__(self, sample="shop", tick=1.0, seed=7, at=1795270000, **more):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}/"
        self.options = {"tick": tick, "seed": seed, "at": at, **more}
        self.start(sample)

    def start(self, sample):
        """Starts the server, and returns when it answers."""
        options = [text for name, value in self.options.items() for text in ("--" + name, str(value))]
        self.process = subprocess.Popen([sys.executable, str(HERE / "fake_server.py"), str(self.port), sample, *options])
        eventually(self.answers, "the fake server does not answer")

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the fake server ended with {self.process.returncode}")
        try:
            return self.get("stats")
        except OSError:
            return None

    def kill(self):
        if self.process.poll() is None:
            try:
                self.last = self.get("stats")["at"]
            finally:
                self.process.kill()
                self.process.wait()

    def restart(self, sample, after):
        """Starts another run after a kill. By its own clock it starts `after` seconds later."""
        self.options["at"] = self.last + after
        self.start(sample)

    def get(self, path):
        with urllib.request.urlopen(self.address + path, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def plant(self, key, value=1):
        self.get(f"control/{key}/{value}")

    def until(self, holds, what="its statistics are as expected"):
        """Waits until `holds` is true for the statistics, and returns them."""
        def found():
            stats = self.get("stats")
            return stats if holds(stats) else None
        return eventually(found, f"{self.address}: {what}")

    def step(self, n=1):
        """Makes `n` ticks at once, and returns the number of the last one."""
        return self.get(f"step/{n}")["seq"]

    def pass_ticks(self, n):
        """Waits until the server has made `n` more ticks."""
        seq = self.get("stats")["seq"] + n
        return self.until(lambda stats: stats["seq"] >= seq, f"tick {seq} comes")


class PageTest(unittest.TestCase):
    """A test with a page. It records errors, violations of the policy and requests to other servers."""

    expects_failing_requests = False

    @classmethod
    def setUpClass(cls):
        if not CHROMIUM:
            message = "Chromium is missing: sudo apt-get install chromium"
            raise AssertionError(message) if os.environ.get("CI") else unittest.SkipTest(message)

    def setUp(self):
        self.complaints, self.requests, self.origins = [], [], {"file://", "data:", "blob:"}
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def serve(self, *arguments, **options):
        server = Server(*arguments, **options)
        self.addCleanup(server.kill)
        self.origins.add(server.address.rstrip("/"))
        return server

    def address(self, sample="shop"):
        """The URL of a live page, of the given server or of a fake server."""
        if GIVEN_URL:
            self.origins.add(GIVEN_URL.rstrip("/"))
            return GIVEN_URL
        return self.serve(sample).address

    def context(self, **options):
        context = chromium().new_context(**{"viewport": {"width": 1400, "height": 1000}, "timezone_id": "UTC", **options})
        self.addCleanup(context.close)
        context.add_init_script(HOOK)
        context.set_default_timeout(PATIENCE * 1000)
        return context

    def timed(self, **options):
        """A context whose pages have a clock that the test can move. Otherwise it follows the real time."""
        context = self.context(**options)
        context.clock.install()
        return context

    def open(self, address, context=None, ready="#problems[class], #banner .bad, #pill.bad", **options):
        page = (context or self.context(**options)).new_page()
        page.on("console", lambda message: self.complain(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(address)
        if ready:
            page.wait_for_selector(ready)
            # The page makes its panels in the frames after the verdict.
            page.wait_for_selector("#main:not([aria-busy])", state="attached")
        return self.drawn(page)

    def drawn(self, page):
        """Waits for some frames, until the page has drawn a change and the panels that became visible because of it."""
        page.evaluate("new Promise((done) => { let left = 3; const frame = () => --left < 0 ? done() : requestAnimationFrame(frame); frame(); })")
        return page

    def click(self, page, what):
        page.click(what)
        return self.drawn(page)

    def complain(self, kind, said):
        if kind == "error" and not (self.expects_failing_requests and "Failed to load resource" in said):
            self.complaints.append(f"console: {said}")

    def file(self, data, title="Axiom", name="page.html"):
        """The URL of a file: a page with embedded data."""
        path = self.folder / name
        path.write_text(shipped.page(data, title), encoding="utf-8", errors="replace")
        return path.as_uri()

    def static(self, sample="shop", fragment="", **options):
        return self.open(self.file(world.World(sample).snapshot) + fragment, **options)

    def until(self, page, holds):
        """Waits until a JavaScript expression or a Python function is true. Playwright's own wait needs eval, which the policy
        of the page forbids."""
        found = holds if callable(holds) else lambda: page.evaluate(holds)
        return eventually(found, str(holds), pause=lambda: page.wait_for_timeout(20))

    def until_tick(self, page, seq):
        """Waits until the page has received the tick `seq` and has drawn it, if it draws each tick."""
        self.until(page, f"window.__tick >= {seq}")
        return self.drawn(page)

    def let_pass(self, page, seconds):
        """Moves the clock of a page, which the test has installed, while updates arrive. Steps of two seconds, because a page
        takes a longer silence for a lost stream."""
        for _ in range(0, seconds, 2):
            page.clock.fast_forward(2000)
            self.until_update(page)

    def until_update(self, page, times=1):
        """Waits until the time at the end of the first chart changes."""
        shown = lambda: page.text_content("#vitals .axis span:last-child")
        for _ in range(times):
            before = shown()
            self.until(page, lambda: shown() != before)

    def assert_content(self, page):
        """Asserts that there were no errors, and that the page sent requests only to its own server."""
        self.assertEqual(self.complaints, [])
        self.assertEqual(page.evaluate("__violations"), [])
        foreign = [url for url in self.requests if not any(url.startswith(origin) for origin in self.origins)]
        self.assertEqual(foreign, [])


def rows(page, panel):
    """The visible table of a panel: a list of rows, each a list of texts."""
    return page.evaluate("(id) => [...document.querySelectorAll('#' + id + ' tbody:not([aria-hidden]) tr')].map((tr) => [...tr.children].map((td) => td.innerText.trim()))", panel)


def column(page, panel, title):
    heads = page.evaluate("(id) => [...document.querySelectorAll('#' + id + ' thead th')].map((th) => th.innerText.replace(/[ ▴▾]+$/, '').trim())", panel)
    return [row[heads.index(title)] for row in rows(page, panel)]
