// SPDX-License-Identifier: Apache-2.0

/// Finds cycles in a component graph.
///
/// ```swift
/// let detector = CircularDependencyDetector(orchestrator.graph)
/// #expect(!detector.hasCycle, "\(detector.cycles)")
/// ```
public struct CircularDependencyDetector: Sendable {
    private let graph: ComponentGraph

    /// Makes a detector for a graph.
    public init(_ graph: ComponentGraph) {
        self.graph = graph
    }

    /// Whether components depend on each other in a cycle. Linear in nodes and edges.
    public var hasCycle: Bool {
        (try? graph.topologicalOrder()) == nil
    }

    /// For each component on a cycle, one shortest cycle that contains it. Each cycle is listed once, begins with its
    /// component that became known first, and repeats it at the end.
    public var cycles: [[ComponentDescriptor]] {
        shortestCycles.map(\.path)
    }

    /// A shortest cycle that contains this dependency, with the start of the dependency first and last; nil if there is
    /// none.
    public func cycle(through dependency: ComponentDependency) -> [ComponentDescriptor]? {
        graph.cycle(through: dependency)?.path
    }

    var shortestCycles: [ComponentGraph.Cycle] {
        // The usual graph has no cycle: then nothing is indexed.
        guard hasCycle else { return [] }
        let indexed = IndexedGraph(graph)
        var found: Set<[Int]> = []
        var cycles: [ComponentGraph.Cycle] = []
        for node in graph.nodes.indices where indexed.isOnCycle(node) {
            guard let cycle = indexed.shortestCycle(through: node), found.insert(cycle).inserted else { continue }
            cycles.append(ComponentGraph.Cycle(path: (cycle + cycle.prefix(1)).map { graph.nodes[$0] }))
        }
        return cycles
    }
}
