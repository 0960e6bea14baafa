// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The capabilities that the observed orchestrator registered. They are read when a dashboard shows them.
final class CapabilitySources: Sendable {
    private typealias Read = @Sendable () -> CapabilityReading?

    private struct Sources {
        var order: [ComponentDescriptor] = []
        var reads: [ComponentDescriptor: Read] = [:]
    }

    private let sources = Lock(Sources())

    /// A later registration of the same component replaces the earlier one.
    func add(_ component: ComponentDescriptor, _ read: @escaping @Sendable () -> CapabilityReading?) {
        let replaced = sources.withLock { sources -> Read? in
            if sources.reads[component] == nil { sources.order.append(component) }
            return sources.reads.updateValue(read, forKey: component)
        }
        withExtendedLifetime(replaced) {}
    }

    /// Reads all that were not released, in the order of their registration.
    func read() -> [(component: ComponentDescriptor, reading: CapabilityReading)] {
        let reads = sources.withLock { sources in sources.order.map { ($0, sources.reads[$0]) } }
        return reads.compactMap { component, read in (read?()).map { (component, $0) } }
    }
}
