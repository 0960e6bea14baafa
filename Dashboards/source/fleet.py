# SPDX-License-Identifier: Apache-2.0
"""The fleet dashboard: the instances of an application, and the outliers among them."""

from dashboard import dashboard
from panels import SHOWN, lines, row, stat, table

BAD, JUDGED = ("failure", "rejected"), "!cancelled"


def instances():
    return [
        row("Instances"),
        stat("Up", "Targets that answer scrapes.", SHOWN.total("up")),
        stat("Down", "Targets that do not answer scrapes.", SHOWN.count("up").less(SHOWN.total("up")), bad=1),
        stat(
            "Actions",
            "User actions that ended, per second, over all instances.",
            SHOWN.rate("axiom_context_actions_total"),
        ),
        stat(
            "CPU",
            "CPU time of all instances, in cores.",
            SHOWN.rate("process_cpu_seconds_total").in_unit("short"),
        ),
        stat("Memory", "Resident memory of all instances.", SHOWN.total("process_resident_memory_bytes")),
        stat("Leak suspects", "Suspected leaks of all instances.", SHOWN.total("axiom_component_leak_suspects"), bad=1),
        table(
            "Builds",
            "The running builds, with their number of instances.",
            SHOWN.count("axiom_build_info", "job", "version", "revision", "swift", "instrumented"),
            {
                "job": "Job",
                "version": "Version of Axiom",
                "revision": "Revision",
                "swift": "Swift",
                "instrumented": "Instrumented",
                "Value": "Instances",
            },
        ),
        table(
            "Start times",
            "The start time of each process.",
            SHOWN.largest("process_start_time_seconds", "job", "instance").times(1000),
            {"job": "Job", "instance": "Instance", "Value": "Started"},
        ),
    ]


def outliers():
    actions, durations = "axiom_context_actions_total", "axiom_context_action_duration_seconds"
    each = "{{instance}}"
    return [
        row("Outliers"),
        lines("Actions", "User actions per second.", (SHOWN.rate(actions, "instance"), each), stack=True, least=0),
        lines(
            "Failing actions",
            "Share of user actions that failed or were rejected.",
            (SHOWN.rate(actions, "instance", outcome=BAD) / SHOWN.rate(actions, "instance", outcome=JUDGED), each),
            least=0,
        ),
        lines(
            "p99 latency",
            "99 % of user actions took no longer than this.",
            (SHOWN.quantile(0.99, durations, "instance"), each),
            log=True,
        ),
        lines(
            "Errors",
            "Errors that ended at a boundary, per second.",
            (SHOWN.rate("axiom_errors_total", "instance"), each),
            least=0,
        ),
        lines(
            "CPU",
            "CPU time, as a share of one core.",
            (SHOWN.rate("process_cpu_seconds_total", "instance"), each),
            least=0,
        ),
        lines("Memory", "Resident memory.", (SHOWN.total("process_resident_memory_bytes", "instance"), each), least=0),
        lines(
            "Live components",
            "Components that were created and have not ended.",
            (SHOWN.total("axiom_component_live", "instance"), each),
            least=0,
        ),
        lines(
            "Calls in flight",
            "Actions that clients are processing now.",
            (SHOWN.total("axiom_client_actions_in_flight", "instance"), each),
            least=0,
        ),
    ]


def together():
    return [
        row("All instances"),
        lines(
            "Instances with an open circuit breaker",
            "The number of instances on which each circuit breaker is open. A single instance indicates a fault of that"
            " instance; all instances indicate a fault of the server.",
            (SHOWN.total("axiom_circuit_state", "breaker", state=("open", "forced_open")), "{{breaker}}"),
            least=0,
        ),
        lines(
            "Budget violations",
            "Share of checked operations that exceeded their performance budget.",
            (
                SHOWN.rate("axiom_budget_violations_total", "instance")
                / SHOWN.rate("axiom_budget_checks_total", "instance"),
                "{{instance}}",
            ),
            least=0,
        ),
    ]


def build():
    return dashboard(
        "axiom-fleet",
        "Axiom / Fleet",
        "The instances of an application, and the outliers among them.",
        instances() + outliers() + together(),
    )
