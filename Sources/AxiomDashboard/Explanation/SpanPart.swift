// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// The time that operations spent in one kind of step: a component that they called, a call of it, a repetition, or a wait.
///
/// Each moment counts once. Of steps at the same time, one that ends later has the time after the end of the others: that
/// is what the operation waited for.
final class SpanPart {
    enum Kind {
        /// A component, or one of its calls; work that the application named.
        case work
        /// Remedies after a failure.
        case recovery
        /// Repetitions, each with the wait before it.
        case retries
        /// A wait for what the name says: the main actor, a pool, a cache.
        case wait
    }

    /// Empty for the operation itself.
    let name: String
    let kind: Kind
    /// Of each operation.
    private(set) var seconds: [Double]
    private(set) var counts: [Double]
    private(set) var parts: [SpanPart] = []
    /// How many more parts there may be. The time in further ones is that of the part that they belong to.
    private final class Room {
        var left = 200
    }

    private let room: Room

    /// The operations themselves.
    ///
    /// - Parameter count: How many there are.
    convenience init(of count: Int) { self.init("", .work, of: count, Room()) }

    private init(_ name: String, _ kind: Kind, of count: Int, _ room: Room) {
        (self.name, self.kind, self.room) = (name, kind, room)
        (seconds, counts) = ([Double](repeating: 0, count: count), [Double](repeating: 0, count: count))
    }

    /// Adds the steps of an operation.
    func add(_ operation: SpanTree, _ index: Int) {
        add(operation.steps, index, from: operation.span.start, to: operation.span.end)
    }

    private func add(_ steps: [SpanTree], _ index: Int, from begin: Instant, to end: Instant) {
        var reached = begin
        for step in steps where step.span.kind != .breakerRefusal && step.span.kind != .statePublished {
            let span = step.span
            let first = span.kind == .retryAttempt ? reached : min(end, max(reached, span.start))
            let last = max(first, min(end, span.end))
            reached = last
            guard let part = part(of: span) else { continue }
            part.count(last.seconds(since: first), index)
            guard let call = part.call(span) else { continue }
            if call !== part { call.count(last.seconds(since: first), index) }
            call.add(step.steps, index, from: first, to: last)
        }
    }

    private func count(_ time: Double, _ index: Int) {
        seconds[index] += time
        counts[index] += 1
    }

    /// The part of this one that a step belongs to.
    private func part(of span: Span) -> SpanPart? {
        switch span.kind {
        case .retryAttempt: part(name, .retries)
        case .mainActorWait: part("the main actor", .wait)
        // By its name, because older recorders have no such kind.
        case let kind where kind.name == "wait": part(span.name, .wait)
        // What it repeats is the operation around it.
        case .recoveryStep: part(name, .recovery)
        default: part(span.component?.name ?? span.name, .work)
        }
    }

    /// The part of a call of a component.
    private func call(_ span: Span) -> SpanPart? {
        guard kind == .work, span.component != nil else { return self }
        return part("\(name).\(span.name)", .work)
    }

    private func part(_ name: String, _ kind: Kind) -> SpanPart? {
        if let known = parts.first(where: { $0.kind == kind && $0.name == name }) { return known }
        guard room.left > 0 else { return nil }
        room.left -= 1
        parts.append(SpanPart(name, kind, of: seconds.count, room))
        return parts.last
    }
}
