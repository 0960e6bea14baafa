// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// What the source declares, compared with what a running application resolved.
package struct GraphComparison: Sendable {
    package typealias Name = ObservedGraph.Name
    package typealias Edge = ObservedGraph.Edge

    /// Components of the application that the source does not declare.
    package let undeclaredComponents: [Name]
    /// Dependencies of the application that the source does not show.
    package let undeclared: [Edge]
    /// Dependencies that the source shows, of components that were made without resolving them.
    package let unresolved: [Edge]
    /// Dependencies that the source shows, of components that were never made, so the application cannot have them.
    package let unobserved: [Edge]
    /// How many dependencies both have.
    package let common: Int
    private let places: [Edge: String]

    package init(_ graph: StaticGraph, _ observed: ObservedGraph) {
        func name(_ node: Int) -> Name { Name(graph.nodes[node].kind.rawValue, graph.nodes[node].name) }
        var places: [Edge: String] = [:]
        for edge in graph.edges {
            let key = Edge(name(edge.from), name(edge.to))
            guard places[key] == nil, let place = edge.places.first else { continue }
            places[key] = "\(place.path):\(place.start.line):\(place.start.column)"
        }
        let declared = Set(places.keys)
        let shown = Set(observed.edges.map(\.from))
        let wasMade = { (name: Name) in
            name.kind == "presentation" ? shown.contains(name) : observed.made.contains(name)
        }
        let known = Set(graph.nodes.indices.map(name))
        undeclaredComponents = observed.components.subtracting(known).sorted()
        undeclared = observed.edges.subtracting(declared).sorted()
        let missing = declared.subtracting(observed.edges).sorted()
        unresolved = missing.filter { wasMade($0.from) }
        unobserved = missing.filter { !wasMade($0.from) }
        common = declared.intersection(observed.edges).count
        self.places = places
    }

    /// Whether the source and the application show the same, as far as the components were made.
    package var isEqual: Bool { undeclaredComponents.isEmpty && undeclared.isEmpty && unresolved.isEmpty }

    /// 0 if they show the same, else 1.
    package var exitCode: Int32 { isEqual ? 0 : 1 }

    package var text: String {
        var lines: [String] = []
        lines += undeclaredComponents.map { "only in the application: \($0)" }
        lines += undeclared.map { "only in the application: \($0.from) → \($0.to)" }
        lines += unresolved.map { "only in the source: \($0.from) → \($0.to)\(place(of: $0))" }
        lines += unobserved.map { "not observed: \($0.from) → \($0.to)\(place(of: $0)); the \($0.from) was never made" }
        let differences = undeclaredComponents.count + undeclared.count + unresolved.count
        lines.append(
            "\(common) dependencies in both, \(differences) differences, \(unobserved.count) dependencies not observed."
        )
        return lines.joined(separator: "\n") + "\n"
    }

    private func place(of edge: Edge) -> String { places[edge].map { " at \($0)" } ?? "" }

    private struct Document: Encodable {
        struct Dependency: Encodable {
            var from: Name
            var to: Name
            var place: String?
        }

        var schema = "axiom-verify/graph-comparison"
        var schemaVersion = 1
        var common: Int
        var onlyInApplication: [Dependency]
        var componentsOnlyInApplication: [Name]
        var onlyInSource: [Dependency]
        var notObserved: [Dependency]
    }

    package func json() throws -> String {
        let row = { (edge: Edge) in Document.Dependency(from: edge.from, to: edge.to, place: places[edge]) }
        return try GraphJSON.encode(
            Document(
                common: common,
                onlyInApplication: undeclared.map(row),
                componentsOnlyInApplication: undeclaredComponents,
                onlyInSource: unresolved.map(row),
                notObserved: unobserved.map(row)
            )
        )
    }
}
