# SPDX-License-Identifier: Apache-2.0
"""Circuit breakers and other strategies, performance budgets, and regressions."""

from dashboard import dashboard
from panels import BLUE, GREEN, GREY, ORANGE, RED, SHOWN, YELLOW, lines, row, states, table
from promql import Query

# Numbers in the order of how much a breaker refuses.
STATES = {
    1: ("closed", GREEN),
    2: ("disabled", GREY),
    3: ("shadow", BLUE),
    4: ("half open", YELLOW),
    5: ("open", ORANGE),
    6: ("forced open", RED),
}


def _state_number():
    """Each state is a series that is 1 or 0; their sum, each times its number, is the number of the state."""
    terms = [
        SHOWN.largest("axiom_circuit_state", "instance", "breaker", state=text.replace(" ", "_")).expr + f" * {number}"
        for number, (text, _) in STATES.items()
    ]
    return Query("\n+ ".join(terms), "none")


def circuits():
    edge = "{{breaker}}: {{from}} to {{to}}, {{reason}}"
    shadow = SHOWN.rate("axiom_circuit_shadow_transitions_total", "breaker", "from", "to", "reason").above(0)
    return [
        row("Circuit breakers"),
        states(
            "State", "The state of each breaker of each instance.", _state_number(), "{{breaker}} {{instance}}", STATES
        ),
        lines(
            "Time in states",
            "Share of time in each state but closed, averaged over instances. Openings between two scrapes count.",
            (
                SHOWN.rate(
                    "axiom_circuit_state_seconds_total", "breaker", "state", state=("open", "half_open", "forced_open")
                ).over(SHOWN.rate("axiom_circuit_state_seconds_total", "breaker"), "breaker"),
                "{{breaker}} {{state}}",
            ),
            least=0,
            most=1,
        ),
        lines(
            "Transitions",
            "Transitions per second, with their reason.",
            (SHOWN.rate("axiom_circuit_transitions_total", "breaker", "from", "to", "reason").above(0), edge),
            least=0,
        ),
        lines(
            "Calls by outcome",
            "Calls that were offered to a breaker, per second.",
            (SHOWN.rate("axiom_circuit_calls_total", "breaker", "outcome").above(0), "{{breaker}} {{outcome}}"),
            least=0,
        ),
        lines(
            "Refused calls",
            "Share of calls that a breaker refused.",
            (
                SHOWN.rate("axiom_circuit_calls_total", "breaker", outcome="rejected")
                / SHOWN.rate("axiom_circuit_calls_total", "breaker"),
                "{{breaker}}",
            ),
            least=0,
            most=1,
        ),
        lines(
            "Failures in the window",
            "Share of failures in the breaker's window, the greatest of all instances; nothing below the minimum of"
            " calls.",
            (SHOWN.largest("axiom_circuit_failure_ratio", "breaker"), "{{breaker}}"),
            width=8,
            least=0,
            most=1,
        ),
        lines(
            "Slow calls in the window",
            "Share of slow calls in the breaker's window, the greatest of all instances; nothing below the minimum of"
            " calls.",
            (SHOWN.largest("axiom_circuit_slow_ratio", "breaker"), "{{breaker}}"),
            width=8,
            least=0,
            most=1,
        ),
        lines(
            "Slow calls",
            "Calls per second that took as long as the breaker's slow-call duration or longer.",
            (SHOWN.rate("axiom_circuit_slow_calls_total", "breaker"), "{{breaker}}"),
            width=8,
            least=0,
        ),
        lines(
            "In flight",
            "Calls that a breaker has admitted and that have not ended.",
            (SHOWN.total("axiom_circuit_calls_in_flight", "breaker"), "{{breaker}}"),
            width=8,
            least=0,
        ),
        lines(
            "Would be refused",
            "Calls per second that a breaker in shadow mode admitted and would have refused.",
            (SHOWN.rate("axiom_circuit_shadow_rejections_total", "breaker"), "{{breaker}}"),
            width=8,
            least=0,
        ),
        lines(
            "Would be transitions",
            "Transitions per second that a breaker in shadow mode would have made.",
            (shadow, edge),
            width=8,
            least=0,
        ),
    ]


def strategies():
    return [
        row("Retries, timeouts and bulkheads that are watched"),
        lines(
            "Retried calls by outcome",
            "Calls through a retry that ended, per second, by how they ended.",
            (SHOWN.rate("axiom_retries_total", "policy", "outcome").above(0), "{{policy}}: {{outcome}}"),
            width=8,
            least=0,
        ),
        lines(
            "Further attempts",
            "Attempts beyond the first of their call, per second, and those that the budget refused.",
            (SHOWN.rate("axiom_retry_attempts_total", "policy"), "{{policy}} made"),
            (SHOWN.rate("axiom_retry_budget_exhausted_total", "policy"), "{{policy}} refused by the budget"),
            width=8,
            least=0,
        ),
        lines(
            "Retry budgets",
            "Retries that a budget would allow now, the least of all instances.",
            (SHOWN.smallest("axiom_retry_budget_tokens", "policy"), "{{policy}}"),
            width=8,
            least=0,
        ),
        lines(
            "Timeouts",
            "Calls per second that took longer than their timeout.",
            (SHOWN.rate("axiom_timeouts_total", "policy"), "{{policy}}"),
            width=8,
            least=0,
        ),
        lines(
            "Bulkheads",
            "Calls that run, calls that wait, and how many may run at once.",
            (SHOWN.total("axiom_bulkhead_in_use", "policy"), "{{policy}} running"),
            (SHOWN.total("axiom_bulkhead_queue_depth", "policy"), "{{policy}} waiting"),
            (SHOWN.total("axiom_bulkhead_limit", "policy"), "{{policy}} limit"),
            width=8,
            least=0,
        ),
        lines(
            "Refused by bulkheads",
            "Calls per second that a bulkhead refused, and why.",
            (SHOWN.rate("axiom_bulkhead_rejected_total", "policy", "reason"), "{{policy}}: {{reason}}"),
            width=8,
            least=0,
        ),
    ]


def budgets():
    labels = ("budget", "component")
    violations, checks = "axiom_budget_violations_total", "axiom_budget_checks_total"
    share = SHOWN.rate(violations, *labels) / SHOWN.rate(checks, *labels)
    left = f"(1 - {SHOWN.largest('axiom_budget_objective_ratio', 'budget').expr})"
    return [
        row("Performance budgets"),
        lines(
            "Burn rate",
            "How many times as often as the objective allows a budget is missed: above 1 it is not met. The worst 20.",
            (
                Query(f"topk(20, (\n  {share.expr}\n)\n/ on (budget) group_left ()\n{left})", "short"),
                "{{budget}} of {{component}}",
            ),
            least=0,
        ),
        lines(
            "Beyond budget",
            "Operations per second that went beyond their budget.",
            (SHOWN.rate(violations, *labels).above(0), "{{budget}} of {{component}}"),
            least=0,
        ),
        lines(
            "Checked",
            "Operations per second that were checked; of the shortest a sample is.",
            (SHOWN.rate(checks, "budget").above(0), "{{budget}}"),
            least=0,
        ),
        lines(
            "Durations that are measured for a budget alone",
            "95 of 100 took no longer.",
            (SHOWN.quantile(0.95, "axiom_budget_duration_seconds", *labels), "{{budget}} of {{component}}"),
            least=0,
        ),
        lines(
            "Memory that is measured for a budget alone",
            "How much was used, on average.",
            (SHOWN.mean("axiom_budget_bytes", *labels), "{{budget}} of {{component}}"),
            least=0,
        ),
        table(
            "Limits of time",
            "How long each operation may take; with a component, the limit of its own.",
            SHOWN.largest("axiom_budget_limit_seconds", *labels),
            {"budget": "Budget", "component": "Component", "Value": "Limit"},
            width=8,
        ),
        table(
            "Limits of memory",
            "How much memory something may use; with a component, the limit of its own.",
            SHOWN.largest("axiom_budget_limit_bytes", *labels),
            {"budget": "Budget", "component": "Component", "Value": "Limit"},
            width=8,
        ),
        table(
            "Objectives",
            "Share of operations that has to be within each budget.",
            SHOWN.largest("axiom_budget_objective_ratio", "budget"),
            {"budget": "Budget", "Value": "Objective"},
            width=8,
        ),
    ]


def regressions():
    labels = ("component", "action", "percentile")
    return [
        row("Against the recorded baseline"),
        table(
            "Slower than recorded",
            "Percentiles of actions that are judged to have grown since the baseline. Empty where nothing has, and"
            " without one.",
            SHOWN.largest("axiom_regression_active", *labels).above(0),
            {"component": "Component", "action": "Action", "percentile": "Percentile", "Value": "Active"},
        ),
        lines(
            "Durations over those of the baseline",
            "1 is as long as then; nothing while it cannot be judged. The greatest 20.",
            (SHOWN.largest("axiom_regression_ratio", *labels).largest(20), "{{component}}.{{action}} {{percentile}}"),
            least=0,
        ),
    ]


def build():
    return dashboard(
        "axiom-circuits-and-budgets",
        "Axiom / Circuits and budgets",
        "Circuit breakers and other strategies, performance budgets, and regressions against a recorded baseline.",
        circuits() + strategies() + budgets() + regressions(),
    )
