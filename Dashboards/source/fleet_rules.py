# SPDX-License-Identifier: Apache-2.0
"""The recording rules for fleets. With hundreds of instances a panel would otherwise read tens of thousands of series.

For each instance one series of what the dashboard *Axiom / Fleet* compares; and of each storage what all instances do.
"""

from promql import Scope
from recording import BAD, IS_AXIOM, JUDGED, Group, Recording

RULES = Scope("", "5m")
EACH = ("job", "instance")


def instances():
    """One series for each instance, without the other labels."""
    actions, durations = "axiom_context_actions_total", "axiom_context_action_duration_seconds"
    bad = RULES.rate(actions, *EACH, outcome=BAD)
    violations = RULES.rate("axiom_budget_violations_total", *EACH)
    return Group(
        "axiom-instances",
        [
            _record("job_instance:axiom_context_actions:rate5m", RULES.rate(actions, *EACH)),
            _record("job_instance:axiom_context_actions_bad:ratio_rate5m", bad / RULES.rate(actions, *EACH, outcome=JUDGED)),
            _record("job_instance:axiom_context_action_duration_seconds:p99_5m", RULES.quantile(0.99, durations, *EACH)),
            _record("job_instance:axiom_errors:rate5m", RULES.rate("axiom_errors_total", *EACH)),
            _record("job_instance:axiom_component_live:sum", RULES.total("axiom_component_live", *EACH)),
            _record("job_instance:axiom_client_actions_in_flight:sum", RULES.total("axiom_client_actions_in_flight", *EACH)),
            _record(
                "job_instance:axiom_budget_violations:ratio_rate5m",
                violations / RULES.rate("axiom_budget_checks_total", *EACH),
            ),
            Recording(
                "job_instance:process_cpu_seconds:rate5m",
                f"sum by (job, instance) (rate({RULES.series('process_cpu_seconds_total')}[5m]) {IS_AXIOM})",
            ),
        ],
    )


def storages():
    """What the storages of all instances do."""
    return Group(
        "axiom-storages",
        [
            _record(
                "job_store_operation_outcome:axiom_storage_operations:rate5m",
                RULES.rate("axiom_storage_operations_total", "job", "store", "operation", "outcome"),
            ),
            _record(
                "job_store_operation:axiom_storage_operation_duration_seconds:p95_5m",
                RULES.quantile(0.95, "axiom_storage_operation_duration_seconds", "job", "store", "operation"),
            ),
        ],
    )


def groups():
    return [instances(), storages()]


def _record(name, query):
    return Recording(name, query.expr)
