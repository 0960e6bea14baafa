# SPDX-License-Identifier: Apache-2.0
"""What differs from one place to another: names, and what the rules take for good enough."""

from dataclasses import dataclass

# The job in which Prometheus scrapes the application: what the alerts on targets are about.
JOB = "axiom"

# Put before `Documentation/...` in links to runbooks.
REPOSITORY = ""

# The share of users' actions that neither fail nor are refused, over 30 days.
ACTION_OBJECTIVE = 0.999

# So many bad events must there be in the long window before a burn rate alerts: one failure among ten actions is a
# great share and no reason to wake anybody.
LEAST_BAD_EVENTS = 10


@dataclass(frozen=True)
class Burn:
    """How fast an error budget burns, against two windows: the long one says that it matters, the short one that it
    still goes on. The factor is how many times faster than a budget that lasts exactly 30 days."""

    factor: float
    long: str
    short: str
    hold: str
    severity: str
    share: str


# The Site Reliability Workbook's table (chapter 5, table 5-8), with 3 over a day as kubernetes-mixin and sloth have it;
# `hold` is that of kubernetes-mixin. `share` is what of 30 days' budget is gone when it fires.
BURNS = (
    Burn(14.4, "1h", "5m", "2m", "critical", "2 %"),
    Burn(6, "6h", "30m", "15m", "critical", "5 %"),
    Burn(3, "1d", "2h", "1h", "warning", "10 %"),
    Burn(1, "3d", "6h", "3h", "warning", "10 %"),
)

# Every window that a burn rate is recorded for.
WINDOWS = ("5m", "30m", "1h", "2h", "6h", "1d", "3d")
LONG_WINDOWS = tuple(burn.long for burn in BURNS)
