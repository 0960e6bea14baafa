# SPDX-License-Identifier: Apache-2.0
"""The recording rules. Names are level:metric:operations; the level lists the remaining labels."""

from dataclasses import dataclass

from promql import Scope
from settings import ACTION_OBJECTIVE, BUDGET_PERIOD, CHUNKED_WINDOWS, LONG_WINDOWS, WINDOWS


@dataclass(frozen=True)
class Recording:
    name: str
    expr: str


@dataclass(frozen=True)
class Group:
    name: str
    rules: list
    # How often the group is evaluated; by default as often as the configuration says.
    interval: str = ""


# Outcomes of user actions. Cancelled actions count neither as good nor as bad.
BAD = ("failure", "rejected")
JUDGED = "!cancelled"

# The bounds of the durations of actions that are recorded from native histograms, too. Each costs as much as all of a rate.
NATIVE_BOUNDS = (0.001, 0.01, 0.05, 0.1, 1.0, 10.0)

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
    """The classic buckets of all instances; native histograms give some of these.

    A rate of native histograms cannot be recorded as it is: Prometheus 2.42 rejects its rounding errors. Of a mixed fleet the
    other buckets are those of the instances with classic series; `histogram_quantile` takes the larger one of two neighbours.
    """
    name, labels = "axiom_client_action_duration_seconds", ("job", "client")
    native = f"sum by ({', '.join(labels)}) ({rules.of_native(name)})"
    below = "\n    or ".join(
        f'label_replace(histogram_fraction(0, {le}, {native}), "le", "{le}", "", "")' for le in NATIVE_BOUNDS
    )
    count = f"histogram_count({native})"
    # Without calls a fraction is not a number.
    counts = f"((\n    {below}\n  ) >= 0)\n  * on ({', '.join(labels)}) group_left ()\n  {count}"
    converted = f'{counts}\n  or label_replace({count}, "le", "+Inf", "", "")'
    return (
        f"sum by ({', '.join(labels)}, le) (\n  {rules.of_classic(name, '_bucket')}\n"
        f'  or label_replace({converted}, "form", "native", "", "")\n)'
    )


def waits():
    """What alerts read of histograms."""
    return Group(
        "axiom-waits",
        [
            _record(
                "job_instance_pool:axiom_pool_wait_seconds:rate2m",
                RULES.over("2m").rate("axiom_pool_wait_seconds", "job", "instance", "pool"),
            )
        ],
    )


ACTION_RATES = "job_context_outcome:axiom_context_actions:rate5m"
ACTIONS = "job_context_outcome:axiom_context_actions:increase5m"
HOURS = "job_context_outcome:axiom_context_actions:increase1h"


def action_burns():
    """Burn rates of the error budget of actions. At 1 the budget lasts exactly for its period.

    Their windows read what the group `axiom-fleet` has recorded: few series, whatever the number of instances. Three days of
    the counters of 200 instances would be more samples than Prometheus admits in a query.
    """
    return Group("axiom-error-budget", [rule for window in _short() for rule in _action_burns(window, ACTION_RATES)])


def long_action_burns():
    """The long windows sum chunks of five minutes, and 30 days chunks of an hour. They end with the last whole chunk."""
    month, hours = f"job_context:axiom_context_actions_{{}}:increase{BUDGET_PERIOD}", steps(BUDGET_PERIOD, "1h")
    return _long(
        "axiom-error-budget-long",
        [_record(ACTIONS, _chunk(ACTION_RATES)), _record(HOURS, f"sum_over_time({ACTIONS}{steps('1h', '5m')})")]
        + [rule for window in CHUNKED_WINDOWS for rule in _action_burns(window, ACTIONS)]
        + [
            _record(month.format(name), f"sum by (job, context) (sum_over_time({HOURS}{matching}{hours}))")
            for name, matching in (("bad", _BAD), ("judged", _JUDGED))
        ],
    )


_BAD, _JUDGED = f'{{outcome=~"{"|".join(BAD)}"}}', f'{{outcome!="{JUDGED[1:]}"}}'


def _action_burns(window, recorded):
    labels = ("job", "context")
    bad_sum, judged_sum = (_sum(recorded + matching, window, *labels) for matching in (_BAD, _JUDGED))
    # No series without actions: unmeasured is not the same as good.
    yield _record(
        f"job_context:axiom_context_actions:burn_rate{window}",
        f"{bad_sum}\n/ (\n  {judged_sum} > 0\n)\n/ {_left(ACTION_OBJECTIVE)}",
    )
    if window in LONG_WINDOWS:
        yield _record(f"job_context:axiom_context_actions_bad:increase{window}", _events(recorded + _BAD, window, *labels))


def _sum(recorded, window, *labels):
    """The sum of recorded rates or chunks. In a ratio of two of them the interval of the rules cancels out."""
    window = steps(window, "5m") if window in CHUNKED_WINDOWS else f"[{window}]"
    summed = recorded if window == "[5m]" else f"sum_over_time({recorded}{window})"
    return f"sum by ({', '.join(labels)}) ({summed})"


def _events(recorded, window, *labels):
    """The number of events in a window."""
    if window in CHUNKED_WINDOWS:
        return _sum(recorded, window, *labels)
    return f"sum by ({', '.join(labels)}) ({_chunk(recorded, window)})"


def _chunk(rates, window="5m"):
    """The number of events in a window: a recorded rate stands for 30 s, whatever the interval of the rules."""
    return f"sum_over_time({rates}{steps(window, '30s')}) * 30"


def steps(window, step):
    """A range of whole steps, a millisecond shorter than the window: servers before 3.0 count the steps at both of its ends."""
    begin = {"5m": "4m", "1h": "59m", "6h": "5h59m", "1d": "23h59m", "3d": "2d23h59m", "30d": "29d23h59m"}[window]
    return f"[{begin}59s999ms:{step}]"


def _short():
    return [window for window in WINDOWS if window not in CHUNKED_WINDOWS]


def _long(name, rules):
    """A group of sums over many hours. One evaluation a minute is enough."""
    return Group(name, rules, "1m")


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
        + [rule for window in _short() for rule in _budget_burns(window, VIOLATIONS, CHECKS)],
    )


def long_budget_burns():
    """The long windows, as those of the error budget."""
    violations, checks = (rates.replace("rate5m", "increase5m") for rates in (VIOLATIONS, CHECKS))
    return _long(
        "axiom-performance-budget-long",
        [_record(violations, _chunk(VIOLATIONS)), _record(checks, _chunk(CHECKS))]
        + [rule for window in CHUNKED_WINDOWS for rule in _budget_burns(window, violations, checks)],
    )


def _confirmed():
    """1 for each confirmed budget and component. A series without a component confirms the budget for all components."""
    each = OF_COMPONENTS
    of_all = Scope('component=""', "5m").largest("axiom_budget_confirmed", "job", "budget").expr
    checked = f"group by ({', '.join(BUDGET_LABELS)}) ({each.series('axiom_budget_checks_total')})"
    return f"{each.largest('axiom_budget_confirmed', *BUDGET_LABELS).expr}\nor\n{checked} and on (job, budget) {of_all}"


def _budget_burns(window, bad, all):
    confirmed = f"and on ({', '.join(BUDGET_LABELS)}) {CONFIRMED} == 1"
    violations, checks = (_sum(recorded, window, *BUDGET_LABELS) for recorded in (bad, all))
    yield _record(
        f"job_budget_component:axiom_budget:burn_rate{window}",
        f"{violations}\n/ (\n  {checks} > 0\n)"
        "\n/ on (job, budget) group_left ()\n(1 - job_budget:axiom_budget_objective_ratio:max)\n" + confirmed,
    )
    if window in LONG_WINDOWS:
        yield _record(
            f"job_budget_component:axiom_budget_violations:increase{window}",
            f"{_events(bad, window, *BUDGET_LABELS)}\n{confirmed}",
        )


def groups():
    return [fleet(), waits(), action_burns(), long_action_burns(), budget_burns(), long_budget_burns()]


def _record(name, query):
    return Recording(name, query if isinstance(query, str) else query.expr)


def _left(objective):
    return f"{1 - objective:.6g}"
