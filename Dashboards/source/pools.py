# SPDX-License-Identifier: Apache-2.0
"""The panels of connection pools and background tasks."""

from panels import SHOWN, lines, row


def pools():
    return [
        row("Connection pools"),
        lines(
            "Connections",
            "The connections of each pool by state, over all instances. Together they are at most the limit of the pool.",
            (SHOWN.total("axiom_pool_connections", "pool", "state"), "{{pool}} {{state}}"),
            stack=True,
            least=0,
        ),
        lines(
            "Calls that wait",
            "Calls that wait for a connection. They are normal for a moment, and not for minutes.",
            (SHOWN.total("axiom_pool_waiters", "pool"), "{{pool}}"),
            least=0,
        ),
        lines(
            "Wait for a connection",
            "99 % of the calls that got a connection waited no longer than this.",
            (SHOWN.quantile(0.99, "axiom_pool_wait_seconds", "pool"), "{{pool}} p99"),
            log=True,
        ),
        lines(
            "Closed connections",
            "Connections closed per second. Many with the reason invalid: the server ends connections before the pool does.",
            (SHOWN.rate("axiom_pool_closed_total", "pool", "reason").above(0), "{{pool}}: {{reason}}"),
            least=0,
        ),
    ]


def background():
    return [
        row("Background tasks"),
        lines(
            "Runs",
            "Runs of background tasks that ended, per second, by outcome.",
            (SHOWN.rate("axiom_background_task_runs_total", "task", "outcome").above(0), "{{task}}: {{outcome}}"),
            least=0,
        ),
        lines(
            "Duration of runs",
            "95 % of the runs of background tasks were faster.",
            (SHOWN.quantile(0.95, "axiom_background_task_duration_seconds", "task"), "{{task}} p95"),
            log=True,
        ),
    ]
