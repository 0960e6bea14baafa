// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The permissions, services and resources of one capability, as events reported them.
///
/// A pure state machine. It decides what an event leads to:
///
/// | event | the capability |
/// | --- | --- |
/// | a permission is granted or revoked | is replaced |
/// | a permission changes between granted and limited | changes its level |
/// | a service goes away or comes back | is replaced |
/// | a resource runs short or recovers | is relieved, and ``DegradationLevel/limited`` while the pressure is critical |
///
/// The first event of a permission or a service describes the state in which the capability was initialised: it changes
/// the level and replaces nothing.
struct CapabilityConditions: Sendable {
    /// What has to be done for events.
    struct Reaction: Sendable, Hashable {
        /// The change to carry out, if any.
        var change: CapabilityChange?
        /// The resources whose pressure changed.
        var relief: [SystemResource: PressureLevel] = [:]
    }

    /// The permissions that every use needs. Empty for a capability that declares none: then every permission concerns
    /// its level, and none is checked at its use.
    let declared: Set<Permission>
    private(set) var permissions: [Permission: PermissionStatus] = [:]
    private var services: [SystemService: Condition] = [:]
    private var pressures: [SystemResource: PressureLevel] = [:]

    private struct Condition: Sendable, Hashable {
        var isUp: Bool
        var reason: String

        var text: String { (isUp ? "up" : "down") + (reason.isEmpty ? "" : ", \(reason)") }
    }

    /// The known statuses, in the order of kinds and names, such as `service network: down, eth0 has no carrier`.
    var texts: [String] {
        let permissions = permissions.map { "permission \($0.key.rawValue): \($0.value.rawValue)" }
        let services = services.map { "service \($0.key.rawValue): \($0.value.text)" }
        let pressures = pressures.map { "resource \($0.key.rawValue): \($0.value == .none ? "enough" : "\($0.value)")" }
        return permissions.sorted() + services.sorted() + pressures.sorted()
    }

    init(declared: Set<Permission> = []) { self.declared = declared }

    /// Records events in their order.
    ///
    /// - Returns: The reaction to the difference between the state before and the state after all of them.
    mutating func absorb(_ events: [CapabilityEvent]) -> Reaction {
        let before = self
        for event in events { record(event) }
        return Reaction(
            change: change(since: before),
            relief: pressures.filter { before.pressures[$0.key] ?? .none != $0.value }
        )
    }

    private mutating func record(_ event: CapabilityEvent) {
        switch event {
        case .permission(let permission, let status):
            if declared.isEmpty || declared.contains(permission) { permissions[permission] = status }
        case .service(let service, let isUp, let reason): services[service] = Condition(isUp: isUp, reason: reason)
        case .pressure(let resource, let level): pressures[resource] = level
        }
    }

    /// The most severe change: a loss before a gain.
    private func change(since before: CapabilityConditions) -> CapabilityChange? {
        var changes: Set<CapabilityChange> = []
        for (permission, status) in permissions {
            guard let old = before.permissions[permission], old.isUsable != status.isUsable else { continue }
            changes.insert(status.isUsable ? .permissionGranted : .permissionRevoked)
        }
        for (service, condition) in services {
            guard let old = before.services[service], old.isUp != condition.isUp else { continue }
            changes.insert(condition.isUp ? .serviceRestored : .serviceLost)
        }
        let order: [CapabilityChange] = [.permissionRevoked, .serviceLost, .permissionGranted, .serviceRestored]
        return order.first(where: changes.contains)
    }

    /// The best level that the conditions allow, and the reason if it is not ``DegradationLevel/full``.
    var level: (level: DegradationLevel, reason: String) {
        var worst = (level: DegradationLevel.full, reason: "")
        func lower(to level: DegradationLevel, _ reason: String) {
            if level > worst.level { worst = (level, reason) }
        }
        for (permission, status) in permissions.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let lost: DegradationLevel = declared.isEmpty ? .minimal : .unavailable
            if !status.isUsable { lower(to: lost, "the permission \(permission.rawValue) is \(status.rawValue)") }
            if status == .limited { lower(to: .limited, "the permission \(permission.rawValue) is limited") }
        }
        for (_, condition) in services.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where !condition.isUp {
            lower(to: .minimal, condition.reason)
        }
        for (resource, level) in pressures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where level == .critical {
            lower(to: .limited, "the pressure of the resource \(resource.rawValue) is critical")
        }
        return worst
    }

    /// The error of a use, if a declared permission is missing.
    func refusal(of name: String) -> AuthorizationError? {
        for permission in declared.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let status = permissions[permission], !status.isUsable else { continue }
            return status == .undetermined
                ? .permissionNotRequested(permission, by: name) : .permissionDenied(permission, status, to: name)
        }
        return nil
    }
}

extension PermissionStatus {
    /// Whether the application may use at least a part.
    package var isUsable: Bool {
        switch self {
        case .granted, .limited: true
        case .undetermined, .denied, .restricted: false
        }
    }
}

extension CapabilityError {
    /// The capability `name` works at `level` because of `reason`, and the operation requires `required`.
    static func degraded(
        _ name: String,
        _ level: DegradationLevel,
        required: DegradationLevel,
        because reason: String
    ) -> Self {
        let cause = reason.isEmpty ? "" : ": \(reason.clause)"
        return CapabilityError(
            .capabilityDegraded,
            "The capability \(name) is \(level), but the operation requires \(required)\(cause).",
            origin: ComponentDescriptor(kind: .capability, name: name)
        )
    }

    static func monitoringEnded(_ component: ComponentDescriptor, _ source: String, cause: any Error) -> Self {
        CapabilityError(
            .monitoringEnded,
            "\(source) is no longer monitored for the \(component): \(String(clause: cause)).",
            origin: component,
            cause: cause
        )
    }
}

extension AuthorizationError {
    /// The capability `name` needs `permission`, whose status is `status`.
    static func permissionDenied(_ permission: Permission, _ status: PermissionStatus, to name: String) -> Self {
        AuthorizationError(
            .permissionDenied,
            "The capability \(name) needs the permission \(permission.rawValue), which is \(status.rawValue).",
            origin: ComponentDescriptor(kind: .capability, name: name)
        )
    }

    static func permissionNotRequested(_ permission: Permission, by name: String) -> Self {
        AuthorizationError(
            .permissionNotRequested,
            "The capability \(name) needs the permission \(permission.rawValue), which was not requested yet.",
            origin: ComponentDescriptor(kind: .capability, name: name)
        )
    }
}

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
