# SPDX-License-Identifier: Apache-2.0
"""The fleet dashboard: the instances of an application, and the outliers among them."""

from dashboard import dashboard
from panels import OF_JOB, SHOWN, by_instance, lines, row, stat, table


def instances():
    return [
        row("Instances"),
        stat("Up", "Targets that answer scrapes.", SHOWN.total("up")),
        stat("Down", "Targets that do not answer scrapes.", SHOWN.count("up").less(SHOWN.total("up")), bad=1),
        stat(
            "Actions",
            "User actions that ended, per second, over all instances.",
            SHOWN.recorded("job_instance:axiom_context_actions:rate5m", "ops").summed(),
        ),
        stat(
            "CPU",
            "CPU time of all instances, in cores.",
            SHOWN.recorded("job_instance:process_cpu_seconds:rate5m", "short").summed(),
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
        by_instance(
            table(
                "Start times",
                "The start time of each process, with links to the instance.",
                SHOWN.largest("process_start_time_seconds", "job", "instance").times(1000),
                {"job": "Job", "instance": "Instance", "Value": "Started"},
            ),
            "Instance",
        ),
    ]


def _compared(title, description, each, **options):
    """The ten instances with the highest values, and the median of all. A line links to its instance."""
    panel = lines(
        title,
        f"{description} The ten instances with the highest values, and the median of all.",
        (each.largest(10), "{{instance}}"),
        (each.median(), "median"),
        **options,
    )
    return by_instance(panel)


def outliers():
    return [
        row("Outliers"),
        _compared(
            "Actions",
            "User actions per second.",
            SHOWN.recorded("job_instance:axiom_context_actions:rate5m", "ops"),
            least=0,
        ),
        _compared(
            "Failing actions",
            "Share of user actions that failed or were rejected.",
            SHOWN.recorded("job_instance:axiom_context_actions_bad:ratio_rate5m", "percentunit"),
            least=0,
        ),
        _compared(
            "p99 latency",
            "99 % of user actions took no longer than this. The overview of an instance has the exemplars.",
            SHOWN.recorded("job_instance:axiom_context_action_duration_seconds:p99_5m", "s"),
            log=True,
        ),
        _compared(
            "Errors",
            "Errors that ended at a boundary, per second.",
            SHOWN.recorded("job_instance:axiom_errors:rate5m", "cps"),
            least=0,
        ),
        _compared(
            "CPU",
            "CPU time, as a share of one core.",
            SHOWN.recorded("job_instance:process_cpu_seconds:rate5m", "percentunit"),
            least=0,
        ),
        _compared("Memory", "Resident memory.", SHOWN.total("process_resident_memory_bytes", "instance"), least=0),
        _compared(
            "Live components",
            "Components that were created and have not ended.",
            SHOWN.recorded("job_instance:axiom_component_live:sum", "short"),
            least=0,
        ),
        _compared(
            "Calls in flight",
            "Actions that clients are processing now.",
            SHOWN.recorded("job_instance:axiom_client_actions_in_flight:sum", "short"),
            least=0,
        ),
    ]


def together():
    return [
        row("All instances"),
        lines(
            "Instances with an open circuit breaker",
            "The number of instances of the job on which each circuit breaker is open. A single instance indicates a fault"
            " of that instance; all instances indicate a fault of the server.",
            (
                OF_JOB.recorded(
                    "job_breaker_state:axiom_circuit_state:sum", "short", state=("open", "forced_open")
                ).summed("breaker"),
                "{{breaker}}",
            ),
            least=0,
        ),
        _compared(
            "Budget violations",
            "Share of checked operations that exceeded their performance budget.",
            SHOWN.recorded("job_instance:axiom_budget_violations:ratio_rate5m", "percentunit"),
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
    operations = "job_store_operation_outcome:axiom_storage_operations:rate5m"
    durations = "job_store_operation:axiom_storage_operation_duration_seconds:p95_5m"
    failing = OF_JOB.recorded(operations, "cps", outcome="failure")
    set_aside = OF_JOB.recorded(operations, "cps", outcome="set_aside")
    return [
        row("Storage"),
        lines(
            "Operations of storages",
            "Operations per second of all instances of the job. A write is a transaction of one or several keys.",
            (OF_JOB.recorded(operations, "cps").summed("store", "operation"), "{{store}}: {{operation}}"),
            least=0,
        ),
        lines(
            "Failing operations of storages",
            "Operations per second that failed, and opens that set a damaged database aside.",
            (failing.summed("store", "operation"), "{{store}}: {{operation}}"),
            (set_aside.summed("store"), "{{store}}: set aside"),
            least=0,
        ),
        lines(
            "Duration of operations of storages",
            "95 % of the operations were faster, with the wait for the thread of the storage. A write flushes the disk.",
            (OF_JOB.recorded(durations, "s"), "{{store}}: {{operation}}"),
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
