// SPDX-License-Identifier: Apache-2.0

/// Which components may begin now, given which are done: those whose dependencies are all done.
struct InitializationQueue {
    private let graph: ComponentGraph
    private var waiting: [ComponentDescriptor]
    private var unfinished: Set<ComponentDescriptor>
    /// Whether nothing more may begin.
    private(set) var isClosed = false

    init(order: [ComponentDescriptor], graph: ComponentGraph) {
        self.graph = graph
        waiting = order
        unfinished = Set(order)
    }

    /// Takes those that may begin, in the order in which they were given.
    mutating func takeReady() -> [ComponentDescriptor] {
        guard !isClosed else { return [] }
        let ready = waiting.filter { component in
            !graph.dependencies(of: component).contains { unfinished.contains($0) }
        }
        waiting.removeAll { ready.contains($0) }
        return ready
    }

    /// Those that can never begin, once all that began are finished: they depend on each other in a circle.
    var stuck: [ComponentDescriptor] { isClosed ? [] : waiting }

    mutating func finish(_ component: ComponentDescriptor) {
        unfinished.remove(component)
    }

    mutating func close() {
        isClosed = true
    }
}
