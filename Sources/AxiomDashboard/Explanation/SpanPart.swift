// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// The time that operations spent in one kind of step: a component that they called, a call of it, a repetition, or a wait.
///
/// Each moment counts once. Of steps at the same time, one that ends later has the time after the end of the others: that
/// is what the operation waited for.
final class SpanPart {
    enum Kind: String {
        /// A component, or one of its calls; work that the application named.
        case work = "part"
        /// Remedies after a failure.
        case recovery
        /// Repetitions, each with the wait before it.
        case retries
        /// A wait for what the name says: the main actor, a pool, a cache.
        case wait
    }

    /// How many more parts there may be. The time in further ones is that of the part that they belong to.
    private final class Room {
        var left = 200
    }

    /// Empty for the operation itself.
    let name: String
    let kind: Kind
    /// Of each operation.
    private(set) var seconds, counts: [Double]
    private(set) var parts: [SpanPart] = []
    /// What ``parts(of:)`` found, by the subjects of steps.
    private var found: [UInt64: [SpanPart]] = [:]
    private let room: Room

    convenience init(of operations: [SpanTree]) {
        self.init("", .work, of: operations.count, Room())
        for (index, operation) in operations.enumerated() {
            add(operation.steps, index, from: operation.span.start, to: operation.span.end)
        }
    }

    private init(_ name: String, _ kind: Kind, of count: Int, _ room: Room) {
        (self.name, self.kind, self.room) = (name, kind, room)
        (seconds, counts) = ([Double](repeating: 0, count: count), [Double](repeating: 0, count: count))
    }

    private func add(_ steps: [SpanTree], _ index: Int, from begin: Instant, to end: Instant) {
        var reached = begin
        for step in steps where step.span.kind != .breakerRefusal && step.span.kind != .statePublished {
            let first = step.span.kind == .retryAttempt ? reached : min(end, max(reached, step.span.start))
            let last = max(first, min(end, step.span.end))
            reached = last
            let parts = parts(of: step)
            for part in parts {
                part.seconds[index] += last.seconds(since: first)
                part.counts[index] += 1
            }
            parts.last?.add(step.steps, index, from: first, to: last)
        }
    }

    /// The part of this one that a step belongs to, and in it the part of a call of a component.
    private func parts(of step: SpanTree) -> [SpanPart] {
        if let found = found[step.subject] { return found }
        let span = step.span
        let part =
            switch span.kind {
            // What they repeat is the operation around them.
            case .retryAttempt: part(name, .retries)
            case .recoveryStep: part(name, .recovery)
            case .mainActorWait: part("the main actor", .wait)
            case .wait: part(span.name, .wait)
            default: part(span.component?.name ?? span.name, .work)
            }
        let isCall = part?.kind == .work && span.component != nil
        let call = isCall ? part.flatMap { $0.part("\($0.name).\(span.name)", .work) } : nil
        let parts = [part, call].compactMap { $0 }
        found[step.subject] = parts
        return parts
    }

    private func part(_ name: String, _ kind: Kind) -> SpanPart? {
        if let known = parts.first(where: { $0.kind == kind && $0.name == name }) { return known }
        guard room.left > 0 else { return nil }
        room.left -= 1
        parts.append(SpanPart(name, kind, of: seconds.count, room))
        return parts.last
    }
}
