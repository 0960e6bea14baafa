# SPDX-License-Identifier: Apache-2.0
"""What the modules of a sample application record: its signals and its capabilities."""

import json

import shipped

# The panels of signals, as the process sends them.
PANELS = json.loads((shipped.WEB / "signals.json").read_text())
# (family, kind, [(labels, value, p50, p99)])
FAMILIES = [
    ("axiom_navigation_depth", "gauge", [({"flow": "main"}, 3), ({"flow": "checkout"}, 2), ({"flow": "idle"}, 0)]),
    ("axiom_navigation_live_screens", "gauge", [({"flow": "main"}, 4), ({"flow": "checkout"}, 2), ({"flow": "idle"}, 0)]),
    ("axiom_navigation_transitions_total", "counter", [
        ({"flow": "main", "route": "home", "transition": "push", "outcome": "arrived"}, 120), ({"flow": "main", "route": "home", "transition": "push", "outcome": "refused"}, 7),
        ({"flow": "main", "route": "profile", "transition": "sheet", "outcome": "arrived"}, 41), ({"flow": "checkout", "route": "payment", "transition": "push", "outcome": "redirected"}, 12),
    ]),
    ("axiom_navigation_duration_seconds", "seconds", [
        ({"flow": "main", "route": "home", "phase": "total"}, 127, 0.004, 0.021), ({"flow": "main", "route": "home", "phase": "middleware"}, 127, 0.001, 0.002),
        ({"flow": "main", "route": "profile", "phase": "total"}, 41, 0.006, 0.09), ({"flow": "checkout", "route": "payment", "phase": "total"}, 12, 0.008, 0.31),
    ]),
    ("axiom_navigation_redirects_total", "counter", [({"flow": "checkout", "from": "payment", "to": "signIn"}, 12)]),
    ("axiom_deep_links_total", "counter", [({"pattern": "/product/:id", "outcome": "opened"}, 33), ({"pattern": "/product/:id", "outcome": "invalid"}, 2)]),
    ("axiom_lifecycle_phase", "gauge", [({"phase": "active"}, 1), ({"phase": "background"}, 0)]),
    ("axiom_client_actions_overdue", "gauge", [({"client": "PaymentClient"}, 2), ({"client": "CartClient"}, 0)]),
    ("axiom_client_overdue_total", "counter", [({"client": "PaymentClient", "action": "authorize"}, 9), ({"client": "PaymentClient", "action": "capture"}, 4)]),
    ("axiom_shutdown_overdue_total", "counter", [({"component": "Orchestrator"}, 0), ({"component": "HTTPNetwork"}, 1)]),
    ("axiom_deadlocks_total", "counter", [({"component": "Orchestrator"}, 0), ({"component": "CheckoutContext"}, 5)]),
    ("axiom_state_stale_total", "counter", [({"client": "CartClient"}, 17)]),
    ("axiom_configuration_generation", "gauge", [({}, 4)]),
    ("axiom_configuration_reloads_total", "counter", [({"outcome": "applied"}, 3), ({"outcome": "refused"}, 2), ({"outcome": "invalid"}, 0)]),
    ("axiom_feature_flag_evaluations_total", "counter", [
        ({"flag": "newCheckout", "variant": "on", "reason": "rollout"}, 900), ({"flag": "newCheckout", "variant": "off", "reason": "rollout"}, 2100),
        ({"flag": "theme", "variant": "dark", "reason": "default"}, 55),
    ]),
    ("axiom_capability_changes_total", "counter", [
        ({"capability": "HTTPNetwork", "change": "service_lost", "outcome": "success"}, 3), ({"capability": "HTTPNetwork", "change": "service_restored", "outcome": "failure"}, 1),
        ({"capability": "FileStorage", "change": "permission_revoked", "outcome": "success"}, 1),
    ]),
    ("axiom_capability_change_duration_seconds", "seconds", [({"capability": "HTTPNetwork"}, 4, 0.002, 0.009), ({"capability": "FileStorage"}, 1, 0.005, 0.005)]),
    ("axiom_storage_operations_total", "counter", [
        ({"store": "settings", "operation": "load", "outcome": "success"}, 1), ({"store": "settings", "operation": "write", "outcome": "success"}, 480),
        ({"store": "settings", "operation": "write", "outcome": "failure"}, 3), ({"store": "orders", "operation": "open", "outcome": "set_aside"}, 1),
        ({"store": "idle", "operation": "load", "outcome": "success"}, 0),
    ]),
    ("axiom_storage_operation_duration_seconds", "seconds", [
        ({"store": "settings", "operation": "load"}, 1, 0.003, 0.003), ({"store": "settings", "operation": "write"}, 483, 0.001, 0.04), ({"store": "orders", "operation": "open"}, 1, 0.2, 0.2),
    ]),
    ("axiom_storage_bytes", "gauge", [({"store": "settings"}, 20480), ({"store": "orders"}, 3145728), ({"store": "idle"}, 0)]),
    ("axiom_storage_unsaved_seconds", "gauge", [({"client": "CartClient"}, 2.5), ({"client": "PaymentClient"}, 0)]),
    ("axiom_cache_requests_total", "counter", [
        ({"cache": "products", "outcome": "hit"}, 900), ({"cache": "products", "outcome": "stale"}, 50), ({"cache": "products", "outcome": "miss"}, 50),
        ({"cache": "avatars", "outcome": "miss"}, 7),
    ]),
    ("axiom_cache_entries", "gauge", [({"cache": "products"}, 250), ({"cache": "avatars"}, 0)]),
    ("axiom_cache_evictions_total", "counter", [({"cache": "products", "reason": "size"}, 40), ({"cache": "products", "reason": "expired"}, 2)]),
    ("axiom_pool_connections", "gauge", [({"pool": "database", "state": "in_use"}, 3), ({"pool": "database", "state": "idle"}, 1), ({"pool": "database", "state": "closing"}, 1)]),
    ("axiom_pool_waiters", "gauge", [({"pool": "database"}, 2)]),
    ("axiom_pool_wait_seconds", "seconds", [({"pool": "database"}, 5000, 0.0001, 0.12)]),
    ("axiom_pool_closed_total", "counter", [({"pool": "database", "reason": "idle"}, 6), ({"pool": "database", "reason": "invalid"}, 1)]),
    ("axiom_outbox_changes", "gauge", [({"queue": "orders"}, 4)]),
    ("axiom_outbox_oldest_seconds", "gauge", [({"queue": "orders"}, 95)]),
    ("axiom_sync_changes_total", "counter", [({"queue": "orders", "outcome": "sent"}, 60), ({"queue": "orders", "outcome": "failed"}, 5), ({"queue": "orders", "outcome": "kept_local"}, 1)]),
    ("axiom_sync_duration_seconds", "seconds", [({"queue": "orders"}, 66, 0.03, 0.4)]),
    ("axiom_background_task_runs_total", "counter", [({"task": "refresh", "outcome": "success"}, 12), ({"task": "refresh", "outcome": "failure"}, 2), ({"task": "cleanup", "outcome": "cancelled"}, 1)]),
    ("axiom_background_task_duration_seconds", "seconds", [({"task": "refresh"}, 14, 0.8, 4), ({"task": "cleanup"}, 1, 30, 30)]),
]


def signals():
    rows = []
    for family, kind, all_of in FAMILIES:
        for labels, value, *quantiles in all_of:
            row = {"id": len(rows), "family": family, "kind": kind, "labels": dict(labels), "value": value}
            if quantiles:
                row.update(sum=round(value * quantiles[0], 6), p50=quantiles[0], p99=quantiles[1])
            rows.append(row)
    return rows


def capabilities(ids, at):
    """The rows of the capabilities with these ids of components, by name."""
    return [
        {"id": ids[name], "component": ids[name], "level": level, "since": at - ago, "reason": reason, "changes": changes, "conditions": conditions}
        for name, level, ago, reason, changes, conditions in [
            ("ResponseCache", "full", 4000, "", 0, ["resource memory: warning"]),
            ("FileStorage", "limited", 300, "the permission files is limited", 1, ["permission files: limited", "resource storage: enough"]),
            ("HTTPNetwork", "unavailable", 42, "eth0 has no carrier", 4, ["service network: down, eth0 has no carrier"]),
        ]
    ]
