// SPDX-License-Identifier: Apache-2.0

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
}

/// The traces that are worth more than the ring keeps. Each reason has its share of the memory, so that a storm of
/// failures does not displace slow traces. The oldest trace of a reason is displaced first.
final class KeptTraces: Sendable {
    struct Trace: Sendable {
        /// The low half of the trace id.
        let id: UInt64
        let reason: KeepReason
        /// The spans with their stamps; the root is the last one.
        let spans: [(span: SpanWords, stamp: UInt64)]

        /// The memory of the trace, in slots: one for each span and one for the trace itself.
        var slots: Int { spans.count + 1 }
    }

    struct Counts: Sendable, Hashable {
        /// Spans that had left the ring and were counted as overwritten before they were kept.
        var rescued: UInt64 = 0
        /// Spans of displaced traces that were no longer in the ring.
        var displaced: UInt64 = 0
        /// Traces that were displaced.
        var displacedTraces: UInt64 = 0
    }

    fileprivate struct Share {
        /// The oldest first, from `first` on.
        var traces: [Trace] = []
        var first = 0
        /// The memory of the traces, in slots.
        var slots = 0
    }

    private struct State {
        var shares = [Share](repeating: Share(), count: KeepReason.allCases.count)
        var counts = Counts()
    }

    /// Guarded by its lock, which is taken when a trace is kept and when traces are read.
    private let state = Lock(State())
    private let ring: SpanRing
    /// The number of slots that the traces of one reason may have together: one for each span and one for each trace.
    let capacity: Int

    init(bytes: Int, ring: SpanRing) {
        self.ring = ring
        capacity = max(TraceTable.slotsPerRecord, bytes / SpanSlot.bytes / KeepReason.allCases.count)
    }

    func keep(_ trace: Trace) {
        let index = KeepReason.allCases.firstIndex(of: trace.reason) ?? 0
        state.withLock { state in
            for (_, stamp) in trace.spans where stamp != 0 && !ring.keep(stamp) { state.counts.rescued += 1 }
            state.shares[index].traces.append(trace)
            state.shares[index].slots += trace.slots
            while state.shares[index].slots > capacity { displace(&state, index) }
        }
    }

    private func displace(_ state: inout State, _ index: Int) {
        let trace = state.shares[index].removeFirst()
        state.counts.displacedTraces += 1
        for (_, stamp) in trace.spans where stamp != 0 && !ring.release(stamp) { state.counts.displaced += 1 }
    }

    /// The kept traces, the oldest of each reason first.
    var all: [Trace] { state.withLock { $0.shares.flatMap(\.current) } }

    func trace(_ id: UInt64) -> Trace? {
        state.withLock { state in
            for share in state.shares {
                if let trace = share.current.last(where: { $0.id == id }) { return trace }
            }
            return nil
        }
    }

    var counts: Counts { state.withLock { $0.counts } }
}

extension KeptTraces.Share {
    var current: ArraySlice<KeptTraces.Trace> { traces[first...] }

    mutating func removeFirst() -> KeptTraces.Trace {
        let trace = traces[first]
        first += 1
        slots -= trace.slots
        traces[first - 1] = KeptTraces.Trace(id: 0, reason: trace.reason, spans: [])
        // Moves the rest only now and then, so that displacing costs constant time on average.
        if first > 64, first * 2 > traces.count {
            traces.removeFirst(first)
            first = 0
        }
        return trace
    }
}

/// Finds the slowest operations of one action: three in each minute.
///
/// An operation that is not one of them costs two loads and two comparisons.
final class SlowestGate: Sendable {
    static let kept = 3
    static let window: Int64 = 60_000_000_000

    private struct State {
        /// The durations of the slowest operations of this minute, the shortest first.
        var slowest: [Int64] = []
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
                state.slowest = []
                windowEnd.store(end &+ Self.window, ordering: .relaxed)
            } else if let least = state.slowest.first, state.slowest.count == Self.kept {
                guard nanoseconds > least else { return false }
                state.slowest.removeFirst()
            }
            let index = state.slowest.firstIndex { $0 > nanoseconds } ?? state.slowest.count
            state.slowest.insert(nanoseconds, at: index)
            let isFull = state.slowest.count == Self.kept
            threshold.store(isFull ? state.slowest.first ?? -1 : -1, ordering: .relaxed)
            return true
        }
    }
}
