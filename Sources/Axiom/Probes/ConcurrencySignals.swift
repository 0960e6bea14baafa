// SPDX-License-Identifier: Apache-2.0

/// The signals about calls and waits that last too long.
enum ConcurrencySignals {
    static let overdue = SignalFamily(
        "axiom_client_actions_overdue",
        .gauge,
        help: "Actions of a client that have run longer than the limit of the watchdog, waits for capabilities aside.",
        labels: ["client"]
    )
    static let overdueTotal = SignalFamily(
        "axiom_client_overdue_total",
        .counter,
        help: "Actions of a client that ran longer than the limit of the watchdog, waits for capabilities aside.",
        labels: ["client", "action"]
    )
    static let deadlocks = SignalFamily(
        "axiom_deadlocks_total",
        .counter,
        help: "Operations that were refused because they would have waited for themselves, by component.",
        labels: ["component"]
    )
    static let shutdownOverdue = SignalFamily(
        "axiom_shutdown_overdue_total",
        .counter,
        help: "Steps of a shutdown that exceeded their limit, by component.",
        labels: ["component"]
    )
}
