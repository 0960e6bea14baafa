// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax

/// The components of a project and the dependencies among them, as the source declares them.
package struct StaticGraph: Sendable, Hashable {
    /// A kind of component, the lowest first.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A request is a request handler, as in the graph of a running application.
        case capability, client, request, context, presentation

        var plural: String {
            switch self {
            case .capability: "capabilities"
            case .request: "handlers"
            default: rawValue + "s"
            }
        }
    }

    /// A component type.
    package struct Node: Sendable, Hashable {
        package var kind: Kind
        /// The name of the component at run time: its `componentName`, the name of its type by default.
        package var name: String
        /// The name of the type, with the types around it.
        package var type: String
        package var module: String
        package var place: SourceSpan
        /// Where it is registered.
        package var registrations: [SourceSpan] = []
        /// Whether a context may contain itself.
        package var mayBeRecursive = false

        package init(_ kind: Kind, _ name: String, type: String? = nil, module: String = "", at place: SourceSpan) {
            (self.kind, self.name, self.type, self.module, self.place) = (kind, name, type ?? name, module, place)
        }
    }

    /// A dependency. The numbers are those of the nodes.
    package struct Edge: Sendable, Hashable {
        package var from: Int
        package var to: Int
        /// Where the component is resolved, the first place first.
        package var places: [SourceSpan]
    }

    /// In order of kinds and names.
    package private(set) var nodes: [Node]
    /// In order of their nodes.
    package private(set) var edges: [Edge]
    private let targets: [[Int]]

    /// Makes a graph. The result does not depend on the order of the arguments.
    ///
    /// - Parameters:
    ///   - nodes: The components.
    ///   - edges: Dependencies, as numbers of `nodes`. Those with the same ends become one.
    package init(nodes: [Node], edges: [(from: Int, to: Int, place: SourceSpan)]) {
        let order = nodes.indices.sorted { Self.precedes(nodes[$0], nodes[$1]) }
        var position = [Int](repeating: 0, count: nodes.count)
        for (new, old) in order.enumerated() { position[old] = new }
        struct Ends: Hashable { var from: Int, to: Int }
        let places = edges.reduce(into: [Ends: Set<SourceSpan>]()) { found, edge in
            found[Ends(from: position[edge.from], to: position[edge.to]), default: []].insert(edge.place)
        }
        self.nodes = order.map { nodes[$0] }
        self.edges = places.map { Edge(from: $0.from, to: $0.to, places: $1.sorted(by: Self.precedes)) }
            .sorted { ($0.from, $0.to) < ($1.from, $1.to) }
        var targets = [[Int]](repeating: [], count: nodes.count)
        for edge in self.edges { targets[edge.from].append(edge.to) }
        self.targets = targets
    }

    /// The numbers of the nodes that a node depends on.
    package func dependencies(of node: Int) -> [Int] { targets[node] }

    package func edge(from: Int, to: Int) -> Edge? { edges.first { $0.from == from && $0.to == to } }

    private static func precedes(_ left: Node, _ right: Node) -> Bool {
        let (first, second) = (rank(left.kind), rank(right.kind))
        if first != second { return first > second }
        return (left.name, left.type, left.module, left.place.path) < (
            right.name, right.type, right.module, right.place.path
        )
    }

    /// Presentations come first, as in a picture.
    private static func rank(_ kind: Kind) -> Int { Kind.allCases.firstIndex(of: kind) ?? 0 }

    private static func precedes(_ left: SourceSpan, _ right: SourceSpan) -> Bool {
        left.path != right.path ? left.path < right.path : left.offsets.lowerBound < right.offsets.lowerBound
    }
}
