// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// What is recorded of operations and may explain how long they took. A further property is one line of `labels`.
///
/// Waits for the actors of clients, sizes of states, versions and the pressure of the machine are not recorded for each
/// operation today.
struct SpanFeatures {
    /// In the order of their start.
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
        let (seconds, parts) = (operations.map(\.span.seconds), SpanPart(of: operations).parts)
        own = seconds.enumerated().map { index, time in max(0, parts.reduce(time) { $0 - $1.seconds[index] }) }
        (self.operations, self.seconds, self.parts) = (operations, seconds, parts)
        let numbers = [Self.inFlight(operations), Self.time(operations.map { time($0.span.start) })]
        factors = (Self.labels(operations) + numbers).filter { $0.count > 1 }
    }

    /// Of two with the same share of the excess, the first one is named.
    private static func labels(_ operations: [SpanTree]) -> [Factor] {
        let callers = operations.map { $0.caller?.subject }
        let refusals = operations.map { $0.steps.first { $0.span.kind == .breakerRefusal } }
        let spans = operations.map(\.span)
        return [
            Factor("caller", "calls by", callers) { operations[$0].caller?.span.component?.name },
            Factor("calling action", "calls by", callers) { index in
                operations[index].caller.map { "\($0.span.component?.name ?? "").\($0.span.name)" }
            },
            Factor("action", "calls of", operations.map(\.subject)) { spans[$0].name },
            Factor("instance", "calls of instance", spans.map(\.instance)) { index in
                spans[index].instance == 0 ? nil : "\(spans[index].instance)"
            },
            Factor("error", "calls with the error", spans.map(\.error)) { spans[$0].error.map { $0.code ?? $0.type } },
            Factor("outcome", "calls with the outcome", spans.map(\.outcome)) { spans[$0].outcome.rawValue },
            Factor("refusal", "calls with a refusal by", refusals.map { $0?.subject }) {
                refusals[$0]?.span.component?.name
            },
        ]
    }

    /// How many others of the operations ran when each one began. Usually few do: the steps are finer where they are rarer.
    private static func inFlight(_ operations: [SpanTree]) -> Factor {
        let ends = operations.map(\.span.end).sorted()
        var ended = 0
        let numbers = operations.enumerated().map { begun, operation in
            while ended < ends.count, ends[ended] <= operation.span.start { ended += 1 }
            // Operations without a duration may have ended before they are counted as begun.
            return Double(max(0, begun - ended))
        }
        let sorted = numbers.sorted()
        let bounds = (0..<8).compactMap { sorted.suffix(sorted.count >> $0).first }
        return Factor("in flight", .above, numbers, bounds) { labels, bounds in
            "calls that begin while \(QuantityFormat.number(bounds[labels.lowerBound])) or more others run"
        }
    }

    /// - Parameter moments: When the operations began.
    private static func time(_ moments: [Double]) -> Factor {
        let bounds = moments.isEmpty ? [] : (0..<16).map { moments[$0 * moments.count / 16] }
        return Factor("time", .between, moments, bounds) { labels, bounds in
            let begin = DiagnosisEvidence.time(bounds[labels.lowerBound])
            if labels.upperBound == bounds.count { return "calls since \(begin)" }
            let end = DiagnosisEvidence.time(bounds[labels.upperBound])
            return labels.lowerBound == 0 ? "calls before \(end)" : "calls from \(begin) to \(end)"
        }
    }
}
