// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// How much of a registered capability works now, since when and why, and the conditions that it depends on.
package struct CapabilityReading: Sendable, Hashable {
    /// The level that callers see.
    package let level: DegradationLevel
    /// When the level became this one; nil if it has never changed.
    package let since: Instant?
    /// Why the level is not `full`, as a clause for people; empty if there is nothing to say.
    package let reason: String
    /// The known status of each permission, service and resource, as `permission camera: granted`.
    package let conditions: [String]
}

/// An observer that reads capabilities whenever it wants to show them, so that their changes cost nothing.
package protocol CapabilityObserver: Sendable {
    /// A capability was registered.
    ///
    /// - Parameter read: Reads it on any thread, and runs no code of the application; nil if it was released.
    func capability(_ component: ComponentDescriptor, _ read: @escaping @Sendable () -> CapabilityReading?)
}

extension Instrumentations: CapabilityObserver {
    package func capability(_ component: ComponentDescriptor, _ read: @escaping @Sendable () -> CapabilityReading?) {
        for case let observer as any CapabilityObserver in observers { observer.capability(component, read) }
    }
}

extension CapabilityConditions {
    /// The known statuses, in the order of kinds and names.
    var texts: [String] {
        let permissions = permissions.map { "permission \($0.key.rawValue): \($0.value.rawValue)" }
        let pressures = pressures.map { "resource \($0.key.rawValue): \($0.value == .none ? "enough" : "\($0.value)")" }
        return permissions.sorted() + serviceTexts.sorted() + pressures.sorted()
    }
}
