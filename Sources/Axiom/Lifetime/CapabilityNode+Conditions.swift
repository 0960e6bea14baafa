// SPDX-License-Identifier: Apache-2.0

// Permissions, services and resources of a registered capability.
extension TypedCapabilityNode {
    var passedOnDegradation: DegradationLevel { slot.passedOnLevel }
    var condition: CapabilityReport { slot.report }
    var permissions: Set<Permission> { conditions.declared }

    func endLevels() { slot.endLevels() }

    func observePermissions(_ observer: @escaping @Sendable ([CapabilityEvent]) async -> Void) {
        slot.observePermissions(observer)
    }

    func absorb(_ events: [CapabilityEvent]) -> CapabilityConditions.Reaction {
        guard !events.isEmpty else { return CapabilityConditions.Reaction() }
        let reaction = conditions.absorb(events)
        slot.setConditions(conditions)
        for (permission, status) in conditions.permissions { meters?.note(permission, status) }
        return reaction
    }

    func relieve(_ resource: SystemResource, _ pressure: PressureLevel) async throws -> Int64 {
        guard isInitialized, let relieving = instance?.capability as? any PressureRelieving else { return 0 }
        return try await withLimit(port.limit(.relieve, of: descriptor)) {
            await relieving.relieve(resource, pressure)
        }
    }

    func refresh() async -> CapabilityChange? {
        guard isInitialized, let capability = instance?.capability else { return .serviceRestored }
        let before = slot.knownAvailability
        slot.invalidate()
        let now = try? await slot.checkAvailability()
        let statuses = try? await withLimit(port.limit(.availability, of: descriptor)) {
            await Self.statuses(of: capability)
        }
        guard instance?.capability === capability else { return nil }
        if let change = absorb(statuses ?? []).change { return change }
        guard let before, let now, before != now else { return nil }
        return now ? .serviceRestored : .serviceLost
    }

    /// The status of each permission that the capability declares.
    nonisolated static func statuses(of capability: C) async -> [CapabilityEvent] {
        guard let capability = capability as? any SystemCapability else { return [] }
        var events: [CapabilityEvent] = []
        for permission in type(of: capability).permissions {
            events.append(.permission(permission, await capability.permissionStatus(permission)))
        }
        return events
    }
}

/// The signals of one capability. Those of changes and permissions are bound when they occur first: most never occur.
@MainActor
final class CapabilityMeters {
    private struct ChangeKey: Hashable {
        let change: CapabilityChange
        let outcome: ActionOutcome
    }

    private let component: ComponentDescriptor
    private let port: InstrumentationPort
    private let levels: [DegradationLevel: any Signal]
    private var level: DegradationLevel?
    private var changes: [ChangeKey: (any Signal)?] = [:]
    private lazy var duration = port.observer?.signal(CapabilitySignals.changeDuration, [component.name])
    private var statuses: [Permission: PermissionStatus] = [:]

    /// Nil if nothing observes the orchestrator.
    init?(_ component: ComponentDescriptor, _ port: InstrumentationPort) {
        guard let observer = port.observer else { return nil }
        self.component = component
        self.port = port
        levels = Dictionary(
            uniqueKeysWithValues: DegradationLevel.allCases.compactMap { level in
                observer.signal(CapabilitySignals.level, [component.name, "\(level)"]).map { (level, $0) }
            }
        )
    }

    func note(_ next: DegradationLevel) {
        guard next != level else { return }
        level = next
        for (level, signal) in levels { signal.set(level == next ? 1 : 0) }
    }

    func changed(_ change: CapabilityChange, _ outcome: ActionOutcome, nanoseconds: Int64) {
        let key = ChangeKey(change: change, outcome: outcome)
        let values = [component.name, change.rawValue, outcome.rawValue]
        let signal = changes[key] ?? port.observer?.signal(CapabilitySignals.changes, values)
        changes[key] = signal
        signal?.increment()
        duration?.observe(nanoseconds: nanoseconds)
    }

    func note(_ permission: Permission, _ next: PermissionStatus) {
        guard statuses[permission] != next else { return }
        statuses[permission] = next
        for status in PermissionStatus.allCases {
            let values = [permission.rawValue, status.rawValue]
            port.observer?.signal(CapabilitySignals.permission, values)?.set(status == next ? 1 : 0)
        }
    }
}
