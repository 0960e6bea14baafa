// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

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
