// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Synchronization

/// Why a trace was kept. A trace has the first reason that applies.
package enum KeepReason: String, Sendable, Hashable, CaseIterable {
    /// The application wanted it.
    case requested
    /// Its root failed.
    case failed
    /// A span failed, and the root did not.
    case recovered
    /// A span was over its budget.
    case overBudget = "over_budget"
    /// The root was among the slowest of its action in that minute.
    case slowest
    /// A page of metrics shows one of its spans as an exemplar.
    case exemplar

    var index: Int {
        switch self {
        case .requested: 0
        case .failed: 1
        case .recovered: 2
        case .overBudget: 3
        case .slowest: 4
        case .exemplar: 5
        }
    }
}

/// The traces that are worth more than the ring keeps. Each reason has its share of the memory, so that a storm of
/// failures does not displace slow traces. The oldest trace of a reason is displaced first, as a whole.
///
/// Each share is a ring of slots. Keeping a trace takes a lock and allocates nothing. Reading takes the lock only to find
/// the oldest slot.
final class KeptTraces: Sendable {
    /// A trace as it is read.
    struct Trace: Sendable {
        /// The low half of the trace id.
        let id: UInt64
        let reason: KeepReason
        /// The root is the last one.
        var spans: [SpanWords]
    }

    struct Counts: Sendable, Hashable {
        /// Spans that had left the ring and were counted as overwritten before they were kept.
        var rescued: UInt64 = 0
        /// Spans of displaced traces that were no longer in the ring.
        var displaced: UInt64 = 0
    }

    private struct State {
        /// The index of the next slot of each share, which is also the oldest one.
        var next = [Int](repeating: 0, count: KeepReason.allCases.count)
        var counts = Counts()
        /// The trace of the slot that was overwritten last; 0 for none.
        var displacedTrace: UInt64 = 0
    }

    /// Guarded by its lock, which is taken when a trace is kept and when traces are read. It also guards the writing of
    /// slots.
    private let state = Lock(State())
    private let slots: SpanMemory
    private let ring: SpanRing
    /// The number of spans that the traces of one reason may have together.
    let capacity: Int

    init(bytes: Int, ring: SpanRing) throws(TelemetryError) {
        self.ring = ring
        capacity = max(2 * TraceTable.slotsPerRecord, bytes / SpanSlot.bytes / KeepReason.allCases.count)
        slots = try SpanMemory(bytes: capacity * KeepReason.allCases.count * SpanSlot.bytes)
    }

    /// Keeps a trace whose root has ended, unless it is kept already.
    ///
    /// - Parameters:
    ///   - root: The stamp of the root; 0 if the root was dropped.
    ///   - spans: Passes the spans of the trace with their stamps, at most ``TraceTable/slotsPerRecord``.
    func keep(
        _ reason: KeepReason,
        root: UInt64,
        _ spans: (_ add: (SpanWords, _ stamp: UInt64) -> Void) -> Void
    ) {
        let share = reason.index
        state.withLock { state in
            if ring.isKept(root) { return }
            state.displacedTrace = 0
            spans { span, stamp in
                let slot = slot(share, state.next[share])
                clear(slot, &state)
                // A reader that sees a word of the new span must also see that the stamp has changed.
                atomicMemoryFence(ordering: .releasing)
                slot.write(span, stamp: stamp)
                if !ring.keep(stamp) { state.counts.rescued += 1 }
                state.next[share] = (state.next[share] + 1) % capacity
            }
            clearRest(share, &state)
        }
    }

    /// Clears what is left of a trace that was displaced in part.
    private func clearRest(_ share: Int, _ state: inout State) {
        var index = state.next[share]
        while let (span, _) = slot(share, index).read(), span.trace == state.displacedTrace {
            clear(slot(share, index), &state)
            index = (index + 1) % capacity
        }
    }

    private func clear(_ slot: SpanSlot, _ state: inout State) {
        guard let (span, stamp) = slot.read() else { return }
        state.displacedTrace = span.trace
        if !ring.release(stamp) { state.counts.displaced += 1 }
        slot.stamp[0].store(0, ordering: .relaxed)
    }

    private func slot(_ share: Int, _ index: Int) -> SpanSlot {
        SpanSlot(slots.words, share * capacity + index)
    }

    var counts: Counts { state.withLock { $0.counts } }

    // MARK: - Reading

    /// The kept traces, the oldest of each reason first.
    var all: [Trace] {
        var traces: [Trace] = []
        readEach { reason, span in
            if traces.last?.id == span.trace {
                traces[traces.count - 1].spans.append(span)
            } else {
                traces.append(Trace(id: span.trace, reason: reason, spans: [span]))
            }
        }
        return traces
    }

    func readEach(_ body: (KeepReason, SpanWords) -> Void) {
        let oldest = state.withLock { $0.next }
        for reason in KeepReason.allCases {
            for offset in 0..<capacity {
                let index = (oldest[reason.index] + offset) % capacity
                if let (span, _) = slot(reason.index, index).read() { body(reason, span) }
            }
        }
    }
}

/// Finds the slowest operations of one action: three in each minute.
///
/// An operation that is not one of them costs two loads and two comparisons.
final class SlowestGate: Sendable {
    static let kept = 3
    static let window: Int64 = 60_000_000_000

    /// The durations of the slowest operations of this minute, the shortest first; -1 while there are fewer.
    private struct State {
        var least: Int64 = -1
        var middle: Int64 = -1
        var most: Int64 = -1

        /// Enters a duration that is longer than `least`.
        mutating func enter(_ duration: Int64) {
            if duration > most {
                (least, middle, most) = (middle, most, duration)
            } else if duration > middle {
                (least, middle) = (middle, duration)
            } else {
                least = duration
            }
        }
    }

    /// The duration that an operation must exceed, and the end of the minute. Written under the lock; an operation that
    /// was compared with an old value is rejected there.
    private let threshold = Atomic<Int64>(-1)
    private let windowEnd = Atomic<Int64>(.min)
    private let state = Lock(State())

    /// Whether an operation is among the slowest so far.
    @inline(__always)
    func admits(nanoseconds: Int64, end: Int64) -> Bool {
        let isLate = end >= windowEnd.load(ordering: .relaxed)
        guard isLate || nanoseconds > threshold.load(ordering: .relaxed) else { return false }
        return enter(nanoseconds, end)
    }

    @inline(never)
    private func enter(_ nanoseconds: Int64, _ end: Int64) -> Bool {
        state.withLock { state in
            if end >= windowEnd.load(ordering: .relaxed) {
                state = State()
                windowEnd.store(end &+ Self.window, ordering: .relaxed)
            }
            guard nanoseconds > state.least else { return false }
            state.enter(nanoseconds)
            threshold.store(state.least, ordering: .relaxed)
            return true
        }
    }
}

/// An action of a client or context that has ended, by what its counters know of it. In nanoseconds, a duration is nearly
/// unique.
package struct MeasuredAction: Sendable, Hashable {
    package let component: String
    package let action: String
    package let nanoseconds: Int64

    package init(component: String, action: String, nanoseconds: Int64) {
        (self.component, self.action, self.nanoseconds) = (component, action, nanoseconds)
    }
}

extension FlightRecorder {
    /// The kept traces that contain these actions. Cost: a pass over the kept spans, a fraction of a millisecond for the
    /// default memory; recording an action costs nothing more.
    func keptTraces(of actions: Set<MeasuredAction>) -> [MeasuredAction: TraceID] {
        guard let least = actions.map(\.nanoseconds).min() else { return [:] }
        let durations = Set(actions.map(\.nanoseconds))
        var found: [SpanWords] = []
        kept.readEach { _, span in
            guard span.nanoseconds >= least, durations.contains(span.nanoseconds) else { return }
            if [.clientAction, .contextAction, .request, .capabilityCall].contains(span.kind) { found.append(span) }
        }
        let traces = names.describe(found, TraceNames(self)).compactMap { span in
            span.component.map { component in
                let action = MeasuredAction(
                    component: component.name,
                    action: span.name,
                    nanoseconds: span.nanoseconds
                )
                return (action, span.trace)
            }
        }
        return Dictionary(traces) { first, _ in first }.filter { actions.contains($0.key) }
    }
}
