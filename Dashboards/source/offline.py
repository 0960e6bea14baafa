# SPDX-License-Identifier: Apache-2.0
"""Offline work: the panels about outboxes, and the test cases of their alert."""

from case import Case, Cases, absent, fires, just_below, resolves
from panels import SHOWN, lines, row


def panels():
    return [
        row("Offline work"),
        lines(
            "Outboxes",
            "Changes that the server has not accepted yet: those to be sent and those that were set aside.",
            (SHOWN.total("axiom_outbox_changes", "queue"), "{{queue}}"),
            least=0,
        ),
        lines(
            "Oldest change",
            "Age of the oldest change in an outbox, over all instances. It grows while there is no connection, and while a"
            " change is set aside.",
            (SHOWN.largest("axiom_outbox_oldest_seconds", "queue"), "{{queue}}"),
            least=0,
        ),
        lines(
            "Changes sent",
            "Attempts to send a change, per second, by what became of the change.",
            (SHOWN.rate("axiom_sync_changes_total", "queue", "outcome").above(0), "{{queue}}: {{outcome}}"),
            least=0,
        ),
        lines(
            "Duration of attempts",
            "99 % of the attempts to send a change took no longer than this.",
            (SHOWN.quantile(0.99, "axiom_sync_duration_seconds", "queue"), "{{queue}} p99"),
            log=True,
        ),
    ]


def _age(values):
    return {
        'axiom_outbox_oldest_seconds{job="shop", instance="a:9464", queue="orders"}': values,
        # Another outbox is emptied all the time.
        'axiom_outbox_oldest_seconds{job="shop", instance="a:9464", queue="likes"}': "20x90",
    }


OUTBOX_OLD = Cases(
    "AxiomOutboxOld",
    "warning",
    {"job": "shop", "instance": "a:9464", "queue": "orders"},
    "The outbox orders is not emptied",
    "The oldest change in the outbox orders of a:9464 (shop) has waited for 1h 6m 0s: the server does not accept it, or"
    " it was set aside.",
    (
        fires(_age("3300+60x60"), at="11m"),
        just_below(_age("3600x60"), at="30m"),
        resolves(_age("3300+60x12 0x60"), after="11m", at="20m"),
        absent(at="30m"),
        Case("does not fire before it has lasted", _age("3300+60x60"), (("10m", False),)),
    ),
)

ALL = [OUTBOX_OLD]
