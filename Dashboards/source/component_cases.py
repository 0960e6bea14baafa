# SPDX-License-Identifier: Apache-2.0
"""Test cases of the alerts on components: regressions, leaks, held main actors and restart loops."""

from case import Case, Cases, absent, fires, just_below, resolves


def _verdict(active, ratio):
    labels = 'job="shop", instance="a:9464", component="CartClient", action="add", percentile="p90"'
    return {f"axiom_regression_active{{{labels}}}": active, f"axiom_regression_ratio{{{labels}}}": ratio}


REGRESSION = Cases(
    "AxiomRegressionActive",
    "warning",
    {"job": "shop", "component": "CartClient", "action": "add"},
    "CartClient has become slower",
    "add of CartClient (shop) takes 1.4 times as long as in the recorded baseline.",
    (
        fires(_verdict("0x5 1x40", "1x5 1.4x40"), at="12m"),
        # It is not judged a regression.
        just_below(_verdict("0x40", "1.09x40"), at="12m"),
        resolves(_verdict("0x5 1x10 0x40", "1x5 1.4x10 1x40"), after="12m", at="18m"),
        absent(at="12m"),
        Case("does not fire before it has lasted", _verdict("0x5 1x40", "1x5 1.4x40"), (("10m", False),)),
    ),
)


def _blind(values):
    labels = 'job="shop", instance="a:9464", component="CartClient", action="add"'
    return {f"axiom_regression_blind{{{labels}}}": values}


REGRESSION_BLIND = Cases(
    "AxiomRegressionBlind",
    "warning",
    {"job": "shop", "component": "CartClient", "action": "add"},
    "CartClient cannot be compared with its baseline",
    "The durations of add of CartClient (shop) depend on something else, such as load. For an hour only large growth"
    " could have been detected.",
    (
        fires(_blind("1x150"), at="65m"),
        just_below(_blind("1x30 0 1x100"), at="65m"),
        resolves(_blind("1x70 0x100"), after="68m", at="80m"),
        absent(at="65m"),
    ),
)


def _suspects(values):
    return {
        'axiom_component_leak_suspects{job="shop", instance="a:9464", kind="context", component="CartContext"}': values,
        'axiom_component_leak_suspects{job="shop", instance="b:9464", kind="context", component="CartContext"}': "0x60",
    }


COMPONENT_LEAK = Cases(
    "AxiomComponentLeak",
    "warning",
    {"job": "shop", "kind": "context", "component": "CartContext"},
    "CartContext is not released",
    "2 instances of the context CartContext (shop) are still alive long after their presentation was"
    " unmounted.",
    (
        fires(_suspects("2x60"), at="12m"),
        just_below(_suspects("2x9 0x60"), at="12m"),
        resolves(_suspects("2x15 0x60"), after="12m", at="17m"),
        absent(at="12m"),
    ),
)


def _hangs(values):
    return {
        'axiom_main_actor_hangs_total{job="shop", instance="a:9464"}': values,
        # One in ten minutes.
        'axiom_main_actor_hangs_total{job="shop", instance="b:9464"}': "0+0.1x60",
    }


MAIN_ACTOR_HELD = Cases(
    "AxiomMainActorHeld",
    "warning",
    {"job": "shop", "instance": "a:9464"},
    "The main actor of a:9464 is held again and again",
    "The main actor of a:9464 (shop) ran no new job for 100 ms or more about 15 times in 15 minutes. Its dashboard names"
    " what held it.",
    (
        fires(_hangs("0+1x60"), at="25m"),
        just_below(_hangs("0+0.6x60"), at="25m"),
        resolves(_hangs("0+1x25 25x60"), after="25m", at="36m"),
        absent(at="25m"),
        Case("waits for 5 minutes", _hangs("0+1x60"), (("13m", False),)),
    ),
)


def _creations(values):
    labels = 'job="shop", instance="a:9464", kind="capability", component="HTTPNetwork"'
    return {
        f"axiom_component_created_total{{{labels}}}": values,
        # Contexts are created all the time; that is no restart loop.
        'axiom_component_created_total{job="shop", instance="a:9464", kind="context", component="CartContext"}': (
            "0+50x60"
        ),
    }


COMPONENT_RESTART_LOOP = Cases(
    "AxiomComponentRestartLoop",
    "warning",
    {"job": "shop", "instance": "a:9464", "kind": "capability", "component": "HTTPNetwork"},
    "HTTPNetwork is created repeatedly",
    "The capability HTTPNetwork of a:9464 (shop) was created about 4 times in 15 minutes. There should be one for"
    " the lifetime of the process.",
    (
        fires(_creations("1x3 2x3 3x3 4 5x60"), at="15m"),
        just_below(_creations("1x3 2x3 3x3 4x60"), at="15m"),
        resolves(_creations("1x3 2x3 3x3 4 5x60"), after="15m", at="30m"),
        absent(at="15m"),
    ),
)

ALL = [REGRESSION, REGRESSION_BLIND, COMPONENT_LEAK, MAIN_ACTOR_HELD, COMPONENT_RESTART_LOOP]
