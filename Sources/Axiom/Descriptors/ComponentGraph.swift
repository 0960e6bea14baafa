// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The dependencies between component types: those that an orchestrator observed, or those that a test declares.
///
/// ``Orchestrator/graph`` has what a running application has resolved, and the report of ``Orchestrator/validate(_:)``
/// what its factories resolve. ``ArchitectureValidator`` checks each of them.
///
/// Nodes and edges keep the order in which they were added, so all results derived from the graph are the same on every
/// run.
public struct ComponentGraph: Sendable {
    /// The component types, in the order in which they became known.
    public private(set) var nodes: [ComponentDescriptor] = []
    /// The dependencies, in the order in which they were first resolved.
    public private(set) var edges: [ComponentDependency] = []

    /// The contexts that may contain contexts of their own type, as registered with `recursive: true`.
    public var recursiveContexts: Set<ComponentDescriptor> = []

    private var known = PositionIndex<ComponentDescriptor>()
    private var knownEdges = PositionIndex<ComponentDependency>()
    private var targets: [ComponentDescriptor: [ComponentDescriptor]] = [:]

    /// Makes an empty graph.
    public init() {}

    /// Prepares for `count` nodes in all.
    package mutating func reserve(_ count: Int) { nodes.reserveCapacity(count) }

    /// Adds a node. Does nothing if the graph already contains it.
    public mutating func add(_ node: ComponentDescriptor) {
        if known.insert(node, in: nodes) { nodes.append(node) }
    }

    /// Adds an edge and the nodes at its ends.
    ///
    /// - Returns: Whether the edge is new.
    @discardableResult
    public mutating func add(_ edge: ComponentDependency) -> Bool {
        guard knownEdges.insert(edge, in: edges) else { return false }
        add(edge.from)
        add(edge.to)
        edges.append(edge)
        targets[edge.from, default: []].append(edge.to)
        return true
    }

    /// The direct dependencies of `node`.
    public func dependencies(of node: ComponentDescriptor) -> [ComponentDescriptor] {
        targets[node, default: []]
    }

    /// `node` and all its direct and indirect dependents. Linear in nodes and edges.
    public func dependents(of node: ComponentDescriptor) -> Set<ComponentDescriptor> {
        dependents(of: [node])
    }

    /// Some nodes and all their direct and indirect dependents. Linear in nodes and edges.
    func dependents(of nodes: Set<ComponentDescriptor>) -> Set<ComponentDescriptor> {
        let sources = Dictionary(grouping: edges, by: \.to).mapValues { $0.map(\.from) }
        var (found, waiting) = (nodes, Array(nodes))
        while let next = waiting.popLast() {
            for source in sources[next, default: []] where found.insert(source).inserted { waiting.append(source) }
        }
        return found
    }

    /// The part of the graph that consists of one kind of component.
    package func restricted(to kind: ComponentKind) -> ComponentGraph {
        restricted { $0.kind == kind }
    }

    private func restricted(to isKept: (ComponentDescriptor) -> Bool) -> ComponentGraph {
        var part = ComponentGraph()
        for node in nodes where isKept(node) { part.add(node) }
        for edge in edges where isKept(edge.from) && isKept(edge.to) { part.add(edge) }
        return part
    }

    /// The part that contains all cycles: without nodes that depend on nothing or that nothing depends on, repeatedly.
    private var core: ComponentGraph {
        let (used, using) = (Set(edges.map(\.to)), Set(edges.map(\.from)))
        let part = restricted { used.contains($0) && using.contains($0) }
        return part.nodes.count < nodes.count ? part.core : self
    }

    /// The nodes, each after all its dependencies. Linear in nodes and edges.
    ///
    /// - Throws: ``Cycle`` if there is no such order.
    package func topologicalOrder() throws(Cycle) -> [ComponentDescriptor] {
        var search = DepthFirstSearch(graph: self)
        for node in nodes { try search.visit(node) }
        return search.finished
    }

    /// A cycle that contains `edge`, with a shortest path from its end back to its start; nil if there is none. Linear
    /// in nodes and edges.
    package func cycle(through edge: ComponentDependency) -> Cycle? {
        var (came, waiting): ([ComponentDescriptor: ComponentDescriptor], [ComponentDescriptor]) = ([:], [edge.to])
        var next = 0
        while next < waiting.count, waiting[next] != edge.from {
            for target in dependencies(of: waiting[next]) where target != edge.to && came[target] == nil {
                came[target] = waiting[next]
                waiting.append(target)
            }
            next += 1
        }
        guard next < waiting.count else { return nil }
        var path = [edge.from]
        while let last = path.last, last != edge.to, let before = came[last] { path.append(before) }
        return Cycle(path: [edge.from] + path.reversed())
    }

    /// For each component on a cycle, one shortest cycle that contains it. Each cycle is listed once, begins with its
    /// component that became known first, and repeats it at the end. Costs one search for each dependency
    /// between components that are on cycles, or between cycles.
    var shortestCycles: [Cycle] {
        guard (try? topologicalOrder()) == nil else { return [] }
        let core = core
        let positions = Dictionary(uniqueKeysWithValues: core.nodes.enumerated().map { ($1, $0) })
        var found: Set<Cycle> = []
        return core.nodes.compactMap { node in
            let edges = core.dependencies(of: node).map { ComponentDependency(from: node, to: $0) }
            let cycles = edges.compactMap(core.cycle(through:))
            guard let shortest = cycles.min(by: { $0.path.count < $1.path.count }) else { return nil }
            let rotated = shortest.beginningFirst { positions[$0, default: 0] < positions[$1, default: 0] }
            return found.insert(rotated).inserted ? rotated : nil
        }
    }

    /// A cycle of dependencies.
    package struct Cycle: MessageError, Hashable, CustomStringConvertible {
        /// The components along the cycle. The first one is repeated at the end.
        package let path: [ComponentDescriptor]

        /// A sentence that shows the cycle.
        package var message: String { "The dependencies form a cycle: \(self)." }

        /// The names along the way, as in `A → B → A`.
        package var description: String { path.map(\.name).joined(separator: " → ") }

        /// The same cycle, beginning with the component that precedes all others.
        fileprivate func beginningFirst(_ precedes: (ComponentDescriptor, ComponentDescriptor) -> Bool) -> Cycle {
            let loop = path.dropLast()
            guard let first = loop.indices.min(by: { precedes(loop[$0], loop[$1]) }) else { return self }
            return Cycle(path: loop[first...] + loop[..<first] + [loop[first]])
        }
    }
}

/// A hash table of the positions of the elements of an array, about 8 bytes each. A set would hold each element a second
/// time.
private struct PositionIndex<Element: Hashable & Sendable>: Sendable {
    /// One more than a position in the array, or 0 for a free slot. A power of two in number. A position is in the first
    /// slot from the hash of its element on that was free.
    private var slots: [UInt32] = []

    /// Enters an element as the next one after `elements`. Returns false if it is already one of them.
    mutating func insert(_ element: Element, in elements: [Element]) -> Bool {
        // At most three quarters of the slots are taken, so that each search ends soon.
        if (elements.count + 1) * 4 > slots.count * 3 { grow(for: elements) }
        guard let slot = freeSlot(for: element, in: elements) else { return false }
        slots[slot] = UInt32(elements.count + 1)
        return true
    }

    /// The slot for a new element; nil if the element has one.
    private func freeSlot(for element: Element, in elements: [Element]) -> Int? {
        var slot = element.hashValue & (slots.count - 1)
        while slots[slot] != 0 {
            if elements[Int(slots[slot]) - 1] == element { return nil }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private mutating func grow(for elements: [Element]) {
        slots = Array(repeating: 0, count: max(8, slots.count * 2))
        for (position, element) in elements.enumerated() {
            if let slot = freeSlot(for: element, in: elements) { slots[slot] = UInt32(position + 1) }
        }
    }
}

/// A depth-first search that lists nodes after their dependencies. It does not recurse, so memory limits the depth of a
/// graph, not the stack.
private struct DepthFirstSearch {
    private struct Frame {
        let node: ComponentDescriptor
        var next = 0
    }

    private let graph: ComponentGraph
    private var stack: [Frame] = []
    private var done: Set<ComponentDescriptor> = []
    private var onStack: Set<ComponentDescriptor> = []
    private(set) var finished: [ComponentDescriptor] = []

    init(graph: ComponentGraph) { self.graph = graph }

    mutating func visit(_ root: ComponentDescriptor) throws(ComponentGraph.Cycle) {
        guard !done.contains(root) else { return }
        push(root)
        while let frame = stack.last {
            let dependencies = graph.dependencies(of: frame.node)
            guard frame.next < dependencies.count else {
                pop()
                continue
            }
            stack[stack.count - 1].next += 1
            try descend(to: dependencies[frame.next])
        }
    }

    private mutating func descend(to node: ComponentDescriptor) throws(ComponentGraph.Cycle) {
        if onStack.contains(node) {
            let path = stack.map(\.node).drop { $0 != node } + [node]
            throw ComponentGraph.Cycle(path: Array(path))
        }
        if !done.contains(node) { push(node) }
    }

    private mutating func push(_ node: ComponentDescriptor) {
        stack.append(Frame(node: node))
        onStack.insert(node)
    }

    private mutating func pop() {
        guard let node = stack.popLast()?.node else { return }
        onStack.remove(node)
        done.insert(node)
        finished.append(node)
    }
}

/// An edge of the component graph: a component of one type resolved a component of another.
public struct ComponentDependency: Sendable, Hashable, Codable {
    /// The dependent type.
    public let from: ComponentDescriptor
    /// The type that it depends on.
    public let to: ComponentDescriptor

    /// Makes an edge.
    public init(from: ComponentDescriptor, to: ComponentDescriptor) {
        self.from = from
        self.to = to
    }

    /// The objection of the architecture's rules to this dependency; nil if they allow it.
    ///
    /// A scope resolves only permitted dependencies. An application therefore has a forbidden one only if it is
    /// reported by something other than a scope.
    package var objection: String? {
        switch (from.kind, to.kind) {
        case (.orchestrator, _), (.capability, .capability), (.client, .capability), (.context, .client),
            (.context, .context), (.presentation, .context), (.request, .client):
            nil
        case (.capability, _): "a capability may use capabilities only"
        case (.client, _): "a client may use capabilities only"
        case (.context, _): "a context may use clients and contexts only"
        case (.request, _): "a request handler may use clients only"
        case (.presentation, _): "a presentation may use its context only"
        }
    }
}
