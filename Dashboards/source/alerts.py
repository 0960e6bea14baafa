# SPDX-License-Identifier: Apache-2.0
"""The alerts. Each has a runbook with its name in Documentation/runbooks."""

from dataclasses import dataclass, field

import runbooks
from promql import Query, Scope
from recording import Group
from settings import BURNS, JOB, MINIMUM_BAD_EVENTS

RULES = Scope("", "5m")
QUARTER = RULES.over("15m")


@dataclass(frozen=True)
class Alert:
    name: str
    expr: str
    hold: str
    severity: str
    summary: str
    description: str
    labels: dict = field(default_factory=dict)

    @property
    def runbook(self):
        """The file name of the runbook."""
        return runbooks.file(self.name)


def burns():
    return Group("axiom-burn-rates", [_error_burn(burn) for burn in BURNS] + [_budget_burn(burn) for burn in BURNS])


def _error_burn(burn):
    return Alert(
        "AxiomErrorBudgetBurn",
        _burning(
            "AxiomErrorBudgetBurn",
            ("job", "context"),
            "job_context:axiom_context_actions:burn_rate",
            "job_context:axiom_context_actions_bad:increase",
            burn,
        ),
        burn.hold,
        burn.severity,
        "User actions fail {{ $value | humanize }} times as often as the objective allows",
        "Too many actions of {{ $labels.context }} ({{ $labels.job }}) fail or are rejected. At this"
        f" rate {burn.share} of the 30-day error budget is used within {burn.long}."
        + _most(
            'rate(axiom_context_actions_total{job=%q, context=%q, outcome=~"failure|rejected"}[5m])', "job", "context"
        ),
        {"long": burn.long, "short": burn.short},
    )


def _budget_burn(burn):
    return Alert(
        "AxiomPerformanceBudgetBurn",
        _burning(
            "AxiomPerformanceBudgetBurn",
            ("job", "budget", "component"),
            "job_budget_component:axiom_budget:burn_rate",
            "job_budget_component:axiom_budget_violations:increase",
            burn,
        ),
        burn.hold,
        burn.severity,
        "Performance budget {{ $labels.budget }} is missed {{ $value | humanize }} times as often as its objective"
        " allows",
        "Too many operations of {{ $labels.component }} ({{ $labels.job }}) exceed the budget "
        f"{{{{ $labels.budget }}}}. At this rate {burn.share} of the 30-day allowance is used within {burn.long}."
        + _most(
            "rate(axiom_budget_violations_total{job=%q, budget=%q, component=%q}[5m])", "job", "budget", "component"
        ),
        {"long": burn.long, "short": burn.short},
    )


def _most(rate, *labels):
    """The instance that has most of what a job has. The alert itself has no instance: it would be one alert for each."""
    values = " ".join(f"$labels.{label}" for label in labels)
    query = f"printf `topk(1, sum by (instance) ({rate}))` {values} | query"
    return f"{{{{ with {query} }}}} Most of them are of {{{{ . | first | label `instance` }}}}.{{{{ end }}}}"


def problems():
    labels = ("job", "kind", "component", "cause")
    series = RULES.series("axiom_problem_active")
    present = RULES.largest("axiom_problem_active", *labels).expr
    # The page ends a problem up to five minutes before the short window of a burn rate does.
    recent = f"max by ({', '.join(labels)}) (max_over_time({series}[5m]))"
    earlier = f"max by ({', '.join(labels)}) ({series} offset 14m)"
    return Group(
        "axiom-problems",
        [
            _problem(
                "AxiomOutage",
                # What has ended is the cause only if nothing else is: a page may know more a minute later.
                f"({present} == 2\nor ({recent} == 2\nunless on (job) {present} == 2))\nand on (job) ({_fast_burn()})",
                "critical",
                " User actions of the application burn its error or performance budgets.",
            ),
            _problem("AxiomProblem", f"{present} == 2\nor ({present} == 1\nand {earlier} > 0)", "warning"),
        ],
    )


def _problem(name, expr, severity, effect=""):
    part = "{{ with $labels.component }}{{ . }}{{ else }}The application{{ end }}"
    verb = (
        '{{ if match "^(failing|error)$" $labels.kind }}fails{{ else if eq $labels.kind "slow" }}is slow'
        '{{ else if eq $labels.kind "growth" }}grows'
        "{{ else }}has a problem ({{ $labels.kind }}){{ end }}"
    )
    sentence = f"{part} {verb}{{{{ with $labels.cause }}}}: {{{{ . }}}}{{{{ end }}}}"
    return Alert(
        name,
        expr,
        "1m",
        severity,
        sentence,
        f"The dashboard of {{{{ $labels.job }}}} says: {sentence}. It has the evidence, and what follows from it.{effect}",
    )


def _fast_burn():
    """Whether users of a job notice: the condition of the fastest burn rates."""
    burn = BURNS[0]
    parts = (
        ("job_context:axiom_context_actions", "bad:increase"),
        ("job_budget_component:axiom_budget", "violations:increase"),
    )
    return "\nor ".join(
        f"({name}:burn_rate{burn.long} > {burn.factor}\nand {name}:burn_rate{burn.short} > {burn.factor}"
        f"\nand {name}_{bad}{burn.long} >= {MINIMUM_BAD_EVENTS})"
        for name, bad in parts
    )


def _burning(name, labels, rate, bad, burn):
    return (
        f"{rate}{burn.long} > {burn.factor}\nand {rate}{burn.short} > {burn.factor}"
        f"\nand {bad}{burn.long} >= {MINIMUM_BAD_EVENTS}{_not_told(name, labels, burn)}"
    )


def _not_told(name, labels, burn):
    """The faster one of two burns tells of an outage. When the outage is over, the short window of the slower one still
    contains it for a while, and must not tell of it again, nor be pending for hours."""
    faster = [each.long for each in BURNS if each.factor > burn.factor]
    if not faster:
        return ""
    return f"\nunless on ({', '.join(labels)}) {_fired(name, burn.short, long=tuple(faster))}"


def _fired(name, window, **labels):
    """Whether an alert fired in the window until now."""
    return f"max_over_time({RULES.series('ALERTS', alertname=name, alertstate='firing', **labels)}[{window}])"


def circuits():
    opened = QUARTER.increase(
        "axiom_circuit_transitions_total", "job", "instance", "breaker", **{"from": "closed", "to": "open"}
    )
    half_open = RULES.over("10m").rate(
        "axiom_circuit_state_seconds_total", "job", "instance", "breaker", state="half_open"
    )
    # A breaker without calls stays half-open once its open time is over. That is normal.
    called = RULES.over("10m").increase("axiom_circuit_calls_total", "job", "instance", "breaker")
    in_flight = RULES.total("axiom_circuit_calls_in_flight", "job", "instance", "breaker")
    is_used = f"({called.above(0).expr}\nor {in_flight.above(0).expr})"
    return Group(
        "axiom-circuits",
        [
            Alert(
                "AxiomCircuitOpen",
                "sum by (job, breaker) (job_breaker_state:axiom_circuit_state_seconds:ratio_rate5m"
                '{state=~"open|forced_open"}) > 0.1',
                "1m",
                "warning",
                "Circuit breaker {{ $labels.breaker }} rejects calls",
                "Over 5 minutes and all instances of {{ $labels.job }}, {{ $labels.breaker }} was open "
                "{{ $value | humanizePercentage }} of the time. This includes openings between two scrapes.",
            ),
            Alert(
                "AxiomCircuitFlapping",
                # In an outage a breaker opens often and is soon open for long, which AxiomCircuitOpen says. The openings stay
                # in the window for 15 minutes after it.
                f"{opened.rounded().above(3).expr}\nunless on (job, breaker) {_fired('AxiomCircuitOpen', '15m')}",
                "5m",
                "warning",
                "Circuit breaker {{ $labels.breaker }} is flapping",
                "{{ $labels.breaker }} of {{ $labels.instance }} ({{ $labels.job }}) opened about {{ $value | humanize"
                " }} times in 15 minutes from the closed state.",
            ),
            Alert(
                "AxiomCircuitStuckHalfOpen",
                f"{half_open.above(0.9).expr}\nand {is_used}",
                "5m",
                "warning",
                "Circuit breaker {{ $labels.breaker }} is stuck half-open",
                "{{ $labels.breaker }} of {{ $labels.instance }} ({{ $labels.job }}) was half-open "
                "{{ $value | humanizePercentage }} of 10 minutes: its probes neither succeed nor fail.",
            ),
            Alert(
                "AxiomRetryBudgetExhausted",
                RULES.increase("axiom_retry_budget_exhausted_total", "job", "policy").expr
                + f" >= {MINIMUM_BAD_EVENTS}",
                "2m",
                "warning",
                "The retry budget of {{ $labels.policy }} is exhausted",
                "The budget of {{ $labels.policy }} ({{ $labels.job }}) refused about {{ $value | humanize }} retries"
                " in 5 minutes. Either calls fail that another attempt would have saved, or the budget keeps retries from"
                " making an outage worse.",
            ),
        ],
    )


def components():
    series = RULES.series
    return Group(
        "axiom-components",
        [
            Alert(
                "AxiomRegressionActive",
                "max by (job, component, action) (\n  "
                + series("axiom_regression_ratio")
                + " and on (job, instance, component, action, percentile) "
                + series("axiom_regression_active")
                + " == 1\n)",
                "5m",
                "warning",
                "{{ $labels.component }} has become slower",
                "{{ $labels.action }} of {{ $labels.component }} ({{ $labels.job }}) takes {{ $value | humanize }}"
                " times as long as in the recorded baseline.",
            ),
            Alert(
                "AxiomRegressionBlind",
                RULES.largest("axiom_regression_blind", "job", "component", "action").above(0).expr,
                "1h",
                "warning",
                "{{ $labels.component }} cannot be compared with its baseline",
                "The durations of {{ $labels.action }} of {{ $labels.component }} ({{ $labels.job }}) depend on"
                " something else, such as load. For an hour only large growth could have been detected.",
            ),
            Alert(
                "AxiomComponentLeak",
                RULES.total("axiom_component_leak_suspects", "job", "kind", "component").above(0).expr,
                "10m",
                "warning",
                "{{ $labels.component }} is not released",
                "{{ $value }} instances of the {{ $labels.kind }} {{ $labels.component }} ({{ $labels.job }}) are"
                " still alive long after their presentation was unmounted.",
            ),
            Alert(
                "AxiomMainActorHeld",
                # A hang is a problem of the page for a minute after its end, so that rarer ones come and go there.
                QUARTER.increase("axiom_main_actor_hangs_total", "job", "instance").rounded().above(9).expr,
                "5m",
                "warning",
                "The main actor of {{ $labels.instance }} is held again and again",
                "The main actor of {{ $labels.instance }} ({{ $labels.job }}) ran no new job for 100 ms or more about"
                " {{ $value | humanize }} times in 15 minutes. Its dashboard names what held it.",
            ),
            Alert(
                "AxiomComponentRestartLoop",
                QUARTER.increase(
                    "axiom_component_created_total",
                    "job",
                    "instance",
                    "kind",
                    "component",
                    kind=("capability", "client"),
                )
                .rounded()
                .above(3)
                .expr,
                "0m",
                "warning",
                "{{ $labels.component }} is created repeatedly",
                "The {{ $labels.kind }} {{ $labels.component }} of {{ $labels.instance }} ({{ $labels.job }}) was"
                " created about {{ $value | humanize }} times in 15 minutes. There should be one for the lifetime of the"
                " process.",
            ),
        ],
    )


def pools():
    waiting = RULES.total("axiom_pool_waiters", "job", "instance", "pool")
    served = Query("job_instance_pool:axiom_pool_wait_seconds:rate2m", "ops")
    return Group(
        "axiom-pools",
        [
            Alert(
                "AxiomPoolStarved",
                f"{waiting.above(0).expr}\nunless {served.above(0).expr}",
                "2m",
                "critical",
                "Calls wait for a connection of {{ $labels.pool }}, and none gets one",
                "{{ $value }} calls of {{ $labels.instance }} ({{ $labels.job }}) wait for a connection of the pool"
                " {{ $labels.pool }}, and for minutes no call has got one.",
            ),
        ],
    )


def offline():
    return Group(
        "axiom-offline",
        [
            Alert(
                "AxiomOutboxOld",
                RULES.largest("axiom_outbox_oldest_seconds", "job", "instance", "queue").above(3600).expr,
                "5m",
                "warning",
                "The outbox {{ $labels.queue }} is not emptied",
                "The oldest change in the outbox {{ $labels.queue }} of {{ $labels.instance }} ({{ $labels.job }}) has"
                " waited for {{ $value | humanizeDuration }}: the server does not accept it, or it was set aside.",
            ),
        ],
    )


def telemetry():
    series = RULES.series
    return Group(
        "axiom-telemetry",
        [
            Alert(
                "AxiomProcessRestartLoop",
                f"changes({series('process_start_time_seconds')}[15m]) > 3\n"
                f"and on (job, instance) present_over_time({series('axiom_build_info')}[15m])",
                "0m",
                "critical",
                "{{ $labels.instance }} restarts repeatedly",
                "{{ $labels.instance }} ({{ $labels.job }}) was started {{ $value }} times in 15 minutes.",
            ),
            Alert(
                "AxiomTelemetryDropped",
                QUARTER.increase("axiom_telemetry_dropped_total", "job", "reason").above(0).expr,
                "0m",
                "warning",
                "Telemetry is dropped: {{ $labels.reason }}",
                "{{ $labels.job }} dropped about {{ $value | humanize }} items in 15 minutes, for the reason {{"
                " $labels.reason }}.",
            ),
            Alert(
                "AxiomSeriesLimitReached",
                QUARTER.increase("axiom_metrics_overflow_total", "job", "family").above(0).expr,
                "0m",
                "warning",
                "{{ $labels.family }} has reached its limit of series",
                "About {{ $value | humanize }} lookups of {{ $labels.family }} ({{ $labels.job }}) in 15 minutes"
                " exceeded its limit of series, or had a label value that was truncated.",
            ),
            Alert(
                "AxiomExporterDown",
                series("up", job=JOB) + " == 0",
                "2m",
                "critical",
                "{{ $labels.instance }} cannot be scraped",
                "Prometheus has not been able to scrape {{ $labels.instance }} ({{ $labels.job }}) for 2 minutes."
                " The process does not run, hangs, or rejects this host name.",
            ),
            Alert(
                "AxiomExporterAbsent",
                f"absent({series('up', job=JOB)} == 1)",
                "5m",
                "critical",
                f"No instance of {JOB} is scraped",
                f"For 5 minutes no target of the job {JOB} has answered. All other alerts have no data.",
                {"job": JOB},
            ),
        ],
    )


def groups():
    return [burns(), problems(), circuits(), components(), pools(), offline(), telemetry()]


def runbook_url(alert):
    return runbooks.url(alert.name)
