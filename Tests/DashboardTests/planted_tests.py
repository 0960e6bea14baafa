# SPDX-License-Identifier: Apache-2.0
"""Somebody who does not know the application finds the cause of each planted fault on its page, with at most three clicks.

AXIOM_PLANTED_FAULTS names the program; without it the tests are skipped, and with CI in the environment they fail.
"""
import os
import pathlib
import re
import select
import subprocess
import time
import unittest
import urllib.request

from support import PATIENCE, PageTest, eventually

PROGRAM = os.environ.get("AXIOM_PLANTED_FAULTS")
COMMAND = os.environ.get("AXIOM_DASHBOARD_COMMAND")
FAULTS = ["slow-upstream", "failing-storage", "open-breaker", "leak", "main-actor-hang", "reentrant-update", "lost-capability", "regression"]
CLICKS = 3


class Application:
    """A run of the program with a fault, and maybe a file for its recording. It ends when its standard input is closed."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.printed = b""

    @property
    def address(self):
        deadline = time.monotonic() + PATIENCE
        while b"\n" not in self.printed:
            if not self.lines(max(0, deadline - time.monotonic())) and time.monotonic() > deadline:
                raise AssertionError(f"{self.process.args} printed no address within {PATIENCE} s")
        return self.printed.decode().split("\n")[0].strip()

    def lines(self, seconds=0):
        """The lines that it has printed. Waits for more of them, for some seconds at most."""
        if select.select([self.process.stdout], [], [], seconds)[0]:
            read = os.read(self.process.stdout.fileno(), 4096)
            if not read:
                raise AssertionError(f"{self.process.args} ended with {self.process.wait(PATIENCE)} before its input was closed")
            self.printed += read
        return self.printed.decode().split("\n")[:-1]

    def waited(self):
        """The seconds for which its threads were ready to run and other programs had the processors."""
        stats = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(stat.read_text().split()[1]) for stat in stats) / 1e9

    def end(self):
        """Closes standard input, and returns the exit code."""
        self.process.stdin.close()
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.stdout.close()


MIDDLE = """(link) => {
    window.__clicked = null;
    const {x, y, width, height} = link.getBoundingClientRect(), place = [x + Math.min(40, width / 2), y + height / 2];
    return [...place, link.contains(document.elementFromPoint(...place))];
}"""


class Planted(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not PROGRAM:
            message = "AXIOM_PLANTED_FAULTS names no program"
            raise AssertionError(message) if os.environ.get("CI") else unittest.SkipTest(message)

    def show(self, application):
        """Opens the page as a new visitor does: at its bare address, in a window of common size."""
        self.origins.add(application.address.rstrip("/"))
        self.clicks = 0
        page = self.open(application.address, viewport={"width": 1280, "height": 800})
        page.wait_for_selector("#pill.good:has-text('live')")
        return page

    def problem(self, page, *words):
        """Waits until a problem of the verdict contains these words, and returns its link."""
        return self.seen(page, "#list a", *words)

    def seen(self, page, where, *words):
        """Waits until a visible element contains all words, and returns the first such element."""
        found = page.locator(where).filter(visible=True)
        for word in words:
            found = found.filter(has_text=word)
        try:
            self.until(page, lambda: found.count() > 0)
        except AssertionError as error:
            shown = page.inner_text("body")
            raise AssertionError(f"{where} shows no {words} at {page.url}, but this:\n{shown[:3000]}") from error
        return found.first

    def press(self, page, link):
        """Moves the pointer to the middle of an element and clicks there, if nothing else is at that place. The next update of
        the page may move the element away from the pointer; then it clicks again, as a person does, and at most twice."""
        self.clicks += 1
        self.assertLessEqual(self.clicks, CLICKS)
        self.assertTrue(any(self.hits(page, link) for _ in range(3)), "the element moved away from the pointer three times")

    def hits(self, page, link):
        """Clicks, and returns whether the click reached the element."""
        link.scroll_into_view_if_needed()
        self.drawn(page)
        element = link.element_handle()
        # The place and what is there, in one moment.
        x, y, is_on_top = element.evaluate(MIDDLE)
        self.assertTrue(is_on_top, f"something covers {link.inner_text()}")
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.up()
        self.drawn(page)
        # The element may no longer be in the page.
        return element.evaluate("(element) => element.contains(window.__clicked)")

    def upright(self, page):
        self.assert_content(page)
        self.assertLessEqual(self.clicks, CLICKS)


class Causes(Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # All run at the same time: some faults take seconds to be seen.
        cls.running = {fault: Application(fault) for fault in FAULTS}
        for application in cls.running.values():
            cls.addClassCleanup(application.end)

    def find(self, fault, *words):
        """The page of a fault, and its problem with these words."""
        page = self.show(self.running[fault])
        return page, self.problem(page, *words)

    def test_failing_storage(self):
        page, problem = self.find("failing-storage", "Archive fails", "2 of 2 clients fail", "2 contexts are affected")
        self.press(page, problem)
        self.seen(page, "#occurrences tbody tr", "ARCHIVE_FULL", "The archive /var/archive has no space left", "DeskContext.run")
        self.seen(page, "#detail a", "NoteClient")
        self.upright(page)

    def test_leak(self):
        page, problem = self.find("leak", "DialogContext", "3 leak suspects")
        self.press(page, problem)
        self.seen(page, ".leaks li", re.compile("DialogContext #\\d+, leak suspect, alive for .*, since"))
        self.upright(page)

    def test_lost_capability(self):
        page, problem = self.find("lost-capability", "Locator fails", "AXIOM_CAPABILITY_002", "1 of 1 client fails")
        self.press(page, problem)
        self.seen(page, "#occurrences tbody tr", "MapContext.run", "the positioning service went away")
        self.seen(page, "#detail a", "MapClient")
        self.upright(page)

    def test_main_actor_hang(self):
        page, problem = self.find("main-actor-hang", "Main actor", "held", "ReportContext.run")
        self.press(page, problem)
        self.seen(page, "#hangs p", re.compile("blocked for 4\\d\\d ms: ReportContext.run"))
        self.upright(page)

    def test_open_breaker(self):
        page, problem = self.find("open-breaker", "Circuit PaymentClient is open", "PAYMENT_REFUSED")
        self.assertEqual(page.locator("#list a", has_text="AXIOM_CIRCUIT_001").count(), 0, "what the circuit refuses is no problem of its own")
        self.press(page, problem)
        self.seen(page, "#cards article", "consecutive failures", "PAYMENT_REFUSED: The bank refuses the connection.")
        self.upright(page)

    def test_reentrant_update(self):
        page, problem = self.find("reentrant-update", "CounterClient", "AXIOM_STATE_003")
        self.press(page, problem)
        row = self.seen(page, "#occurrences tbody tr", "CounterContext.run", "CounterState")
        self.assertRegex(row.inner_text(), "(?i)update")
        self.upright(page)

    def test_slow_upstream(self):
        page, problem = self.find("slow-upstream", "Upstream is slow", "2 of 2 clients are slow")
        self.press(page, problem)
        self.press(page, self.seen(page, "#detail a", re.compile("CatalogClient|OrderClient")))
        # A call whose trace has not ended has no link to it yet.
        self.press(page, self.seen(page, "#latency tbody a[href*='trace=']", re.compile("^(CatalogClient|OrderClient).run")))
        # The capability takes the time of the client.
        client = self.seen(page, "#trace tbody tr", "CatalogClient.run", "limit 100 ms")
        self.assertIn("✕", client.inner_text())
        call = self.seen(page, "#trace tbody tr", "Upstream", "capability call")
        self.assertRegex(call.inner_text(), r"\b[3-9]\d\d ms|\d s")
        self.upright(page)

    def test_an_error_leads_to_its_trace(self):
        page, problem = self.find("failing-storage", "Archive fails")
        self.press(page, problem)
        self.press(page, self.seen(page, "#occurrences tbody th a", re.compile(r"\d\d:\d\d:\d\d")))
        self.assertIn("failure", self.seen(page, "#trace tbody tr", "DeskContext.run", "ARCHIVE_FULL from Archive").inner_text())
        self.upright(page)

    def test_the_command_names_the_cause_too(self):
        for fault, words in [("failing-storage", ["Archive fails", "path: DeskContext →", "ARCHIVE_FULL"]), ("open-breaker", ["Circuit PaymentClient is open"])]:
            command = [COMMAND, "diagnose", self.running[fault].address]
            found = lambda: subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
            holds = lambda output: output.returncode == 1 and all(word in output.stdout for word in words) and output
            output = eventually(lambda: holds(found()), f"{command} names {words}", pause=lambda: time.sleep(0.5))
            self.assertLessEqual(len(output.stdout.encode()), 2048)
            self.assertEqual(output.stderr, "")

    def test_a_violation_of_a_budget_leads_to_its_trace(self):
        page = self.find("slow-upstream", "Upstream is slow")[0]
        self.press(page, self.seen(page, "#nav a", "Budgets"))
        self.press(page, self.seen(page, "#budgets .split tbody a[href*='trace=']", re.compile("(CatalogClient|OrderClient).run")))
        self.seen(page, "#trace tbody tr", "Upstream", "capability call")
        self.upright(page)

    def test_an_exemplar_leads_to_its_trace(self):
        address = self.running["slow-upstream"].address
        request = urllib.request.Request(address + "metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})

        def exemplar():
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return re.search(r'client_action_duration_seconds_bucket\{[^}]*client="CatalogClient".*# \{[^}]*trace_id="(\w{32})"', answer.read().decode())

        found = eventually(exemplar, "a bucket has an exemplar", pause=lambda: time.sleep(0.5))
        self.origins.add(address.rstrip("/"))
        page = self.open(f"{address}trace/{found[1]}")
        self.seen(page, "#trace tbody tr", "CatalogClient.run")
        self.assertIn(found[1], page.inner_text("#trace dl"))

    def test_zz_regression(self):
        # The last one: the program records a baseline of 25 seconds first.
        page, problem = self.find("regression", "Upstream is slow", "slower than the baseline")
        self.press(page, problem)
        self.press(page, self.seen(page, "#detail a", re.compile("CatalogClient|OrderClient")))
        row = self.seen(page, "#regressions tbody tr", "regressed", "p50", re.compile("(CatalogClient|OrderClient).run"))
        self.assertRegex(row.inner_text(), r"\d×")
        self.press(page, row.locator("a[href*='trace=']"))
        self.seen(page, "#trace tbody tr", "Upstream", "capability call")
        self.upright(page)


class Ends(Planted):
    def test_the_program_ends_with_its_input(self):
        application = Application("none")
        self.addCleanup(application.process.kill)
        self.assertTrue(application.address.startswith("http://127.0.0.1:"))
        self.assertEqual(application.end(), 0)


if __name__ == "__main__":
    unittest.main()
