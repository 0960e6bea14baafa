# SPDX-License-Identifier: Apache-2.0
"""The alerts of outages, with the labels that the rules give them."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Dashboards/source"))

import alert_cases  # noqa: E402

# The first outage of Benchmarks/evidence/soak-120-release.txt, in the order of its alerts: what fired at 12.1, 13.5, 14.5 and
# 16.5 minutes. The rule of AxiomCircuitFlapping has changed since; that it does not fire is a case of circuit_cases.py.
SOAKED = [
    ("team", "AxiomCircuitOpen", "breaker", ["ActivityClient", "NotificationClient", "PaymentClient"]),
    ("team", "AxiomCircuitOpen", "breaker", ["PricingClient", "ProfileClient", "UserClient"]),
    ("on-call", "AxiomErrorBudgetBurn", "context", ["NotificationContext", "UserContext"]),
    ("on-call", "AxiomErrorBudgetBurn", "context", ["PaymentContext", "ProfileContext"]),
    ("on-call", "AxiomErrorBudgetBurn", "context", ["PricingContext"]),
]


def identity(labels):
    return tuple(sorted(labels.items()))


def planted(name, job="shop", **labels):
    """An alert as the rules raise it: its labels are those of a case of promtool."""
    for cases in alert_cases.BURNS + alert_cases.OTHERS:
        wanted = {label: value for label, value in labels.items() if label in ("long",)}
        if cases.alert == name and wanted.items() <= cases.labels.items():
            if not labels.keys() <= cases.labels.keys():
                raise KeyError(f"{name} has the labels {sorted(cases.labels)}")
            return {"alertname": name, "severity": cases.severity, **cases.labels, **labels, "job": job}
    raise KeyError(f"no alert {name} with the labels {labels}")


INSTANCES = [f"10.0.0.{number}:9464" for number in range(1, 6)]
CONTEXTS = ["CartContext", "CheckoutContext", "HomeContext"]
BREAKERS = ["CartClient", "PaymentClient", "PricingClient", "UserClient"]


def first_wave(job="shop"):
    """The server behind the fleet fails, and three instances with it: what fires within minutes."""
    paging = [
        *(planted("AxiomErrorBudgetBurn", job, context=context, long="1h") for context in CONTEXTS),
        *(planted("AxiomExporterDown", job, instance=instance) for instance in INSTANCES[:3]),
    ]
    warnings = [
        *(planted("AxiomCircuitOpen", job, breaker=breaker) for breaker in BREAKERS),
        planted("AxiomRetryBudgetExhausted", job),
    ]
    return paging, warnings


def second_wave():
    """What the same outage raises later: all of it says no more than the first wave."""
    return [
        planted("AxiomExporterAbsent"),
        *(planted("AxiomErrorBudgetBurn", context=context, long=long) for context in CONTEXTS for long in ("6h", "1d", "3d")),
        *(planted("AxiomPerformanceBudgetBurn", component=context, long="1h") for context in CONTEXTS),
    ]


def soaked(job):
    """The alerts of the soaked outage in their order: pairs of their receiver and those that begin together."""
    for receiver, name, label, values in SOAKED:
        yield receiver, [planted(name, job, **{label: value}) for value in values]
