// SPDX-License-Identifier: Apache-2.0

/// Where a capability reports how much of it works: a part of its scope that it may keep.
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

    /// Reports the present level. ``CapabilityRef/degradationLevel`` returns it at once; what depends on the capability
    /// follows as soon as the main actor is free.
    ///
    /// May be called from any thread, also inside ``Capability/initialize()``. From the first report on,
    /// ``Capability/degradationLevel`` is not read any more. Reports of an instance that was replaced have no effect.
    /// Costs one lock, and a task for a level that is not that of the last report.
    public func report(_ level: DegradationLevel) {
        send(level)
    }
}

/// How much of a capability works, instance after instance.
struct CapabilityLevel {
    /// The instance in the slot; nil while there is none.
    private var occupant: UInt64?
    /// What the instance said when it was asked.
    private var said = DegradationLevel.full
    /// The last report and the instance it came from, which may not be in the slot yet.
    private var report: (instance: UInt64, level: DegradationLevel)?
    /// What the capabilities below leave.
    var inherited = DegradationLevel.full

    /// What the instance itself can do: what it reported, else what it said.
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

    /// An instance that was replaced is older than the one in the slot, and no longer heard.
    mutating func reported(_ level: DegradationLevel, by instance: UInt64) {
        if let occupant, instance < occupant { return }
        report = (instance, level)
    }
}
