# SPDX-License-Identifier: Apache-2.0
"""Many instances of an application: which there are, and which of them differs from the others."""

from dashboard import dashboard
from panels import SHOWN, lines, row, stat, table

BAD, JUDGED = ("failure", "rejected"), "!cancelled"


def instances():
    return [
        row("Instances"),
        stat("Up", "Targets that answer.", SHOWN.total("up")),
        stat("Down", "Targets that do not answer.", SHOWN.count("up").less(SHOWN.total("up")), bad=1),
        stat(
            "Actions",
            "Users' actions that ended, per second, over all instances.",
            SHOWN.rate("axiom_context_actions_total"),
        ),
        stat(
            "CPU",
            "Processor time of all instances, in cores.",
            SHOWN.rate("process_cpu_seconds_total").in_unit("short"),
        ),
        stat("Memory", "Resident memory of all instances.", SHOWN.total("process_resident_memory_bytes")),
        stat("Leak suspects", "Of all instances.", SHOWN.total("axiom_component_leak_suspects"), bad=1),
        table(
            "Builds",
            "Which builds run, and on how many instances.",
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
            "Since when they run",
            "When each process was started.",
            SHOWN.largest("process_start_time_seconds", "job", "instance").times(1000),
            {"job": "Job", "instance": "Instance", "Value": "Started"},
        ),
    ]


def outliers():
    actions, durations = "axiom_context_actions_total", "axiom_context_action_duration_seconds"
    each = "{{instance}}"
    return [
        row("Which of them differs"),
        lines("Actions", "Users' actions per second.", (SHOWN.rate(actions, "instance"), each), stack=True, least=0),
        lines(
            "Failing actions",
            "Share of users' actions that failed or were refused.",
            (SHOWN.rate(actions, "instance", outcome=BAD) / SHOWN.rate(actions, "instance", outcome=JUDGED), each),
            least=0,
        ),
        lines(
            "Duration of actions",
            "99 of 100 users' actions took no longer.",
            (SHOWN.quantile(0.99, durations, "instance"), each),
            least=0,
        ),
        lines(
            "Errors",
            "Errors that ended at a boundary, per second.",
            (SHOWN.rate("axiom_errors_total", "instance"), each),
            least=0,
        ),
        lines("CPU", "As a share of one core.", (SHOWN.rate("process_cpu_seconds_total", "instance"), each), least=0),
        lines("Memory", "Resident memory.", (SHOWN.total("process_resident_memory_bytes", "instance"), each), least=0),
        lines(
            "Living components",
            "Components that were made and have not ended.",
            (SHOWN.total("axiom_component_live", "instance"), each),
            least=0,
        ),
        lines(
            "Calls in flight",
            "Actions that clients process at this moment.",
            (SHOWN.total("axiom_client_actions_in_flight", "instance"), each),
            least=0,
        ),
    ]


def together():
    return [
        row("All together"),
        lines(
            "Instances whose breaker refuses calls",
            "How many instances have each circuit breaker open: one of many is that instance's trouble, all are the"
            " server's.",
            (SHOWN.total("axiom_circuit_state", "breaker", state=("open", "forced_open")), "{{breaker}}"),
            least=0,
        ),
        lines(
            "Beyond budget",
            "Share of checked operations that went beyond their performance budget.",
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
        "Many instances of an application: which there are, and which of them differs from the others.",
        instances() + outliers() + together(),
    )
