# SPDX-License-Identifier: Apache-2.0
"""An example configuration for Alertmanager: one notification for each outage instead of one for each alert."""

from settings import BURNS

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
            "group_wait": "30s",
            "group_interval": "5m",
            "repeat_interval": "4h",
            "routes": [{"matchers": ['severity="critical"'], "receiver": "on-call", "repeat_interval": "1h"}],
        },
        "inhibit_rules": [*_burns(), *_circuits(), *_instances()],
        "receivers": [{"name": "on-call"}, {"name": "team"}],
    }


def _burns():
    """The alert with the shorter windows says what the others say, sooner."""
    windows = [burn.long for burn in BURNS]
    for alert, labels in _BURN_ALERTS.items():
        for index, window in enumerate(windows[:-1]):
            yield _rule(
                [f'alertname="{alert}"', f'long="{window}"'],
                [f'alertname="{alert}"', f'long=~"{"|".join(windows[index + 1:])}"'],
                labels,
            )


def _circuits():
    """A breaker that is open now may also be flapping."""
    yield _rule(['alertname="AxiomCircuitOpen"'], ['alertname="AxiomCircuitFlapping"'], ["job", "breaker"])


def _instances():
    """Of instances that do not run, nothing else is known."""
    yield _rule(['alertname="AxiomExporterAbsent"'], ['alertname="AxiomExporterDown"'], ["job"])
    yield _rule(['alertname="AxiomProcessRestartLoop"'], ['alertname="AxiomExporterDown"'], ["job", "instance"])


def _rule(source, target, equal):
    return {"source_matchers": source, "target_matchers": target, "equal": equal}
