# SPDX-License-Identifier: Apache-2.0
"""A configuration for Alertmanager: an outage is one page instead of one for each alert.

The pages of an application are one group, so alerts that begin together are one notification, and a pager that compares
group keys keeps one incident. The inhibitions mute what fires later and says no more: each goes from the alert that fires
first to one that follows from the same outage. In the other direction, the second alert would be a second page. What can
fire first, and outlasts the outage, has its condition in the rule instead: AxiomCircuitFlapping.
"""

import settings
from settings import BURNS

# The page lists what these say as a problem, or as a symptom of one.
_FOLLOWING = (
    "AxiomCircuitOpen",
    "AxiomCircuitFlapping",
    "AxiomCircuitStuckHalfOpen",
    "AxiomRetryBudgetExhausted",
    "AxiomRegressionActive",
    "AxiomComponentLeak",
    "AxiomMainActorHeld",
)
_BURN_ALERTS = {
    "AxiomErrorBudgetBurn": ["job", "context"],
    "AxiomPerformanceBudgetBurn": ["job", "budget", "component"],
}


def configuration():
    return {
        "route": {
            "receiver": "team",
            # One notification for each job and kind of problem: six open breakers are one message.
            "group_by": ["job", "alertname"],
            "group_wait": settings.GROUP_WAIT,
            "group_interval": settings.GROUP_INTERVAL,
            "repeat_interval": "4h",
            "routes": [
                {
                    "matchers": ['severity="critical"'],
                    "receiver": "on-call",
                    # One page for each application.
                    "group_by": ["job"],
                    "repeat_interval": "1h",
                }
            ],
        },
        "inhibit_rules": [*_problems(), *_burns(), *_instances()],
        "receivers": [{"name": "on-call"}, {"name": "team"}],
    }


def _problems():
    """What the page calls a problem is one alert with its cause. It mutes the alerts on what follows from it: those that page
    if it pages."""
    yield _rule(['alertname="AxiomOutage"'], [f'alertname=~"AxiomProblem|{"|".join(_BURN_ALERTS)}"'], ["job"])
    yield _rule(['alertname=~"AxiomOutage|AxiomProblem"'], [f'alertname=~"{"|".join(_FOLLOWING)}"'], ["job"])


def _burns():
    """The alert with the shorter windows says what the others say, sooner. Actions that fail are also slow."""
    windows = [burn.long for burn in BURNS]
    for alert, labels in _BURN_ALERTS.items():
        for index, window in enumerate(windows[:-1]):
            yield _rule(
                [f'alertname="{alert}"', f'long="{window}"'],
                [f'alertname="{alert}"', f'long=~"{"|".join(windows[index + 1:])}"'],
                labels,
            )
    yield _rule(
        ['alertname="AxiomErrorBudgetBurn"', 'severity="critical"'], ['alertname="AxiomPerformanceBudgetBurn"'], ["job"]
    )


def _instances():
    """An instance that restarts again and again is down in between. If all are down, each of them is known to be."""
    yield _rule(['alertname="AxiomProcessRestartLoop"'], ['alertname="AxiomExporterDown"'], ["job", "instance"])
    yield _rule(['alertname="AxiomExporterDown"'], ['alertname="AxiomExporterAbsent"'], ["job"])


def _rule(source, target, equal):
    return {"source_matchers": source, "target_matchers": target, "equal": equal}
