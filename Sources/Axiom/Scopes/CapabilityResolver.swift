// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Finds capabilities for the scopes of capabilities and clients, and records the dependencies.
struct CapabilityResolver: Sendable {
    private struct Entry: Sendable {
        let component: ComponentDescriptor
        let slot: any AnyObject & Sendable
    }

    /// Indexed by the type under which a capability was registered: its own, or a protocol.
    private var entries: [ObjectIdentifier: Entry] = [:]
    private let recorder: GraphRecorder

    init(recorder: GraphRecorder) {
        self.recorder = recorder
    }

    mutating func add<C: Sendable>(_ slot: CapabilitySlot<C>, _ component: ComponentDescriptor) {
        entries[ObjectIdentifier(C.self)] = Entry(component: component, slot: slot)
    }

    func resolve<C: Sendable>(_ type: C.Type, for asker: ComponentDescriptor) throws -> CapabilityRef<C> {
        guard let entry = entries[ObjectIdentifier(type)], let slot = entry.slot as? CapabilitySlot<C> else {
            throw CompositionError(
                .notRegistered,
                "The \(asker) requires the capability \(type), which is not registered.",
                "Register it before start(): orchestrator.register(…) { … }."
            )
        }
        recorder.resolved(from: asker, to: entry.component)
        return CapabilityRef(slot)
    }
}

/// Records the dependencies that the scopes of one orchestrator resolve.
final class GraphRecorder: Sendable {
    /// Guarded by the lock: clients and capabilities are made on the main actor, but a graph may be read anywhere.
    private let recorded = Lock(ComponentGraph())
    private let port: InstrumentationPort

    init(port: InstrumentationPort) {
        self.port = port
    }

    var graph: ComponentGraph {
        recorded.withLock { $0 }
    }

    /// Clears the graph, because the factories run again.
    func reset() {
        recorded.withLock { $0 = ComponentGraph() }
    }

    func add(_ node: ComponentDescriptor) {
        recorded.withLock { $0.add(node) }
    }

    func resolved(from: ComponentDescriptor, to: ComponentDescriptor) {
        let edge = ComponentDependency(from: from, to: to)
        let isNew = recorded.withLock { $0.add(edge) }
        if isNew { port.observer?.resolved(edge) }
    }
}
