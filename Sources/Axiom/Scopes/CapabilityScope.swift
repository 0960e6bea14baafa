// SPDX-License-Identifier: Apache-2.0

/// The input of a capability's factory: the identity to store, and access to other capabilities.
///
/// A scope cannot be copied or stored, so the dependencies of a capability are fixed when it is made.
public struct CapabilityScope: ~Copyable, Sendable {
    /// The identity that the new capability stores.
    public let identity: ComponentIdentity
    /// Accepts the new capability's reports of how much of it works. The capability may keep it.
    public let status: CapabilityStatus
    private let resolver: CapabilityResolver

    init(_ identity: ComponentIdentity, _ status: CapabilityStatus, _ resolver: CapabilityResolver) {
        self.identity = identity
        self.status = status
        self.resolver = resolver
    }

    /// A reference to another capability, which is initialised before the new one.
    ///
    /// - Throws: ``CompositionError`` with the code ``ErrorCode/notRegistered``.
    public func capability<C: Sendable>(_ type: C.Type) throws -> CapabilityRef<C> {
        try resolver.resolve(type, for: identity.descriptor)
    }
}

/// Accepts a capability's reports of how much of it works. A part of its scope that the capability may keep.
///
/// ```swift
/// init(_ scope: borrowing CapabilityScope) {
///     identity = scope.identity
///     status = scope.status
/// }
/// func linkBecameSlow() { status.report(.limited) }
/// ```
public struct CapabilityStatus: Sendable {
    private let send: @Sendable (DegradationLevel) -> Void

    init(_ send: @escaping @Sendable (DegradationLevel) -> Void) {
        self.send = send
    }

    /// Reports the current level. ``CapabilityRef/degradationLevel`` returns it immediately. The levels of dependents
    /// follow as soon as the main actor is free.
    ///
    /// May be called from any thread, also inside ``Capability/initialize()``. After the first report,
    /// ``Capability/degradationLevel`` is not read any more. Reports of a replaced instance have no effect. Costs one
    /// lock, and a task if the level differs from the last report.
    public func report(_ level: DegradationLevel) {
        send(level)
    }
}

/// The level of a capability across its instances.
struct CapabilityLevel {
    /// The instance in the slot; nil while there is none.
    private var occupant: UInt64?
    /// The level that was last read from the instance.
    private var said = DegradationLevel.full
    /// The last report and its instance, which may not be in the slot yet.
    private var report: (instance: UInt64, level: DegradationLevel)?
    /// The level that the capabilities below allow.
    var inherited = DegradationLevel.full

    /// The instance's own level: the one it reported, or else the one that was read.
    var own: DegradationLevel {
        guard let occupant else { return .unavailable }
        if let report, report.instance == occupant { return report.level }
        return said
    }

    var present: DegradationLevel { occupant == nil ? .unavailable : max(own, inherited) }

    mutating func occupied(by instance: UInt64, saying level: DegradationLevel) {
        (occupant, said) = (instance, level)
    }

    mutating func vacated() { occupant = nil }

    mutating func said(_ level: DegradationLevel, by instance: UInt64) {
        if instance == occupant { said = level }
    }

    /// Ignores a replaced instance, which is older than the one in the slot.
    mutating func reported(_ level: DegradationLevel, by instance: UInt64) {
        if let occupant, instance < occupant { return }
        report = (instance, level)
    }
}
