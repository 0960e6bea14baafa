# SPDX-License-Identifier: Apache-2.0
"""The dashboard of the chosen components: activity, durations, errors and lifetimes."""

from dashboard import dashboard, variable
from panels import SHOWN, by_instance, explained, heat_map, lines, linked, row, stat, table, with_exemplars

CHOICE = variable("component", "Component", 'axiom_component_live{job=~"$job", instance=~"$instance"}', "component")
THIS = "$component"


def summary():
    calls = "axiom_client_actions_total"
    return [
        row("$component"),
        stat(
            "Live",
            "Instances that were created and have not ended.",
            SHOWN.total("axiom_component_live", component=THIS),
        ),
        stat("Created", "Instances created, per second.", SHOWN.rate("axiom_component_created_total", component=THIS)),
        stat(
            "Ended",
            "Instances ended, per second.",
            SHOWN.rate("axiom_component_lifetime_seconds", component=THIS).in_unit("cps"),
        ),
        explained(
            stat(
                "Leak suspects",
                "Instances that are still alive long after their presentation was unmounted.",
                SHOWN.total("axiom_component_leak_suspects", component=THIS),
                bad=1,
            ),
            "AxiomComponentLeak",
        ),
        stat("Calls", "Actions that the client processed, per second.", SHOWN.rate(calls, client=THIS)),
        stat(
            "Errors",
            "Errors that the component threw and that ended at a boundary, per second.",
            SHOWN.rate("axiom_errors_total", component=THIS).or_zero(),
            good=0.001,
            bad=1,
        ),
    ]


def client():
    durations = "axiom_client_action_duration_seconds"
    return [
        row("Client"),
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
            "Actions that the client is processing now.",
            (SHOWN.total("axiom_client_actions_in_flight", "client", client=THIS), "{{client}}"),
            least=0,
        ),
        lines(
            "Overdue",
            "Actions that run longer than the limit of the watchdog without waiting for a capability, and new ones"
            " per second.",
            (SHOWN.total("axiom_client_actions_overdue", "client", client=THIS), "{{client}}"),
            (
                SHOWN.rate("axiom_client_overdue_total", "client", "action", client=THIS).above(0),
                "{{client}}.{{action}} per second",
            ),
            width=24,
            least=0,
        ),
        with_exemplars(
            lines(
                "p95 latency by action",
                "95 % of calls took no longer than this.",
                (SHOWN.quantile(0.95, durations, "client", "action", client=THIS), "{{client}}.{{action}}"),
                log=True,
            )
        ),
        with_exemplars(
            lines(
                "Latency",
                "Percentiles of the latency of client calls, on a logarithmic axis.",
                (SHOWN.quantile(0.5, durations, "client", client=THIS), "{{client}} p50"),
                (SHOWN.quantile(0.95, durations, "client", client=THIS), "{{client}} p95"),
                (SHOWN.quantile(0.99, durations, "client", client=THIS), "{{client}} p99"),
                log=True,
            )
        ),
        with_exemplars(
            heat_map("Latency distribution", "Calls per second, by latency.", SHOWN.buckets(durations, client=THIS))
        ),
        lines(
            "State updates",
            "States published, states that a subscriber skipped because a newer one was available, and updates that "
            "were refused because the state had changed, per second.",
            (SHOWN.rate("axiom_state_updates_total", "client", client=THIS), "{{client}} published"),
            (SHOWN.rate("axiom_state_coalesced_total", "client", client=THIS), "{{client}} skipped"),
            (SHOWN.rate("axiom_state_stale_total", "client", client=THIS), "{{client}} stale"),
            least=0,
        ),
        lines(
            "State propagation",
            "Time from the publication of a state until a subscriber receives it.",
            (SHOWN.quantile(0.5, "axiom_state_propagation_seconds", "client", client=THIS), "{{client}} p50"),
            (SHOWN.quantile(0.99, "axiom_state_propagation_seconds", "client", client=THIS), "{{client}} p99"),
            width=24,
            log=True,
        ),
    ]


def context():
    durations = "axiom_context_action_duration_seconds"
    return [
        row("Context"),
        lines(
            "Actions",
            "User actions per second, by action and outcome.",
            (
                SHOWN.rate("axiom_context_actions_total", "context", "action", "outcome", context=THIS).above(0),
                "{{context}}.{{action}}: {{outcome}}",
            ),
            least=0,
        ),
        with_exemplars(
            lines(
                "p95 latency of actions",
                "95 % of user actions took no longer than this.",
                (SHOWN.quantile(0.95, durations, "context", "action", context=THIS), "{{context}}.{{action}}"),
                log=True,
            )
        ),
        with_exemplars(
            heat_map(
                "Latency distribution of actions", "Actions per second, by latency.", SHOWN.buckets(durations, context=THIS)
            )
        ),
        lines(
            "Lifecycle",
            "Mean duration of each phase: create, appear, disappear, background, foreground, render.",
            (
                SHOWN.mean("axiom_context_lifecycle_duration_seconds", "context", "phase", context=THIS),
                "{{context}} {{phase}}",
            ),
            least=0,
        ),
    ]


def capability():
    durations = "axiom_capability_change_duration_seconds"
    return [
        row("Capability"),
        lines(
            "Level",
            "Instances of the application in which the capability is at this level.",
            (
                SHOWN.total("axiom_capability_level", "capability", "level", capability=THIS).above(0),
                "{{capability}}: {{level}}",
            ),
            least=0,
        ),
        lines(
            "Calls",
            "Calls of the capability, per second, by name and outcome.",
            (
                SHOWN.rate("axiom_capability_calls_total", "capability", "call", "outcome", capability=THIS).above(0),
                "{{capability}}.{{call}}: {{outcome}}",
            ),
            least=0,
        ),
        with_exemplars(
            lines(
                "p95 latency by call",
                "95 % of calls took no longer than this, retries included.",
                (
                    SHOWN.quantile(
                        0.95, "axiom_capability_call_duration_seconds", "capability", "call", capability=THIS
                    ),
                    "{{capability}}.{{call}}",
                ),
                log=True,
            )
        ),
        lines(
            "Calls in flight",
            "Calls of the capability that run now.",
            (SHOWN.total("axiom_capability_calls_in_flight", "capability", capability=THIS), "{{capability}}"),
            least=0,
        ),
        lines(
            "Recoveries, retries and answers",
            "Calls in which an error occurred, by what ended it; further runs; and answers of calls with a cache, per second.",
            (
                SHOWN.rate("axiom_capability_recoveries_total", "capability", "kind", capability=THIS).above(0),
                "{{capability}} ended by {{kind}}",
            ),
            (SHOWN.rate("axiom_capability_retries_total", "capability", capability=THIS), "{{capability}} further runs"),
            (
                SHOWN.rate("axiom_capability_answers_total", "capability", "kind", capability=THIS).above(0),
                "{{capability}} {{kind}} answers",
            ),
            least=0,
        ),
        lines(
            "Changes",
            "Replacements and changes of configuration, per second, by kind and outcome.",
            (
                SHOWN.rate("axiom_capability_changes_total", "capability", "change", "outcome", capability=THIS),
                "{{capability}} {{change}}: {{outcome}}",
            ),
            least=0,
        ),
        lines(
            "Duration of changes",
            "Time until the capability and its dependents work again.",
            (SHOWN.quantile(0.5, durations, "capability", capability=THIS), "{{capability}} p50"),
            (SHOWN.quantile(0.99, durations, "capability", capability=THIS), "{{capability}} p99"),
            log=True,
        ),
        lines(
            "Permissions of the application",
            "Instances of the application in which the permission has this status.",
            (
                SHOWN.total("axiom_capability_permission", "permission", "status").above(0),
                "{{permission}}: {{status}}",
            ),
            least=0,
        ),
    ]


def life():
    return [
        row("Lifetimes and errors"),
        lines(
            "Lifetimes",
            "Mean lifetime of the instances that ended.",
            (SHOWN.mean("axiom_component_lifetime_seconds", "component", component=THIS), "{{component}}"),
            least=0,
        ),
        lines(
            "Errors",
            "Errors that the component threw and that ended at a boundary, per second.",
            (SHOWN.rate("axiom_errors_total", "component", "code", component=THIS).above(0), "{{component}} {{code}}"),
            least=0,
        ),
        linked(
            table(
                "Dependencies",
                "Components that the chosen components resolved; the value is the number of instances that report it.",
                SHOWN.total("axiom_component_dependency", "from", "to", **{"from": THIS}),
                {"from": "Component", "to": "Resolved", "Value": "Instances"},
            ),
            "Resolved",
        ),
        linked(
            table(
                "Dependents",
                "Components that resolved the chosen components.",
                SHOWN.total("axiom_component_dependency", "from", "to", to=THIS),
                {"from": "Component", "to": "Resolved", "Value": "Instances"},
            ),
            "Component",
        ),
        table(
            "Kinds",
            "The kind of each chosen component; the value is the number of application instances that have it.",
            SHOWN.count("axiom_component_live", "kind", "component", component=THIS),
            {"kind": "Kind", "component": "Component", "Value": "Instances"},
        ),
        by_instance(
            table(
                "Instances",
                "The chosen components of each instance of the application, with links to the dashboard that the instance"
                " itself serves.",
                SHOWN.total("axiom_component_live", "instance", "kind", "component", component=THIS),
                {"instance": "Instance", "kind": "Kind", "component": "Component", "Value": "Live"},
            ),
            "Instance",
            "#sel=${__data.fields.Kind}/${__data.fields.Component}",
        ),
        lines(
            "Durations relative to the baseline",
            "Percentiles of durations divided by those of the recorded baseline: 1 means no change. Empty without a"
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
        "One component of an application: activity, durations and errors.",
        summary() + client() + context() + capability() + life(),
        [CHOICE],
    )
