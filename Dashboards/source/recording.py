# SPDX-License-Identifier: Apache-2.0
"""The recording rules. Names are level:metric:operations; the level lists the remaining labels."""

from dataclasses import dataclass

from promql import Scope
from settings import ACTION_OBJECTIVE, LONG_WINDOWS, WINDOWS


@dataclass(frozen=True)
class Recording:
    name: str
    expr: str


@dataclass(frozen=True)
class Group:
    name: str
    rules: list
    interval: str = ""


# Outcomes of user actions. Cancelled actions count neither as good nor as bad.
BAD = ("failure", "rejected")
JUDGED = "!cancelled"

# The bounds of the durations of actions on the default page, as Prometheus stores them.
LEAN_BUCKETS = ("0.001", "0.01", "0.05", "1.0")

BUDGET_LABELS = ("job", "budget", "component")
CONFIRMED = "job_budget_component:axiom_budget_confirmed:max"
IS_AXIOM = "and on (job, instance) axiom_build_info"
RULES = Scope("", "5m")
# Of a confirmed budget the page has each component.
OF_COMPONENTS = Scope('component!=""', "5m")
VIOLATIONS = "job_budget_component:axiom_budget_violations:rate5m"
CHECKS = "job_budget_component:axiom_budget_checks:rate5m"


def fleet():
    """Aggregates over the instances of a job, which make panels and queries of many instances cheap."""
    rules = RULES
    return Group(
        "axiom-fleet",
        [
            _record(
                "job_version_revision:axiom_instances:count",
                rules.count("axiom_build_info", "job", "version", "revision"),
            ),
            _record(
                "job_context_outcome:axiom_context_actions:rate5m",
                rules.rate("axiom_context_actions_total", "job", "context", "outcome"),
            ),
            _record(
                "job_client_outcome:axiom_client_actions:rate5m",
                rules.rate("axiom_client_actions_total", "job", "client", "outcome"),
            ),
            _record(
                "job_client_le:axiom_client_action_duration_seconds_bucket:rate5m",
                _client_buckets(rules),
            ),
            _record(
                "job_client:axiom_client_actions_in_flight:sum",
                rules.total("axiom_client_actions_in_flight", "job", "client"),
            ),
            _record(
                "job_component_code:axiom_errors:rate5m", rules.rate("axiom_errors_total", "job", "component", "code")
            ),
            _record(
                "job_kind_component:axiom_component_live:sum",
                rules.total("axiom_component_live", "job", "kind", "component"),
            ),
            _record(
                "job_breaker_state:axiom_circuit_state:sum",
                rules.total("axiom_circuit_state", "job", "breaker", "state"),
            ),
            _record(
                "job_breaker_outcome:axiom_circuit_calls:rate5m",
                rules.rate("axiom_circuit_calls_total", "job", "breaker", "outcome"),
            ),
            _record(
                "job_breaker_state:axiom_circuit_state_seconds:ratio_rate5m",
                rules.rate("axiom_circuit_state_seconds_total", "job", "breaker", "state").expr
                + "\n/ on (job, breaker) group_left ()\n"
                + rules.rate("axiom_circuit_state_seconds_total", "job", "breaker").expr,
            ),
            _record(
                "job:process_cpu_seconds:rate5m",
                f"sum by (job) (rate({rules.series('process_cpu_seconds_total')}[5m]) {IS_AXIOM})",
            ),
            _record(
                "job:process_resident_memory_bytes:sum",
                f"sum by (job) ({rules.series('process_resident_memory_bytes')} {IS_AXIOM})",
            ),
        ],
    )


def _client_buckets(rules):
    """The classic buckets; from native histograms, the same buckets.

    A rate of native histograms cannot be recorded as it is: Prometheus 2.42 rejects its rounding errors.
    """
    name, labels = "axiom_client_action_duration_seconds", ("job", "client")
    native = f"sum by ({', '.join(labels)}) (rate({rules.series(name)}[{rules.window}]))"
    counts = f"histogram_count({native})"
    parts = [(f"{counts} * histogram_fraction(0, {float(le)}, {native})", le) for le in LEAN_BUCKETS] + [(counts, "+Inf")]
    replaced = [f'label_replace({expr}, "le", "{le}", "", "")' for expr, le in parts]
    classic = f"sum by ({', '.join(labels)}, le) (rate({rules.series(name, '_bucket')}[{rules.window}]))"
    return "\nor\n".join([classic, *replaced])


def action_burns():
    """Burn rates of the error budget of actions. At 1 the budget lasts exactly for its period.

    Their windows read what the group `axiom-fleet` has recorded: few series, whatever the number of instances. Three days of
    the counters of 200 instances would be more samples than Prometheus admits in a query.
    """
    return Group("axiom-error-budget", [rule for window in WINDOWS for rule in _action_burns(window)])


def _action_burns(window):
    rates, labels = "job_context_outcome:axiom_context_actions:rate5m", ("job", "context")
    bad = f'{rates}{{outcome=~"{"|".join(BAD)}"}}'
    bad_sum, judged_sum = _sum(bad, window, *labels), _sum(f'{rates}{{outcome!="{JUDGED[1:]}"}}', window, *labels)
    # No series without actions: unmeasured is not the same as good.
    yield _record(
        f"job_context:axiom_context_actions:burn_rate{window}",
        f"{bad_sum}\n/ (\n  {judged_sum} > 0\n)\n/ {_left(ACTION_OBJECTIVE)}",
    )
    if window in LONG_WINDOWS:
        yield _record(f"job_context:axiom_context_actions_bad:increase{window}", _events(bad, window, *labels))


def _sum(rates, window, *labels):
    """The sum of recorded rates. In a ratio of two of them the interval of the rules cancels out."""
    summed = rates if window == "5m" else f"sum_over_time({rates}[{window}])"
    return f"sum by ({', '.join(labels)}) ({summed})"


def _events(rates, window, *labels):
    """The number of events in a window: a recorded rate stands for the next 30 s, whatever the interval of the rules."""
    return f"sum by ({', '.join(labels)}) (sum_over_time({rates}[{window}:30s])) * 30"


def budget_burns():
    """Burn rates of performance budgets, each against its own objective, which the application exports.

    Only budgets that the application confirmed have a burn rate; unconfirmed defaults of the specification raise no
    alert. The objectives of running instances also apply to instances that have ended, so that a restart removes
    nothing from a long window.
    """
    objective = RULES.largest("axiom_budget_objective_ratio", "job", "budget")
    return Group(
        "axiom-performance-budget",
        [
            _record("job_budget:axiom_budget_objective_ratio:max", objective),
            _record(CONFIRMED, _confirmed()),
            _record(VIOLATIONS, OF_COMPONENTS.rate("axiom_budget_violations_total", *BUDGET_LABELS)),
            _record(CHECKS, OF_COMPONENTS.rate("axiom_budget_checks_total", *BUDGET_LABELS)),
        ]
        + [rule for window in WINDOWS for rule in _budget_burns(window)],
    )


def _confirmed():
    """1 for each confirmed budget and component. A series without a component confirms the budget for all components."""
    each = OF_COMPONENTS
    of_all = Scope('component=""', "5m").largest("axiom_budget_confirmed", "job", "budget").expr
    checked = f"group by ({', '.join(BUDGET_LABELS)}) ({each.series('axiom_budget_checks_total')})"
    return f"{each.largest('axiom_budget_confirmed', *BUDGET_LABELS).expr}\nor\n{checked} and on (job, budget) {of_all}"


def _budget_burns(window):
    confirmed = f"and on ({', '.join(BUDGET_LABELS)}) {CONFIRMED} == 1"
    violations, checks = (_sum(rates, window, *BUDGET_LABELS) for rates in (VIOLATIONS, CHECKS))
    yield _record(
        f"job_budget_component:axiom_budget:burn_rate{window}",
        f"{violations}\n/ (\n  {checks} > 0\n)"
        "\n/ on (job, budget) group_left ()\n(1 - job_budget:axiom_budget_objective_ratio:max)\n" + confirmed,
    )
    if window in LONG_WINDOWS:
        yield _record(
            f"job_budget_component:axiom_budget_violations:increase{window}",
            f"{_events(VIOLATIONS, window, *BUDGET_LABELS)}\n{confirmed}",
        )


def groups():
    return [fleet(), action_burns(), budget_burns()]


def _record(name, query):
    return Recording(name, query if isinstance(query, str) else query.expr)


def _left(objective):
    return f"{1 - objective:.6g}"
