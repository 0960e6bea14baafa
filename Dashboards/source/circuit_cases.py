# SPDX-License-Identifier: Apache-2.0
"""Test cases of the alerts on circuit breakers and retry budgets."""

from case import Case, Cases, absent, fires, just_below, resolves

BREAKER = 'job="shop", instance="a:9464", breaker="PaymentClient"'


def _states(**seconds):
    return {
        f'axiom_circuit_state_seconds_total{{{BREAKER}, state="{state}"}}': values for state, values in seconds.items()
    }


CIRCUIT_OPEN = Cases(
    "AxiomCircuitOpen",
    "warning",
    {"job": "shop", "breaker": "PaymentClient"},
    "Circuit breaker PaymentClient rejects calls",
    "Over 5 minutes and all instances of shop, PaymentClient was open 50% of the time. This includes openings"
    " between two scrapes.",
    (
        fires(_states(open="0+30x30", closed="0+30x30"), at="10m"),
        just_below(_states(open="0+5.9x30", closed="0+54.1x30"), at="10m"),
        resolves(_states(open="0+30x10 300x30", closed="0+30x10 300+60x30"), after="10m", at="16m"),
        absent(at="10m"),
    ),
)


def _openings(values):
    edge = 'from="closed", to="open", reason="failure_rate"'
    return {f"axiom_circuit_transitions_total{{{BREAKER}, {edge}}}": values}


def _outage(*, begin, end):
    """A breaker that is open for half of the time in an outage, and opens three times a minute."""
    length = end - begin
    open_seconds = f"0x{begin} 30+30x{length - 1} {30 * length}x60"
    closed_seconds = f"0+60x{begin} {60 * begin + 30}+30x{length - 1} {60 * begin + 30 * length}+60x60"
    return _states(open=open_seconds, closed=closed_seconds) | _openings(f"0x{begin} 3+3x{length - 1} {3 * length}x60")


CIRCUIT_FLAPPING = Cases(
    "AxiomCircuitFlapping",
    "warning",
    {"job": "shop", "instance": "a:9464", "breaker": "PaymentClient"},
    "Circuit breaker PaymentClient is flapping",
    "PaymentClient of a:9464 (shop) opened about 4 times in 15 minutes from the closed state.",
    (
        fires(_openings("0x3 1 2 3 4x40"), at="15m"),
        just_below(_openings("0x3 1 2 3x40"), at="15m"),
        resolves(_openings("0x3 1 2 3 4x40"), after="15m", at="30m"),
        absent(at="15m"),
        Case("waits for 5 minutes", _openings("0x9 1 2 3 4x40"), (("17m", False), ("18m", True))),
        Case(
            "does not fire in an outage, which AxiomCircuitOpen reports, nor after it",
            _outage(begin=10, end=20),
            tuple((f"{minute}m", False) for minute in range(10, 50)),
        ),
    ),
)

def _called(values="0+10x40"):
    return {f'axiom_circuit_calls_total{{{BREAKER}, outcome="rejected"}}': values}


_HUNG_PROBE = {f"axiom_circuit_calls_in_flight{{{BREAKER}}}": "1x40"}

CIRCUIT_STUCK_HALF_OPEN = Cases(
    "AxiomCircuitStuckHalfOpen",
    "warning",
    {"job": "shop", "instance": "a:9464", "breaker": "PaymentClient"},
    "Circuit breaker PaymentClient is stuck half-open",
    "PaymentClient of a:9464 (shop) was half-open 100% of 10 minutes: its probes neither succeed nor fail.",
    (
        fires(_states(half_open="0+60x40", closed="0x40") | _called(), at="20m"),
        Case("fires while a probe hangs", _states(half_open="0+60x40") | _HUNG_PROBE, (("20m", True),)),
        Case("does not fire while nothing calls", _states(half_open="0+60x40") | _called("7x40"), (("20m", False),)),
        just_below(_states(half_open="0+53x40", open="0+7x40") | _called(), at="20m"),
        resolves(
            _states(half_open="0+60x20 1200x30", closed="0x20 0+60x30") | _called("0+10x60"), after="20m", at="26m"
        ),
        absent(at="20m"),
    ),
)


def _refused_retries(values):
    return {'axiom_retry_budget_exhausted_total{job="shop", instance="a:9464", policy="prices"}': values}


RETRY_BUDGET = Cases(
    "AxiomRetryBudgetExhausted",
    "warning",
    {"job": "shop", "policy": "prices"},
    "The retry budget of prices is exhausted",
    "The budget of prices (shop) refused about 15 retries in 5 minutes. Either calls fail that another attempt would"
    " have saved, or the budget keeps retries from making an outage worse.",
    (
        fires(_refused_retries("0+3x30"), at="10m"),
        just_below(_refused_retries("0+1.9x30"), at="10m"),
        resolves(_refused_retries("0+3x10 30x30"), after="10m", at="16m"),
        absent(at="10m"),
    ),
)

ALL = [CIRCUIT_OPEN, CIRCUIT_FLAPPING, CIRCUIT_STUCK_HALF_OPEN, RETRY_BUDGET]
