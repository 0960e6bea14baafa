# SPDX-License-Identifier: Apache-2.0
"""Test cases of the recording rules for `promtool test rules`: counters that grow evenly on two instances.

EXPECTED has the value of every recorded series, by its labels.
"""

from histogram_forms import Histogram, classic
from promql import Scope
from recording import NATIVE_BOUNDS
from settings import LONG_WINDOWS, WINDOWS

MINUTES = 30
AT = "20m"

A, B = 'job="shop", instance="a:9464"', 'job="shop", instance="b:9464"'


def _grows(a_minute):
    return f"0+{a_minute}x{MINUTES}"


def _stays(value):
    return f"{value}x{MINUTES}"


def _build(instance, revision):
    return f'axiom_build_info{{{instance}, version="0.1.0", swift="6.3", revision="{revision}", instrumented="true"}}'


BUILDS = {_build(A, "f00"): _stays(1), _build(B, "f00"): _stays(1)}

_CLIENT, _CONTEXT, _WRITE, _POOL = (
    "axiom_client_action_duration_seconds",
    "axiom_context_action_duration_seconds",
    "axiom_storage_operation_duration_seconds",
    "axiom_pool_wait_seconds",
)
HISTOGRAMS = (
    Histogram(_CLIENT, f'{A}, client="CartClient", action="add"', NATIVE_BOUNDS, 30, 30, 2),
    Histogram(_CLIENT, f'{B}, client="CartClient", action="add"', NATIVE_BOUNDS, 15, 15, 5),
    Histogram(_CONTEXT, f'{A}, context="CartContext", action="add"', (0.01,), 597, 3),
    Histogram(_WRITE, f'{A}, store="orders", operation="write"', (0.02,), 597, 3),
    Histogram(_POOL, f'{A}, pool="orders"', (0.01,), 6, 6),
)

# The two instances count 60 and 30 per minute, together 1.5 per second.
COUNTED = {
    **BUILDS,
    f'axiom_context_actions_total{{{A}, context="CartContext", action="add", outcome="success"}}': _grows(54),
    f'axiom_context_actions_total{{{A}, context="CartContext", action="add", outcome="failure"}}': _grows(6),
    f'axiom_context_actions_total{{{B}, context="CartContext", action="add", outcome="success"}}': _grows(24),
    f'axiom_context_actions_total{{{B}, context="CartContext", action="add", outcome="rejected"}}': _grows(6),
    f'axiom_context_actions_total{{{B}, context="CartContext", action="add", outcome="cancelled"}}': _grows(600),
    f'axiom_client_actions_total{{{A}, client="CartClient", action="add", outcome="success"}}': _grows(60),
    f'axiom_client_actions_total{{{B}, client="CartClient", action="clear", outcome="success"}}': _grows(30),
    f'axiom_storage_operations_total{{{A}, store="orders", operation="write", outcome="success"}}': _grows(60),
    f'axiom_storage_operations_total{{{B}, store="orders", operation="write", outcome="success"}}': _grows(30),
    f'axiom_storage_operations_total{{{B}, store="orders", operation="write", outcome="failure"}}': _grows(6),
    f'axiom_client_actions_in_flight{{{A}, client="CartClient"}}': _stays(3),
    f'axiom_client_actions_in_flight{{{B}, client="CartClient"}}': _stays(4),
    f'axiom_errors_total{{{A}, component="CartClient", code="E1", severity="critical"}}': _grows(6),
    f'axiom_errors_total{{{B}, component="CartClient", code="E1", severity="non_critical"}}': _grows(3),
    f'axiom_component_live{{{A}, kind="context", component="CartContext"}}': _stays(2),
    f'axiom_component_live{{{B}, kind="context", component="CartContext"}}': _stays(5),
    f'axiom_circuit_state{{{A}, breaker="CartClient", state="open"}}': _stays(1),
    f'axiom_circuit_state{{{B}, breaker="CartClient", state="open"}}': _stays(1),
    f'axiom_circuit_state_seconds_total{{{A}, breaker="CartClient", state="open"}}': _grows(60),
    f'axiom_circuit_state_seconds_total{{{B}, breaker="CartClient", state="open"}}': _grows(30),
    f'axiom_circuit_state_seconds_total{{{B}, breaker="CartClient", state="closed"}}': _grows(30),
    f'axiom_circuit_calls_total{{{A}, breaker="CartClient", outcome="rejected"}}': _grows(60),
    f'axiom_circuit_calls_total{{{B}, breaker="CartClient", outcome="rejected"}}': _grows(30),
    f"process_cpu_seconds_total{{{A}}}": _grows(15),
    f"process_cpu_seconds_total{{{B}}}": _grows(30),
    f"process_resident_memory_bytes{{{A}}}": _stays(1000),
    f"process_resident_memory_bytes{{{B}}}": _stays(500),
    # Not an Axiom application: excluded from all sums.
    'process_cpu_seconds_total{job="shop", instance="proxy:9100"}': _grows(60),
    'process_resident_memory_bytes{job="shop", instance="proxy:9100"}': _stays(7000),
    f'axiom_budget_objective_ratio{{{A}, budget="rendering"}}': _stays(0.9),
    f'axiom_budget_objective_ratio{{{B}, budget="rendering"}}': _stays(0.9),
    f'axiom_budget_checks_total{{{A}, budget="rendering", component="CartContext"}}': _grows(60),
    f'axiom_budget_checks_total{{{B}, budget="rendering", component="CartContext"}}': _grows(30),
    f'axiom_budget_violations_total{{{A}, budget="rendering", component="CartContext"}}': _grows(12),
    f'axiom_budget_violations_total{{{B}, budget="rendering", component="CartContext"}}': _grows(6),
    f'axiom_budget_confirmed{{{A}, budget="rendering", component="CartContext"}}': _stays(1),
    f'axiom_budget_confirmed{{{B}, budget="rendering", component="CartContext"}}': _stays(1),
    f'axiom_budget_confirmed{{{A}, budget="rendering", component="IdleContext"}}': _stays(1),
    # Not confirmed: nothing is recorded.
    f'axiom_budget_checks_total{{{A}, budget="rendering", component="HomeContext"}}': _grows(60),
    f'axiom_budget_violations_total{{{A}, budget="rendering", component="HomeContext"}}': _grows(60),
    # A lean page sums the components of an unconfirmed budget, and has no component.
    f'axiom_budget_checks_total{{{A}, budget="rendering"}}': _grows(60),
    f'axiom_budget_violations_total{{{A}, budget="rendering"}}': _grows(60),
    # Confirmed for every component.
    f'axiom_budget_objective_ratio{{{A}, budget="lifecycle"}}': _stays(0.9),
    f'axiom_budget_confirmed{{{A}, budget="lifecycle"}}': _stays(1),
    f'axiom_budget_checks_total{{{A}, budget="lifecycle", component="CartContext"}}': _grows(60),
    f'axiom_budget_violations_total{{{A}, budget="lifecycle", component="CartContext"}}': _grows(12),
    # Never checked: no burn rate.
    f'axiom_budget_checks_total{{{A}, budget="rendering", component="IdleContext"}}': _stays(0),
    f'axiom_budget_violations_total{{{A}, budget="rendering", component="IdleContext"}}': _stays(0),
}

SERIES = {**COUNTED, **{name: values for each in HISTOGRAMS for name, values in classic(each).items()}}

FLEET = {
    "job_version_revision:axiom_instances:count": {'version="0.1.0", revision="f00"': 2},
    "job_context_outcome:axiom_context_actions:rate5m": {
        'context="CartContext", outcome="success"': 1.3,
        'context="CartContext", outcome="failure"': 0.1,
        'context="CartContext", outcome="rejected"': 0.1,
        'context="CartContext", outcome="cancelled"': 10,
    },
    "job_client_outcome:axiom_client_actions:rate5m": {'client="CartClient", outcome="success"': 1.5},
    "job_client_le:axiom_client_action_duration_seconds_bucket:rate5m": {
        **{f'client="CartClient", le="{bound}"': 0.75 for bound in NATIVE_BOUNDS},
        'client="CartClient", le="+Inf"': 1.5,
    },
    "job_client:axiom_client_actions_in_flight:sum": {'client="CartClient"': 7},
    "job_component_code:axiom_errors:rate5m": {'component="CartClient", code="E1"': 0.15},
    "job_kind_component:axiom_component_live:sum": {'kind="context", component="CartContext"': 7},
    "job_breaker_state:axiom_circuit_state:sum": {'breaker="CartClient", state="open"': 2},
    "job_breaker_outcome:axiom_circuit_calls:rate5m": {'breaker="CartClient", outcome="rejected"': 1.5},
    "job_breaker_state:axiom_circuit_state_seconds:ratio_rate5m": {
        'breaker="CartClient", state="open"': 0.75,
        'breaker="CartClient", state="closed"': 0.25,
    },
    "job:process_cpu_seconds:rate5m": {"": 0.75},
    "job:process_resident_memory_bytes:sum": {"": 1500},
    "job_budget:axiom_budget_objective_ratio:max": {'budget="rendering"': 0.9, 'budget="lifecycle"': 0.9},
    "job_budget_component:axiom_budget_confirmed:max": {
        'budget="rendering", component="CartContext"': 1,
        'budget="rendering", component="IdleContext"': 1,
        'budget="lifecycle", component="CartContext"': 1,
    },
}

IN_A, IN_B = 'instance="a:9464"', 'instance="b:9464"'
WRITE = 'store="orders", operation="write"'
# Of the violations and checks all count, confirmed or not: 144 of 240 a minute, and 6 of 30.
INSTANCES = {
    "job_instance:axiom_context_actions:rate5m": {IN_A: 1, IN_B: 10.5},
    "job_instance:axiom_context_actions_bad:ratio_rate5m": {IN_A: 0.1, IN_B: 0.2},
    "job_instance:axiom_context_action_duration_seconds:p99_5m": {IN_A: 0.01 * 594 / 597},
    "job_instance:axiom_errors:rate5m": {IN_A: 0.1, IN_B: 0.05},
    "job_instance:axiom_component_live:sum": {IN_A: 2, IN_B: 5},
    "job_instance:axiom_client_actions_in_flight:sum": {IN_A: 3, IN_B: 4},
    "job_instance:axiom_budget_violations:ratio_rate5m": {IN_A: 0.6, IN_B: 0.2},
    "job_instance:process_cpu_seconds:rate5m": {IN_A: 0.25, IN_B: 0.5},
    "job_store_operation_outcome:axiom_storage_operations:rate5m": {
        f'{WRITE}, outcome="success"': 1.5,
        f'{WRITE}, outcome="failure"': 0.1,
    },
    "job_store_operation:axiom_storage_operation_duration_seconds:p95_5m": {WRITE: 0.02 * 570 / 597},
    "job_instance_pool:axiom_pool_wait_seconds:rate2m": {f'{IN_A}, pool="orders"': 0.2},
}

CONTEXT, BUDGET = 'context="CartContext"', 'budget="rendering", component="CartContext"'
BUDGET_OF_ALL = 'budget="lifecycle", component="CartContext"'
# 12 of 90 judged actions failed or were rejected, and 1 of 1,000 may. 18 of 90 checks were violations, and 1 of 10 may
# be; of the budget that is confirmed for all, 12 of 60.
BURNS = {
    **{f"job_context:axiom_context_actions:burn_rate{window}": {CONTEXT: 12 / 90 / 0.001} for window in WINDOWS},
    **{f"job_budget_component:axiom_budget:burn_rate{window}": {BUDGET: 18 / 90 / 0.1, BUDGET_OF_ALL: 12 / 60 / 0.1} for window in WINDOWS},
}
# All windows are longer than these 20 minutes. Each minute has the rate of the last 5 minutes: of the first four minutes 1, 2,
# 3 and 4 fifths of it. So they count as two minutes. The last rate stands for 30 s: 20 minutes count as 17.5.
MEASURED = 17.5
INCREASES = {
    **{f"job_context:axiom_context_actions_bad:increase{window}": {CONTEXT: 12 * MEASURED} for window in LONG_WINDOWS},
    **{
        f"job_budget_component:axiom_budget_violations:increase{window}": {
            BUDGET: 18 * MEASURED,
            BUDGET_OF_ALL: 12 * MEASURED,
            'budget="rendering", component="IdleContext"': 0,
        }
        for window in LONG_WINDOWS
    },
}

# Of components only, confirmed or not.
HOME, IDLE = (f'budget="rendering", component="{name}Context"' for name in ("Home", "Idle"))
RATES = {
    "job_budget_component:axiom_budget_violations:rate5m": {BUDGET: 0.3, BUDGET_OF_ALL: 0.2, HOME: 1, IDLE: 0},
    "job_budget_component:axiom_budget_checks:rate5m": {BUDGET: 1.5, BUDGET_OF_ALL: 1, HOME: 1, IDLE: 0},
}

_OUTCOMES = {"success": 78, "failure": 6, "rejected": 6, "cancelled": 600}
CHUNKS = {
    **{
        f"job_context_outcome:axiom_context_actions:increase{window}": {
            f'{CONTEXT}, outcome="{outcome}"': count * minutes for outcome, count in _OUTCOMES.items()
        }
        for window, minutes in (("5m", 5), ("1h", MEASURED))
    },
    **{
        f"job_budget_component:axiom_budget_{name}:increase5m": {
            labels: value * 300 for labels, value in RATES[f"job_budget_component:axiom_budget_{name}:rate5m"].items()
        }
        for name in ("violations", "checks")
    },
}

# All but those of 30 days, of which 20 minutes have no whole hour: window_cases.py has them.
EXPECTED = {**FLEET, **RATES, **INSTANCES, **BURNS, **INCREASES, **CHUNKS}

# What panels ask of histograms.
_SHOWN = Scope('job="shop"', "5m")
SHOWN = {
    _SHOWN.rate(_CLIENT, "job", "client").expr: {'client="CartClient"': 1.5},
    _SHOWN.mean(_CLIENT, "job", "client").expr: {'client="CartClient"': 3},
    _SHOWN.quantile(0.99, _CONTEXT, "job", "context").expr: {'context="CartContext"': 0.01 * 594 / 597},
}
# What depends on the form of histograms.
_READ = ("_seconds_bucket:", "_seconds:p", "_wait_seconds:")
OF_HISTOGRAMS = SHOWN | {name: values for name, values in EXPECTED.items() if any(part in name for part in _READ)}
