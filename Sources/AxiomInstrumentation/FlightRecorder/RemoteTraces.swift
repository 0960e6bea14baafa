// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Synchronization

/// The span of another process that caused a trace of this one.
struct RemoteParent: Sendable {
    let trace: TraceID
    let span: UInt64

    /// - Parameter context: The caller of a request as its `traceparent` names it: without a record, and with the high half
    ///   of the trace id as subject. Nil for every other context.
    init?(_ context: SpanContext) {
        guard context.record == 0, context.span != 0 else { return nil }
        trace = TraceID(high: context.subject, low: context.trace)
        span = context.span
    }
}

/// The traces that belong to a trace of another process, by the ids that they have here: those that are open, and the latest
/// that were kept and that were not.
///
/// Within the recorder a trace has an id of its own, so that two requests of one remote trace are two traces with a root
/// each. Whatever leaves the recorder shows the id of the remote trace.
final class RemoteTraces: Sendable {
    /// How many traces that have ended are known, of each sort. An older one is shown with the id that it has here.
    static let limit = 4_096

    private struct State {
        var parents: [UInt64: RemoteParent] = [:]
        var kept = FIFO<UInt64>()
        var others = FIFO<UInt64>()
    }

    /// Guarded by its lock, which is taken when a request with a `traceparent` begins and ends, and when spans are read.
    private let state = Lock(State())
    /// Whether there was such a request, so that other traces cost one comparison. Relaxed: the task of a request reads it
    /// after it has set it.
    private let isUsed = Atomic(false)

    func add(_ parent: RemoteParent, of trace: UInt64) {
        isUsed.store(true, ordering: .relaxed)
        state.withLock { $0.parents[trace] = parent }
    }

    /// The root of a trace has ended.
    func ended(_ trace: UInt64, isKept: Bool) {
        guard isUsed.load(ordering: .relaxed) else { return }
        state.withLock { state in
            guard state.parents[trace] != nil else { return }
            let queue = isKept ? \State.kept : \State.others
            _ = state[keyPath: queue].append(trace)
            guard state[keyPath: queue].count > Self.limit else { return }
            if let forgotten = state[keyPath: queue].popFirst()?.element { state.parents[forgotten] = nil }
        }
    }

    /// The remote parents by the ids of the traces.
    var all: [UInt64: RemoteParent] { state.withLock { $0.parents } }
}

/// What the ids of traces are made from.
struct TraceNames: Sendable {
    let prefix: UInt64
    let remotes: [UInt64: RemoteParent]

    init(_ recorder: FlightRecorder) { (prefix, remotes) = (recorder.prefix, recorder.remotes.all) }

    /// The id under which other processes know a trace.
    func id(of trace: UInt64) -> TraceID { remotes[trace]?.trace ?? TraceID(high: prefix, low: trace) }

    /// The ids that the traces with this id have here.
    func traces(_ id: TraceID) -> Set<UInt64> {
        var found = Set(remotes.filter { $0.value.trace == id }.keys)
        if id.high == prefix { found.insert(id.low) }
        return found
    }
}
