// SPDX-License-Identifier: Apache-2.0

package import Axiom
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
///
/// They are divided among locks, because each request with a `traceparent` takes one twice.
final class RemoteTraces: Sendable {
    /// About how many traces that have ended are known, of each sort. An older one is shown with the id that it has here.
    static let limit = 4_096
    private static let shards = 16

    private struct State {
        var parents: [UInt64: RemoteParent] = [:]
        var kept = FIFO<UInt64>()
        var others = FIFO<UInt64>()

        mutating func ended(_ trace: UInt64, _ queue: WritableKeyPath<State, FIFO<UInt64>>) {
            _ = self[keyPath: queue].append(trace)
            guard self[keyPath: queue].count > RemoteTraces.limit / RemoteTraces.shards else { return }
            if let forgotten = self[keyPath: queue].popFirst()?.element { parents[forgotten] = nil }
        }
    }

    /// The traces whose ids have one hash.
    private final class Shard: Sendable {
        /// Guarded by its lock, which is taken when a request with a `traceparent` begins and ends, and when spans are read.
        let state = Lock(State())
    }

    private let shards = (0..<RemoteTraces.shards).map { _ in Shard() }
    /// Whether there was such a request, so that other traces cost one comparison. Relaxed: the task of a request reads it
    /// after it has set it.
    private let isUsed = Atomic(false)

    private func shard(of trace: UInt64) -> Shard {
        // The high bits of the product by the golden ratio.
        shards[Int((trace &* 0x9e37_79b9_7f4a_7c15) >> 60)]
    }

    func add(_ parent: RemoteParent, of trace: UInt64) {
        if !isUsed.load(ordering: .relaxed) { isUsed.store(true, ordering: .relaxed) }
        shard(of: trace).state.withLock { $0.parents[trace] = parent }
    }

    /// The root of a trace has ended.
    func ended(_ trace: UInt64, isKept: Bool) {
        guard isUsed.load(ordering: .relaxed) else { return }
        shard(of: trace).state.withLock { state in
            guard state.parents[trace] != nil else { return }
            if isKept { state.ended(trace, \.kept) } else { state.ended(trace, \.others) }
        }
    }

    /// The remote parent of a trace; nil if it has none.
    func parent(of trace: UInt64) -> RemoteParent? {
        guard isUsed.load(ordering: .relaxed) else { return nil }
        return shard(of: trace).state.withLock { $0.parents[trace] }
    }

    /// The remote parents by the ids of the traces.
    var all: [UInt64: RemoteParent] {
        shards.reduce(into: [:]) { all, shard in all.merge(shard.state.withLock { $0.parents }) { $1 } }
    }
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

/// Passes spans to another tracing system when they begin and end.
package protocol SpanExporter: Sendable {
    /// Returns the recorder of one component type's spans: it records each span with `recorder` and exports it.
    func probe(recordingWith recorder: any SpanProbe, _ labels: SpanLabels) -> any SpanProbe
}

/// The component of a recorder, and the names of its spans.
package struct SpanLabels: Sendable {
    /// Nil for work that the application named.
    package let component: ComponentDescriptor?
    private let actions: [String]

    init(_ component: ComponentDescriptor?, _ actions: [String]) {
        self.component = component
        self.actions = actions
    }

    /// The name that a ``Span`` has.
    package func name(_ kind: SpanKind, _ name: SpanRecord.Name) -> String {
        switch name {
        case .action(let index): actions.indices.contains(index) ? actions[index] : ActionTable.otherAction
        case .kind: kind.name
        case .call(let name): CallName.text(name)
        case .text(let text): text
        }
    }
}
