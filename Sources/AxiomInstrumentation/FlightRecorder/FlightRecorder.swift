// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Synchronization

/// Records spans in bounded memory: the latest in a ring, and for longer those of traces that failed, were over budget,
/// were among the slowest of their action, or were requested. Whether a trace is kept is decided when its root ends.
///
/// Recording a span takes no lock. Keeping a trace takes one. Neither allocates memory.
final class FlightRecorder: Sendable {
    let ring: SpanRing
    let traces: TraceTable
    let kept: KeptTraces
    let names = SpanNames()
    /// What the main actor runs.
    let running = RunningWorkRegister()
    /// The high half of the ids of all traces that began in this process.
    let prefix: UInt64
    /// The traces that belong to one of another process.
    let remotes = RemoteTraces()
    /// Makes the ids of spans of two processes differ.
    private let salt: UInt64
    /// Identifies this recorder in span contexts. A context of another recorder is none.
    private let number: RecorderNumber
    /// Counts the spans with children, by shard, each on a cache line of its own. Relaxed: only distinct values matter.
    private let begun: SpanMemory
    private static let counterStride = 16

    /// Whether ids rise in the order in which spans begin, so that spans with the same start have an order. Each span then
    /// takes a number from one counter, which threads share: it is for a manual clock.
    let isOrdered: Bool
    /// Whether the calls of all clients bind their spans: with a manual clock, so that a test sees below the action which states
    /// the client published, and while a profiler is attached.
    let callBinding: CallBinding
    private let sequence = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - bytes: The memory of the recorder: half for the ring, and a quarter each for open and kept traces.
    ///   - isOrdered: Whether ids rise in the order in which spans begin. Default: false.
    /// - Throws: ``TelemetryError`` if the system has no memory.
    init(bytes: Int, isOrdered: Bool = false) throws(TelemetryError) {
        (self.isOrdered, callBinding) = (isOrdered, CallBinding(isOrdered))
        number = try RecorderNumber()
        prefix = UInt64.random(in: 1 ... .max)
        salt = UInt64.random(in: 1 ... .max)
        begun = try SpanMemory(bytes: Shards.count * Self.counterStride * 8)
        ring = try SpanRing(bytes: bytes / 2)
        traces = try TraceTable(bytes: bytes / 4, recorder: number.value)
        kept = try KeptTraces(bytes: bytes / 4, ring: ring)
    }

    /// An id for a number that is used once. Each step can be reversed, so that two numbers never get the same id.
    @inline(__always)
    private static func id(_ number: UInt64, _ salt: UInt64) -> UInt64 {
        var mixed = (number ^ salt) &* 0x9e37_79b9_7f4a_7c15
        mixed ^= mixed >> 32
        // One number in 2^64 would give 0, which means that there is no span.
        return mixed == 0 ? 1 : mixed
    }

    /// The next of up to 2^32 rising ids.
    @inline(never)
    private func orderedID() -> UInt64 {
        salt & 0x7fff_ffff_0000_0000 | 1 << 63 | sequence.add(1, ordering: .relaxed).newValue & 0xffff_ffff
    }

    /// An id for a span that is not written yet. Such numbers have the highest bit set; stamps of the ring do not.
    @inline(__always)
    private func nextID() -> UInt64 {
        if isOrdered { return orderedID() }
        let shard = Shards.own
        let count = begun.words[shard &* Self.counterStride].wrappingAdd(1, ordering: .relaxed).oldValue
        return Self.id(1 << 63 | UInt64(shard) << 52 | count, salt)
    }

    func bindCalls(_ isProfiled: Bool) { callBinding.set(isOrdered || isProfiled) }

    /// Whether a span that has this context can be a parent here.
    @inline(__always)
    func isOwn(_ context: SpanContext) -> Bool { context.trace != 0 && made(context) }

    /// Whether a context is of this recorder: of a span, or a label.
    @inline(__always)
    func made(_ context: SpanContext) -> Bool { context.record & 0xffff == number.value }

    /// A label for samples of work without a span. It is no parent, and nothing is recorded.
    func label(_ subject: UInt64) -> SpanContext {
        SpanContext(trace: 0, span: 0, record: number.value, subject: subject)
    }

    // MARK: - Recording

    /// - Parameter subject: The component, name and kind, as ``SpanWords`` has them.
    @inline(__always)
    func begin(_ subject: UInt64, at start: Instant, under parent: SpanContext) -> OpenSpan {
        let id = nextID()
        if isOwn(parent) {
            let context = SpanContext(trace: parent.trace, span: id, record: parent.record, subject: subject)
            return OpenSpan(context, parent: parent.span, start: start)
        }
        if let remote = RemoteParent(parent) { remotes.add(remote, of: id) }
        let context = SpanContext(trace: id, span: id, record: traces.open(), subject: subject)
        return OpenSpan(context, parent: 0, start: start)
    }

    /// Records the end of a span with children.
    func end(_ open: OpenSpan, _ span: inout SpanWords, marks: TraceTable.Marks, slowest: SlowestGate) {
        (span.span, span.parent, span.trace) = (open.context.span, open.parent, open.context.trace)
        let stamp = ring.append(&span) { $0 }
        if open.parent != 0 {
            traces.add(span, stamp: stamp, marks: marks, to: open.context.record)
            return
        }
        guard traces.closeEmpty(open.context.record) else { return endWhole(open, span, stamp, marks, slowest) }
        let reason = reason(span, marks, inside: [], slowest)
        if let reason { keep(reason, open, span, stamp, with: nil) }
        remotes.ended(open.context.trace, isKept: reason != nil)
    }

    /// Ends a trace with more spans than its root. Apart, so that the closures cost other roots nothing.
    @inline(never)
    private func endWhole(
        _ open: OpenSpan,
        _ root: SpanWords,
        _ stamp: UInt64,
        _ marks: TraceTable.Marks,
        _ slowest: SlowestGate
    ) {
        var isKept = false
        traces.close(open.context.record) { found, spans in
            guard let reason = reason(root, marks, inside: found, slowest) else { return }
            isKept = true
            keep(reason, open, root, stamp, with: spans)
        }
        remotes.ended(open.context.trace, isKept: isKept)
    }

    @inline(never)
    private func keep(
        _ reason: KeepReason,
        _ open: OpenSpan,
        _ root: SpanWords,
        _ stamp: UInt64,
        with spans: TraceTable.Spans?
    ) {
        var root = root
        root.isPartial = !traces.hasRecord(open.context.record)
        kept.keep(reason, root: stamp) { [root] add in
            spans?.readEach(add)
            // Without a stamp the root was dropped, and counted.
            if stamp != 0 { add(root, stamp) }
        }
    }

    /// Records a span without children, whose parent is the span of the calling task.
    @inline(__always)
    func record(_ span: inout SpanWords, marks: TraceTable.Marks, slowest: SlowestGate) {
        let parent = OperationContext.currentSpan
        let isChild = isOwn(parent)
        if isChild { (span.parent, span.trace) = (parent.span, parent.trace) }
        if isOrdered { span.span = orderedID() }
        // The closure captures the number and not the recorder, which it would retain.
        let stamp = ring.append(&span) { [salt] in Self.id($0, salt) }
        if isChild {
            traces.add(span, stamp: stamp, marks: marks, to: parent.record)
        } else if let reason = reason(span, marks, inside: [], slowest) {
            if stamp != 0 { keepAlone(span, stamp, reason) }
        }
    }

    /// Why to keep the trace of a root that has ended; nil to leave it to the ring.
    @inline(__always)
    private func reason(
        _ root: SpanWords,
        _ marks: TraceTable.Marks,
        inside: TraceTable.Marks,
        _ slowest: SlowestGate
    ) -> KeepReason? {
        // Always evaluated, so that the slowest are counted whatever else applies.
        let isSlow = root.kind.isWork && slowest.admits(nanoseconds: root.nanoseconds, end: root.end)
        if marks.isEmpty, inside.isDisjoint(with: [.requested, .failed, .overBudget]) {
            return isSlow ? .slowest : nil
        }
        if inside.contains(.requested) { return .requested }
        if marks.contains(.failed) { return .failed }
        if inside.contains(.failed) { return .recovered }
        return .overBudget
    }

    @inline(never)
    private func keepAlone(_ root: SpanWords, _ stamp: UInt64, _ reason: KeepReason) {
        kept.keep(reason, root: stamp) { $0(root, stamp) }
    }

    /// Keeps the trace of the calling task when its root ends.
    func keepCurrentTrace() {
        traces.mark(.requested, OperationContext.currentSpan.record)
    }

    // MARK: - Reading

    /// All spans that are still known and ended at `start` or later. Cost: about 1 ms for 4 MiB.
    func spans(endingFrom start: Instant) -> [SpanWords] {
        var spans: [SpanWords] = []
        ring.readEach { if $0.end >= start.nanoseconds { spans.append($0) } }
        return spans
    }

    /// The id of a trace under which other processes know it.
    func traceID(of trace: UInt64) -> TraceID {
        remotes.parent(of: trace)?.trace ?? TraceID(high: prefix, low: trace)
    }

    /// Where the spans are. Exact while nothing is recorded.
    var counts: SpanCounts {
        // In this order: a displaced span is mostly among the overwritten ones that are counted afterwards.
        let kept = kept.counts
        let ring = ring.counts
        let left = ring.overwritten &+ ring.overwrittenKept
        let leftKept = ring.overwrittenKept &+ kept.rescued
        return SpanCounts(
            recorded: ring.recorded &+ ring.contended,
            inRing: ring.recorded &- min(ring.recorded, left),
            // Never negative, although the counts change while they are read.
            keptOnly: leftKept &- min(leftKept, kept.displaced),
            overwritten: ring.overwritten &- min(ring.overwritten, kept.rescued),
            displaced: kept.displaced,
            contended: ring.contended
        )
    }
}
