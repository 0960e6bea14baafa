# SPDX-License-Identifier: Apache-2.0
"""Builds PromQL queries, with the unit of their result, from the metrics of metrics.py.

An unknown name, label or kind is an error of the generator, not an empty panel.

A server stores a histogram as classic series (`_bucket`, `_sum`, `_count`), as one native series, or as both while its
user moves from one form to the other; of a fleet, some instances may have one form and some the other. Each query of a
histogram reads both forms:

- A count or a mean is that of all instances, each in one form, whatever form it has. While an instance changes its form,
  a count takes each event once.
- A quantile is the higher one of two: that of the classic series, and that of the native ones. An instance with both forms has
  one in both. That of all instances of a mixed fleet is between the two.
- A heat map shows the classic series if there are any.

    shown = Scope('job=~"$job", instance=~"$instance"', "$__rate_interval")
    shown.rate("axiom_client_actions_total", "client", outcome="failure")
"""

from dataclasses import dataclass

from metrics import METRICS, TARGET_LABELS


class InvalidQuery(Exception):
    """A query uses an unknown metric or label, or uses a metric as the wrong kind."""


@dataclass(frozen=True)
class Query:
    """An expression, and the Grafana unit of its result."""

    expr: str
    unit: str

    def __truediv__(self, other):
        """The ratio, as a share of 1. Both sides need the same labels."""
        return Query(f"{self.expr}\n/\n{other.expr}", "percentunit")

    def over(self, other, *labels):
        """The ratio to a query that has only these labels."""
        return Query(f"{self.expr}\n/ on ({', '.join(labels)}) group_left ()\n{other.expr}", "percentunit")

    def less(self, other):
        return Query(f"{self.expr}\n-\n{other.expr}", self.unit)

    def in_unit(self, unit):
        """The same query with another unit."""
        return Query(self.expr, unit)

    def rounded(self):
        """The nearest whole number. An increase is extrapolated to the ends of its range, and since Prometheus 3.0 ranges are
        open at their left end: 4 events in 15 scrapes give 4.286 there, and 4 before."""
        return Query(f"round({_indented(self.expr)})", self.unit)

    def above(self, bound):
        return Query(f"{_grouped(self.expr)} > {bound}", self.unit)

    def times(self, factor):
        return Query(f"{_grouped(self.expr)} * {factor}", self.unit)

    def divided(self, number, unit):
        return Query(f"{_grouped(self.expr)} / {number}", unit)

    def or_zero(self):
        """The value 0 if there is no series, for metrics that are absent until the first event."""
        return Query(f"{_grouped(self.expr)} or vector(0)", self.unit)

    def largest(self, count):
        return Query(f"topk({count}, {_indented(self.expr)})", self.unit)

    def summed(self, *by):
        return Query(f"sum{_by(by)} ({_indented(self.expr)})", self.unit)

    def median(self):
        return Query(f"quantile(0.5, {_indented(self.expr)})", self.unit)


class Scope:
    """The matchers of all selectors, and the window of all rates."""

    def __init__(self, matchers, window):
        self.matchers = matchers
        self.window = window

    def over(self, window):
        """The same series with another window."""
        return Scope(self.matchers, window)

    def series(self, name, suffix="", **where):
        """A selector, such as `axiom_client_actions_total{outcome="failure"}`.

        A value that begins with `$` is a dashboard variable. A value that begins with `!` is excluded. A tuple matches
        each of its values.
        """
        metric = _metric(name)
        _require_labels(metric, where)
        matchers = ", ".join(([self.matchers] if self.matchers else []) + [_matcher(*item) for item in where.items()])
        return name + suffix + ("{" + matchers + "}" if matchers else "")

    def recorded(self, name, unit, **where):
        """What a rule has recorded, such as `job_instance:axiom_errors:rate5m`. A test compares the names."""
        matchers = ", ".join([self.matchers, *(_matcher(*item) for item in where.items())])
        return Query(f"{name}{{{matchers}}}", unit)

    def total(self, name, *by, **where):
        """The sum of a gauge."""
        return self._gauge("sum", name, by, where)

    def count(self, name, *by, **where):
        """The number of series."""
        query = self._gauge("count", name, by, where)
        return Query(query.expr, "short")

    def largest(self, name, *by, **where):
        """The maximum of a gauge."""
        return self._gauge("max", name, by, where)

    def smallest(self, name, *by, **where):
        """The minimum of a gauge."""
        return self._gauge("min", name, by, where)

    def rate(self, name, *by, **where):
        """The increase per second of a counter, or of the number of observations of a histogram."""
        metric = _metric(name, "counter", "histogram")
        if metric.kind == "counter":
            return Query(self._summed("rate", name, "", by, where), metric.rate_unit)
        parts = f"{self.of_classic(name, '_count', **where)}\nor\n{_marked(f'histogram_count({self.of_native(name, **where)})')}"
        return Query(f"sum{_by(by)} ({_indented(parts)})", "ops")

    def increase(self, name, *by, **where):
        """The increase of a counter."""
        metric = _metric(name, "counter")
        return Query(self._summed("increase", name, "", by, where), metric.unit)

    def mean(self, name, *by, **where):
        """The mean of the observations of a histogram."""
        metric = _metric(name, "histogram")
        sums, counts = (
            f"sum{_by(by)} (\n  {self._rate(name, f'_{part}', where)}\n  or histogram_{part}({self._rate(name, '', where)})\n)"
            for part in ("sum", "count")
        )
        return Query(f"{sums}\n/\n{counts}", metric.unit)

    def quantile(self, share, name, *by, **where):
        """A quantile of the observations of a histogram."""
        metric = _metric(name, "histogram")
        buckets = self._summed("rate", name, "_bucket", ("le",) + by, where)
        native = self._summed("rate", name, "", by, where)
        parts = f"histogram_quantile({share}, {buckets})\nor\n{_marked(f'histogram_quantile({share}, {native})')}"
        return Query(f"max{_by(by)} ({_indented(parts)})", metric.unit)

    def buckets(self, name, *by, **where):
        """The increase per second of the buckets of a histogram."""
        _metric(name, "histogram")
        buckets = self._summed("rate", name, "_bucket", by + ("le",), where)
        return Query(f"{buckets}\nor on ({', '.join(by)})\n{self._summed('rate', name, '', by, where)}", "ops")

    def of_classic(self, name, suffix, **where):
        """The rates of the classic series of a histogram. If an instance stops to have them, those of the last window are left
        in a rate; they count only if its native series are younger than the window, or have ended before it."""
        matching = " ignoring (le)" if suffix == "_bucket" else ""
        native = self.series(name, **where)
        older = f"{native} offset {self.window} and present_over_time({native}[{self.window}])"
        return f"{self._rate(name, suffix, where)} unless{matching} ({older} unless {self._both(name, where)})"

    def of_native(self, name, **where):
        """The rates of the native series of a histogram, but of none that has classic ones beside it."""
        return f"{self._rate(name, '', where)} unless {self._both(name, where)}"

    def _both(self, name, where):
        """The series that the last scrape stored in both forms. After a restart of the server, or a change of its flags, an old
        series is found for five minutes more; its time tells."""
        classic, native = (self.series(name, suffix, **where) for suffix in ("_count", ""))
        return f"timestamp({classic}) >= timestamp({native})"

    def _rate(self, name, suffix, where):
        return f"rate({self.series(name, suffix, **where)}[{self.window}])"

    def _gauge(self, function, name, by, where):
        metric = _metric(name, "gauge")
        _require_labels(metric, by)
        return Query(f"{function}{_by(by)} ({self.series(name, **where)})", metric.unit)

    def _summed(self, function, name, suffix, by, where):
        _require_labels(_metric(name), (label for label in by if label != "le"))
        return f"sum{_by(by)} ({function}({self.series(name, suffix, **where)}[{self.window}]))"


def _metric(name, *kinds):
    if name not in METRICS:
        raise InvalidQuery(f"unknown metric {name}; metrics.py lists all metrics")
    metric = METRICS[name]
    if kinds and metric.kind not in kinds:
        raise InvalidQuery(f"{name} is a {metric.kind}, but is used as a {' or a '.join(kinds)}")
    return metric


def _require_labels(metric, labels):
    for label in labels:
        if label not in metric.labels + TARGET_LABELS:
            raise InvalidQuery(f"{metric.name} has no label {label}; it has {', '.join(metric.labels) or 'none'}")


def _matcher(label, value):
    if isinstance(value, tuple):
        return f'{label}=~"{"|".join(value)}"'
    if value.startswith("$"):
        return f'{label}=~"{value}"'
    if value.startswith("!"):
        return f'{label}!="{value[1:]}"'
    return f'{label}="{value}"'


def _marked(native):
    """The native part of a query of both forms, with a label of its own, so that `or` keeps both; an aggregation drops it."""
    return f'label_replace({native}, "form", "native", "", "")'


def _by(labels):
    return f" by ({', '.join(labels)})" if labels else ""


def _grouped(expr):
    return f"({_indented(expr)})" if "\n" in expr else expr


def _indented(expr):
    return "\n  " + expr.replace("\n", "\n  ") + "\n" if "\n" in expr else expr
