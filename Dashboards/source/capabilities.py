# SPDX-License-Identifier: Apache-2.0
"""The panels of all capabilities: whether they work, and what is called. *Axiom / Component* has one capability in detail."""

from panels import SHOWN, linked, lines, row, with_exemplars


def capabilities():
    calls = "axiom_capability_calls_total"
    bad = SHOWN.rate(calls, "capability", outcome=("failure", "rejected"))
    failing = bad / SHOWN.rate(calls, "capability", outcome="!cancelled")
    durations = "axiom_capability_call_duration_seconds"
    panels = [
        lines(
            "Availability",
            "Share of the instances of the application in which the capability works at all: not unavailable.",
            (_share("full", "limited", "minimal"), "{{capability}}"),
            least=0,
            most=1,
        ),
        lines(
            "Degradation",
            "Share of the instances in which the capability works with limits: limited or minimal.",
            (_share("limited", "minimal"), "{{capability}}"),
            least=0,
            most=1,
        ),
        lines(
            "Calls of capabilities",
            "Calls that ended, per second.",
            (SHOWN.rate(calls, "capability"), "{{capability}}"),
            least=0,
        ),
        lines(
            "Failing calls of capabilities",
            "Share of calls that failed, or that were rejected because there was no instance or a permission was missing."
            " Cancelled calls do not count.",
            (failing, "{{capability}}"),
            least=0,
            most=1,
        ),
        with_exemplars(
            lines(
                "Latency of capabilities",
                "Percentiles of the latency of calls, retries included, on a logarithmic axis.",
                (SHOWN.quantile(0.5, durations, "capability"), "{{capability}} p50"),
                (SHOWN.quantile(0.99, durations, "capability"), "{{capability}} p99"),
                log=True,
            )
        ),
        lines(
            "Calls of capabilities in flight",
            "Calls that run now, over all instances.",
            (SHOWN.total("axiom_capability_calls_in_flight", "capability"), "{{capability}}"),
            least=0,
        ),
    ]
    return [row("Capabilities"), *(linked(panel, "capability") for panel in panels)]


def _share(*levels):
    """The share of instances in which a capability is at one of these levels."""
    level = "axiom_capability_level"
    return SHOWN.total(level, "capability", level=levels) / SHOWN.total(level, "capability")
