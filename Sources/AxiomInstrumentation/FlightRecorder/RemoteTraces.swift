// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

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

/// The latest traces that belong to a trace of another process, by the ids that they have here.
///
/// Within the recorder a trace has an id of its own, so that two requests of one remote trace are two traces with a root
/// each. Whatever leaves the recorder shows the id of the remote trace.
final class RemoteTraces: Sendable {
    /// As many as a recorder keeps for long. An older trace is shown with the id that it has here.
    static let limit = 4_096

    private struct State {
        var parents: [UInt64: RemoteParent] = [:]
        /// In the order of their arrival, from `next` on; it is used as a ring.
        var order: [UInt64] = []
        var next = 0
    }

    /// Guarded by its lock, which is taken for each request with a `traceparent`, and when spans are read.
    private let state = Lock(State())

    func add(_ parent: RemoteParent, of trace: UInt64) {
        state.withLock { state in
            state.parents[trace] = parent
            guard state.order.count == Self.limit else { return state.order.append(trace) }
            state.parents[state.order[state.next]] = nil
            state.order[state.next] = trace
            state.next = (state.next + 1) % Self.limit
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
