# SPDX-License-Identifier: Apache-2.0
"""Test cases of the sums over many hours: each must be what a subquery over all of the window says.

Two instances count for 31 hours. One restarts and begins at 0 again, one is replaced, and the failures come in bursts.
"""

from recording import ACTION_RATES, ACTIONS, CHECKS, HOURS, VIOLATIONS, steps
from settings import CHUNKED_WINDOWS, LONG_WINDOWS

_A, _B, _C = (f'job="shop", instance="{name}:9464"' for name in "abc")
_CONTEXT = 'context="CartContext"'
_CART = f'{_CONTEXT}, action="add"'
_BUDGET = 'budget="rendering", component="CartContext"'
# A restart after ten hours; bursts of failures after five and thirty hours.
_GOOD, _FAILED = "0+60x600 0+60x1300", "0+0x300 40+0x400 0+2x900 1800+50x6 2100+0x300"
SERIES = {
    f'axiom_context_actions_total{{{_A}, {_CART}, outcome="success"}}': _GOOD,
    f'axiom_context_actions_total{{{_A}, {_CART}, outcome="failure"}}': _FAILED,
    f'axiom_context_actions_total{{{_B}, {_CART}, outcome="success"}}': "0+30x1000 stale",
    f'axiom_context_actions_total{{{_C}, {_CART}, outcome="success"}}': "_x1010 0+30x890",
    f'axiom_context_actions_total{{{_C}, {_CART}, outcome="rejected"}}': "_x1010 0+1x890",
    f"axiom_budget_checks_total{{{_A}, {_BUDGET}}}": _GOOD,
    f"axiom_budget_violations_total{{{_A}, {_BUDGET}}}": _FAILED,
    f"axiom_budget_confirmed{{{_A}, {_BUDGET}}}": "1x1900",
    f'axiom_budget_objective_ratio{{{_A}, budget="rendering"}}': "0.9x1900",
}
_BAD, _JUDGED = '{outcome=~"failure|rejected"}', '{outcome!="cancelled"}'


def _whole(rates, window, before=""):
    """The number of events by one subquery: a recorded rate stands for the minute until the next evaluation."""
    return f"sum without (outcome) (sum_over_time({rates}{steps(window, '1m')}{before})) * 60"


def oracles():
    """Pairs of what is recorded and what it must be."""
    for window in CHUNKED_WINDOWS:
        bad, judged = _whole(ACTION_RATES + _BAD, window), _whole(ACTION_RATES + _JUDGED, window)
        yield f"job_context:axiom_context_actions_bad:increase{window}", bad
        yield f"job_context:axiom_context_actions:burn_rate{window}", f"{bad} / ({judged}) / 0.001"
        if window in LONG_WINDOWS:
            yield f"job_budget_component:axiom_budget_violations:increase{window}", _whole(VIOLATIONS, window)
        burn = f"{_whole(VIOLATIONS, window)} / ({_whole(CHECKS, window)}) / 0.1"
        yield f"job_budget_component:axiom_budget:burn_rate{window}", burn
    yield f"sum without (outcome) ({HOURS}{_BAD})", _whole(ACTION_RATES + _BAD, "1h")
    yield f"sum without (outcome) ({ACTIONS}{_JUDGED})", _whole(ACTION_RATES + _JUDGED, "5m")
    # 30 days end with the last whole hour.
    for name, matching in (("bad", _BAD), ("judged", _JUDGED)):
        yield f"job_context:axiom_context_actions_{name}:increase30d", _whole(ACTION_RATES + matching, "30d", " offset 15m")


def tests():
    """At 31:15, which ends a chunk of five minutes. What is left is the delay of a rate by half a minute."""
    yield {
        "name": "sums over many hours are those of a subquery",
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in SERIES.items()],
        "promql_expr_test": [
            {
                "expr": f"abs({recorded} / ({oracle}) - 1) < bool 0.005",
                "eval_time": "31h15m",
                "exp_samples": [{"labels": f'{{job="shop", {_BUDGET if "budget" in recorded else _CONTEXT}}}', "value": 1}],
            } for recorded, oracle in oracles()
        ],
    }
