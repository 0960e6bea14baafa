// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

/// Which activities a request wants. All conditions apply before the limit.
package struct ActivityQuery: Sendable {
    /// The most activities.
    var limit = 200
    /// Text that occurs in the names, the kind, the outcome or the error, in any case, or the id of a span or a trace.
    var text: String?
    /// The name of the component.
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

    /// Reads the parameters of a request.
    ///
    /// - Parameter value: The value of a parameter; nil without it.
    /// - Throws: ``QueryError`` that names the parameter and the permitted values.
    package init(_ value: (String) -> String?) throws(QueryError) {
        if let text = value("limit") {
            guard let number = Int(text), Self.limits.contains(number) else {
                throw QueryError("limit", text, "give a whole number from 1 to 1000")
            }
            limit = number
        }
        if let text = value("min") {
            guard let seconds = Double(text), seconds.isFinite, seconds >= 0 else {
                throw QueryError("min", text, "give seconds, 0 or more, such as 0.25")
            }
            minimum = seconds
        }
        if let text = value("outcome") {
            guard let known = ActionOutcome(rawValue: text) else {
                let names = ActionOutcome.allCases.map(\.rawValue).joined(separator: ", ")
                throw QueryError("outcome", text, "give one of \(names)")
            }
            outcome = known
        }
        text = value("q").flatMap { $0.isEmpty ? nil : $0.lowercased() }
        component = value("component").flatMap { $0.isEmpty ? nil : $0 }
        isFailure = try Self.flag("failures", value("failures"))
        isKept = try Self.flag("kept", value("kept"))
    }

    private static func flag(_ name: String, _ value: String?) throws(QueryError) -> Bool {
        switch value {
        case nil, "0": false
        case "1": true
        case .some(let text): throw QueryError(name, text, "give 1 or 0")
        }
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

    /// `{"error":…,"parameter":…}`
    package var json: [UInt8] {
        var json = JSONText()
        json.raw("{\"error\":" as StaticString)
        json.string(description)
        json.raw(",\"parameter\":" as StaticString)
        json.string(parameter)
        json.raw("}" as StaticString)
        return json.bytes
    }
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

    init(_ query: ActivityQuery, _ spans: KnownSpans) {
        (self.query, self.spans) = (query, spans)
    }

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
