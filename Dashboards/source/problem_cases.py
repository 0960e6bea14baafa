# SPDX-License-Identifier: Apache-2.0
"""Test cases of the alert on what the dashboard of an application calls a problem."""

from case import Case, Cases, absent, fires, just_below, resolves

LABELS = {"job": "shop", "kind": "failing", "component": "HTTPNetwork", "cause": "NET_503"}


def _problem(values, **labels):
    series = {**LABELS, "instance": "a:9464", **labels}
    return {"axiom_problem_active{" + ", ".join(f'{name}="{value}"' for name, value in series.items()) + "}": values}


def _burning(bad, good):
    labels = 'job="shop", instance="a:9464", context="CheckoutContext", action="pay"'
    return {
        f'axiom_context_actions_total{{{labels}, outcome="failure"}}': bad,
        f'axiom_context_actions_total{{{labels}, outcome="success"}}': good,
    }


def _cases(alert, severity, summary, labels, cases, effect=""):
    description = f"The dashboard of shop says: {summary}. It has the evidence, and what follows from it.{effect}"
    return Cases(alert, severity, labels, summary, description, cases)


_BURN = _burning("0+20x60", "0+980x60")
_EFFECT = " User actions of the application burn its error or performance budgets."
_CIRCUIT = {**LABELS, "kind": "circuit", "component": "PaymentClient", "cause": "BankError"}
# An empty label is none.
_SLOW = {**LABELS, "kind": "slow", "component": "", "cause": ""}

OUTAGE = _cases(
    "AxiomOutage",
    "critical",
    "HTTPNetwork fails: NET_503",
    LABELS,
    (
        fires(_problem("2x60") | _BURN, at="15m"),
        just_below(_problem("2x60") | _burning("0+14x60", "0+986x60"), at="15m"),
        resolves(_problem("2x15") | _BURN, after="15m", at="25m"),
        absent(at="15m"),
        Case("does not fire for another application", _problem("2x60", job="mail") | _BURN, (("15m", False),)),
        Case("does not fire for what may do harm", _problem("1x60") | _BURN, (("15m", False),)),
        Case("lasts as long as the burn rate", _problem("2x15") | _BURN, (("19m", True),)),
        Case("replaces what ended", _problem("2x12 stale", cause="AXIOM_CIRCUIT_001") | _problem("_x10 2x60") | _BURN, (("16m", True),)),
    ),
    _EFFECT,
)
HARM = _cases(
    "AxiomProblem",
    "warning",
    "PaymentClient has a problem (circuit): BankError",
    _CIRCUIT,
    (
        fires(_problem("_x5 2x60", **_CIRCUIT), at="8m"),
        just_below(_problem("_x5 1x60", **_CIRCUIT), at="8m"),
        resolves(_problem("2x10", **_CIRCUIT), after="8m", at="20m"),
        absent(at="8m"),
    ),
)
RISK = _cases(
    "AxiomProblem",
    "warning",
    "The application is slow",
    {"job": "shop", "kind": "slow"},
    (
        fires(_problem("1x60", **_SLOW), at="20m"),
        Case("waits for 15 minutes", _problem("1x60", **_SLOW), (("13m", False), ("16m", True))),
        Case("does not wait if it does harm later", _problem("1x20 2x60", **_SLOW), (("18m", True), ("40m", True))),
        just_below(_problem("0x60", **_SLOW), at="20m"),
        resolves(_problem("1x20", **_SLOW), after="18m", at="30m"),
        absent(at="20m"),
    ),
)
_GROWTH = {"job": "shop", "kind": "growth", "component": "CartClient", "cause": ""}
GROWTH = _cases(
    "AxiomProblem",
    "warning",
    "CartClient grows",
    {"job": "shop", "kind": "growth", "component": "CartClient"},
    (
        fires(_problem("1x60", **_GROWTH), at="20m"),
        just_below(_problem("0x60", **_GROWTH), at="20m"),
        resolves(_problem("1x20", **_GROWTH), after="18m", at="30m"),
        absent(at="20m"),
    ),
)

ALL = [OUTAGE, HARM, RISK, GROWTH]
