# SPDX-License-Identifier: Apache-2.0
"""Test cases of the burn-rate alerts. Each spans hours of simulated time."""

from case import Case, Cases, absent, fires, just_below, resolves


def _error_burn(severity, long, short, burn, share, **times):
    cases = Cases(
        "AxiomErrorBudgetBurn",
        severity,
        {"job": "shop", "context": "CheckoutContext", "long": long, "short": short},
        f"User actions fail {burn} times as often as the objective allows",
        f"Too many actions of CheckoutContext (shop) fail or are rejected. At this rate {share} of the 30-day error"
        f" budget is used within {long}. Most of them are of a:9464.",
        (),
    )
    return _with_outage(_burn_cases(cases, _actions, **times), _actions, **times)


def _actions(bad, good):
    labels = 'job="shop", instance="a:9464", context="CheckoutContext", action="pay"'
    return {
        f'axiom_context_actions_total{{{labels}, outcome="failure"}}': bad,
        f'axiom_context_actions_total{{{labels}, outcome="success"}}': good,
        # A cancelled action is neither a failure nor a success.
        f'axiom_context_actions_total{{{labels}, outcome="cancelled"}}': "0+500x700",
    }


def _budget_burn(severity, long, short, burn, share, **times):
    cases = Cases(
        "AxiomPerformanceBudgetBurn",
        severity,
        {"job": "shop", "budget": "rendering", "component": "CartContext", "long": long, "short": short},
        f"Performance budget rendering is missed {burn} times as often as its objective allows",
        f"Too many operations of CartContext (shop) exceed the budget rendering. At this rate {share} of the 30-day"
        f" allowance is used within {long}. Most of them are of a:9464.",
        (),
    )
    return _with_outage(_burn_cases(cases, _checks, **times), _checks, **times)


def _checks(bad, good):
    labels = 'job="shop", instance="a:9464", budget="rendering", component="CartContext"'
    default = labels.replace("CartContext", "HomeContext")
    return {
        f"axiom_budget_violations_total{{{labels}}}": bad,
        f"axiom_budget_checks_total{{{labels}}}": good,
        'axiom_budget_objective_ratio{job="shop", instance="a:9464", budget="rendering"}': "0.999x700",
        f"axiom_budget_confirmed{{{labels}}}": "1x700",
        # An unconfirmed budget that is violated all the time.
        f"axiom_budget_violations_total{{{default}}}": "0+900x700",
        f"axiom_budget_checks_total{{{default}}}": "0+1000x700",
    }


def _burn_cases(cases, series, *, above, below, at, stops, gone):
    """`above` and `below` are bad and good events a minute; bad ones stop after `stops` minutes."""
    (bad, good), (less, rest) = above, below
    steady = {"bad": f"0+{bad}x700", "good": f"0+{good}x700"}
    # After that the rate is ten times higher and all events are good, so that the longer windows recover too.
    ended = {
        "bad": f"0+{bad}x{stops} {bad * stops}x700",
        "good": f"0+{good}x{stops} {good * stops}+{good * 10}x700",
    }
    return Cases(
        **{
            **cases.__dict__,
            "cases": (
                fires(series(**steady), at=at),
                just_below(series(f"0+{less}x700", f"0+{rest}x700"), at=at),
                resolves(series(**ended), after=at, at=gone),
                absent(at=at),
                # Nine bad events in the first minutes: a large share, but too few.
                Case("does not fire for few events", series("0+3x3 9x700", "0+3x3 9x700"), ((at, False),)),
            ),
        }
    )


def _with_outage(cases, series, *, above, **_):
    """An outage of half an hour, for the faster burn of those that page: it fires, and no other burn fires with it, nor when
    the outage is over. Half an hour later those that do not page may."""
    if cases.labels["long"] != "1h":
        return cases
    bad, good = above
    ends = series(f"0+{bad}x30 {bad * 30}x700", f"0+{good}x700")
    firing = (("20m", True), ("30m", True), ("40m", False), ("45m", False), ("50m", False), ("55m", False))
    return Cases(**{**cases.__dict__, "cases": (*cases.cases, Case("fires alone in an outage", ends, firing))})


# Of 1,000 actions 1 may be bad, so 20 bad and 980 good ones are a burn rate of 20.
ERROR_BURNS = [
    _error_burn("critical", "1h", "5m", 20, "2 %", above=(20, 980), below=(14, 986), at="15m", stops=15, gone="25m"),
    _error_burn(
        "critical", "6h", "30m", 10, "5 %", above=(10, 990), below=(5.9, 994.1), at="25m", stops=25, gone="60m"
    ),
    _error_burn("warning", "1d", "2h", 4, "10 %", above=(4, 996), below=(2.9, 997.1), at="70m", stops=70, gone="195m"),
    _error_burn(
        "warning", "3d", "6h", 2, "10 %", above=(2, 998), below=(0.9, 999.1), at="200m", stops=200, gone="580m"
    ),
]
# Of 1,000 checks 1 may be a violation.
BUDGET_BURNS = [
    _budget_burn("critical", "1h", "5m", 20, "2 %", above=(20, 1000), below=(14, 1000), at="15m", stops=15, gone="25m"),
    _budget_burn(
        "critical", "6h", "30m", 10, "5 %", above=(10, 1000), below=(5.9, 1000), at="25m", stops=25, gone="60m"
    ),
    _budget_burn("warning", "1d", "2h", 4, "10 %", above=(4, 1000), below=(2.9, 1000), at="70m", stops=70, gone="195m"),
    _budget_burn(
        "warning", "3d", "6h", 2, "10 %", above=(2, 1000), below=(0.9, 1000), at="200m", stops=200, gone="580m"
    ),
]
