// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomSampleApp
import AxiomTestSupport
import Testing

@testable import AxiomInstrumentation

/// What happens at the limits of the recorder: of its numbers, slots and shards.
@Suite("The limits of the flight recorder", .timeLimit(.minutes(10)))
struct RecorderEdgeTests {
    private static let limit: Int64 = 1_000_000

    private func recorder() throws -> (FlightRecorder, ComponentSpans) {
        let recorder = try FlightRecorder(bytes: 1 << 18)
        let component = ComponentDescriptor(kind: .client, name: "Edge")
        return (recorder, ComponentSpans(recorder, component, actions: ["run"], limits: [Self.limit, Self.limit]))
    }

    private func record(_ kind: SpanKind, _ nanoseconds: Int64, _ outcome: ActionOutcome, at start: Int64) -> SpanRecord
    {
        SpanRecord(
            kind,
            .action(0),
            start: Instant(nanoseconds: start),
            nanoseconds: nanoseconds,
            outcome: outcome,
            error: outcome == .failure ? Refused() : nil
        )
    }

    private func child(of root: OpenSpan, _ spans: ComponentSpans, _ record: SpanRecord) {
        OperationContext.$current.withValue(OperationContext(span: root.context)) { spans.record(record) }
    }

    // MARK: Numbers

    @Test("A span of a living recorder is never the parent of a span of another, of however many were made")
    func recorderNumbers() throws {
        let first = try FlightRecorder(bytes: 1 << 12)
        let foreign = first.begin(0, at: Instant(nanoseconds: 1), under: .none).context
        for _ in 0..<70_000 {
            let other = try FlightRecorder(bytes: 1 << 12)
            let span = other.begin(0, at: Instant(nanoseconds: 2), under: foreign)
            guard span.parent == 0, span.context.trace != foreign.trace else {
                Issue.record("a span of the first recorder is a parent")
                return
            }
        }
        #expect(first.begin(0, at: Instant(nanoseconds: 3), under: foreign).parent == foreign.span)
    }

    @Test("The numbers of recorders are distinct while they live, and a number that is free again is used last")
    func freeNumbers() throws {
        var numbers: [UInt64] = []
        for _ in 0..<3 {
            let number = try RecorderNumber()
            numbers.append(number.value)
        }
        #expect(Set(numbers).count == 3)
        #expect(numbers.allSatisfy { (1...RecorderNumber.largest).contains($0) })
    }

    @Test("A telemetry knows no trace within a span of another telemetry")
    func foreignTrace() throws {
        let (own, other) = (try Telemetry(), try Telemetry())
        #expect(own.currentSpan?.trace == nil)
        let (inside, outside) = other.span("foreign") { (other.currentSpan?.trace, own.currentSpan?.trace) }
        #expect(outside == nil)
        #expect(inside != nil && inside == other.activity(latest: 1).first?.trace)
    }

    @Test("Spans with and without children, of several threads, have distinct ids, and so have traces")
    func identifiers() async throws {
        let recorder = try FlightRecorder(bytes: 1 << 22)
        let spans = ComponentSpans(recorder, nil, actions: ["run"], limits: [Self.limit, Self.limit])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [self] in
                    for number in 0..<500 {
                        let root = spans.begin(
                            .custom,
                            .action(0),
                            at: Instant(nanoseconds: Int64(number)),
                            under: .none
                        )
                        child(of: root, spans, record(.clientAction, 1, .success, at: 1))
                        spans.end(root, record(.contextAction, 1, .success, at: 1))
                        spans.record(record(.clientAction, 1, .success, at: 1))
                    }
                }
            }
        }
        let found = KnownSpans(recorder).latest(.max, of: Set(SpanKind.allCases)) { _ in true }
        #expect(found.count == 12_000)
        #expect(Set(found.map(\.id)).count == 12_000)
        #expect(Set(found.map(\.trace)).count == 8_000)
        let ids = Set(found.map(\.id))
        #expect(found.allSatisfy { $0.parent.map(ids.contains) ?? true })
    }

    // MARK: Order

    @Test("In a trace a parent is before its children, although all began and ended at the same time")
    func order() throws {
        let (recorder, spans) = try recorder()
        for _ in 0..<50 {
            var open = [spans.begin(.custom, .action(0), at: Instant(nanoseconds: 5), under: .none)]
            for _ in 0..<6 {
                open.append(
                    spans.begin(.custom, .action(0), at: Instant(nanoseconds: 5), under: open[open.count - 1].context)
                )
            }
            for span in open.reversed() { spans.end(span, record(.custom, 0, .success, at: 5)) }
            try checkOrder(recorder, open[0])
        }
    }

    @Test("In a trace a parent is before its children, although one of them ended later or was timed from before it")
    func orderOfOthers() throws {
        let (recorder, spans) = try recorder()
        let root = spans.begin(.custom, .action(0), at: Instant(nanoseconds: 5), under: .none)
        child(of: root, spans, record(.mainActorWait, 9, .success, at: 5))
        child(of: root, spans, record(.render, 4, .success, at: 2))
        spans.end(root, record(.contextAction, 3, .success, at: 5))
        try checkOrder(recorder, root)
    }

    private func checkOrder(_ recorder: FlightRecorder, _ root: OpenSpan) throws {
        let id = TraceID(high: recorder.prefix, low: root.context.trace)
        let trace = try #require(KnownSpans(recorder).trace(id))
        var seen: Set<UInt64> = []
        for span in trace.spans {
            if let parent = span.parent { #expect(seen.contains(parent)) }
            seen.insert(span.id)
        }
        #expect(trace.spans.first == trace.root)
    }

    // MARK: Slots and shards

    @Test("A trace that is kept because of a span contains the span, however many ended before it", arguments: [0, 1])
    func manyChildren(kind: Int) throws {
        let (recorder, spans) = try recorder()
        let root = spans.begin(.custom, .action(0), at: Instant(nanoseconds: 1), under: .none)
        for number in 0..<100 { child(of: root, spans, record(.clientAction, 1, .success, at: Int64(number))) }
        let last =
            kind == 0
            ? record(.clientAction, 1, .failure, at: 200) : record(.clientAction, 2 * Self.limit, .success, at: 200)
        child(of: root, spans, last)
        spans.end(root, record(.contextAction, 300, .success, at: 1))
        let kept = try #require(recorder.kept.all.first)
        #expect(kept.reason == (kind == 0 ? .recovered : .overBudget))
        #expect(kept.spans.count == TraceTable.plainCapacity + 2)
        #expect(kept.spans.contains { $0.start == 200 })
        #expect(recorder.traces.openCount == 0)
    }

    @Test("A trace of a thousand failed spans holds as many as its record has slots")
    func manyFailures() throws {
        let (recorder, spans) = try recorder()
        let root = spans.begin(.custom, .action(0), at: Instant(nanoseconds: 1), under: .none)
        for number in 0..<1_000 { child(of: root, spans, record(.clientAction, 1, .failure, at: Int64(number))) }
        spans.end(root, record(.contextAction, 2_000, .failure, at: 1))
        let kept = try #require(recorder.kept.all.first)
        #expect(kept.spans.count == TraceTable.slotsPerRecord)
        #expect(Set(kept.spans.map(\.span)).count == TraceTable.slotsPerRecord)
        #expect(recorder.traces.openCount == 0)
    }

    @Test("A failed span that was dropped, because all shards were claimed, is counted, and its trace is kept")
    func contention() throws {
        let (recorder, spans) = try recorder()
        let (open, root) = (
            spans.begin(.custom, .action(0), at: Instant(nanoseconds: 1), under: .none),
            spans.begin(.custom, .action(0), at: Instant(nanoseconds: 1), under: .none)
        )
        let bound = spans.begin(.custom, .action(0), at: Instant(nanoseconds: 1), under: root.context)
        claim(Shards.count, of: recorder.ring) {
            child(of: open, spans, record(.clientAction, 1, .failure, at: 2))
            spans.end(bound, record(.clientAction, 2 * Self.limit, .success, at: 2))
        }
        spans.end(open, record(.contextAction, 9, .success, at: 1))
        spans.end(root, record(.contextAction, 9, .success, at: 1))
        #expect(recorder.kept.all.map(\.reason) == [.recovered, .overBudget])
        #expect(recorder.kept.all.map(\.spans.count) == [1, 1])
        #expect(recorder.counts.contended == 2)
        #expect(recorder.counts.recorded == UInt64(4 + Shards.count))
        #expect(recorder.traces.openCount == 0)
    }

    @Test("A thread whose shard is claimed finds the only one that is free")
    func lastShard() throws {
        let (recorder, spans) = try recorder()
        for _ in 0..<20 {
            claim(Shards.count - 1, of: recorder.ring) { spans.record(record(.clientAction, 1, .success, at: 2)) }
        }
        #expect(recorder.counts.contended == 0)
        #expect(recorder.counts.inRing == UInt64(20 * Shards.count))
    }

    /// Runs `body` while so many shards of a ring are claimed.
    private func claim(_ count: Int, of ring: SpanRing, _ body: () -> Void) {
        guard count > 0 else { return body() }
        var words = SpanRingTests.words(0)
        words.trace = 0
        // The id is made while the shard is claimed.
        _ = ring.append(&words) { number in
            claim(count - 1, of: ring, body)
            return number
        }
    }

    @Test("A trace whose record another one uses again leaves nothing there")
    func reuse() throws {
        let (recorder, spans) = try recorder()
        for number in 0..<1_000 {
            let root = spans.begin(.custom, .action(0), at: Instant(nanoseconds: 1), under: .none)
            for _ in 0..<(number % 7) { child(of: root, spans, record(.clientAction, 1, .success, at: 2)) }
            spans.end(root, record(.contextAction, 9, .failure, at: 1))
        }
        for trace in recorder.kept.all {
            #expect(trace.spans.last?.parent == 0, "spans of another trace would have no root")
            #expect(trace.spans.count { $0.parent == 0 } == 1)
        }
        #expect(recorder.traces.openCount == 0)
    }

    @Test("Children that end in other threads while their trace ends are in no other trace, and no record is lost")
    func closingBesideChildren() async throws {
        let (recorder, spans) = try recorder()
        for _ in 0..<2_000 {
            let root = spans.begin(.custom, .action(0), at: Instant(nanoseconds: 1), under: .none)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask { [self] in
                        for _ in 0..<3 { child(of: root, spans, record(.clientAction, 1, .failure, at: 2)) }
                    }
                }
                spans.end(root, record(.contextAction, 9, .failure, at: 1))
            }
        }
        #expect(recorder.traces.openCount == 0)
        for trace in recorder.kept.all {
            #expect(trace.spans.last?.parent == 0, "spans of another trace would have no root")
            #expect(Set(trace.spans.map(\.span)).count == trace.spans.count)
        }
        let counts = recorder.counts
        #expect(counts.recorded == 20_000)
        #expect(
            counts.recorded == counts.inRing + counts.keptOnly + counts.overwritten + counts.displaced
                + counts.contended
        )
    }
}
#endif
