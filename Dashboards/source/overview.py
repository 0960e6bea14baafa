# SPDX-License-Identifier: Apache-2.0
"""The overview dashboard: health, user actions, errors, resource use, and the cost of telemetry."""

from dashboard import dashboard
from panels import SHOWN, lines, row, stat, table

JUDGED = "!cancelled"
BAD = ("failure", "rejected")


def verdict():
    actions = "axiom_context_actions_total"
    bad_share = SHOWN.rate(actions, outcome=BAD) / SHOWN.rate(actions, outcome=JUDGED)
    return [
        row("Health"),
        stat("Instances", "Scraped processes that run Axiom.", SHOWN.count("axiom_build_info"), width=3),
        stat("Actions", "User actions that ended, per second.", SHOWN.rate(actions), width=3),
        stat(
            "Failing actions",
            "Share of user actions that failed or were rejected. Cancelled actions do not count.",
            bad_share,
            good=0.001,
            bad=0.01,
            width=3,
            decimals=2,
        ),
        stat(
            "Action duration p99",
            "99 % of user actions took no longer than this.",
            SHOWN.quantile(0.99, "axiom_context_action_duration_seconds"),
            good=0.05,
            bad=0.3,
            width=3,
        ),
        stat(
            "Open circuits",
            "Circuit breakers that reject calls now, over all instances.",
            SHOWN.total("axiom_circuit_state", state=("open", "forced_open")).or_zero(),
            bad=1,
            width=3,
        ),
        stat(
            "Budget violations",
            "Share of checked operations that exceeded their performance budget.",
            SHOWN.rate("axiom_budget_violations_total") / SHOWN.rate("axiom_budget_checks_total"),
            good=0.001,
            bad=0.05,
            width=3,
            decimals=2,
        ),
        stat(
            "Leak suspects",
            "Components that are still alive long after their presentation was unmounted.",
            SHOWN.total("axiom_component_leak_suspects"),
            bad=1,
            width=3,
        ),
        stat(
            "Active regressions",
            "Percentiles of action durations that are judged greater than in the baseline; 0 without a baseline.",
            SHOWN.total("axiom_regression_active").or_zero(),
            bad=1,
            width=3,
        ),
    ]


def users():
    actions, durations = "axiom_context_actions_total", "axiom_context_action_duration_seconds"
    return [
        row("User actions"),
        lines(
            "Actions by outcome",
            "User actions that ended, per second, by outcome.",
            (SHOWN.rate(actions, "outcome"), "{{outcome}}"),
            stack=True,
            least=0,
        ),
        lines(
            "Duration of actions",
            "Durations of user actions.",
            (SHOWN.quantile(0.5, durations), "p50"),
            (SHOWN.quantile(0.95, durations), "p95"),
            (SHOWN.quantile(0.99, durations), "p99"),
            least=0,
        ),
        lines(
            "Calls of clients",
            "Actions that clients processed, per second.",
            (SHOWN.rate("axiom_client_actions_total", "client"), "{{client}}"),
            least=0,
        ),
        lines(
            "Calls in flight",
            "Actions that clients are processing now.",
            (SHOWN.total("axiom_client_actions_in_flight", "client"), "{{client}}"),
            least=0,
        ),
    ]


def errors():
    return [
        row("Errors"),
        lines(
            "Errors by component",
            "Errors that ended at a boundary, per second, by the component that threw them. This includes rejections by an"
            " open circuit breaker.",
            (SHOWN.rate("axiom_errors_total", "component"), "{{component}}"),
            stack=True,
            least=0,
        ),
        table(
            "Errors by code",
            "The most frequent errors, per second.",
            SHOWN.rate("axiom_errors_total", "component", "code", "severity").above(0).largest(20),
            {"component": "Component", "code": "Code", "severity": "Severity", "Value": "Per second"},
        ),
        lines(
            "Recoveries",
            "Attempts to recover from an error, per second, by outcome.",
            (SHOWN.rate("axiom_error_recoveries_total", "strategy", "outcome"), "{{strategy}}: {{outcome}}"),
            least=0,
        ),
        lines(
            "Duration of recoveries",
            "Mean duration of attempts to recover from an error.",
            (SHOWN.mean("axiom_error_recovery_duration_seconds", "strategy"), "{{strategy}}"),
            least=0,
        ),
    ]


def components():
    return [
        row("Components"),
        lines(
            "Live components",
            "Components that were created and have not ended.",
            (SHOWN.total("axiom_component_live", "kind"), "{{kind}}"),
            least=0,
        ),
        lines(
            "Created and ended",
            "Components created and components ended, per second. The two rates are equal unless components leak.",
            (SHOWN.rate("axiom_component_created_total", "kind"), "{{kind}} created"),
            (SHOWN.rate("axiom_component_destroyed_total", "kind"), "{{kind}} ended"),
            least=0,
        ),
    ]


def process():
    switches = SHOWN.rate("process_context_switches_total", "kind")
    return [
        row("Process"),
        lines(
            "CPU",
            "CPU time, as a share of one core.",
            (SHOWN.rate("process_cpu_seconds_total", "instance"), "{{instance}}"),
            width=8,
            least=0,
        ),
        lines(
            "Memory",
            "Resident memory, and heap memory that is allocated and not freed.",
            (SHOWN.total("process_resident_memory_bytes", "instance"), "{{instance}} resident"),
            (SHOWN.total("process_heap_bytes", "instance"), "{{instance}} allocated"),
            width=8,
            least=0,
        ),
        lines(
            "Threads",
            "Threads of the operating system.",
            (SHOWN.total("process_threads", "instance"), "{{instance}}"),
            width=8,
            least=0,
        ),
        lines(
            "File descriptors",
            "Open file descriptors, as a share of the limit.",
            (SHOWN.total("process_open_fds", "instance") / SHOWN.total("process_max_fds", "instance"), "{{instance}}"),
            width=8,
            least=0,
            most=1,
        ),
        lines(
            "Input and output",
            "Bytes read and written per second, by system calls and on devices.",
            (SHOWN.rate("process_io_bytes_total", "direction", "layer"), "{{direction}} by {{layer}}"),
            width=8,
            least=0,
        ),
        lines(
            "System calls, faults and switches",
            "Read and write calls, page faults, and context switches, per second.",
            (SHOWN.rate("process_io_calls_total", "direction"), "{{direction}}"),
            (SHOWN.rate("process_page_faults_total", "kind"), "{{kind}} page faults"),
            (switches, "{{kind}} switches"),
            width=8,
            least=0,
        ),
        lines(
            "Pressure",
            "Share of time in which some threads, or all threads, of the control group waited for a resource.",
            (SHOWN.rate("process_pressure_waiting_seconds_total", "resource"), "some wait for {{resource}}"),
            (SHOWN.rate("process_pressure_stalled_seconds_total", "resource"), "all wait for {{resource}}"),
            width=8,
            least=0,
        ),
    ]


def telemetry():
    return [
        row("Cost of telemetry"),
        lines(
            "Duration of scrapes",
            "Mean time to collect and encode a page of metrics.",
            (SHOWN.mean("axiom_exporter_scrape_duration_seconds", "instance"), "{{instance}}"),
            width=8,
            least=0,
        ),
        lines(
            "Size of scrapes",
            "Mean size of a page of metrics before compression.",
            (SHOWN.mean("axiom_exporter_scrape_bytes", "instance"), "{{instance}}"),
            width=8,
            least=0,
        ),
        lines(
            "Scrapes",
            "Pages of metrics served per second, by format and HTTP status.",
            (SHOWN.rate("axiom_exporter_scrapes_total", "format", "code").above(0), "{{format}} {{code}}"),
            width=8,
            least=0,
        ),
        lines(
            "Dropped telemetry",
            "Per second: states and errors that were dropped, metrics that a collection could not read, and lookups in a"
            " family at its limit of series.",
            (SHOWN.rate("axiom_telemetry_dropped_total", "reason"), "{{reason}}"),
            (SHOWN.rate("axiom_metrics_collection_problems_total", "reason"), "collection {{reason}}"),
            (SHOWN.rate("axiom_metrics_overflow_total", "family").above(0), "{{family}} is full"),
            least=0,
        ),
        table(
            "Series",
            "The families with the most series, over all instances.",
            SHOWN.total("axiom_metrics_series", "family").largest(20),
            {"family": "Family", "Value": "Series"},
        ),
    ]


def build():
    panels = verdict() + users() + errors() + components() + process() + telemetry()
    return dashboard(
        "axiom-overview",
        "Axiom / Overview",
        "The health of an Axiom application: user actions, errors and resource use.",
        panels,
    )
