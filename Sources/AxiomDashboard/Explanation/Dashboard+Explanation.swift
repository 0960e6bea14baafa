// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// Which operations a request wants to have explained.
package struct ExplanationQuery: Sendable {
    /// The name of the component.
    let component: String
    /// The name of the action or call; nil for all of the component.
    let action: String?

    init(component: String, action: String? = nil) { (self.component, self.action) = (component, action) }

    /// Reads the parameters of a request.
    ///
    /// - Parameter value: The value of a parameter; nil without it.
    /// - Throws: ``QueryError`` without a component.
    package init(_ value: (String) -> String?) throws(QueryError) {
        guard let component = value("component"), !component.isEmpty else {
            throw QueryError("component", "", "give the name of a client, a context, a capability or a request")
        }
        self.init(component: component, action: value("action").flatMap { $0.isEmpty ? nil : $0 })
    }
}

extension Dashboard {
    /// The most problems of a snapshot that are explained.
    private static let explained = 3

    /// What explains why operations are slow, as `Dashboards/web/PROTOCOL.md` describes it. Cost: less than 100 ms.
    ///
    /// - Throws: ``QueryError`` for a component or an action that is not known.
    package func explanation(_ query: ExplanationQuery) throws(QueryError) -> [UInt8] {
        let (operations, origin) = (readings.knownSpans?.operations(query) ?? [], origin)
        if operations.isEmpty { try check(query) }
        let explanation = explain(operations, query, origin.grid)
        return origin.document("axiom/explanation") { json in
            json.member("component", query.component.clipped())
            json.member("action", query.action?.clipped())
            json.member("from", operations.map(\.span.start).min().map(origin.moment) ?? .none)
            explanation.write(to: &json)
        }.bytes
    }

    private func check(_ query: ExplanationQuery) throws(QueryError) {
        let names = readings.components.map(\.component.name)
        guard names.contains(where: { $0 == query.component || $0.clipped() == query.component }) else {
            throw QueryError(
                "component",
                query.component,
                "no component has this name; see /api/snapshot for their names"
            )
        }
        guard let action = query.action else { return }
        throw QueryError(
            "action",
            action,
            "no such call is known, or no longer; leave it out for all calls of the component"
        )
    }

    private func explain(_ operations: [SpanTree], _ query: ExplanationQuery, _ grid: TimeGrid) -> Explanation {
        // The budgets of actions may differ.
        let budget = query.action == nil ? nil : operations.first.flatMap { readings.budget(of: $0.span)?.limit }
        return Explanation(operations, limit: budget, time: grid.seconds)
    }

    /// The explanations of the worst slow problems that last, for the diagnosis: those that explain something.
    func writeExplanations(_ spans: KnownSpans?, _ grid: TimeGrid, to json: inout JSONText) {
        let breakers = readings.breakers
        let (rows, components) = state.withLock { state in
            wake(&state, breakers)
            return (state.model.feed.problemRows, state.model.components)
        }
        let slow = rows.filter { $0.isSlow && $0.ended == nil && $0.later == nil }
        // Causes come before what follows from them.
        let worst = slow.sorted { ($0.cause ?? -1, $0.level, $0.since) < ($1.cause ?? -1, $1.level, $1.since) }
        let found = worst.prefix(Self.explained).compactMap {
            row -> (ProblemRow, ExplanationQuery, Explanation.Cause)? in
            guard let name = row.component.map(components.name) else { return nil }
            let calls = readings.slowestActions.filter { $0.component.name == name }
            let query = ExplanationQuery(component: name, action: calls.max { $0.nanoseconds < $1.nanoseconds }?.action)
            let cause = explain(spans?.operations(query) ?? [], query, grid).causes.first
            return cause.map { (row, query, $0) }
        }
        json.list(found) { json, found in
            let (row, query, cause) = found
            json.object { json in
                json.member("problem", row.id)
                json.member("component", .count(row.component))
                json.member("action", query.action?.clipped())
                json.member("text", cause.text)
                json.member("trace", cause.trace.map { "\($0)" })
            }
        }
    }
}

extension KnownSpans {
    /// The most operations that are compared.
    private static let compared = 5_000

    fileprivate func operations(_ query: ExplanationQuery) -> [SpanTree] {
        operations(Self.compared) { component, name in
            func isWanted(_ name: String, _ wanted: String) -> Bool { name == wanted || name.clipped() == wanted }
            return isWanted(component, query.component) && query.action.map { isWanted(name, $0) } ?? true
        }
    }
}

extension Explanation {
    fileprivate func write(to json: inout JSONText) {
        json.member("says", says)
        json.member("spans", spans)
        json.member("slow", slow)
        json.member("ordinary", ordinary)
        json.member("rule", rule.rawValue)
        json.member("threshold", threshold)
        json.member("typical", typical)
        json.member("excess", excess)
        json.member("own", own)
        json.member("causes") { json in
            json.list(causes) { json, cause in
                json.object { json in
                    json.member("feature", cause.feature)
                    json.member("says", cause.says)
                    json.member("share", cause.share)
                    json.member("q", cause.q)
                    json.member("slow", cause.slow)
                    json.member("ordinary", cause.ordinary)
                    json.member("spans", cause.spans)
                    json.member("trace", cause.trace.map { "\($0)" })
                }
            }
        }
        json.member("compared") { json in
            json.list(compared.prefix(40)) { json, compared in
                json.object { json in
                    json.member("feature", compared.feature)
                    json.member("share", compared.share)
                }
            }
        }
    }
}
