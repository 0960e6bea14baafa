# SPDX-License-Identifier: Apache-2.0
"""The result of a run as text."""

from dataclasses import dataclass, field

from . import verdicts

BYTES = ["heap in use", "own memory"]


@dataclass
class Report:
    schedule: object
    seconds: float
    slack: float = 0.0
    actions: float = 0.0
    faults: int = 0
    requests: int = 0
    comparisons: int = 0
    differences: list = field(default_factory=list)
    growths: list = field(default_factory=list)
    firings: list = field(default_factory=list)
    missing: list = field(default_factory=list)
    disturbances: list = field(default_factory=list)
    processor_seconds: dict = field(default_factory=dict)
    problems: list = field(default_factory=list)
    # The time since the start of the load, and the seconds for which shop-oracle had waited for a processor.
    waits: list = field(default_factory=list)

    @property
    def unexplained(self):
        return [found for found in self.firings if not self._cause(found)]

    def _cause(self, firing):
        """What explains an alert; an empty text if nothing does."""
        if numbers := verdicts.explanation(firing, self.schedule, self.slack):
            return "outage " + " and ".join(map(str, numbers))
        return "other programs had the processors" if verdicts.is_delayed(firing, self.waits, self.schedule, self.slack) else ""

    @property
    def failures(self):
        """Everything that makes the run fail, as messages."""
        found = ["counts: " + difference for difference in self.differences]
        found += [f"growth: {growth.name}" for growth in self.growths if growth and not growth.is_tolerable]
        found += [f"alerts: {name} fired, and no outage explains it" for name in sorted({f.name for f in self.unexplained})]
        found += ["alerts: " + text for text in self.missing]
        return found + self.problems

    def lines(self):
        yield ""
        yield f"Disturbances in {self.seconds / 60:.1f} minutes"
        yield from ("  " + text for text in self.disturbances)
        yield ""
        yield f"Counts: {self.comparisons} compared, {len(self.differences)} differ; {self.actions:,.0f} client actions"
        yield from ("  " + text for text in self.differences)
        yield ""
        yield from self._growth_lines()
        yield ""
        yield from self._alert_lines()
        yield ""
        for name, seconds in self.processor_seconds.items():
            yield f"{name} used {seconds:.1f} s of processor time, {seconds / self.seconds:.2%} of one processor"
        if self.waits:
            yield f"shop-oracle waited for a processor for {self.waits[-1][1]:.1f} s"
        yield ""
        yield from ("  FAILED  " + text for text in self.failures)
        yield "FAILED" if self.failures else "PASSED"

    def _growth_lines(self):
        if not all(self.growths):
            yield "Growth: not judged, the run has fewer than eight readings"
            return
        yield "Growth: the mean of the last quarter of the readings against that of the second"
        yield f"  {'':12} {'second':>10} {'last':>10} {'change':>8} {'allowed':>10} {'least':>10} {'most':>10}"
        for growth in self.growths:
            show = megabytes if growth.name in BYTES else plain
            change = growth.last / growth.second - 1 if growth.second else 0.0
            yield (
                f"  {growth.name:12} {show(growth.second):>10} {show(growth.last):>10} {change:>+8.1%} "
                f"{show(growth.allowed):>10} {show(growth.least):>10} {show(growth.most):>10}"
                + ("" if growth.is_tolerable else "  too much")
            )

    def _alert_lines(self):
        outages = ", ".join(f"{outage.begin / 60:.1f} to {outage.end / 60:.1f}" for outage in self.schedule.outages)
        yield f"Alerts: outages from {outages} min; alerts fired {len(self.firings)} times"
        groups = {}
        for found in self.firings:
            labels = dict(found.labels)
            name = found.name + (f" {labels['long']}/{labels['short']}" if "short" in labels else "")
            groups.setdefault((name, self._cause(found)), []).append(found)
        for (name, cause), found in sorted(groups.items()):
            begin, end = min(f.begin for f in found) / 60, max(f.end for f in found) / 60
            yield f"  {name:38} {len(found):3} times, from {begin:6.1f} to {end:6.1f} min  {cause or 'NOTHING EXPLAINS IT'}"
        yield from (f"  {text}" for text in self.missing)


def megabytes(size):
    return f"{size / 1e6:.1f} MB"


def plain(size):
    return f"{size:.1f}"
