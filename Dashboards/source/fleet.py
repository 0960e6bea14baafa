# SPDX-License-Identifier: Apache-2.0
"""The fleet dashboard: the instances of an application, and the outliers among them."""

from dashboard import dashboard
from panels import SHOWN, lines, row, stat, table, with_exemplars

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
        with_exemplars(
            lines(
                "p99 latency",
                "99 % of user actions took no longer than this.",
                (SHOWN.quantile(0.99, durations, "instance"), each),
                log=True,
            )
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


def configuration():
    return [
        row("Configuration"),
        lines(
            "Configuration reloads",
            "How often a changed configuration was read again. All outcomes except applied and refused leave the"
            " previous configuration in force.",
            (SHOWN.increase("axiom_configuration_reloads_total", "outcome"), "{{outcome}}"),
            least=0,
        ),
        lines(
            "Configuration generation",
            "The number of configurations that each instance has applied. An instance that stays behind has not read"
            " the new one, or refused it.",
            (SHOWN.largest("axiom_configuration_generation", "instance"), "{{instance}}"),
            least=0,
        ),
        lines(
            "Feature flags",
            "Evaluations per second, by the variant that was chosen.",
            (SHOWN.rate("axiom_feature_flag_evaluations_total", "flag", "variant"), "{{flag}}: {{variant}}"),
            least=0,
        ),
        lines(
            "Feature flags without a valid value",
            "Evaluations per second that fell back because the source has no valid value for the flag.",
            (SHOWN.rate("axiom_feature_flag_evaluations_total", "flag", reason="error"), "{{flag}}"),
            least=0,
        ),
    ]


def life():
    return [
        row("Application life"),
        lines(
            "Phase",
            "The number of instances in each phase of the application's life.",
            (SHOWN.total("axiom_lifecycle_phase", "phase"), "{{phase}}"),
            least=0,
        ),
        lines(
            "Duration of changes of phase",
            "95 % of the steps to a phase were faster. The step to the background saves the state.",
            (SHOWN.quantile(0.95, "axiom_lifecycle_transition_duration_seconds", "to"), "{{to}}"),
            least=0,
        ),
        lines(
            "Steps without an end",
            "Steps of a change of phase that did not end within the grace time and were cancelled.",
            (SHOWN.increase("axiom_lifecycle_overdue_total", "step"), "{{step}}"),
            least=0,
        ),
        lines(
            "Saved states",
            "Images of the application's state that were saved or loaded. An image that cannot be used is set aside.",
            (SHOWN.increase("axiom_state_image_total", "operation", "outcome"), "{{operation}}: {{outcome}}"),
            least=0,
        ),
        lines(
            "Size of the saved state",
            "The image that each instance saved last. The archive refuses images above its limit.",
            (SHOWN.largest("axiom_state_image_bytes", "instance"), "{{instance}}"),
            least=0,
        ),
        lines(
            "Age of unsaved changes",
            "The oldest change of a client's persistent state that is not saved; the largest of all instances. A save that"
            " fails or hangs makes it grow: the change is lost if the process ends.",
            (SHOWN.largest("axiom_storage_unsaved_seconds", "client"), "{{client}}"),
            least=0,
        ),
    ]


def storage():
    operations, duration = "axiom_storage_operations_total", "axiom_storage_operation_duration_seconds"
    return [
        row("Storage"),
        lines(
            "Operations of storages",
            "Operations per second. A write is a transaction of one or several keys.",
            (SHOWN.rate(operations, "store", "operation"), "{{store}}: {{operation}}"),
            least=0,
        ),
        lines(
            "Failing operations of storages",
            "Operations that failed, and opens that set a damaged database aside.",
            (SHOWN.increase(operations, "store", "operation", outcome="failure"), "{{store}}: {{operation}}"),
            (SHOWN.increase(operations, "store", outcome="set_aside"), "{{store}}: set aside"),
            least=0,
        ),
        lines(
            "Duration of operations of storages",
            "95 % of the operations were faster, with the wait for the thread of the storage. A write flushes the disk.",
            (SHOWN.quantile(0.95, duration, "store", "operation"), "{{store}}: {{operation}}"),
            least=0,
        ),
        lines(
            "Size of storages",
            "The files of a storage, or its database without its log; the largest of all instances.",
            (SHOWN.largest("axiom_storage_bytes", "store"), "{{store}}"),
            least=0,
        ),
    ]


def build():
    return dashboard(
        "axiom-fleet",
        "Axiom / Fleet",
        "The instances of an application, and the outliers among them.",
        instances() + outliers() + together() + configuration() + life() + storage(),
    )
