# SPDX-License-Identifier: Apache-2.0
"""Queries in PromQL, put together from the metrics of metrics.py with the units of their results.

A name, a label or a kind that the list does not have is an error when the files are generated, not an empty panel.

    shown = Scope('job=~"$job", instance=~"$instance"', "$__rate_interval")
    shown.rate("axiom_client_actions_total", "client", outcome="failure")
"""

from dataclasses import dataclass

from metrics import METRICS, TARGET_LABELS


class WrongQuery(Exception):
    """A query names what there is not, or uses it as what it is not."""


@dataclass(frozen=True)
class Query:
    """An expression, and Grafana's unit of what it answers."""

    expr: str
    unit: str

    def __truediv__(self, other):
        """The ratio, as a share of 1. Both sides need the same labels."""
        return Query(f"{self.expr}\n/\n{other.expr}", "percentunit")

    def over(self, other, *labels):
        """The ratio to what has these labels only."""
        return Query(f"{self.expr}\n/ on ({', '.join(labels)}) group_left ()\n{other.expr}", "percentunit")

    def less(self, other):
        return Query(f"{self.expr}\n-\n{other.expr}", self.unit)

    def in_unit(self, unit):
        """The same numbers, shown as something else."""
        return Query(self.expr, unit)

    def above(self, bound):
        return Query(f"{_grouped(self.expr)} > {bound}", self.unit)

    def times(self, factor):
        return Query(f"{_grouped(self.expr)} * {factor}", self.unit)

    def or_zero(self):
        """0 where there is no series at all: nothing failed is not the same as no data."""
        return Query(f"{_grouped(self.expr)} or vector(0)", self.unit)

    def largest(self, count):
        return Query(f"topk({count}, {_indented(self.expr)})", self.unit)


class Scope:
    """Which series are asked, and over which time rates are taken."""

    def __init__(self, matchers, window):
        self.matchers = matchers
        self.window = window

    def over(self, window):
        """The same series, with rates over another time."""
        return Scope(self.matchers, window)

    def series(self, name, suffix="", **where):
        """A selector, such as `axiom_client_actions_total{outcome="failure"}`.

        A value that begins with `$` is a variable of the dashboard, one with `!` is excluded; of a tuple each value is
        taken.
        """
        metric = _metric(name)
        _require_labels(metric, where)
        matchers = ", ".join(([self.matchers] if self.matchers else []) + [_matcher(*item) for item in where.items()])
        return name + suffix + ("{" + matchers + "}" if matchers else "")

    def total(self, name, *by, **where):
        """The sum of a gauge."""
        return self._gauge("sum", name, by, where)

    def count(self, name, *by, **where):
        """How many series there are."""
        query = self._gauge("count", name, by, where)
        return Query(query.expr, "short")

    def largest(self, name, *by, **where):
        """The greatest of a gauge."""
        return self._gauge("max", name, by, where)

    def smallest(self, name, *by, **where):
        """The least of a gauge."""
        return self._gauge("min", name, by, where)

    def rate(self, name, *by, **where):
        """How much a counter, or the number of observations of a histogram, grows per second."""
        metric = _metric(name, "counter", "histogram")
        suffix = "_count" if metric.kind == "histogram" else ""
        unit = "ops" if metric.kind == "histogram" else metric.rate_unit
        return Query(self._summed("rate", name, suffix, by, where), unit)

    def increase(self, name, *by, **where):
        """How much a counter grows."""
        metric = _metric(name, "counter")
        return Query(self._summed("increase", name, "", by, where), metric.unit)

    def mean(self, name, *by, **where):
        """The mean of a histogram's observations."""
        metric = _metric(name, "histogram")
        sums, counts = (self._summed("rate", name, suffix, by, where) for suffix in ("_sum", "_count"))
        return Query(f"{sums}\n/\n{counts}", metric.unit)

    def quantile(self, share, name, *by, **where):
        """A percentile of a histogram's observations."""
        metric = _metric(name, "histogram")
        buckets = self._summed("rate", name, "_bucket", ("le",) + by, where)
        return Query(f"histogram_quantile({share}, {_indented(buckets)})", metric.unit)

    def buckets(self, name, *by, **where):
        """How much the buckets of a histogram grow per second."""
        _metric(name, "histogram")
        return Query(self._summed("rate", name, "_bucket", by + ("le",), where), "ops")

    def _gauge(self, function, name, by, where):
        metric = _metric(name, "gauge")
        _require_labels(metric, by)
        return Query(f"{function}{_by(by)} ({self.series(name, **where)})", metric.unit)

    def _summed(self, function, name, suffix, by, where):
        _require_labels(_metric(name), (label for label in by if label != "le"))
        return f"sum{_by(by)} ({function}({self.series(name, suffix, **where)}[{self.window}]))"


def _metric(name, *kinds):
    if name not in METRICS:
        raise WrongQuery(f"there is no metric {name}; metrics.py lists them all")
    metric = METRICS[name]
    if kinds and metric.kind not in kinds:
        raise WrongQuery(f"{name} is a {metric.kind}, but is used as a {' or a '.join(kinds)}")
    return metric


def _require_labels(metric, labels):
    for label in labels:
        if label not in metric.labels + TARGET_LABELS:
            raise WrongQuery(f"{metric.name} has no label {label}; it has {', '.join(metric.labels) or 'none'}")


def _matcher(label, value):
    if isinstance(value, tuple):
        return f'{label}=~"{"|".join(value)}"'
    if value.startswith("$"):
        return f'{label}=~"{value}"'
    if value.startswith("!"):
        return f'{label}!="{value[1:]}"'
    return f'{label}="{value}"'


def _by(labels):
    return f" by ({', '.join(labels)})" if labels else ""


def _grouped(expr):
    return f"({_indented(expr)})" if "\n" in expr else expr


def _indented(expr):
    return "\n  " + expr.replace("\n", "\n  ") + "\n" if "\n" in expr else expr
