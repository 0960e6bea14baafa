// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

/// One edge of the component graph.
struct EdgeRow: SnapshotRow {
    let id: Int
    let from: Int
    let to: Int
    /// nil for an edge whose calls are not counted.
    let counts: CallCounts?
    /// Calls per second in the last minute.
    let rate: Double?
    /// The share of the calls in the last minute that failed or were rejected; nil if there were none.
    let errorRatio: Double?
    /// Whether the rules of the architecture forbid it.
    let isForbidden: Bool
    let note: String?

    static let fields: [RowField<Self>] = [
        RowField("from") { .count($0.from) },
        RowField("to") { .count($0.to) },
        RowField("calls") { .count($0.counts?.calls) },
        RowField("rate") { .measured($0.rate) },
        RowField("errors") { .count($0.counts?.failures) },
        RowField("errorRatio") { .measured($0.errorRatio) },
        RowField("forbidden") { .flag($0.isForbidden) },
        RowField("note") { .words($0.note) },
    ]

    static func rows(_ observed: Observation, _ history: History, _ ids: inout RowIDs) -> [EdgeRow] {
        let (before, findings) = (history.mark?.callsByEdge ?? [:], observed.graph)
        return observed.graph.edges.map { edge in
            let (counts, earlier) = (observed.traffic[edge], before[edge])
            let calls = counts.map { $0.calls &- (earlier?.calls ?? 0) }
            let failures = counts.map { $0.failures &- (earlier?.failures ?? 0) }
            return EdgeRow(
                id: ids.edges.id(edge),
                from: ids.components.id(edge.from),
                to: ids.components.id(edge.to),
                counts: counts,
                rate: calls.map { Double($0) / history.markAge },
                errorRatio: calls.flatMap { $0 == 0 ? nil : Double(failures ?? 0) / Double($0) },
                isForbidden: findings.objections[edge] != nil,
                note: findings.objections[edge] ?? findings.cycles[edge].map { "in a cycle: \($0)" }
            )
        }
    }
}

/// The component graph, and what is wrong with single edges.
struct GraphFindings: Sendable {
    /// In the order in which they were first resolved.
    let edges: [ComponentDependency]
    /// What the rules of the architecture say against an edge.
    private(set) var objections: [ComponentDependency: String] = [:]
    /// The way round, for the edges that are part of a cycle.
    private(set) var cycles: [ComponentDependency: String] = [:]

    /// Cost: one pass over the graph, and one for each edge where there is a cycle.
    init(_ edges: [ComponentDependency] = []) {
        self.edges = edges
        var graph = ComponentGraph()
        for edge in edges {
            graph.add(edge)
            objections[edge] = edge.objection
        }
        guard (try? graph.topologicalOrder()) == nil else { return }
        for edge in edges { cycles[edge] = graph.cycle(through: edge)?.description }
    }

    /// The findings for `edges`. Edges are only ever added, so the same number means the same edges.
    func updated(_ edges: [ComponentDependency]) -> GraphFindings {
        edges.count == self.edges.count ? self : GraphFindings(edges)
    }
}
