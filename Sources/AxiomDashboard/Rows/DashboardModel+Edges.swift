// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

/// What is wrong with single edges of the component graph, worked out when edges were added.
struct EdgeRemarks: Sendable {
    /// Of how many edges this is about.
    private(set) var count = 0
    /// What the rules of the architecture say against an edge.
    private(set) var objections: [ComponentDependency: String] = [:]
    /// The way round, for the edges that are a part of a cycle.
    private(set) var cycles: [ComponentDependency: String] = [:]

    init() {}

    /// Cost: one pass over the graph, and one for each edge where there is a cycle.
    init(_ edges: [ComponentDependency]) {
        count = edges.count
        var graph = ComponentGraph()
        for edge in edges {
            graph.add(edge)
            objections[edge] = edge.objection
        }
        guard (try? graph.topologicalOrder()) == nil else { return }
        for edge in edges { cycles[edge] = graph.cycle(through: edge)?.description }
    }
}

extension DashboardModel {
    /// Edges are only ever added.
    mutating func refreshGraph() {
        guard let edges = telemetry?.componentEdges, edges.count != remarks.count else { return }
        remarks = EdgeRemarks(edges)
    }

    mutating func edgeRows() -> [Row] {
        guard let telemetry else { return [] }
        let (traffic, before, age) = (telemetry.componentTraffic, mark?.callsByEdge ?? [:], markAge)
        return telemetry.componentEdges.map { edge in
            let counts = traffic[edge]
            let rate = counts.map { Double($0.calls &- (before[edge] ?? 0)) / age }
            let note = remarks.objections[edge] ?? remarks.cycles[edge].map { "in a cycle: \($0)" }
            return Row(
                id: ids.edges.id(edge),
                values: [
                    .component(components.id(edge.from)), .component(components.id(edge.to)),
                    counts.map { .count($0.calls) } ?? .none, .measured(rate),
                    counts.map { .count($0.failures) } ?? .none, .flag(remarks.objections[edge] != nil), .words(note),
                ]
            )
        }
    }

    /// An edge that the rules forbid did not come about by a scope, and so may be of any kind.
    func graphProblems() -> [ProblemBook.Problem] {
        remarks.objections.map { edge, objection in
            ProblemBook.Problem(
                key: "edge/\(edge.from)/\(edge.to)",
                isBad: false,
                panel: "graph",
                component: components.id(named: edge.from.name),
                text: "\(edge.from.name) uses \(edge.to.name): \(objection)"
            )
        }
    }
}
