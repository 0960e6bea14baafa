# SPDX-License-Identifier: Apache-2.0
"""What the tests stand on: a real browser that reports everything it minds, and a server that can be killed."""
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

import assemble
import world

HERE = pathlib.Path(__file__).resolve().parent
CHROMIUM = os.environ.get("AXIOM_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
# The address of a server that runs already: then the tests that only look at a page look at that one.
GIVEN_URL = os.environ.get("AXIOM_DASHBOARD_URL")
HOOK = "window.__violations = []; document.addEventListener('securitypolicyviolation', (e) => __violations.push(e.violatedDirective + ' ' + e.blockedURI));"


@functools.cache
def chromium():
    playwright = sync_playwright().start()
    return playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--enable-precise-memory-info", "--js-flags=--expose-gc"])


class Server:
    """The made-up server in a process of its own; `address` stays when it is killed and started again."""

    def __init__(self, sample="shop", tick=1.0, seed=7):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}/"
        self.arguments = [sample, "--tick", str(tick), "--seed", str(seed)]
        self.start()

    def start(self):
        self.process = subprocess.Popen([sys.executable, str(HERE / "fake_server.py"), str(self.port), *self.arguments])
        for _ in range(200):
            try:
                return self.get("stats")
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the made-up server does not answer")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def get(self, path):
        with urllib.request.urlopen(self.address + path, timeout=10) as answer:
            return json.loads(answer.read())

    def plant(self, key, value=1):
        self.get(f"control/{key}/{value}")


class PageTest(unittest.TestCase):
    """A test with a page. Whatever the page minds (errors, violations of its policy, foreign requests) fails it."""

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
        """A live page: the given server's, or that of a made-up one."""
        if GIVEN_URL:
            self.origins.add(GIVEN_URL.rstrip("/"))
            return GIVEN_URL
        return self.serve(sample).address

    def context(self, **options):
        context = chromium().new_context(**{"viewport": {"width": 1400, "height": 1000}, "timezone_id": "UTC", **options})
        self.addCleanup(context.close)
        context.add_init_script(HOOK)
        return context

    def open(self, address, context=None, ready="#problems.badge, #banner .bad, #pill.bad", **options):
        page = (context or self.context(**options)).new_page()
        page.on("console", lambda message: self.complain(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(address)
        if ready:
            page.wait_for_selector(ready)
        page.wait_for_timeout(150)
        return page

    def complain(self, kind, said):
        if kind == "error" and not (self.expects_failing_requests and "Failed to load resource" in said):
            self.complaints.append(f"console: {said}")

    def file(self, data, title="Axiom", name="page.html"):
        """The address of a page that holds its data, as a file."""
        path = self.folder / name
        path.write_text(assemble.page(data, title), encoding="utf-8", errors="replace")
        return path.as_uri()

    def static(self, sample="shop", fragment="", **options):
        return self.open(self.file(world.World(sample).snapshot) + fragment, **options)

    def until(self, page, expression, seconds=30):
        """Waits until a JavaScript expression holds. The page's own policy forbids Playwright's way, which evaluates."""
        deadline = time.monotonic() + seconds
        while not page.evaluate(expression):
            self.assertLess(time.monotonic(), deadline, f"{expression} did not come to hold within {seconds} s")
            page.wait_for_timeout(20)

    def assert_content(self, page):
        """The page minded nothing, and asked nobody but its own server."""
        self.assertEqual(self.complaints, [])
        self.assertEqual(page.evaluate("__violations"), [])
        foreign = [url for url in self.requests if not any(url.startswith(origin) for origin in self.origins)]
        self.assertEqual(foreign, [])


def rows(page, panel):
    """The table of a panel as the reader sees it: a list of lists of texts."""
    return page.evaluate("(id) => [...document.querySelectorAll('#' + id + ' tbody:not([aria-hidden]) tr')].map((tr) => [...tr.children].map((td) => td.innerText.trim()))", panel)


def column(page, panel, title):
    heads = page.evaluate("(id) => [...document.querySelectorAll('#' + id + ' thead th')].map((th) => th.innerText.replace(/[ ▴▾]+$/, '').trim())", panel)
    return [row[heads.index(title)] for row in rows(page, panel)]
