# SPDX-License-Identifier: Apache-2.0
"""Checks the example configuration for Alertmanager: its names, and what it inhibits of planted alerts.

    alertmanager.py    prints what is wrong, and fails if anything is
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Dashboards/source"))

import alertmanager  # noqa: E402
import alert_cases  # noqa: E402

CONFIGURATION = alertmanager.configuration()


def labels():
    """The labels of each firing alert of the test cases."""
    for cases in alert_cases.BURNS + alert_cases.OTHERS:
        yield {"alertname": cases.alert, "severity": cases.severity, **cases.labels}


def matches(matchers, alert):
    """Whether an alert has all labels of the matchers, each `name="value"` or `name=~"pattern"`."""
    for matcher in matchers:
        name, operator, value = re.fullmatch(r'(\w+)(=~|=)"([^"]*)"', matcher).groups()
        has = alert.get(name, "")
        if not (re.fullmatch(value, has) if operator == "=~" else value == has):
            return False
    return True


def inhibited(alert, firing):
    """Whether one of the firing alerts suppresses the notification of `alert`, by the rules of Alertmanager."""
    return any(
        matches(rule["source_matchers"], source)
        and matches(rule["target_matchers"], alert)
        and all(source.get(label, "") == alert.get(label, "") for label in rule["equal"])
        for rule in CONFIGURATION["inhibit_rules"]
        for source in firing
        if source is not alert
    )


def unknown_names():
    known = list(labels())
    for rule in CONFIGURATION["inhibit_rules"]:
        for side in ("source_matchers", "target_matchers"):
            found = [alert for alert in known if matches(rule[side], alert)]
            if not found:
                yield f"no alert has the labels {rule[side]}"
            for alert in found:
                missing = [label for label in rule["equal"] if label not in alert]
                if missing:
                    yield f"{alert['alertname']} has no label {', '.join(missing)}, by which a rule compares it"
    receivers = {receiver["name"] for receiver in CONFIGURATION["receivers"]}
    route = CONFIGURATION["route"]
    for each in [route, *route["routes"]]:
        if each["receiver"] not in receivers:
            yield f"there is no receiver {each['receiver']}"


def _burn(long, context):
    return {"alertname": "AxiomErrorBudgetBurn", "job": "shop", "context": context, "long": long}


def outages():
    """An outage raises many alerts; those that say no more than another are inhibited."""
    firing = [
        *(_burn(long, "CartContext") for long in ("1h", "6h", "1d", "3d")),
        _burn("6h", "HomeContext"),
        {"alertname": "AxiomCircuitOpen", "job": "shop", "breaker": "CartClient"},
    ]
    left = [alert for alert in firing if not inhibited(alert, firing)]
    expected = [firing[0], firing[4], firing[5]]
    if left != expected:
        yield f"of the alerts of an outage these are left: {left}"


def main():
    problems = [*unknown_names(), *outages()]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
