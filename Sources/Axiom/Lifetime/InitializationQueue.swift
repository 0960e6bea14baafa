// SPDX-License-Identifier: Apache-2.0

/// Selects the components that may begin: those whose dependencies are all done.
struct InitializationQueue {
    private let graph: ComponentGraph
    private var waiting: [ComponentDescriptor]
    private var unfinished: Set<ComponentDescriptor>
    /// Whether no more components may begin.
    private(set) var isClosed = false

    init(order: [ComponentDescriptor], graph: ComponentGraph) {
        self.graph = graph
        waiting = order
        unfinished = Set(order)
    }

    /// Removes and returns the components that may begin, in their original order.
    mutating func takeReady() -> [ComponentDescriptor] {
        guard !isClosed else { return [] }
        let ready = waiting.filter { component in
            !graph.dependencies(of: component).contains { unfinished.contains($0) }
        }
        waiting.removeAll { ready.contains($0) }
        return ready
    }

    /// The components that can never begin because of a cycle. Valid once all that began are finished.
    var stuck: [ComponentDescriptor] { isClosed ? [] : waiting }

    mutating func finish(_ component: ComponentDescriptor) {
        unfinished.remove(component)
    }

    mutating func close() {
        isClosed = true
    }
}
