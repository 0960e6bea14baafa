# SPDX-License-Identifier: Apache-2.0
"""The numbers of a waterfall agree with the buckets of the histograms and with a recording that the application made itself.

AXIOM_PLANTED_FAULTS names the program; see planted_tests.
"""
import json
import re
import unittest
import urllib.request

from demo_tests import parsed
from planted_tests import Application, Planted
from support import PATIENCE, eventually

FAMILIES = {"client": "axiom_client_action_duration_seconds", "context": "axiom_context_action_duration_seconds"}
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60}
# The measurement of the application is inside that of Axiom. The clock of its start may have been set since.
SLACK = 0.01


class Recording(Planted):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "recording"
        self.application = Application("slow-upstream", str(self.file))
        self.addCleanup(self.application.end)

    def get(self, path):
        with urllib.request.urlopen(self.application.address + path, timeout=PATIENCE) as answer:
            return answer.read().decode()

    def recorded(self, name):
        """The calls of this name that have ended: [(start, seconds)]."""
        lines = [line.split() for line in self.file.read_text().splitlines()]
        return [(float(start), float(seconds)) for called, start, seconds in lines if called == name]

    def finished(self, component):
        """The durations of all actions of a component that are known, in seconds."""
        shown = json.loads(self.get(f"api/activity?limit=1000&component={component}"))["activity"]
        return [row["seconds"] for row in shown if row["name"] == "run"]

    def buckets(self, kind, component):
        """The cumulative counts of an action by upper bound."""
        samples = parsed(self.get("metrics"))
        return {float(dict(labels)["le"]): count for (name, labels), count in samples.items() if name == FAMILIES[kind] + "_bucket" and {(kind, component), ("action", "run")} <= labels}

    def slowest_trace(self):
        """Opens the trace of the slowest call by clicks, and returns the page and the trace as JSON."""
        page = self.show(self.application)
        self.press(page, self.problem(page, "Upstream is slow"))
        self.press(page, self.seen(page, "#detail a", "CatalogClient"))
        # A call whose trace has not ended has no link to it yet.
        self.press(page, self.seen(page, "#latency tbody a[href*='trace=']", re.compile("^CatalogClient.run")))
        self.seen(page, "#trace tbody tr", "Upstream")
        return page, json.loads(self.get("api/traces/" + re.search("trace=([0-9a-f]{32})", page.url)[1]))

    def shown(self, page):
        """What the waterfall says of each span: [(name, start, seconds)]."""
        found = []
        for row in page.evaluate("[...document.querySelectorAll('#trace tbody tr')].map((tr) => [tr.querySelector('a').textContent, tr.children[2].innerText, tr.children[3].innerText])"):
            size = lambda text: re.match(r"\+?([\d.,]+) (\w+)", text).groups()
            found.append((row[0], *(float(number.replace(",", "")) * UNITS[unit] for number, unit in map(size, row[1:]))))
        return found

    def test_each_span_agrees_with_the_histogram_and_with_the_recording(self):
        page, trace = self.slowest_trace()
        actions = [span for span in trace["spans"] if span["kind"].endswith("_action")]
        self.assertEqual([span["component"] for span in actions], ["CatalogContext", "CatalogClient", "OrderClient"])
        for (name, start, seconds), span in zip(self.shown(page), trace["spans"], strict=True):
            # The page shows three digits.
            self.assertEqual(name, f"{span['component']}.{span['name']}")
            self.assertAlmostEqual(seconds, span["seconds"], delta=span["seconds"] * 0.006)
            self.assertAlmostEqual(start, span["start"] - trace["start"], delta=0.006 * trace["seconds"] + 1e-6)
        for span in actions:
            name = f"{span['component']}.{span['name']}"
            with self.subTest(name):
                # The application measured the same call: one call is inside the span.
                self.assertEqual(len(self.inside(span, name)), 1)
                self.assertLessEqual(self.inside(span, name)[0][1], span["seconds"])
                self.check_buckets(span)
                self.check_overhead(span["component"], name)
        self.assert_content(page)

    def inside(self, span, name):
        """The recorded calls that are inside a span."""
        end = span["start"] + span["seconds"]
        return [call for call in self.recorded(name) if span["start"] - SLACK <= call[0] and call[0] + call[1] <= end + SLACK]

    def check_overhead(self, component, name):
        """Spans are hardly longer than the calls inside. Between both, a task may wait for a processor, but not each time."""
        shown = [row for row in json.loads(self.get(f"api/activity?limit=1000&component={component}"))["activity"] if row["name"] == "run"]
        extra = [span["seconds"] - call[1] for span in shown for call in self.inside(span, name)]
        self.assertGreater(len(extra), 3)
        self.assertLess(min(extra), 0.25)

    def check_buckets(self, span):
        """Each bucket counts the actions of its durations, and the span is one of them."""
        component = span["component"]
        before, counts, after = self.finished(component), self.buckets(span["componentKind"], component), self.finished(component)
        self.assertGreater(len(counts), 3)
        for bound, count in counts.items():
            known = [sum(seconds <= bound for seconds in durations) for durations in (before, after)]
            self.assertTrue(known[0] <= count <= known[1], f"{count} actions of {component} took at most {bound} s, and {known} are known")
        bound = min(bound for bound in counts if span["seconds"] <= bound)
        lower = max([counts[other] for other in counts if other < bound], default=0)
        self.assertGreater(counts[bound] - lower, 0, f"the bucket up to {bound} s has no action, and the span took {span['seconds']} s")

    def test_the_histogram_counts_what_the_application_counted(self):
        eventually(lambda: self.file.exists() and len(self.recorded("OrderClient.run")) > 5, "some calls end")
        for kind, name in [("client", "CatalogClient"), ("client", "OrderClient"), ("context", "CatalogContext")]:
            # A call that the application has recorded ends for Axiom a moment later, so the last one may be missing.
            before, counts, after = len(self.recorded(name + ".run")), self.buckets(kind, name), len(self.recorded(name + ".run"))
            self.assertTrue(before - 1 <= max(counts.values()) <= after, f"{name}: {before}, {max(counts.values())}, {after}")


if __name__ == "__main__":
    unittest.main()
