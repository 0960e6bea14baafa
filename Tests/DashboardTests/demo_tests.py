# SPDX-License-Identifier: Apache-2.0
"""The page of the demo: it shows the measurements, survives a restart of the process, and can be exported.

AXIOM_DEMO names the program, AXIOM_SHOP_ORACLE the same with a ledger, and AXIOM_DASHBOARD_COMMAND the one that renders files;
without the first the tests are skipped.
"""
import gzip
import json
import os
import pathlib
import re
import signal
import socket
import statistics
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from calm_tests import SHIFTS
from support import PATIENCE, PageTest, column, eventually, rows

DEMO, ORACLE, COMMAND = (os.environ.get("AXIOM_" + name) for name in ("DEMO", "SHOP_ORACLE", "DASHBOARD_COMMAND"))


# The time of the data with which the table was drawn last: that of the header, which changes as soon as data arrives.
DRAWN = """window.__drawn = ''; addEventListener('DOMContentLoaded', () => new MutationObserver((changes) => {
    if (changes.some(({target}) => target.parentElement?.closest('#components tbody'))) __drawn = document.getElementById('age').textContent;
}).observe(document.body, {childList: true, characterData: true, subtree: true}));"""


def parsed(page):
    """The samples of a /metrics response: {(name, labels): value}."""
    found = {}
    for line in page.splitlines():
        match = re.match(r"(\w+)(?:\{(.*)\})? (\S+)$", line)
        if match:
            labels = frozenset(re.findall(r'(\w+)="([^"]*)"', match[2] or ""))
            found[match[1], labels] = float(match[3])
    return found


def total(samples, name, **wanted):
    return sum(value for (known, labels), value in samples.items() if known == name and set(wanted.items()) <= labels)


def look(page, place, wanted):
    """What the page shows at one moment, if its data is at least from the time `wanted`: the time of the data, and the column
    `place` by component. The page shows whole seconds."""
    shown, cells = page.evaluate("""(place) => [__drawn.split(' ')[0],
        [...document.querySelectorAll('#components tbody:not([aria-hidden]) tr')].map((tr) => [tr.children[0].innerText.trim(), tr.children[place].innerText.trim()])]""", place)
    if not shown:
        return None
    hours, minutes, seconds = map(int, shown.split(":"))
    # Around midnight the day of the page is another one.
    newer = (hours * 3600 + minutes * 60 + seconds - int(wanted) + 43_200) % 86_400 - 43_200
    return (int(wanted) + newer, dict(cells)) if newer >= 0 else None


class Demo:
    def __init__(self, *arguments, program=DEMO, port=0, log=subprocess.DEVNULL):
        if not port:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
        self.port, self.address = port, f"http://127.0.0.1:{port}/"
        # On a machine under load a slow step must not count as stuck.
        command = [program, "--port", str(port), *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        # With a token if actions are allowed.
        self.dashboard = re.search(r"http://\S+", self.wait_for("dashboard:"))[0]
        self.upstream = re.search(r"http://[\d.:]+", self.wait_for("upstream:"))[0]

    def wait_for(self, words):
        for line in self.process.stdout:
            if words in line:
                return line
        raise AssertionError(f"the demo ended before it said {words}")

    def get(self, path, **headers):
        request = urllib.request.Request(self.address + path, headers=headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read().decode()

    def pass_samples(self, n):
        """Waits until the process has taken `n` more samples, and returns the snapshot."""
        seq = json.loads(self.get("api/snapshot"))["seq"] + n
        shots = lambda: next(filter(lambda shot: shot["seq"] >= seq, [json.loads(self.get("api/snapshot"))]), None)
        return eventually(shots, f"the demo takes sample {seq}", pause=lambda: time.sleep(0.2))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@unittest.skipUnless(DEMO, "AXIOM_DEMO names no program")
class Demonstrated(PageTest):
    expects_failing_requests = True

    def demo(self, *arguments, **options):
        demo = Demo(*arguments, **options)
        self.addCleanup(demo.kill)
        self.origins.add(demo.address.rstrip("/"))
        return demo

    def live(self, demo, fragment=""):
        page = self.open(demo.address + fragment)
        page.wait_for_selector("#pill.good:has-text('live')")
        return page


class Numbers(Demonstrated):
    def test_its_numbers_are_those_of_the_metrics_and_of_the_ledger(self):
        demo = self.demo("--steps", "120", "--rate", "200", "--faults", "mild", "--linger", "120s", program=ORACLE)
        demo.wait_for(" actions; ")
        demo.pass_samples(2)
        page = self.live(demo, "#rate=0.5&cols=calls,created,ended")
        self.until_update(page)
        samples = parsed(demo.get("metrics"))
        names = column(page, "components", "Component")
        calls = dict(zip(names, (int(text.replace(",", "")) for text in column(page, "components", "Calls"))))
        checked = 0
        for kind in ("client", "context"):
            for (name, labels), _ in samples.items():
                if name == f"axiom_{kind}_actions_total":
                    component = dict(labels)[kind]
                    expected = total(samples, name, **{kind: component})
                    if expected < 100_000:
                        self.assertEqual(calls[component], expected, component)
                        checked += 1
        self.assertGreater(checked, 20)
        for title, metric in (("Created", "created_total"), ("Ended", "lifetime_seconds_count"), ("Live", "live")):
            for name, text in zip(names, column(page, "components", title)):
                self.assertEqual(int(text.replace(",", "")), total(samples, f"axiom_component_{metric}", component=name), name)
        errors = sum(int(text.replace(",", "")) for text in column(page, "errors", "Count"))
        self.assertEqual(errors, total(samples, "axiom_errors_total"))
        # The ledger counts each action where it happens, without Axiom.
        ledger = json.loads(urllib.request.urlopen(demo.upstream + "/ledger", timeout=PATIENCE).read())
        for component, actions in ledger["contexts"].items():
            self.assertEqual(calls[component], sum(actions.values()), component)
        self.assert_content(page)

    def test_what_is_exported_shows_what_the_live_page_shows(self):
        demo = self.demo("--steps", "60", "--rate", "200", "--linger", "120s")
        demo.wait_for(" actions; ")
        demo.pass_samples(2)
        paths = {name: self.folder / name for name in ("snapshot.json", "served.html", "rendered.html")}
        counts = lambda: [(row["calls"], row["created"]) for row in json.loads(demo.get("api/snapshot"))["components"]]

        def taken():
            """The live page, if nothing was called while it and the files were made: some components call a capability every few seconds."""
            before = counts()
            paths["snapshot.json"].write_text(demo.get("api/snapshot"))
            paths["served.html"].write_text(demo.get("export.html"))
            page = self.live(demo)
            page.keyboard.press("p")
            page.wait_for_selector("#pill:has-text('paused')")
            if counts() == before:
                return page
            page.close()

        live = eventually(taken, "a moment without calls")
        subprocess.run([COMMAND, "render", paths["snapshot.json"], "-o", paths["rendered.html"]], check=True)
        pages = [live, self.open(paths["served.html"].as_uri()), self.open(paths["rendered.html"].as_uri())]
        for panel in ("components", "errors", "regressions"):
            shown = []
            for page in pages:
                page.evaluate(f"location.hash = '#panel={panel}&cols=calls,created'")
                self.until(page, f"document.activeElement.id === '{panel}-title'")
                # Rates fall while nothing happens, so only the other columns are compared.
                shown.append([cells[:1] + cells[-4:] for cells in sorted(rows(page, panel))] if panel == "components" else [cells[:5] for cells in sorted(rows(page, panel))])
            self.assertEqual(shown[0], shown[1], panel)
            self.assertEqual(shown[0], shown[2], panel)
        for page in pages:
            self.assertTrue(page.is_hidden("#activity a:text-is('Save as test')"), "no action was recorded")
            self.assertEqual(page.evaluate("__violations"), [])

    def test_the_page_with_its_tables_comes_in_40_kB(self):
        demo = self.demo("--steps", "300", "--rate", "500", "--faults", "mild", "--linger", "120s")
        demo.wait_for(" actions; ")
        request = urllib.request.Request(demo.address, headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            self.assertEqual(answer.headers["Content-Encoding"], "gzip")
            body = answer.read()
        tables = gzip.decompress(body).decode().partition("<noscript>")[2].partition("</noscript>")[0]
        for words in ("Component lifetimes", "Actions, slowest first", "Errors, most frequent first", "more components"):
            self.assertIn(words, tables)
        self.assertLessEqual(len(body), 40_000)

    def test_other_origins_and_hosts_are_rejected(self):
        demo = self.demo()
        for headers, code in (({"Origin": "http://evil.example"}, 403), ({"Host": "evil.example"}, 403)):
            with self.assertRaises(urllib.error.HTTPError) as caught:
                demo.get("api/snapshot", **headers)
            self.assertEqual(caught.exception.code, code)
            caught.exception.close()


class Running(Demonstrated):
    def test_after_a_kill_and_a_restart_the_page_reconnects_and_draws_the_gap(self):
        demo = self.demo()
        page = self.live(demo, "#range=60")
        self.until_update(page)
        demo.kill()
        killed = time.monotonic()
        page.wait_for_selector("#pill.bad:has-text('connection lost')")
        self.assertGreater(len(rows(page, "components")), 10)
        # A gap takes three seconds of real time.
        eventually(lambda: time.monotonic() > killed + 3, "three seconds pass")
        self.demo(port=demo.port)
        page.wait_for_selector("#pill.good:has-text('live')")
        self.until(page, "document.querySelector('#vitals rect.gap')")

    def test_in_a_storm_nothing_shifts_and_no_row_is_older_than_two_refreshes(self):
        demo = self.demo("--faults", "storm")
        context = self.context(viewport={"width": 1280, "height": 1000})
        context.add_init_script(SHIFTS + DRAWN)
        page = self.open(demo.address + "#tab=components&cols=calls", context)
        page.wait_for_selector("#pill.good:has-text('live')")
        self.until_update(page, 3)
        place = page.evaluate("[...document.querySelectorAll('#components thead th')].findIndex((th) => th.innerText === 'Calls')")
        page.evaluate("__shift = 0; __moved = []")
        shot, earlier, late, behind, checked = demo.pass_samples(1), [], [], [], 0
        end = shot["seq"] + 40
        while shot["seq"] < end:
            earlier.append((shot["capturedAt"], {row["name"]: row["calls"] for row in shot["components"]}))
            at, shown = eventually(lambda: look(page, place, shot["capturedAt"]), "the page shows a sample", pause=lambda: page.wait_for_timeout(50))
            after = demo.pass_samples(1)
            behind.append(after["seq"] - shot["seq"])
            # A row must have at least what the process had counted two seconds before the time of the data.
            counted = next((calls for taken, calls in reversed(earlier) if taken <= at - 2), {})
            for name, calls in counted.items():
                text = shown.get(name, "k").replace(",", "")
                if text.isdigit():
                    checked += 1
                    if int(text) < calls:
                        late.append(f"{name}: {text} of {calls}")
            shot = after
        self.assertGreater(checked, 100)
        self.assertEqual(late, [])
        # The machine may delay the page for a moment, but not most of the time.
        self.assertLessEqual(statistics.median(behind), 3, behind)
        self.assertLess(page.evaluate("__shift"), 0.1, page.evaluate("__moved.slice(0, 30)"))

    def test_paused_it_does_not_change_and_resumes_without_a_gap(self):
        demo = self.demo()
        page = self.live(demo, "#range=60")
        page.keyboard.press("p")
        page.wait_for_selector("#pill:has-text('paused')")
        self.drawn(page)
        frozen, asked = page.inner_html("main"), len(self.requests)
        demo.pass_samples(3)
        self.assertEqual(self.drawn(page).inner_html("main"), frozen)
        self.assertEqual(len(self.requests), asked)
        page.keyboard.press("p")
        page.wait_for_selector("#pill:has-text('live')")
        self.until_update(page)
        self.assertEqual(page.locator("#vitals rect.gap").count(), 0)
        self.assertNotEqual(page.inner_html("main"), frozen)
        self.assert_content(page)

    def test_each_action_from_the_page_and_its_end_is_a_line_of_the_log(self):
        log = self.enterContext(open(self.folder / "log", "w+"))
        demo = self.demo("--allow-actions", log=log)
        lines = lambda: [line for line in (self.folder / "log").read_text().splitlines() if "axiom.dashboard" in line]
        page = self.open(demo.dashboard + "#sel=client/CartClient")
        self.assertEqual(lines(), [])
        for number, (label, said) in enumerate([
            ("Inject latency", "Latency of 1 s injected into CartClient until"), ("End faults", "Injected faults of CartClient ended"), ("Shadow", "CartClient"),
        ]):
            page.locator("#detail summary[aria-label=Actions]").click()
            page.locator(f"#detail details.menu button:text-is('{label}')").click()
            page.click("#dialog form button")
            eventually(lambda: len(lines()) > number, f"the log has a line for {label}")
            self.assertIn(said, lines()[-1])
            self.assertRegex(lines()[-1], r"^\S+ warning:? axiom\.dashboard")
        refused = urllib.request.Request(demo.address + "api/actions/fault", b"{}", {"Content-Type": "application/json"})
        with self.assertRaises(urllib.error.HTTPError):
            urllib.request.urlopen(refused, timeout=PATIENCE)
        self.assertEqual(len(lines()), 3, "a request without the token leaves no line")

    def test_the_page_shows_that_the_process_was_terminated(self):
        demo = self.demo()
        page = self.live(demo)
        demo.process.send_signal(signal.SIGTERM)
        page.wait_for_selector("#pill.bad:has-text('process ended')")
        self.assertEqual(demo.process.wait(timeout=PATIENCE), 0)

    def test_its_actions_are_saved_as_a_test_which_the_demo_writes_too(self):
        written = self.folder / "written.swift"
        demo = self.demo("--steps", "60", "--rate", "200", "--linger", "120s", "--allow-actions", "--record-scenario", str(written))
        demo.wait_for(" actions; ")
        # The address has the token, and so must the link.
        page = self.open(demo.dashboard + "#panel=activity")
        with page.expect_download() as download:
            page.click("#activity a:text-is('Save as test')")
        self.assertEqual(download.value.suggested_filename, "RecordedScenarioTests.swift")
        saved = pathlib.Path(download.value.path()).read_text()
        self.assert_content(page)
        self.assertGreater(len(re.findall(r"^        await \w+\.send\(\.\w+", saved, re.M)), 20)
        self.assertIn("let app = try Shop.underTest()\n", saved)
        self.assertNotIn("<#", saved)
        demo.process.send_signal(signal.SIGTERM)
        self.assertEqual(demo.process.wait(timeout=PATIENCE), 0)
        unnamed = lambda text: re.sub(r'@Test\(".*"\)', "", text)
        self.assertEqual(unnamed(saved), unnamed(written.read_text()))


if __name__ == "__main__":
    unittest.main()
