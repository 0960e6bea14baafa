// SPDX-License-Identifier: Apache-2.0

/// The families of signals about capabilities.
enum CapabilitySignals {
    static let level = SignalFamily(
        "axiom_capability_level",
        .gauge,
        help: "Whether the capability is at this level now: 1 or 0.",
        labels: ["capability", "level"]
    )
    static let changes = SignalFamily(
        "axiom_capability_changes_total",
        .counter,
        help: "Changes of a capability that were carried out, by kind and outcome.",
        labels: ["capability", "change", "outcome"]
    )
    static let changeDuration = SignalFamily(
        "axiom_capability_change_duration_seconds",
        .seconds,
        help: "Time from the start of a change until the capability and its dependents work again.",
        labels: ["capability"]
    )
    static let permission = SignalFamily(
        "axiom_capability_permission",
        .gauge,
        help: "Whether the permission has this status now: 1 or 0.",
        labels: ["permission", "status"]
    )
}
