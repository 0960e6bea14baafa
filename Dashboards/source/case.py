# SPDX-License-Identifier: Apache-2.0
"""Test cases of alerts for `promtool test rules`: input series, and when the alert fires.

Every alert has four cases: it fires, it does not fire just below its threshold, it resolves, and its series are absent.
Values are in the notation of promtool, one per minute: `0+2x20` is 0, 2, 4, ... 40.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """Input series, and pairs of a time and whether the alert fires then."""

    what: str
    series: dict
    expected: tuple


@dataclass(frozen=True)
class Cases:
    """The cases of one alert, with its labels and annotations when it fires."""

    alert: str
    severity: str
    labels: dict
    summary: str
    description: str
    cases: tuple


def fires(series, *, at):
    return Case("fires", series, ((at, True),))


def just_below(series, *, at):
    return Case("does not fire just below", series, ((at, False),))


def resolves(series, *, after, at):
    return Case("resolves", series, ((after, True), (at, False)))


def absent(*, at, alerts=False):
    return Case("series absent", {}, ((at, alerts),))
