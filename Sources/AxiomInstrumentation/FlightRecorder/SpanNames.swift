// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The error of a span: what an ``ErrorFingerprint`` says about it without the component.
package struct SpanError: Sendable, Hashable {
    /// The name of the error's type, without its module.
    package let type: String
    /// The code of an `AxiomError`, the name of an enum's case, the domain of an `NSError`; nil for other types.
    package let code: String?
}

/// Numbers for what spans name: components, actions and errors. A number is never used for anything else.
///
/// The number 0 means that there is none. Each table is limited, because errors and names of spans come from the
/// application: whatever comes later shares one number.
final class SpanNames: Sendable {
    static let limit = 4_096
    /// The name of what exceeds the limit.
    static let other = ActionTable.otherAction

    private struct Table<Value: Hashable & Sendable>: Sendable {
        var numbers: [Value: Int] = [:]
        var values: [Value] = []

        mutating func number(of value: Value, limit: Int, beyond other: Value?) -> Int {
            if let known = numbers[value] { return known }
            guard values.count < limit else { return other.map { number(of: $0, limit: limit + 1, beyond: nil) } ?? 0 }
            values.append(value)
            numbers[value] = values.count
            return values.count
        }

        subscript(number: Int) -> Value? {
            values.indices.contains(number - 1) ? values[number - 1] : nil
        }
    }

    private struct State {
        var components = Table<ComponentDescriptor>()
        var names = Table<String>()
        var errors = Table<SpanError>()
    }

    /// Guarded by its lock, which is taken when a component is bound, for a span with a text as its name, for a span that
    /// failed, and when spans are read.
    private let state = Lock(State())

    func number(of component: ComponentDescriptor) -> UInt64 {
        state.withLock { UInt64($0.components.number(of: component, limit: 0xffff, beyond: nil)) }
    }

    func number(of name: String) -> UInt64 {
        state.withLock { UInt64($0.names.number(of: name, limit: Self.limit, beyond: Self.other)) }
    }

    func number(of error: any Error) -> UInt64 {
        let fingerprint = ErrorFingerprint(error, in: ComponentDescriptor(kind: .orchestrator, name: ""))
        let value = SpanError(type: fingerprint.type, code: fingerprint.code)
        let other = SpanError(type: Self.other, code: nil)
        return state.withLock { UInt64($0.errors.number(of: value, limit: Self.limit, beyond: other)) }
    }

    /// Makes readable spans of stored ones.
    func describe(_ spans: some Sequence<SpanWords>, prefix: UInt64) -> [Span] {
        let state = state.withLock { $0 }
        return spans.map { words in
            Span(
                id: words.span,
                parent: words.parent == 0 ? nil : words.parent,
                trace: TraceID(high: prefix, low: words.trace),
                kind: words.kind,
                component: state.components[words.component],
                name: state.names[words.name] ?? words.kind.name,
                instance: words.instance,
                start: Instant(nanoseconds: words.start),
                nanoseconds: words.nanoseconds,
                outcome: words.outcome,
                error: state.errors[words.error]
            )
        }
    }
}
