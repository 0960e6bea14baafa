# SPDX-License-Identifier: Apache-2.0
"""The metrics that dashboards and rules are made of: the one place where a name, its labels and its unit stand.

A query can name nothing that is not here, and a test holds this list against what a running application exports: no
name, label or kind may differ, and every family has to be used by a panel or a rule, or to stand in UNUSED with the
reason.
"""

from dataclasses import dataclass

# What Prometheus adds to every series that it scrapes.
TARGET_LABELS = ("job", "instance")

# By what is counted: Grafana's unit of a value, and of its increase per second.
UNITS = {
    "seconds": ("s", "percentunit"),
    "bytes": ("bytes", "binBps"),
    "ratio": ("percentunit", "percentunit"),
    "timestamp": ("dateTimeAsIso", "none"),
    "actions": ("short", "ops"),
    "things": ("short", "cps"),
}


@dataclass(frozen=True)
class Metric:
    """A family: its name, its kind (counter, gauge, histogram), what is counted, and its labels."""

    name: str
    kind: str
    counted: str
    labels: tuple

    @property
    def unit(self):
        return UNITS[self.counted][0]

    @property
    def rate_unit(self):
        return UNITS[self.counted][1]


def _counters(*rows):
    return [Metric(name, "counter", counted, tuple(labels)) for name, counted, *labels in rows]


def _gauges(*rows):
    return [Metric(name, "gauge", counted, tuple(labels)) for name, counted, *labels in rows]


def _histograms(*rows):
    return [Metric(name, "histogram", counted, tuple(labels)) for name, counted, *labels in rows]


COMPONENTS = [
    *_gauges(
        ("axiom_build_info", "things", "version", "swift", "revision", "instrumented"),
        ("axiom_component_info", "things", "kind", "component"),
        ("axiom_component_dependency", "things", "from", "to"),
        ("axiom_component_live", "things", "kind", "component"),
        ("axiom_component_leak_suspects", "things", "kind", "component"),
    ),
    *_counters(
        ("axiom_component_created_total", "things", "kind", "component"),
        ("axiom_component_destroyed_total", "things", "kind", "component"),
    ),
    *_histograms(("axiom_component_lifetime_seconds", "seconds", "kind", "component")),
]

ACTIONS = [
    *_counters(
        ("axiom_client_actions_total", "actions", "client", "action", "outcome"),
        ("axiom_context_actions_total", "actions", "context", "action", "outcome"),
        ("axiom_state_updates_total", "things", "client"),
        ("axiom_state_coalesced_total", "things", "client"),
    ),
    *_gauges(("axiom_client_actions_in_flight", "actions", "client")),
    *_histograms(
        ("axiom_client_action_duration_seconds", "seconds", "client", "action"),
        ("axiom_context_action_duration_seconds", "seconds", "context", "action"),
        ("axiom_context_lifecycle_duration_seconds", "seconds", "context", "phase"),
        ("axiom_state_propagation_seconds", "seconds", "client"),
    ),
]

ERRORS = [
    *_counters(
        ("axiom_errors_total", "things", "component", "code", "severity"),
        ("axiom_error_recoveries_total", "things", "strategy", "outcome"),
    ),
    *_histograms(("axiom_error_recovery_duration_seconds", "seconds", "strategy")),
]

CIRCUITS = [
    *_gauges(
        ("axiom_circuit_state", "things", "breaker", "state"),
        ("axiom_circuit_calls_in_flight", "actions", "breaker"),
        ("axiom_circuit_failure_ratio", "ratio", "breaker"),
        ("axiom_circuit_slow_ratio", "ratio", "breaker"),
    ),
    *_counters(
        ("axiom_circuit_state_seconds_total", "seconds", "breaker", "state"),
        ("axiom_circuit_transitions_total", "things", "breaker", "from", "to", "reason"),
        ("axiom_circuit_shadow_transitions_total", "things", "breaker", "from", "to", "reason"),
        ("axiom_circuit_calls_total", "actions", "breaker", "outcome"),
        ("axiom_circuit_slow_calls_total", "actions", "breaker"),
        ("axiom_circuit_shadow_rejections_total", "actions", "breaker"),
    ),
]

STRATEGIES = [
    *_counters(
        ("axiom_retries_total", "actions", "policy", "outcome"),
        ("axiom_retry_attempts_total", "actions", "policy"),
        ("axiom_retry_budget_exhausted_total", "things", "policy"),
        ("axiom_timeouts_total", "things", "policy"),
        ("axiom_bulkhead_rejected_total", "actions", "policy", "reason"),
        ("axiom_fallbacks_total", "actions", "policy", "outcome"),
    ),
    *_gauges(
        ("axiom_retry_budget_tokens", "things", "policy"),
        ("axiom_bulkhead_in_use", "actions", "policy"),
        ("axiom_bulkhead_queue_depth", "actions", "policy"),
        ("axiom_bulkhead_limit", "actions", "policy"),
    ),
]

BUDGETS = [
    *_gauges(
        ("axiom_budget_limit_seconds", "seconds", "budget", "component"),
        ("axiom_budget_limit_bytes", "bytes", "budget", "component"),
        ("axiom_budget_objective_ratio", "ratio", "budget"),
        ("axiom_budget_confirmed", "things", "budget", "component"),
        ("axiom_regression_active", "things", "component", "action", "percentile"),
        ("axiom_regression_ratio", "ratio", "component", "action", "percentile"),
        ("axiom_regression_blind", "things", "component", "action"),
    ),
    *_counters(
        ("axiom_budget_checks_total", "things", "budget", "component"),
        ("axiom_budget_violations_total", "things", "budget", "component"),
    ),
    *_histograms(
        ("axiom_budget_duration_seconds", "seconds", "budget", "component"),
        ("axiom_budget_bytes", "bytes", "budget", "component"),
    ),
]

TELEMETRY = [
    *_counters(
        ("axiom_telemetry_dropped_total", "things", "reason"),
        ("axiom_metrics_overflow_total", "things", "family"),
        ("axiom_metrics_collection_problems_total", "things", "reason"),
        ("axiom_exporter_scrapes_total", "things", "format", "code"),
    ),
    *_gauges(("axiom_metrics_series", "things", "family")),
    *_histograms(
        ("axiom_exporter_scrape_duration_seconds", "seconds"),
        ("axiom_exporter_scrape_bytes", "bytes"),
    ),
]

PROCESS = [
    *_counters(
        ("process_cpu_seconds_total", "seconds"),
        ("process_context_switches_total", "things", "kind"),
        ("process_page_faults_total", "things", "kind"),
        ("process_io_bytes_total", "bytes", "direction", "layer"),
        ("process_io_calls_total", "things", "direction"),
        ("process_pressure_waiting_seconds_total", "seconds", "resource"),
        ("process_pressure_stalled_seconds_total", "seconds", "resource"),
    ),
    *_gauges(
        ("process_open_fds", "things"),
        ("process_max_fds", "things"),
        ("process_threads", "things"),
        ("process_resident_memory_bytes", "bytes"),
        ("process_heap_bytes", "bytes"),
        ("process_virtual_memory_bytes", "bytes"),
        ("process_virtual_memory_max_bytes", "bytes"),
        ("process_start_time_seconds", "timestamp"),
    ),
]

# Prometheus itself writes it for every target.
SCRAPES = _gauges(("up", "things"))

METRICS = {
    metric.name: metric
    for metric in COMPONENTS + ACTIONS + ERRORS + CIRCUITS + STRATEGIES + BUDGETS + TELEMETRY + PROCESS + SCRAPES
}

# Exported, and on purpose in no panel and no rule.
UNUSED = {
    "process_virtual_memory_bytes": (
        "Address space, of which most is never touched: resident memory tells what is used."
    ),
    "process_virtual_memory_max_bytes": "+Inf wherever no limit of address space is set, which is nearly everywhere.",
}

# Exported only where the machine has it, or the application uses it, so that a page may be without.
NOT_EVERYWHERE = {
    "axiom_fallbacks_total": "Only where an application watches a fallback; the demo has none.",
    "process_pressure_waiting_seconds_total": "Linux tells it in /proc/pressure, which containers may hide.",
    "process_pressure_stalled_seconds_total": "Linux tells it in /proc/pressure, which containers may hide.",
}
