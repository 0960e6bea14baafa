# SPDX-License-Identifier: Apache-2.0
"""The overview dashboard: health, objectives and alerts, user actions, errors, resource use, and the cost of
telemetry."""

import offline
from caches import caches
from capabilities import capabilities
from dashboard import ALERTS, dashboard
from growth import growth, main_actor
from panels import BURN_MARKS, BURN_TEXT, OF_JOB, SHOWN, explained, linked, lines, row, stat, table, with_exemplars
from pools import background, pools
from promql import Query
from settings import ACTION_OBJECTIVE, BUDGET_PERIOD

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
            "p99 latency",
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


def objectives():
    actions = "axiom_context_actions_total"
    share = _bad_share("$__range")
    allowed = f"{1 - ACTION_OBJECTIVE:.6g}"
    firing = f"max by (alertname, severity, instance, context, breaker, budget, component) ({ALERTS})"
    burn = SHOWN.rate(actions, "context", outcome=BAD).over(SHOWN.rate(actions, "context", outcome=JUDGED), "context")
    return [
        row("Objectives and alerts"),
        stat(
            "Good actions",
            f"Share of user actions in the chosen range that neither failed nor were rejected. The objective is"
            f" {ACTION_OBJECTIVE:.1%} over 30 days.",
            Query(f"1 -\n{share.expr}", "percentunit"),
            decimals=2,
        ),
        stat(
            "Error budget left",
            "Share of the error budget of the last 30 days that is left, of all instances of the job; below 0 the objective"
            " is missed. Requires the recording rules.",
            Query(f"1 - {_recorded_bad_share().divided(allowed, '').expr}", "percentunit"),
            decimals=1,
        ),
        stat(
            "Firing alerts",
            "Alerts of the rules in Dashboards/prometheus that fire now.",
            Query(f"count({ALERTS}) or vector(0)", "short"),
            bad=1,
        ),
        explained(
            table(
                "Problems",
                "What the dashboards of the instances call a problem now, and its cause. 2 does harm, 1 may.",
                SHOWN.largest("axiom_problem_active", "instance", "kind", "component", "cause"),
                {"component": "Component", "kind": "Kind", "cause": "Cause", "instance": "Instance", "Value": "Level"},
                width=24,
                height=6,
            ),
            "AxiomOutage",
            "AxiomProblem",
        ),
        explained(
            lines(
                "Burn rate",
                f"The rate of failed and rejected actions divided by the rate that the objective allows. {BURN_TEXT}",
                (burn.divided(allowed, "short"), "{{context}}"),
                marks=BURN_MARKS,
                least=0,
            ),
            "AxiomErrorBudgetBurn",
        ),
        table(
            "Alerts",
            "The alerts that fire now. Empty if there are none, or if Prometheus does not have the rules.",
            Query(firing, "short"),
            {
                "alertname": "Alert",
                "severity": "Severity",
                "context": "Context",
                "breaker": "Breaker",
                "budget": "Budget",
                "component": "Component",
                "instance": "Instance",
                "Value": "Firing",
            },
            width=24,
            height=6,
        ),
    ]


def _recorded_bad_share():
    """The share of bad actions in the period of the objective, from what is recorded: a month of the counters of some instances
    would be more samples than Prometheus admits in a query."""
    recorded = f"job_context:axiom_context_actions_{{}}:increase{BUDGET_PERIOD}"
    bad, judged = (OF_JOB.recorded(recorded.format(name), "short").summed() for name in ("bad", "judged"))
    return bad / judged


def _bad_share(window):
    """The share of bad actions; 0 without any."""
    shown = SHOWN.over(window)
    actions = "axiom_context_actions_total"
    bad, judged = (shown.increase(actions, outcome=outcome) for outcome in (BAD, JUDGED))
    return bad / judged


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
        with_exemplars(
            lines(
                "Latency",
                "Percentiles of the latency of user actions, on a logarithmic axis.",
                (SHOWN.quantile(0.5, durations), "p50"),
                (SHOWN.quantile(0.95, durations), "p95"),
                (SHOWN.quantile(0.99, durations), "p99"),
                log=True,
            )
        ),
        linked(
            lines(
                "Calls of clients",
                "Actions that clients processed, per second.",
                (SHOWN.rate("axiom_client_actions_total", "client"), "{{client}}"),
                least=0,
            ),
            "client",
        ),
        linked(
            lines(
                "Calls in flight",
                "Actions that clients are processing now.",
                (SHOWN.total("axiom_client_actions_in_flight", "client"), "{{client}}"),
                least=0,
            ),
            "client",
        ),
        lines(
            "Waits without an end",
            "Operations that would have waited for themselves, and steps of a shutdown that exceeded their limit, per"
            " second.",
            (SHOWN.rate("axiom_deadlocks_total", "component").above(0), "{{component}}: deadlock"),
            (SHOWN.rate("axiom_shutdown_overdue_total", "component").above(0), "{{component}}: shutdown"),
            width=24,
            least=0,
        ),
    ]


def errors():
    return [
        row("Errors"),
        linked(
            lines(
                "Errors by component",
                "Errors that ended at a boundary, per second, by the component that threw them. This includes rejections"
                " by an open circuit breaker.",
                (SHOWN.rate("axiom_errors_total", "component"), "{{component}}"),
                stack=True,
                least=0,
            ),
            "component",
        ),
        linked(
            table(
                "Errors by code",
                "The most frequent errors, per second. A row links to its component.",
                SHOWN.rate("axiom_errors_total", "component", "code", "severity").above(0).largest(20),
                {"component": "Component", "code": "Code", "severity": "Severity", "Value": "Per second"},
            ),
            "Component",
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
            (SHOWN.rate("axiom_component_lifetime_seconds", "kind").in_unit("cps"), "{{kind}} ended"),
            least=0,
        ),
    ]


def navigation():
    durations = "axiom_navigation_duration_seconds"
    return [
        row("Navigation"),
        lines(
            "Transitions",
            "Requests to the flows of the application, per second, by kind of transition and outcome.",
            (
                SHOWN.rate("axiom_navigation_transitions_total", "flow", "transition", "outcome").above(0),
                "{{flow}} {{transition}}: {{outcome}}",
            ),
            least=0,
        ),
        lines(
            "Duration of transitions",
            "99 % of the requests took no longer than this in middleware, to make screens, and as a whole.",
            (SHOWN.quantile(0.99, durations, "flow", "phase"), "{{flow}} {{phase}} p99"),
            log=True,
        ),
        lines(
            "History",
            "Routes in the histories of the flows, and those of them that have a context, over all instances.",
            (SHOWN.total("axiom_navigation_depth", "flow"), "{{flow}} routes"),
            (SHOWN.total("axiom_navigation_live_screens", "flow"), "{{flow}} with a context"),
            least=0,
        ),
        lines(
            "Redirections",
            "Requests that middleware redirected, per second.",
            (
                SHOWN.rate("axiom_navigation_redirects_total", "flow", "from", "to").above(0),
                "{{flow}} {{from}} to {{to}}",
            ),
            least=0,
        ),
        lines(
            "Deep links",
            "Links per second that were opened, refused by middleware or the flow, unknown, or failed. Unknown links have"
            " the pattern none: old links, or attempts to guess one.",
            (SHOWN.rate("axiom_deep_links_total", "pattern", "outcome").above(0), "{{pattern}}: {{outcome}}"),
            least=0,
        ),
    ]


def process():
    switches = SHOWN.rate("process_context_switches_total", "kind")
    return [
        row("Process", collapsed=True),
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
        row("Cost of telemetry", collapsed=True),
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
            "The families that hold at least half of their limit of series: the number of them, over all instances.",
            SHOWN.total("axiom_metrics_series", "family").largest(20),
            {"family": "Family", "Value": "Series"},
        ),
    ]


def build():
    panels = verdict() + objectives() + users() + errors() + capabilities() + main_actor() + components() + growth() + navigation()
    panels += caches(SHOWN) + pools() + background() + offline.panels() + process() + telemetry()
    return dashboard(
        "axiom-overview",
        "Axiom / Overview",
        "The health of an Axiom application: user actions, errors and resource use.",
        panels,
    )
