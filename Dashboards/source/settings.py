# SPDX-License-Identifier: Apache-2.0
"""The settings that differ between installations: names, objectives and thresholds."""

from dataclasses import dataclass

# The Prometheus job that scrapes the application. The alerts about targets use it.
JOB = "axiom"

# The base URL of `Documentation/...` in links to runbooks; ends with a slash. Without one the links are relative to the
# repository, and the dashboards have none. `Dashboards/generate --repository URL` sets it.
REPOSITORY = ""

# The base URL of the runbooks themselves; ends with a slash. It replaces the one of the repository in links to runbooks.
# `Dashboards/generate --runbooks URL` sets it.
RUNBOOKS = ""

# How long Alertmanager waits for more alerts before it sends the first notification of a group, and how often it sends
# changes. `Dashboards/generate --group-wait DURATION --group-interval DURATION` sets them.
GROUP_WAIT, GROUP_INTERVAL = "30s", "5m"

# The objective for the share of user actions that neither fail nor are rejected, over 30 days.
ACTION_OBJECTIVE = 0.999

# The number of bad events in the long window below which a burn rate does not alert: one failure among ten actions is
# a large share, but no reason to page someone.
MINIMUM_BAD_EVENTS = 10


@dataclass(frozen=True)
class Burn:
    """A burn-rate threshold with two windows. The long window shows that the loss is significant; the short window shows
    that it continues. At a factor of 1 the budget lasts exactly 30 days."""

    factor: float
    long: str
    short: str
    hold: str
    severity: str
    share: str


# The Site Reliability Workbook's table (chapter 5, table 5-8), with 3 over a day as kubernetes-mixin and sloth have it;
# `hold` is that of kubernetes-mixin. `share` is the part of the 30-day budget that is used when the alert fires.
BURNS = (
    Burn(14.4, "1h", "5m", "2m", "critical", "2 %"),
    Burn(6, "6h", "30m", "15m", "critical", "5 %"),
    Burn(3, "1d", "2h", "1h", "warning", "10 %"),
    Burn(1, "3d", "6h", "3h", "warning", "10 %"),
)

# The windows for which burn rates are recorded.
WINDOWS = ("5m", "30m", "1h", "2h", "6h", "1d", "3d")
LONG_WINDOWS = tuple(burn.long for burn in BURNS)
# Those that sum chunks of five minutes.
CHUNKED_WINDOWS = ("6h", "1d", "3d")
# The period of the objectives.
BUDGET_PERIOD = "30d"
