# SPDX-License-Identifier: Apache-2.0
"""Circuit breakers and other strategies, performance budgets, and regressions."""

from dashboard import dashboard
from panels import BLUE, BURN_MARKS, BURN_TEXT, GREEN, GREY, ORANGE, RED, SHOWN, YELLOW, explained, linked, lines, row, states, table
from promql import Query

# The states, ordered by how many calls a breaker rejects.
STATES = {
    1: ("closed", GREEN),
    2: ("disabled", GREY),
    3: ("shadow", BLUE),
    4: ("half open", YELLOW),
    5: ("open", ORANGE),
    6: ("forced open", RED),
}


# The budgets of memory in the specification.
MEMORY = ("base_memory", "client_memory", "context_memory", "state_memory")


def _state_number():
    """The number of the current state. A state has a series that is 1 or 0, and none before it is first reached."""
    terms = [
        f"({SHOWN.largest('axiom_circuit_state', 'instance', 'breaker', state=text.replace(' ', '_')).expr} == 1)"
        f" * {number}"
        for number, (text, _) in STATES.items()
    ]
    return Query("\nor\n".join(terms), "none")


def circuits():
    edge = "{{breaker}}: {{from}} to {{to}}, {{reason}}"
    shadow = SHOWN.rate("axiom_circuit_shadow_transitions_total", "breaker", "from", "to", "reason").above(0)
    return [
        row("Circuit breakers"),
        explained(
            linked(
                states(
                    "State",
                    "The state of each breaker of each instance.",
                    _state_number(),
                    "{{breaker}} {{instance}}",
                    STATES,
                ),
                "breaker",
            ),
            "AxiomCircuitOpen",
            "AxiomCircuitFlapping",
            "AxiomCircuitStuckHalfOpen",
        ),
        lines(
            "Time in states",
            "Share of time in each state except closed, averaged over instances. Includes openings between two scrapes.",
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
            "Transitions per second, with the reason.",
            (SHOWN.rate("axiom_circuit_transitions_total", "breaker", "from", "to", "reason").above(0), edge),
            least=0,
        ),
        lines(
            "Calls by outcome",
            "Calls that reached a breaker, per second.",
            (SHOWN.rate("axiom_circuit_calls_total", "breaker", "outcome").above(0), "{{breaker}} {{outcome}}"),
            least=0,
        ),
        lines(
            "Rejected calls",
            "Share of calls that a breaker rejected.",
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
            "Share of failures in the window of the breaker, the maximum over all instances. Empty below the minimum number"
            " of calls.",
            (SHOWN.largest("axiom_circuit_failure_ratio", "breaker"), "{{breaker}}"),
            width=8,
            least=0,
            most=1,
        ),
        lines(
            "Slow calls in the window",
            "Share of slow calls in the window of the breaker, the maximum over all instances. Empty below the minimum"
            " number of calls.",
            (SHOWN.largest("axiom_circuit_slow_ratio", "breaker"), "{{breaker}}"),
            width=8,
            least=0,
            most=1,
        ),
        lines(
            "Slow calls",
            "Calls per second that reached or exceeded the slow-call duration of the breaker.",
            (SHOWN.rate("axiom_circuit_slow_calls_total", "breaker"), "{{breaker}}"),
            width=8,
            least=0,
        ),
        lines(
            "In flight",
            "Calls that a breaker admitted and that have not ended.",
            (SHOWN.total("axiom_circuit_calls_in_flight", "breaker"), "{{breaker}}"),
            width=8,
            least=0,
        ),
        lines(
            "Shadow rejections",
            "Calls per second that a breaker in shadow mode admitted but would have rejected.",
            (SHOWN.rate("axiom_circuit_shadow_rejections_total", "breaker"), "{{breaker}}"),
            width=8,
            least=0,
        ),
        lines(
            "Shadow transitions",
            "Transitions per second that a breaker in shadow mode would have made.",
            (shadow, edge),
            width=8,
            least=0,
        ),
    ]


def strategies():
    return [
        row("Watched retries, timeouts and bulkheads"),
        lines(
            "Retried calls by outcome",
            "Calls through a retry that ended, per second, by outcome.",
            (SHOWN.rate("axiom_retries_total", "policy", "outcome").above(0), "{{policy}}: {{outcome}}"),
            width=8,
            least=0,
        ),
        lines(
            "Retry attempts",
            "Attempts after the first attempt of a call, per second, and attempts that the budget refused.",
            (SHOWN.rate("axiom_retry_attempts_total", "policy"), "{{policy}} made"),
            (SHOWN.rate("axiom_retry_budget_exhausted_total", "policy"), "{{policy}} refused by the budget"),
            width=8,
            least=0,
        ),
        lines(
            "Retry budgets",
            "Retries that a budget would allow now, the minimum over all instances.",
            (SHOWN.smallest("axiom_retry_budget_tokens", "policy"), "{{policy}}"),
            width=8,
            least=0,
        ),
        lines(
            "Timeouts",
            "Calls per second that exceeded their timeout.",
            (SHOWN.rate("axiom_timeouts_total", "policy"), "{{policy}}"),
            width=8,
            least=0,
        ),
        lines(
            "Bulkheads",
            "Calls that run, calls that wait, and the limit of concurrent calls.",
            (SHOWN.total("axiom_bulkhead_in_use", "policy"), "{{policy}} running"),
            (SHOWN.total("axiom_bulkhead_queue_depth", "policy"), "{{policy}} waiting"),
            (SHOWN.total("axiom_bulkhead_limit", "policy"), "{{policy}} limit"),
            width=8,
            least=0,
        ),
        lines(
            "Bulkhead rejections",
            "Calls per second that a bulkhead rejected, by reason.",
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
        explained(
            linked(
                lines(
                    "Burn rate",
                    f"The rate of violations divided by the rate that the objective allows. {BURN_TEXT} The worst 20.",
                    (
                        Query(f"topk(20, (\n  {share.expr}\n)\n/ on (budget) group_left ()\n{left})", "short"),
                        "{{budget}} of {{component}}",
                    ),
                    marks=BURN_MARKS,
                    least=0,
                ),
                "component",
            ),
            "AxiomPerformanceBudgetBurn",
        ),
        lines(
            "Budget violations",
            "Operations per second that exceeded their budget.",
            (SHOWN.rate(violations, *labels).above(0), "{{budget}} of {{component}}"),
            least=0,
        ),
        lines(
            "Budget checks",
            "Operations per second that were checked. Of the shortest operations only a sample is checked.",
            (SHOWN.rate(checks, "budget").above(0), "{{budget}}"),
            least=0,
        ),
        lines(
            "Violations by budget",
            "Share of the checked operations of all components that exceeded the budget.",
            (SHOWN.rate(violations, "budget") / SHOWN.rate(checks, "budget"), "{{budget}}"),
            least=0,
        ),
        lines(
            "Violations of memory budgets",
            "Share of the checked measurements of memory that exceeded the budget of their component.",
            (
                SHOWN.rate(violations, *labels, budget=MEMORY) / SHOWN.rate(checks, *labels, budget=MEMORY),
                "{{budget}} of {{component}}",
            ),
            least=0,
        ),
        table(
            "Time limits",
            "The longest allowed duration of each operation of a confirmed budget; with a component, the limit of that"
            " component.",
            SHOWN.largest("axiom_budget_limit_seconds", *labels),
            {"budget": "Budget", "component": "Component", "Value": "Limit"},
            width=8,
        ),
        table(
            "Memory limits",
            "The most memory that a confirmed budget allows; with a component, the limit of that component.",
            SHOWN.largest("axiom_budget_limit_bytes", *labels),
            {"budget": "Budget", "component": "Component", "Value": "Limit"},
            width=8,
        ),
        table(
            "Objectives",
            "The share of operations that must be within each confirmed budget.",
            SHOWN.largest("axiom_budget_objective_ratio", "budget"),
            {"budget": "Budget", "Value": "Objective"},
            width=8,
        ),
    ]


def regressions():
    labels = ("component", "action", "percentile")
    return [
        row("Regressions"),
        explained(
            linked(
                table(
                    "Active regressions",
                    "Percentiles of action durations that are judged greater than in the baseline. Empty if there are"
                    " none, or without a baseline.",
                    SHOWN.largest("axiom_regression_active", *labels).above(0),
                    {"component": "Component", "action": "Action", "percentile": "Percentile", "Value": "Active"},
                ),
                "Component",
            ),
            "AxiomRegressionActive",
            "AxiomRegressionBlind",
        ),
        lines(
            "Durations relative to the baseline",
            "1 means no change. Empty while there is no verdict. The greatest 20.",
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
