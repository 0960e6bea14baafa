# SPDX-License-Identifier: Apache-2.0
"""The metrics of all dashboards and rules. Names, labels and units are defined only here.

A query can use only these metrics. A test compares this list with the metrics of a running application: names, labels
and kinds must be equal, and every family must be used by a panel or a rule, or be listed in UNUSED with the reason.
"""

from dataclasses import dataclass

# Labels that Prometheus adds to every series that it scrapes.
TARGET_LABELS = ("job", "instance")

# The Grafana unit of a value and of its rate, by what the metric counts.
UNITS = {
    "seconds": ("s", "percentunit"),
    "bytes": ("bytes", "binBps"),
    "ratio": ("percentunit", "percentunit"),
    "timestamp": ("dateTimeAsIso", "none"),
    "actions": ("short", "ops"),
    "count": ("short", "cps"),
}


@dataclass(frozen=True)
class Metric:
    """A family: its name, its kind (counter, gauge, histogram), what it counts (a key of UNITS), and its labels."""

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
        ("axiom_build_info", "count", "version", "swift", "revision", "instrumented"),
        ("axiom_version_info", "count", "module", "version"),
        ("axiom_component_dependency", "count", "from", "to"),
        ("axiom_component_live", "count", "kind", "component"),
        ("axiom_component_leak_suspects", "count", "kind", "component"),
    ),
    *_counters(
        ("axiom_component_created_total", "count", "kind", "component"),
    ),
    *_histograms(("axiom_component_lifetime_seconds", "seconds", "kind", "component")),
]

ACTIONS = [
    *_counters(
        ("axiom_client_actions_total", "actions", "client", "action", "outcome"),
        ("axiom_context_actions_total", "actions", "context", "action", "outcome"),
        ("axiom_requests_total", "actions", "handler", "route", "outcome"),
        ("axiom_state_updates_total", "count", "client"),
        ("axiom_state_coalesced_total", "count", "client"),
        ("axiom_state_stale_total", "count", "client"),
    ),
    *_counters(
        ("axiom_client_overdue_total", "actions", "client", "action"),
        ("axiom_deadlocks_total", "count", "component"),
        ("axiom_shutdown_overdue_total", "count", "component"),
    ),
    *_gauges(
        ("axiom_client_actions_in_flight", "actions", "client"),
        ("axiom_client_actions_overdue", "actions", "client"),
        ("axiom_requests_in_flight", "actions", "handler"),
    ),
    *_histograms(
        ("axiom_client_action_duration_seconds", "seconds", "client", "action"),
        ("axiom_context_action_duration_seconds", "seconds", "context", "action"),
        ("axiom_request_duration_seconds", "seconds", "handler", "route"),
        ("axiom_request_wait_seconds", "seconds", "handler"),
        ("axiom_context_lifecycle_duration_seconds", "seconds", "context", "phase"),
        ("axiom_state_propagation_seconds", "seconds", "client"),
    ),
]

CAPABILITIES = [
    *_gauges(
        ("axiom_capability_level", "count", "capability", "level"),
        ("axiom_capability_permission", "count", "permission", "status"),
    ),
    *_counters(
        ("axiom_capability_calls_total", "actions", "capability", "call", "outcome"),
        ("axiom_capability_retries_total", "count", "capability"),
        ("axiom_capability_recoveries_total", "count", "capability", "kind"),
        ("axiom_capability_answers_total", "count", "capability", "kind"),
        ("axiom_capability_changes_total", "count", "capability", "change", "outcome"),
    ),
    *_gauges(("axiom_capability_calls_in_flight", "actions", "capability")),
    *_histograms(
        ("axiom_capability_call_duration_seconds", "seconds", "capability", "call"),
        ("axiom_capability_change_duration_seconds", "seconds", "capability"),
    ),
]

NAVIGATION = [
    *_counters(
        ("axiom_navigation_transitions_total", "count", "flow", "route", "transition", "outcome"),
        ("axiom_navigation_redirects_total", "count", "flow", "from", "to"),
    ),
    *_gauges(
        ("axiom_navigation_depth", "count", "flow"),
        ("axiom_navigation_live_screens", "count", "flow"),
    ),
    *_histograms(("axiom_navigation_duration_seconds", "seconds", "flow", "route", "phase")),
    *_counters(("axiom_navigation_prefetch_total", "count", "flow", "route", "outcome")),
]

CACHES = [
    *_counters(
        ("axiom_cache_requests_total", "count", "cache", "outcome"),
        ("axiom_cache_evictions_total", "count", "cache", "reason"),
        ("axiom_cache_stampedes_total", "count", "cache"),
        ("axiom_cache_stampede_loads_total", "count", "cache"),
    ),
    *_gauges(("axiom_cache_entries", "count", "cache")),
    *_histograms(("axiom_cache_load_seconds", "seconds", "cache")),
]

ERRORS = [
    *_counters(
        ("axiom_errors_total", "count", "component", "code", "severity"),
        ("axiom_error_recoveries_total", "count", "strategy", "outcome"),
    ),
    *_histograms(("axiom_error_recovery_duration_seconds", "seconds", "strategy")),
]

CIRCUITS = [
    *_gauges(
        ("axiom_circuit_state", "count", "breaker", "state"),
        ("axiom_circuit_calls_in_flight", "actions", "breaker"),
        ("axiom_circuit_failure_ratio", "ratio", "breaker"),
        ("axiom_circuit_slow_ratio", "ratio", "breaker"),
    ),
    *_counters(
        ("axiom_circuit_state_seconds_total", "seconds", "breaker", "state"),
        ("axiom_circuit_transitions_total", "count", "breaker", "from", "to", "reason"),
        ("axiom_circuit_shadow_transitions_total", "count", "breaker", "from", "to", "reason"),
        ("axiom_circuit_calls_total", "actions", "breaker", "outcome"),
        ("axiom_circuit_slow_calls_total", "actions", "breaker"),
        ("axiom_circuit_shadow_rejections_total", "actions", "breaker"),
    ),
]

STRATEGIES = [
    *_counters(
        ("axiom_retries_total", "actions", "policy", "outcome"),
        ("axiom_retry_attempts_total", "actions", "policy"),
        ("axiom_retry_budget_exhausted_total", "count", "policy"),
        ("axiom_timeouts_total", "count", "policy"),
        ("axiom_bulkhead_rejected_total", "actions", "policy", "reason"),
        ("axiom_fallbacks_total", "actions", "policy", "outcome"),
    ),
    *_gauges(
        ("axiom_retry_budget_tokens", "count", "policy"),
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
        ("axiom_budget_confirmed", "count", "budget", "component"),
        ("axiom_regression_active", "count", "component", "action", "percentile"),
        ("axiom_regression_ratio", "ratio", "component", "action", "percentile"),
        ("axiom_regression_blind", "count", "component", "action"),
    ),
    *_counters(
        ("axiom_budget_checks_total", "count", "budget", "component"),
        ("axiom_budget_violations_total", "count", "budget", "component"),
    ),
]

CONFIGURATION = [
    *_counters(
        ("axiom_configuration_reloads_total", "count", "outcome"),
        ("axiom_feature_flag_evaluations_total", "count", "flag", "variant", "reason"),
    ),
    *_gauges(("axiom_configuration_generation", "count")),
]

LINKS = _counters(("axiom_deep_links_total", "count", "pattern", "outcome"))

LIFE = [
    *_counters(
        ("axiom_lifecycle_overdue_total", "count", "step"),
        ("axiom_state_image_total", "count", "operation", "outcome"),
    ),
    *_gauges(
        ("axiom_lifecycle_phase", "count", "phase"),
        ("axiom_state_image_bytes", "bytes"),
    ),
    *_histograms(("axiom_lifecycle_transition_duration_seconds", "seconds", "to")),
]

POOLS = [
    *_counters(("axiom_pool_closed_total", "count", "pool", "reason")),
    *_gauges(
        ("axiom_pool_connections", "count", "pool", "state"),
        ("axiom_pool_waiters", "count", "pool"),
    ),
    *_histograms(("axiom_pool_wait_seconds", "seconds", "pool")),
]

BACKGROUND = [
    *_counters(("axiom_background_task_runs_total", "count", "task", "outcome")),
    *_histograms(("axiom_background_task_duration_seconds", "seconds", "task")),
]

OFFLINE = [
    *_gauges(
        ("axiom_outbox_changes", "count", "queue"),
        ("axiom_outbox_oldest_seconds", "seconds", "queue"),
    ),
    *_counters(("axiom_sync_changes_total", "count", "queue", "outcome")),
    *_histograms(("axiom_sync_duration_seconds", "seconds", "queue")),
]

STORAGE = [
    *_counters(("axiom_storage_operations_total", "count", "store", "operation", "outcome")),
    *_gauges(("axiom_storage_bytes", "bytes", "store")),
    *_histograms(("axiom_storage_operation_duration_seconds", "seconds", "store", "operation")),
]

PERSISTENT_STATES = _gauges(("axiom_storage_unsaved_seconds", "seconds", "client"))

TELEMETRY = [
    *_counters(
        ("axiom_telemetry_dropped_total", "count", "reason"),
        ("axiom_trace_spans_dropped_total", "count", "reason"),
        ("axiom_main_actor_hangs_total", "count"),
        ("axiom_metrics_overflow_total", "count", "family"),
        ("axiom_metrics_collection_problems_total", "count", "reason"),
        ("axiom_exporter_scrapes_total", "count", "format", "code"),
        ("axiom_profiler_samples_total", "count", "result"),
    ),
    *_gauges(
        ("axiom_metrics_series", "count", "family"),
        ("axiom_problem_active", "count", "kind", "component", "cause"),
    ),
    *_histograms(
        ("axiom_exporter_scrape_duration_seconds", "seconds"),
        ("axiom_main_actor_delay_seconds", "seconds"),
        ("axiom_exporter_scrape_bytes", "bytes"),
    ),
]

PROCESS = [
    *_counters(
        ("process_cpu_seconds_total", "seconds"),
        ("process_context_switches_total", "count", "kind"),
        ("process_page_faults_total", "count", "kind"),
        ("process_io_bytes_total", "bytes", "direction", "layer"),
        ("process_io_calls_total", "count", "direction"),
        ("process_pressure_waiting_seconds_total", "seconds", "resource"),
        ("process_pressure_stalled_seconds_total", "seconds", "resource"),
    ),
    *_gauges(
        ("process_open_fds", "count"),
        ("process_max_fds", "count"),
        ("process_threads", "count"),
        ("process_resident_memory_bytes", "bytes"),
        ("process_heap_bytes", "bytes"),
        ("process_virtual_memory_bytes", "bytes"),
        ("process_virtual_memory_max_bytes", "bytes"),
        ("process_start_time_seconds", "timestamp"),
    ),
]

# Prometheus itself adds these: `up` for every target, `ALERTS` for every pending and firing alert.
SCRAPES = _gauges(
    ("up", "count"),
    ("ALERTS", "count", "alertname", "alertstate", "severity", "context", "breaker", "budget", "component", "long"),
)

METRICS = {
    metric.name: metric
    for group in (
        COMPONENTS,
        ACTIONS,
        CAPABILITIES,
        NAVIGATION,
        CACHES,
        ERRORS,
        CIRCUITS,
        STRATEGIES,
        BUDGETS,
        CONFIGURATION,
        LINKS,
        LIFE,
        POOLS,
        BACKGROUND,
        OFFLINE,
        STORAGE,
        PERSISTENT_STATES,
        TELEMETRY,
        PROCESS,
        SCRAPES,
    )
    for metric in group
}

# Exported only with DetailLevel.full. No panel and no rule uses them, so that all work with the default page.
FULL = {
    "axiom_component_info": "The same series as axiom_component_created_total.",
    "axiom_component_destroyed_total": "The number of observations of axiom_component_lifetime_seconds.",
    "axiom_budget_duration_seconds": "Checks and violations of budgets are counted.",
    "axiom_budget_bytes": "Checks and violations of budgets are counted.",
}

# Labels and values that are on the default page only when they occur. With DetailLevel.full all are there from the
# start.
_RARE_STATES = {"state": ("forced_open", "disabled", "shadow")}
ON_DEMAND = {
    "axiom_circuit_state": _RARE_STATES,
    "axiom_circuit_state_seconds_total": _RARE_STATES,
    "axiom_circuit_transitions_total": {"to": ("forced_open",)},
    "axiom_feature_flag_evaluations_total": {"reason": ("error",)},
    # Only if some components of a budget are confirmed and others are not.
    "axiom_budget_confirmed": {"component": ()},
    # Only while they last.
    "axiom_problem_active": {"kind": ("growth", "main_actor")},
    # Only with DetailLevel.full.
    "axiom_navigation_duration_seconds": {"route": ()},
}

# Exported, but deliberately not used by any panel or rule.
UNUSED = {
    "axiom_version_info": "The table of builds shows the version from axiom_build_info, with the revision.",
    "axiom_profiler_samples_total": "The page shows the profile, with the samples that were lost or have no action.",
    "axiom_trace_spans_dropped_total": (
        "The ring of spans overwrites the oldest ones in normal operation; those of failed and slow traces are kept."
    ),
    "process_virtual_memory_bytes": (
        "Most of the address space is never touched; resident memory shows what is used."
    ),
    "process_virtual_memory_max_bytes": "+Inf without a limit of the address space, which is nearly always the case.",
}

# Exported only if the machine provides it or the application uses it.
NOT_EVERYWHERE = {
    "axiom_client_actions_overdue": "Only with WaitLimits.overdue; the demo has no watchdog.",
    "axiom_client_overdue_total": "Only with WaitLimits.overdue, from the first action that is overdue.",
    "axiom_capability_change_duration_seconds": "Only of capabilities that changed since the start.",
    "axiom_capability_changes_total": "Only of capabilities that changed since the start.",
    "axiom_capability_permission": "Only of permissions that a capability declares; the demo has none.",
    "axiom_circuit_slow_calls_total": "Only of breakers with a slow-call duration; the demo has none.",
    "axiom_circuit_slow_ratio": "Only of breakers with a slow-call duration; the demo has none.",
    "axiom_configuration_generation": "Only of applications with an AppConfiguration.",
    "axiom_configuration_reloads_total": "Only of applications with an AppConfiguration.",
    "axiom_feature_flag_evaluations_total": "Only of applications that evaluate feature flags.",
    "axiom_metrics_series": "Only of families that hold at least half of their limit of series; the demo has none.",
    "axiom_navigation_prefetch_total": (
        "Only of flows with a Prefetcher and routes that require data; the demo has none. No panel: a prefetch that "
        "fails or is wasted is not visible to users; the counts serve to choose the budget."
    ),
    "axiom_fallbacks_total": "Only if the application watches a fallback; the demo has none.",
    "axiom_lifecycle_overdue_total": "Only of applications with an AppLifecycle.",
    "axiom_lifecycle_phase": "Only of applications with an AppLifecycle.",
    "axiom_lifecycle_transition_duration_seconds": "Only of applications with an AppLifecycle.",
    "axiom_state_image_bytes": "Only of applications with an AppLifecycle.",
    "axiom_state_image_total": "Only of applications with an AppLifecycle.",
    "axiom_profiler_samples_total": "Only while a profiler runs, which needs Linux with glibc.",
    "axiom_requests_total": "Only of applications with request handlers; the demo has none.",
    "axiom_requests_in_flight": "Only of applications with request handlers; the demo has none.",
    "axiom_request_duration_seconds": "Only of applications with request handlers; the demo has none.",
    "axiom_request_wait_seconds": "Only of applications with request handlers; the demo has none.",
    "process_pressure_waiting_seconds_total": "From /proc/pressure, which containers may hide.",
    "process_pressure_stalled_seconds_total": "From /proc/pressure, which containers may hide.",
}
