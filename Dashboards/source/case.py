# SPDX-License-Identifier: Apache-2.0
"""A case of an alert for `promtool test rules`: series, and when the alert fires.

Every alert has four: it fires; it does not just below its threshold; it resolves; and what it does without any series.
Values are given as promtool takes them, one a minute: `0+2x20` is 0, 2, 4, ... 40.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """Series, and at each time whether the alert fires."""

    what: str
    series: dict
    expected: tuple


@dataclass(frozen=True)
class Cases:
    """The cases of one alert, with what it says when it fires."""

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
