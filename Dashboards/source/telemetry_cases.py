# SPDX-License-Identifier: Apache-2.0
"""Test cases of the alerts on processes and their telemetry."""

from case import Cases, absent, fires, just_below, resolves
from settings import JOB


def _starts(values):
    labels = 'job="shop", instance="a:9464"'
    return {
        f"process_start_time_seconds{{{labels}}}": values,
        f'axiom_build_info{{{labels}, version="0.1.0", swift="6.3", revision="f00", instrumented="true"}}': "1x60",
        # Restarts of other programs do not count.
        'process_start_time_seconds{job="database", instance="d:9187"}': "100+60x60",
    }


PROCESS_RESTART_LOOP = Cases(
    "AxiomProcessRestartLoop",
    "critical",
    {"job": "shop", "instance": "a:9464"},
    "a:9464 restarts repeatedly",
    "a:9464 (shop) was started 4 times in 15 minutes.",
    (
        fires(_starts("100x3 280x3 460x3 640x2 820x60"), at="15m"),
        just_below(_starts("100x3 280x3 460x3 640x60"), at="15m"),
        resolves(_starts("100x3 280x3 460x3 640x2 820x60"), after="15m", at="30m"),
        absent(at="15m"),
    ),
)


def _dropped(values):
    return {'axiom_telemetry_dropped_total{job="shop", instance="a:9464", reason="subscriber_stalled"}': values}


TELEMETRY_DROPPED = Cases(
    "AxiomTelemetryDropped",
    "warning",
    {"job": "shop", "reason": "subscriber_stalled"},
    "Telemetry is dropped: subscriber_stalled",
    "shop dropped about 3 items in 15 minutes, for the reason subscriber_stalled.",
    (
        fires(_dropped("0x5 3x60"), at="10m"),
        just_below(_dropped("0x60"), at="10m"),
        resolves(_dropped("0x5 3x60"), after="10m", at="22m"),
        absent(at="10m"),
    ),
)


def _overflow(values):
    return {
        'axiom_metrics_overflow_total{job="shop", instance="a:9464", family="axiom_errors_total"}': values,
    }


SERIES_LIMIT = Cases(
    "AxiomSeriesLimitReached",
    "warning",
    {"job": "shop", "family": "axiom_errors_total"},
    "axiom_errors_total has reached its limit of series",
    "About 7 lookups of axiom_errors_total (shop) in 15 minutes exceeded its limit of series, or had a label value that"
    " was truncated.",
    (
        fires(_overflow("0x5 7x60"), at="10m"),
        just_below(_overflow("0x60"), at="10m"),
        resolves(_overflow("0x5 7x60"), after="10m", at="22m"),
        absent(at="10m"),
    ),
)


def _up(a, b="1x60"):
    return {f'up{{job="{JOB}", instance="a:9464"}}': a, f'up{{job="{JOB}", instance="b:9464"}}': b}


EXPORTER_DOWN = Cases(
    "AxiomExporterDown",
    "critical",
    {"job": JOB, "instance": "a:9464"},
    "a:9464 cannot be scraped",
    f"Prometheus has not been able to scrape a:9464 ({JOB}) for 2 minutes. The process does not run, hangs, or"
    " rejects this host name.",
    (
        fires(_up("1x3 0x60"), at="7m"),
        just_below(_up("1x3 0x0 1x60"), at="7m"),
        resolves(_up("1x3 0x5 1x60"), after="7m", at="11m"),
        absent(at="7m"),
    ),
)

EXPORTER_ABSENT = Cases(
    "AxiomExporterAbsent",
    "critical",
    {"job": JOB},
    f"No instance of {JOB} is scraped",
    f"For 5 minutes no target of the job {JOB} has answered. All other alerts have no data.",
    (
        fires(_up("0x60", "0x60"), at="6m"),
        just_below(_up("0x60", "1x60"), at="6m"),
        resolves(_up("0x7 1x60", "0x60"), after="6m", at="9m"),
        # This alert fires if there is no series at all.
        absent(at="6m", alerts=True),
    ),
)

ALL = [PROCESS_RESTART_LOOP, TELEMETRY_DROPPED, SERIES_LIMIT, EXPORTER_DOWN, EXPORTER_ABSENT]
