// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomInstrumentation

/// Does what the recorder has to do with kept traces, in the simplest way.
private struct KeptModel {
    /// The durations of the slowest roots of this minute.
    private var slowest: [Int64] = []
    private var minute = Int64.min
    /// The ids of the roots, by reason, the oldest first, with the number of their spans.
    private(set) var kept: [KeepReason: [(root: UInt64, spans: Int)]] = [:]
    let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    mutating func ended(_ root: Span, children: [Span], isRequested: Bool, limit: Int64) {
        let isSlow = enter(root)
        func isOver(_ span: Span) -> Bool { span.outcome == .success && span.nanoseconds > limit }
        let reason: KeepReason?
        if isRequested {
            reason = .requested
        } else if root.outcome == .failure {
            reason = .failed
        } else if children.contains(where: { $0.outcome == .failure }) {
            reason = .recovered
        } else if isOver(root) || children.contains(where: isOver) {
            reason = .overBudget
        } else {
            reason = isSlow ? .slowest : nil
        }
        guard let reason else { return }
        var held = 0
        for child in children {
            let isPlain = child.outcome != .failure && !isOver(child)
            if held < (isPlain ? TraceTable.plainCapacity : TraceTable.capacity) { held += 1 }
        }
        kept[reason, default: []].append((root.id, held + 1))
        while kept[reason, default: []].reduce(0, { $0 + $1.spans }) > capacity { kept[reason]?.removeFirst() }
    }

    private mutating func enter(_ root: Span) -> Bool {
        let end = root.start.nanoseconds + root.nanoseconds
        if end >= minute {
            minute = end + SlowestGate.window
            slowest = []
        } else if slowest.count == SlowestGate.kept {
            guard let least = slowest.min(), root.nanoseconds > least else { return false }
            slowest.remove(at: slowest.firstIndex(of: least)!)
        }
        slowest.append(root.nanoseconds)
        return true
    }
}

@Suite("Kept traces", .timeLimit(.minutes(10)))
struct KeptTraceTests {
    private static let limit: Int64 = 1_000_000

    private func record(_ kind: SpanKind, _ nanoseconds: Int64, _ outcome: ActionOutcome, at start: Int64) -> SpanRecord
    {
        SpanRecord(
            kind,
            .action(0),
            start: Instant(nanoseconds: start),
            nanoseconds: nanoseconds,
            outcome: outcome,
            error: outcome == .failure ? CancellationError() : nil
        )
    }

    private func draw(_ random: inout SplitMix64) -> (Int64, ActionOutcome) {
        let isOver = Int.random(in: 0..<30, using: &random) == 0
        let outcomes: [ActionOutcome] = [
            .success, .success, .success, .success, .success, .success, .cancelled, .failure,
        ]
        return (
            Int64.random(in: 0...(isOver ? 2 * Self.limit : Self.limit / 10), using: &random),
            outcomes.randomElement(using: &random) ?? .success
        )
    }

    @Test("Whatever traces end, those are kept that the rules say, and every span is in one place", arguments: 0..<8)
    func model(number: UInt64) throws {
        let seed = number == 0 ? TestSeed.drawn() : number
        var random = SplitMix64(seed: seed)
        let recorder = try FlightRecorder(bytes: 1 << 18)
        let component = ComponentDescriptor(kind: .client, name: "Model")
        let spans = ComponentSpans(recorder, component, actions: ["run"], limits: [Self.limit, Self.limit])
        var (model, now) = (KeptModel(capacity: recorder.kept.capacity), Int64(1))
        for _ in 0..<4_000 {
            let root = spans.begin(.custom, .kind, at: Instant(nanoseconds: now), under: .none)
            var children: [Span] = []
            let count = Int.random(in: 0..<20, using: &random) == 0 ? 40 : Int.random(in: 0...4, using: &random)
            for _ in 0..<count {
                let (nanoseconds, outcome) = draw(&random)
                OperationContext.$current.withValue(OperationContext(span: root.context)) {
                    spans.record(record(.clientAction, nanoseconds, outcome, at: now))
                }
                // Beyond the capacity only the marks count, which the model sees as well.
                children.append(span(0, nanoseconds, outcome, at: now))
            }
            let isRequested = Int.random(in: 0..<50, using: &random) == 0
            if isRequested {
                OperationContext.$current.withValue(OperationContext(span: root.context)) {
                    recorder.keepCurrentTrace()
                }
            }
            let (nanoseconds, outcome) = draw(&random)
            spans.end(root, record(.contextAction, nanoseconds, outcome, at: now))
            let ended = span(root.context.span, nanoseconds, outcome, at: now)
            model.ended(ended, children: children, isRequested: isRequested, limit: Self.limit)
            now += Int64.random(in: 0...500_000_000, using: &random)
        }
        check(recorder, model)
    }

    private func span(_ id: UInt64, _ nanoseconds: Int64, _ outcome: ActionOutcome, at start: Int64) -> Span {
        Span(
            id: id,
            parent: nil,
            remoteParent: nil,
            trace: TraceID(high: 0, low: id),
            kind: .contextAction,
            component: nil,
            name: "run",
            instance: 0,
            start: Instant(nanoseconds: start),
            nanoseconds: nanoseconds,
            outcome: outcome,
            error: nil
        )
    }

    private func check(_ recorder: FlightRecorder, _ model: KeptModel) {
        let kept = recorder.kept.all
        for reason in KeepReason.allCases {
            let found = kept.filter { $0.reason == reason }
            let expected = model.kept[reason] ?? []
            #expect(found.map(\.id) == expected.map(\.root), "\(reason)")
            #expect(found.map(\.spans.count) == expected.map(\.spans), "\(reason)")
        }
        #expect(recorder.traces.openCount == 0)
        checkConservation(recorder)
    }

    private func checkConservation(_ recorder: FlightRecorder) {
        var inRing: Set<UInt64> = []
        recorder.ring.readEach { inRing.insert($0.span) }
        let keptOnly = Set(recorder.kept.all.flatMap { $0.spans.map(\.span) }).subtracting(inRing)
        let counts = recorder.counts
        #expect(counts.inRing == UInt64(inRing.count))
        #expect(counts.keptOnly == UInt64(keptOnly.count))
        #expect(counts.displaced > 0, "the test has to displace traces")
        let dropped = counts.overwritten + counts.displaced + counts.contended
        #expect(counts.recorded == counts.inRing + counts.keptOnly + dropped)
    }

    @Test(
        "A slow trace outlives the ring: its first spans are there although the ring was overwritten before its root ended"
    )
    func outlivesTheRing() throws {
        let recorder = try FlightRecorder(bytes: 1 << 18)
        let spans = ComponentSpans(recorder, nil, actions: ["run"], limits: [Self.limit, Self.limit])
        let root = spans.begin(.custom, .kind, at: Instant(nanoseconds: 1), under: .none)
        OperationContext.$current.withValue(OperationContext(span: root.context)) {
            for _ in 0..<5 { spans.record(record(.clientAction, 10, .success, at: 2)) }
        }
        for _ in 0..<recorder.ring.slotCount * 2 { spans.record(record(.statePublished, 0, .success, at: 3)) }
        spans.end(root, record(.contextAction, 2 * Self.limit, .success, at: 1))
        let trace = KnownSpans(recorder).trace(TraceID(high: recorder.prefix, low: root.context.trace))
        #expect(trace?.keptFor == .overBudget)
        #expect(trace?.spans.count == 6)
        let counts = recorder.counts
        #expect(counts.keptOnly == 5, "they were overwritten before they were kept")
        #expect(counts.recorded == counts.inRing + counts.keptOnly + counts.overwritten)
    }

    @Test("A trace that begins while all records are in use is kept without its children, and none is mixed up")
    func exhaustion() throws {
        let recorder = try FlightRecorder(bytes: 1 << 18)
        let spans = ComponentSpans(recorder, nil, actions: ["run"], limits: [Self.limit, Self.limit])
        let roots = (0..<1_000).map { spans.begin(.custom, .kind, at: Instant(nanoseconds: Int64($0)), under: .none) }
        for root in roots {
            OperationContext.$current.withValue(OperationContext(span: root.context)) {
                spans.record(record(.clientAction, 1, .success, at: 2))
            }
        }
        #expect(recorder.traces.openCount == 64)
        for root in roots.shuffled() { spans.end(root, record(.contextAction, 1, .failure, at: 1)) }
        #expect(recorder.traces.openCount == 0)
        for trace in recorder.kept.all {
            #expect(trace.spans.last?.parent == 0, "spans of another trace would have no root")
            #expect(trace.spans.count <= 2)
        }
    }

    @Test("A child that is recorded after its trace ended is in the ring and not in the next trace of the record")
    func lateChild() throws {
        let recorder = try FlightRecorder(bytes: 1 << 18)
        let spans = ComponentSpans(recorder, nil, actions: ["run"], limits: [Self.limit, Self.limit])
        let old = spans.begin(.custom, .kind, at: Instant(nanoseconds: 1), under: .none)
        spans.end(old, record(.contextAction, 1, .success, at: 1))
        let roots = (0..<64).map { spans.begin(.custom, .kind, at: Instant(nanoseconds: Int64($0)), under: .none) }
        OperationContext.$current.withValue(OperationContext(span: old.context)) {
            spans.record(record(.clientAction, 1, .failure, at: 2))
        }
        for root in roots { spans.end(root, record(.contextAction, 1, .failure, at: 1)) }
        let failed = recorder.kept.all.filter { $0.reason == .failed }
        #expect(failed.map(\.id) == roots.map(\.context.trace))
        #expect(failed.allSatisfy { $0.spans.count == 1 && $0.spans[0].parent == 0 })
        let id = TraceID(high: recorder.prefix, low: old.context.trace)
        #expect(KnownSpans(recorder).trace(id)?.spans.count == 2)
    }

    @Test("An action that takes exactly its budget is not over it", arguments: [0, 1] as [Int64])
    func budget(beyond: Int64) throws {
        let recorder = try FlightRecorder(bytes: 1 << 18)
        let spans = ComponentSpans(recorder, nil, actions: ["run"], limits: [Self.limit, Self.limit])
        // The three slowest are kept anyway.
        for _ in 0..<3 { spans.record(record(.clientAction, 10 * Self.limit, .cancelled, at: 1)) }
        spans.record(record(.clientAction, Self.limit + beyond, .success, at: 1))
        #expect(recorder.kept.all.count { $0.reason == .overBudget } == Int(beyond))
    }

    @Test("The slowest of a minute are found again after its end, and an operation of the last minute opens none")
    func minutes() {
        let (gate, minute) = (SlowestGate(), SlowestGate.window)
        func admits(_ nanoseconds: Int64, _ end: Int64) -> Bool { gate.admits(nanoseconds: nanoseconds, end: end) }
        #expect([5, 6, 7].map { admits($0, 100) } == [true, true, true])
        #expect([5, 1, 6, 5].map { admits($0, 200) } == [false, false, true, false])
        // The three slowest are now 6, 6 and 7.
        #expect([6, 7, 8].map { admits($0, 99 + minute) } == [false, true, true])
        #expect(admits(1, 100 + minute), "a new minute has begun")
        #expect(admits(1, 100 + minute) && admits(2, 150), "there is space for three")
        #expect(!admits(1, 100 + minute) && admits(2, 101 + minute))
        #expect(!admits(1, 99 + 2 * minute) && admits(1, 100 + 2 * minute))
    }
}
#endif
