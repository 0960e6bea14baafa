// SPDX-License-Identifier: Apache-2.0

internal import Axiom
package import AxiomInstrumentation

/// Which activities a request wants. All conditions apply before the limit.
package struct ActivityQuery: Sendable {
    /// The most activities.
    var limit = 200
    /// Text that occurs in the names, the kind, the outcome or the error, in any case, or the id of a span or a trace.
    var text: String?
    var component: String?
    var outcome: ActionOutcome?
    /// The shortest duration, in seconds.
    var minimum = 0.0
    /// Whether only failed and rejected ones are wanted.
    var isFailure = false
    /// Whether only those of kept traces are wanted.
    var isKept = false

    static let limits = 1...1_000

    init() {}

    /// - Parameter value: The value of a parameter of the request; nil without it.
    /// - Throws: ``QueryError`` that names the parameter and the permitted values.
    package init(_ value: (String) -> String?) throws(QueryError) {
        func read<T>(_ name: String, _ remedy: String, _ parse: (String) -> T?) throws(QueryError) -> T? {
            guard let text = value(name) else { return nil }
            guard let parsed = parse(text) else { throw QueryError(name, text, remedy) }
            return parsed
        }
        let outcomes = ActionOutcome.allCases.map(\.rawValue).joined(separator: ", ")
        let flags = ["0": false, "1": true]
        limit =
            try read("limit", "give a whole number from 1 to 1000") { text in
                Int(text).flatMap { Self.limits.contains($0) ? $0 : nil }
            } ?? limit
        minimum =
            try read("min", "give seconds, 0 or more, such as 0.25") { text in
                Double(text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
            } ?? minimum
        outcome = try read("outcome", "give one of \(outcomes)") { ActionOutcome(rawValue: $0) }
        text = value("q").flatMap { $0.isEmpty ? nil : $0.lowercased() }
        component = value("component").flatMap { $0.isEmpty ? nil : $0 }
        isFailure = try read("failures", "give 1 or 0") { flags[$0] } ?? false
        isKept = try read("kept", "give 1 or 0") { flags[$0] } ?? false
    }
}

/// Reports a parameter with a value that is not permitted.
package struct QueryError: Error, Hashable, CustomStringConvertible {
    package let parameter: String
    /// The parameter, its value, and what is permitted.
    package let description: String

    package init(_ parameter: String, _ value: String, _ remedy: String) {
        self.parameter = parameter
        description = "\(parameter) is \"\(value.clipped(60))\": \(remedy)."
    }

    package static func unknownTrace(_ parameter: String, _ id: TraceID) -> QueryError {
        QueryError(parameter, "\(id)", "this trace is not known, or no longer; see /api/traces for kept ones")
    }

    /// `{"error":…,"parameter":…}`
    package var json: [UInt8] { JSONText.error(description) { $0.member("parameter", parameter) }.bytes }
}

/// Applies a query to spans. It examines each text once.
struct ActivityFilter {
    fileprivate struct Names: Hashable {
        let kind: SpanKind
        let component: String?
        let name: String
        let outcome: ActionOutcome
        let error: SpanError?
    }

    private let query: ActivityQuery
    private let spans: KnownSpans
    /// Whether the text occurs in these names.
    private var verdicts: [Names: Bool] = [:]

    init(_ query: ActivityQuery, _ spans: KnownSpans) { (self.query, self.spans) = (query, spans) }

    mutating func accepts(_ span: Span) -> Bool {
        if query.isFailure, span.outcome != .failure, span.outcome != .rejected { return false }
        if let outcome = query.outcome, span.outcome != outcome { return false }
        if span.seconds < query.minimum { return false }
        if let wanted = query.component, span.component?.name != wanted, span.component?.name.clipped() != wanted {
            return false
        }
        if query.isKept, spans.reason(span.trace) == nil { return false }
        return query.text.map { contains($0, span) } ?? true
    }

    private mutating func contains(_ text: String, _ span: Span) -> Bool {
        let error = span.error
        let names = Names(
            kind: span.kind,
            component: span.component?.name,
            name: span.name,
            outcome: span.outcome,
            error: error
        )
        let verdict = verdicts[names] ?? names.texts.contains { $0.lowercased().contains(text) }
        verdicts[names] = verdict
        return verdict || text == TraceID.hex(span.id) || text == "\(span.trace)"
    }
}

extension ActivityFilter.Names {
    fileprivate var texts: [String] {
        [kind.name, component, name, outcome.rawValue, error?.code, error?.type].compactMap(\.self)
    }
}
