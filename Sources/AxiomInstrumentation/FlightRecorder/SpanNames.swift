// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// Numbers for what spans name: components, actions and errors. A number is never used for anything else.
///
/// The number 0 means that there is none. Errors and names of spans come from the application and are therefore limited:
/// whatever comes later shares one number. They do not take the numbers of actions and components that come later.
final class SpanNames: Sendable {
    static let limit = 4_096
    /// The name of what exceeds the limit.
    static let other = ActionTable.otherAction

    fileprivate struct Table<Value: Hashable & Sendable>: Sendable {
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

    /// A copy of all names.
    struct Tables: Sendable {
        fileprivate var components = Table<ComponentDescriptor>()
        fileprivate var names = Table<String>()
        /// How many of the names are not those of actions.
        fileprivate var given = 0
        fileprivate var errors = Table<SpanError>()

        func component(_ number: Int) -> ComponentDescriptor? { components[number] }
        func error(_ number: Int) -> SpanError? { errors[number] }

        /// Makes a readable span of a stored one.
        func describe(_ words: SpanWords, _ traces: TraceNames) -> Span {
            let remote = traces.remotes[words.trace]
            return Span(
                id: words.span,
                parent: words.parent == 0 ? nil : words.parent,
                remoteParent: words.parent == 0 ? remote?.span : nil,
                trace: traces.id(of: words.trace),
                kind: words.kind,
                component: components[words.component],
                name: names[words.name] ?? words.kind.name,
                instance: words.instance,
                start: Instant(nanoseconds: words.start),
                nanoseconds: words.nanoseconds,
                outcome: words.outcome,
                error: errors[words.error]
            )
        }
    }

    /// Guarded by its lock, which is taken when a component is bound, for a span with a text as its name, for a span that
    /// failed, and when spans are read.
    private let state = Lock(Tables())

    func number(of component: ComponentDescriptor) -> UInt64 {
        state.withLock { UInt64($0.components.number(of: component, limit: 0xffff, beyond: nil)) }
    }

    /// The number of a name from the application.
    func number(of name: String) -> UInt64 {
        state.withLock { state in
            let known = state.names.values.count
            let number = state.names.number(of: name, limit: known + Self.limit - state.given, beyond: Self.other)
            state.given += state.names.values.count - known
            return UInt64(number)
        }
    }

    /// The number of the name of an action. Such names are part of the program, so that they are not limited.
    func number(ofAction name: String) -> UInt64 {
        state.withLock { UInt64($0.names.number(of: name, limit: .max - 1, beyond: nil)) }
    }

    func number(of error: any Error) -> UInt64 {
        let value = SpanError(error)
        let other = SpanError(type: Self.other)
        return state.withLock { UInt64($0.errors.number(of: value, limit: Self.limit, beyond: other)) }
    }

    var tables: Tables { state.withLock { $0 } }

    /// The component and the name of an open span.
    func describe(subject: UInt64) -> (component: ComponentDescriptor?, name: String) {
        let words = SpanWords(span: 0, parent: 0, trace: 0, start: 0, nanoseconds: 0, what: subject, who: 0)
        return state.withLock { state in
            (state.components[words.component], state.names[words.name] ?? words.kind.name)
        }
    }

    /// The component and the name of noted work; nil for no work, and for a component beyond the limit.
    func describe(_ work: RunningWork) -> (component: ComponentDescriptor, name: String)? {
        state.withLock { state in
            guard let component = state.components[work.component] else { return nil }
            return (component, state.names[work.name] ?? Self.other)
        }
    }

    /// Makes readable spans of stored ones.
    func describe(_ spans: some Sequence<SpanWords>, _ traces: TraceNames) -> [Span] {
        let tables = tables
        return spans.map { tables.describe($0, traces) }
    }
}

/// The number of a flight recorder: 1...65,535. No other recorder of the process has it as long as this value exists.
///
/// Numbers are used again as late as possible, so that a task that outlives a recorder is not taken for one of another
/// recorder.
struct RecorderNumber: ~Copyable, Sendable {
    static let largest: UInt64 = 0xffff

    private struct State {
        var used: Set<UInt64> = []
        var last: UInt64 = 0

        /// The next free number; nil if all are used.
        mutating func take() -> UInt64? {
            guard used.count < RecorderNumber.largest else { return nil }
            repeat { last = last % RecorderNumber.largest + 1 } while !used.insert(last).inserted
            return last
        }
    }

    /// Guarded by its lock, which is taken when a recorder is made and when it is released.
    private static let state = Lock(State())

    let value: UInt64

    /// - Throws: ``TelemetryError`` if the process has as many recorders as there are numbers.
    init() throws(TelemetryError) {
        guard let value = Self.state.withLock({ $0.take() }) else { throw .tooManyRecorders }
        self.value = value
    }

    deinit {
        let value = value
        Self.state.withLock { _ = $0.used.remove(value) }
    }
}
