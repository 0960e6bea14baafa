# SPDX-License-Identifier: Apache-2.0
"""One run: starts the programs, disturbs them by the schedule, takes readings, and judges."""

import json
import os
import time

from . import ledger, verdicts
from .plants import Plant
from .program import Demo, fetch
from .prometheus import Prometheus
from .readers import Readers
from .report import Report
from .schedule import Schedule

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Run:
    def __init__(self, options, say):
        self._options, self._say = options, say
        self._schedule = Schedule(options.minutes, options.speed)
        self._sizes = {name: [] for name in verdicts.TOLERANCES}
        self._firing, self._problems, self._waits = set(), [], []
        self._restarted = float("-inf")
        self._counts = {"reload": 0, "clock": 0, "restart": 0, "faults": 0, "reading": 0}

    def run(self):
        """Returns the report."""
        seconds = self._schedule.seconds
        self._demo = Demo(self._options.demo, seconds, self._options.rate, self._say)
        self._started, self._epoch = time.monotonic(), time.time()
        prometheus = readers = plant = None
        try:
            plant = Plant(self._options.plant, self._demo, self._schedule)
            source = os.path.join(ROOT, "Dashboards", "prometheus")
            prometheus = self._prometheus = Prometheus(source, self._demo.metrics.partition("//")[2], self._schedule.speed)
            readers = self._readers = Readers(self._demo.metrics, self._options.seed)
            self._disturb(plant)
            return self._conclude(plant)
        finally:
            for part in [plant, readers, prometheus]:
                if part:
                    part.stop()
            if self._demo.is_running:
                self._demo.stop()

    # Disturbances

    def _disturb(self, plant):
        for event in self._events(plant):
            self._sleep_until(event.at)
            if not self._demo.is_running:
                self._problems.append(f"shop-oracle ended after {self._elapsed:.0f} s")
                return
            self._counts[event.kind] += 1
            getattr(self, "_" + event.kind)(event, plant)

    def _events(self, plant):
        events = self._schedule.events()
        extra = plant.extra_events()
        if extra:
            events += [type(events[0])(extra[0], "planted", "storm")]
            self._counts["planted"] = 0
        return sorted(events, key=lambda event: event.at)

    def _planted(self, event, plant):
        self._demo.set_faults(event.argument)

    def _faults(self, event, plant):
        mode = plant.faults(event.argument, event.at)
        self._demo.set_faults(mode)
        self._note(f"the faults of the server are now {event.argument}")

    def _reload(self, event, plant):
        self._demo.reload()

    def _clock(self, event, plant):
        self._demo.set_clock(event.argument)
        self._note(f"the wall clock of shop-oracle is now {event.argument:+d} s from the true time")

    def _restart(self, event, plant):
        self._prometheus.restart(kill=event.argument == "kill")
        self._restarted = self._elapsed
        how = "killed" if event.argument == "kill" else "ended"
        self._note(f"Prometheus was {how} and started again")

    def _reading(self, event, plant):
        own, files = self._demo.memory()
        try:
            page = ledger.Page(fetch(self._demo.metrics + "/metrics"))
        except OSError as error:
            self._problems.append(f"/metrics was not served after {self._elapsed:.0f} s: {error}")
            return
        reading = {
            "heap in use": page.total("process_heap_bytes"), "own memory": own, "threads": self._demo.threads(),
            "descriptors": self._demo.descriptors(), "series": len(page.samples),
        }
        for name, size in reading.items():
            self._sizes[name].append(size)
        self._waits.append((self._elapsed, self._demo.processor_wait()))
        self._say(
            f"{self._elapsed / 60:6.1f} min  {reading['heap in use'] / 1e6:6.1f} MB of heap  {own / 1e6:6.1f} MB own  "
            f"{files / 1e6:6.1f} MB of files  {reading['threads']:3} threads  {reading['descriptors']:3} descriptors  "
            f"{reading['series']} series  {page.total('axiom_client_actions_total'):,.0f} client actions"
        )
        self._watch_alerts()

    def _watch_alerts(self):
        firing = {tuple(sorted(labels.items())) for labels in self._prometheus.firing()}
        if self._elapsed < self._restarted + self._gap:
            firing |= self._firing
        for labels in sorted(firing - self._firing):
            self._note("fires: " + describe(labels))
        for labels in sorted(self._firing - firing):
            self._note("has ended: " + describe(labels))
        self._firing = firing

    # The end

    def _conclude(self, plant):
        ended = self._demo.wait_for_load(self._schedule.seconds - self._elapsed + 300)
        plant.stop()
        report = Report(self._schedule, self._elapsed, waits=self._waits)
        if not ended:
            self._problems.append("the load did not end")
            report.problems = self._problems
            return report
        self._demo.set_clock(0)
        self._compare(report)
        self._judge_alerts(report)
        self._readers.stop()
        self._judge_disturbances(report)
        report.growths = [
            verdicts.growth(name, sizes, self._schedule.seconds) for name, sizes in self._sizes.items()
        ]
        report.processor_seconds = {
            "shop-oracle": self._demo.processor_seconds(), "Prometheus": self._prometheus.processor_seconds(),
        }
        code = self._demo.stop()
        if code != 0:
            self._problems.append(f"shop-oracle ended with the status {code}")
        report.problems = self._problems
        return report

    def _compare(self, report):
        page = ledger.Page(fetch(self._demo.metrics + "/metrics"))
        kept = json.loads(fetch(self._demo.upstream + "/ledger"))
        report.differences, report.comparisons = ledger.compare(page, kept, self._demo.generation)
        report.actions = page.total("axiom_client_actions_total")
        report.faults, report.requests = kept["upstream"]["faults"], kept["upstream"]["requests"]
        self._compare_with_prometheus(report)

    def _compare_with_prometheus(self, report):
        """Prometheus has the last counts, and saw neither a counter that went back nor another start time."""
        time.sleep(3 * self._prometheus.scrape)
        window = f"[{round(self._elapsed) + 60}s]"
        checks = [
            ("client actions in Prometheus", "sum(axiom_client_actions_total)", report.actions),
            ("counters that went back", f"sum(resets(axiom_client_actions_total{window}))", 0),
            ("changes of the start time", f"sum(changes(process_start_time_seconds{{job=\"axiom\"}}{window}))", 0),
        ]
        for what, query, expected in checks:
            found = self._prometheus.value(query)
            report.comparisons += 1
            if found != expected:
                report.differences.append(f"{what}: {found}, expected {expected:g}")

    def _judge_alerts(self, report):
        slack = 2 * self._prometheus.evaluation + 2 * self._prometheus.scrape
        report.slack = slack
        report.firings = verdicts.firings(self._prometheus.history(self._elapsed + 60), self._epoch, self._gap)
        report.missing = verdicts.missing(report.firings, self._schedule, slack)

    def _judge_disturbances(self, report):
        readers = self._readers
        report.disturbances = [
            f"outages of the shop's server: {len(self._schedule.outages)}, with {report.faults:,} faults in "
            f"{report.requests:,} requests",
            f"SIGHUPs, each with a new configuration: {self._counts['reload']}",
            f"steps of the wall clock, forward and back: {self._counts['clock']}",
            f"restarts of Prometheus on its storage: {self._prometheus.restarts}, {self._prometheus.kills} of them after SIGKILL",
            f"visits of dashboard readers: {readers.visits:,}, with {readers.events:,} events",
            f"dashboard readers that did not read: {readers.unread}, one at a time",
            f"lines of the demo about missed budgets: {self._demo.missed_budgets:,}, not printed here",
        ]
        if readers.refused:
            self._problems.append(f"{readers.refused} dashboard readers got no stream")
        if readers.visits == 0 or readers.events == 0:
            self._problems.append("no dashboard reader received an event")

    # Time

    @property
    def _gap(self):
        """The seconds without an alert that do not end it: after its start Prometheus waits for the delay of a rule again."""
        return max(self._schedule.scaled(2.5), 10 * self._prometheus.evaluation)

    @property
    def _elapsed(self):
        return time.monotonic() - self._started

    def _sleep_until(self, at):
        time.sleep(max(0.0, at - self._elapsed))

    def _note(self, text):
        self._say(f"{self._elapsed / 60:6.1f} min  {text}")


def describe(labels):
    labels = dict(labels)
    shown = [f"{name}={value}" for name, value in labels.items() if name not in ("alertname", "job", "instance", "severity")]
    return " ".join([labels["alertname"]] + shown)
