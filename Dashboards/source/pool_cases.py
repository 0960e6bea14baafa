# SPDX-License-Identifier: Apache-2.0
"""Test cases of the alert on connection pools."""

from case import Case, Cases, absent, fires, just_below, resolves

_POOL = 'job="shop", instance="a:9464", pool="orders"'


def _waiters(values):
    return {f"axiom_pool_waiters{{{_POOL}}}": values}


def _served(values):
    return {f"axiom_pool_wait_seconds_count{{{_POOL}}}": values}


POOL_STARVED = Cases(
    "AxiomPoolStarved",
    "critical",
    {"job": "shop", "instance": "a:9464", "pool": "orders"},
    "Calls wait for a connection of orders, and none gets one",
    "7 calls of a:9464 (shop) wait for a connection of the pool orders, and for minutes no call has got one.",
    (
        fires(_waiters("0x4 7x40") | _served("0+5x4 20x40"), at="12m"),
        Case("fires if no call was ever served", _waiters("0x4 7x40"), (("12m", True),)),
        # Calls wait, but connections come back: the pool is busy.
        just_below(_waiters("0x4 7x40") | _served("0+1x44"), at="12m"),
        Case("does not fire at once", _waiters("0x4 7x40") | _served("0+5x4 20x40"), (("6m", False),)),
        Case("does not fire while nothing waits", _waiters("0x44") | _served("20x44"), (("12m", False),)),
        resolves(_waiters("0x4 7x8 0x30") | _served("0+5x4 20x8 20+5x30"), after="12m", at="15m"),
        absent(at="12m"),
    ),
)

ALL = [POOL_STARVED]
