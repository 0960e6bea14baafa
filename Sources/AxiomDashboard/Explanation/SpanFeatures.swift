// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// What is recorded of operations and may explain how long they took. A further feature is one line of `labels` or of
/// `numbers`.
///
/// Waits for the actors of clients, sizes of states, versions and the pressure of the machine are not recorded for each
/// operation today.
struct SpanFeatures {
    /// A property with a value; nil for none. `phrase` and a value describe the operations that have it.
    private typealias Label = (name: String, phrase: String, value: @Sendable (SpanTree) -> String?)
    /// A property with a number, whose large values are suspected.
    private typealias Number = (
        name: String, phrase: @Sendable (String) -> String, values: @Sendable ([SpanTree]) -> [Double]
    )

    /// Of two with the same share of the excess, the first one is named.
    private static let labels: [Label] = [
        ("caller", "calls by", { $0.caller?.component?.name }),
        ("calling action", "calls by", { $0.caller.map { "\($0.component?.name ?? "").\($0.name)" } }),
        ("action", "calls of", { $0.span.name }),
        ("instance", "calls of instance", { $0.span.instance == 0 ? nil : String($0.span.instance) }),
        ("error", "calls with the error", { $0.span.error.map { $0.code ?? $0.type } }),
        ("outcome", "calls with the outcome", { $0.span.outcome.rawValue }),
        ("refusal", "calls with a refusal by", { $0.refusal?.component?.name }),
        ("origin", "calls from", { $0.span.remoteParent.map { _ in "another process" } }),
    ]
    private static let numbers: [Number] = [
        ("in flight", { "calls that begin while \($0) or more others run" }, inFlight)
    ]

    /// The most labels of a feature; rarer ones have none together.
    private static let mostLabels = 32
    /// The most steps of a number, and of the time.
    private static let (steps, moments) = (8, 16)

    /// The operations, the one that began first first.
    let operations: [SpanTree]
    /// The durations.
    let seconds: [Double]
    /// The time in no step.
    let own: [Double]
    /// In what they spent their time: components, or named work.
    let parts: [SpanPart]
    let factors: [Factor]

    /// - Parameter time: The seconds since 1970 of a moment.
    init(_ operations: [SpanTree], time: (Instant) -> Double) {
        let sorted = operations.sorted { ($0.span.start, $0.span.id) < ($1.span.start, $1.span.id) }
        let whole = SpanPart(of: sorted.count)
        for (index, operation) in sorted.enumerated() { whole.add(operation, index) }
        let seconds = sorted.map(\.span.seconds)
        own = seconds.enumerated().map { index, time in
            max(0, whole.parts.reduce(time) { $0 - $1.seconds[index] })
        }
        (self.operations, self.seconds) = (sorted, seconds)
        parts = whole.parts
        let labelled = Self.labels.map { name, phrase, value in
            Factor(name, phrase, values: sorted.map(value), most: Self.mostLabels)
        }
        let numbered = Self.numbers.map { Factor($0.name, numbers: $0.values(sorted), steps: Self.steps, $0.phrase) }
        let moments = sorted.map { time($0.span.start) }
        factors = (labelled + numbered + [Factor(moments: moments, steps: Self.moments)]).filter { $0.count > 1 }
    }

    /// How many others of the operations ran when each one began.
    private static func inFlight(_ sorted: [SpanTree]) -> [Double] {
        let ends = sorted.map(\.span.end).sorted()
        var ended = 0
        return sorted.enumerated().map { begun, operation in
            while ended < ends.count, ends[ended] <= operation.span.start { ended += 1 }
            // Operations without a duration may have ended before they are counted as begun.
            return Double(max(0, begun - ended))
        }
    }
}

extension SpanTree {
    /// The refusal of a circuit breaker that the operation met.
    fileprivate var refusal: Span? { steps.first { $0.span.kind == .breakerRefusal }?.span }
}
