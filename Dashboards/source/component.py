# SPDX-License-Identifier: Apache-2.0
"""One component, or some: what it does, how long that takes, what fails, how long its instances live."""

from dashboard import dashboard, variable
from panels import SHOWN, heat_map, lines, row, stat, table

CHOICE = variable("component", "Component", 'axiom_component_info{job=~"$job", instance=~"$instance"}', "component")
THIS = "$component"


def summary():
    calls = "axiom_client_actions_total"
    return [
        row("$component"),
        stat(
            "Living",
            "Instances that were made and have not ended.",
            SHOWN.total("axiom_component_live", component=THIS),
        ),
        stat("Made", "Instances made, per second.", SHOWN.rate("axiom_component_created_total", component=THIS)),
        stat("Ended", "Instances ended, per second.", SHOWN.rate("axiom_component_destroyed_total", component=THIS)),
        stat(
            "Leak suspects",
            "Instances that live on long after their presentation was unmounted.",
            SHOWN.total("axiom_component_leak_suspects", component=THIS),
            bad=1,
        ),
        stat("Calls", "Actions that the client processed, per second.", SHOWN.rate(calls, client=THIS)),
        stat(
            "Errors",
            "Errors that arose in it and ended at a boundary, per second.",
            SHOWN.rate("axiom_errors_total", component=THIS).or_zero(),
            good=0.001,
            bad=1,
        ),
    ]


def client():
    durations = "axiom_client_action_duration_seconds"
    return [
        row("As a client"),
        lines(
            "Calls by action",
            "Actions that the client processed, per second, by action and outcome.",
            (
                SHOWN.rate("axiom_client_actions_total", "client", "action", "outcome", client=THIS).above(0),
                "{{client}}.{{action}}: {{outcome}}",
            ),
            least=0,
        ),
        lines(
            "In flight",
            "Actions that the client processes at this moment.",
            (SHOWN.total("axiom_client_actions_in_flight", "client", client=THIS), "{{client}}"),
            least=0,
        ),
        lines(
            "Duration by action",
            "95 of 100 calls took no longer.",
            (SHOWN.quantile(0.95, durations, "client", "action", client=THIS), "{{client}}.{{action}}"),
            least=0,
        ),
        lines(
            "Duration in percentiles",
            "How long calls of the client took.",
            (SHOWN.quantile(0.5, durations, "client", client=THIS), "{{client}} p50"),
            (SHOWN.quantile(0.95, durations, "client", client=THIS), "{{client}} p95"),
            (SHOWN.quantile(0.99, durations, "client", client=THIS), "{{client}} p99"),
            least=0,
        ),
        heat_map("Durations", "How many calls per second took how long.", SHOWN.buckets(durations, client=THIS)),
        lines(
            "States",
            "States that were published, and those that subscribers were not given because a later one came.",
            (SHOWN.rate("axiom_state_updates_total", "client", client=THIS), "{{client}} published"),
            (SHOWN.rate("axiom_state_coalesced_total", "client", client=THIS), "{{client}} skipped"),
            least=0,
        ),
        lines(
            "Way of states",
            "Time from the publication of a state to its arrival at a subscriber.",
            (SHOWN.quantile(0.5, "axiom_state_propagation_seconds", "client", client=THIS), "{{client}} p50"),
            (SHOWN.quantile(0.99, "axiom_state_propagation_seconds", "client", client=THIS), "{{client}} p99"),
            width=24,
            least=0,
        ),
    ]


def context():
    durations = "axiom_context_action_duration_seconds"
    return [
        row("As a context"),
        lines(
            "Actions",
            "Users' actions, per second, by action and outcome.",
            (
                SHOWN.rate("axiom_context_actions_total", "context", "action", "outcome", context=THIS).above(0),
                "{{context}}.{{action}}: {{outcome}}",
            ),
            least=0,
        ),
        lines(
            "Duration of actions",
            "95 of 100 users' actions took no longer.",
            (SHOWN.quantile(0.95, durations, "context", "action", context=THIS), "{{context}}.{{action}}"),
            least=0,
        ),
        heat_map(
            "Durations of actions", "How many actions per second took how long.", SHOWN.buckets(durations, context=THIS)
        ),
        lines(
            "Life cycle",
            "How long each phase took, on average: being made, appearing, rendering.",
            (
                SHOWN.mean("axiom_context_lifecycle_duration_seconds", "context", "phase", context=THIS),
                "{{context}} {{phase}}",
            ),
            least=0,
        ),
    ]


def life():
    return [
        row("Life and errors"),
        lines(
            "Lifetimes",
            "How long instances lived that have ended.",
            (SHOWN.quantile(0.5, "axiom_component_lifetime_seconds", "component", component=THIS), "{{component}} p50"),
            (
                SHOWN.quantile(0.95, "axiom_component_lifetime_seconds", "component", component=THIS),
                "{{component}} p95",
            ),
            least=0,
        ),
        lines(
            "Errors",
            "Errors that arose in it and ended at a boundary, per second.",
            (SHOWN.rate("axiom_errors_total", "component", "code", component=THIS).above(0), "{{component}} {{code}}"),
            least=0,
        ),
        table(
            "What it resolved",
            "Components that the chosen ones got from their scopes; the value is the number of instances that tell so.",
            SHOWN.total("axiom_component_dependency", "from", "to", **{"from": THIS}),
            {"from": "Component", "to": "Resolved", "Value": "Instances"},
        ),
        table(
            "Who resolved it",
            "Components that got the chosen ones from their scopes.",
            SHOWN.total("axiom_component_dependency", "from", "to", to=THIS),
            {"from": "Component", "to": "Resolved", "Value": "Instances"},
        ),
        table(
            "What it is",
            "The kind of each chosen component; the value is the number of instances of the application that have it.",
            SHOWN.count("axiom_component_info", "kind", "component", component=THIS),
            {"kind": "Kind", "component": "Component", "Value": "Instances"},
        ),
        lines(
            "Against the baseline",
            "Percentiles of durations over those of the recorded baseline: 1 is as long as then. Empty without a"
            " baseline.",
            (
                SHOWN.largest("axiom_regression_ratio", "component", "action", "percentile", component=THIS),
                "{{component}}.{{action}} {{percentile}}",
            ),
            least=0,
        ),
    ]


def build():
    return dashboard(
        "axiom-component",
        "Axiom / Component",
        "One component of an application: what it does, how long that takes, what fails.",
        summary() + client() + context() + life(),
        [CHOICE],
    )
