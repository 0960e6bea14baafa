// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

extension Dashboard {
    /// The most operations that are compared, and the most problems of a snapshot that are explained.
    private static let (compared, explained) = (5_000, 3)

    /// What explains why operations are slow, as `Dashboards/web/PROTOCOL.md` describes it. Cost: less than 100 ms.
    ///
    /// - Parameters:
    ///   - component: The name of the component.
    ///   - action: That of the action or call; nil for all of the component.
    /// - Throws: ``QueryError`` for a component or an action that is not known.
    package func explanation(of component: String, _ action: String?) throws(QueryError) -> [UInt8] {
        let (spans, origin) = (readings.knownSpans, origin)
        let explanation = explain(spans, component, action, origin.grid)
        if explanation.spans == 0 { try check(component, action) }
        return origin.document("axiom/explanation") { json in
            json.member("component", component.clipped())
            json.member("action", action?.clipped())
            explanation.write(to: &json)
        }.bytes
    }

    private func check(_ component: String, _ action: String?) throws(QueryError) {
        guard readings.components.contains(where: { $0.component.name == component }) else {
            throw QueryError("component", component, "no component has this name; /api/snapshot lists them")
        }
        guard let action else { return }
        throw QueryError("action", action, "no such call is known, or no longer; leave it out to compare all calls")
    }

    private func explain(_ spans: KnownSpans?, _ component: String, _ action: String?, _ grid: TimeGrid) -> Explanation
    {
        let found = spans?.operations(Self.compared) { $0 == component && action ?? $1 == $1 }
        // The budgets of actions may differ.
        let budget = action == nil ? nil : found?.first.flatMap { readings.budget(of: $0.span)?.limit }
        return Explanation(found ?? [], limit: budget, time: grid.seconds)
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
        let found = worst.prefix(Self.explained).compactMap { row -> (ProblemRow, String?, Explanation.Cause)? in
            guard let name = row.component.map(components.name) else { return nil }
            let calls = readings.slowestActions.filter { $0.component.name == name }
            let action = calls.max { $0.nanoseconds < $1.nanoseconds }?.action
            return explain(spans, name, action, grid).causes.first.map { (row, action, $0) }
        }
        json.list(found) { json, found in
            let (row, action, cause) = found
            json.object { json in
                json.member("problem", row.id)
                json.member("component", .count(row.component))
                json.member("action", action?.clipped())
                json.member("text", cause.text)
                json.member("trace", cause.trace.map { "\($0)" })
            }
        }
    }
}

extension Explanation {
    fileprivate func write(to json: inout JSONText) {
        json.member("says", says)
        json.member("spans", spans)
        json.member("slow", slow)
        json.member("threshold", threshold)
        json.member("typical", typical)
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
        json.member("compared") { $0.list(compared.prefix(40)) { $0.string($1) } }
    }
}
