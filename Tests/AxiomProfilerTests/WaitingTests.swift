// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomInstrumentation
@testable import AxiomProfiler

/// Spans that have ended, made at random.
private struct RandomSpans {
    typealias Ended = ProfiledSpans.Ended

    var generator: SeededGenerator
    /// Whether the parts of an operation may overlap.
    let isParallel: Bool
    var spans: [Ended] = []

    /// Adds an operation with its parts.
    mutating func add(_ range: Range<Int64>, parent: UInt64, depth: Int) {
        let kinds: [SpanKind] = [.contextAction, .clientAction, .capabilityCall, .custom, .request]
        let id = add(kinds[generator.index(below: kinds.count)], range, parent)
        var start = range.lowerBound
        for _ in 0..<(depth > 0 ? generator.index(below: 4) : 0) {
            if isParallel { start = range.lowerBound + Int64(generator.index(below: range.count + 1)) }
            let from = start + Int64(generator.index(below: Int(range.upperBound - start) / 2 + 1))
            // A child in Task { } may end after its parent.
            let last = isParallel && generator.index(below: 4) == 0 ? range.upperBound + 20 : range.upperBound
            let to = from + Int64(generator.index(below: Int(last - from) + 1))
            switch generator.index(below: 4) {
            case 0: _ = add(.wait, from..<to, id)
            case 1: add(from..<to, parent: add(.retryAttempt, from..<to, id), depth: depth - 1)
            default: add(from..<to, parent: id, depth: depth - 1)
            }
            start = to
        }
    }

    private mutating func add(_ kind: SpanKind, _ range: Range<Int64>, _ parent: UInt64) -> UInt64 {
        let id = UInt64(spans.count + 1)
        let subject = SpanWords.subject(kind, component: 0, name: UInt64(generator.index(below: 3)))
        spans.append(
            Ended(
                context: SpanContext(trace: 1, span: id, record: 0, subject: subject),
                parent: parent,
                start: Instant(nanoseconds: range.lowerBound),
                end: Instant(nanoseconds: range.upperBound)
            )
        )
        return id
    }
}

@Suite("Waiting", .timeLimit(.minutes(10)))
struct WaitingTests {
    private func waits(_ spans: [ProfiledSpans.Ended], from: Int64 = 0, to: Int64 = 100_000) -> WaitingTimes {
        WaitingTimes(SpanForest(spans), from: Instant(nanoseconds: from), to: Instant(nanoseconds: to))
    }

    private func sum(_ waits: WaitingTimes) -> Int64 {
        waits.rest.values.reduce(0, +) + waits.named.values.reduce(0) { $0 + $1.values.reduce(0, +) }
    }

    @Test("Without parallel work, the times of an operation and of what it caused are its duration, in any range")
    func conservation() {
        let seed = TestSeed.drawn()
        for stream in 0..<300 {
            var random = RandomSpans(generator: SeededGenerator(seed: seed, stream: UInt64(stream)), isParallel: false)
            random.add(100..<1_100, parent: 0, depth: 4)
            #expect(sum(waits(random.spans)) == 1_000)
            #expect(sum(waits(random.spans, from: 300, to: 500)) == 200)
            #expect(sum(waits(random.spans, from: 0, to: 350)) == 250)
        }
    }

    @Test("With parallel work, each operation has its duration without the union of its parts, and no time is negative")
    func union() {
        let seed = TestSeed.drawn()
        for stream in 0..<300 {
            var random = RandomSpans(generator: SeededGenerator(seed: seed, stream: UInt64(stream)), isParallel: true)
            random.add(100..<400, parent: 0, depth: 3)
            let (forest, waits) = (SpanForest(random.spans), waits(random.spans))
            var expected: Int64 = 0
            for span in random.spans where span.context.isOperation {
                var isFree = [Bool](repeating: true, count: Int(span.end.nanoseconds - span.start.nanoseconds))
                for part in random.spans where part.context.isOperation {
                    guard forest.operation(of: part.parent) == span.context.span else { continue }
                    for time in part.start.nanoseconds..<part.end.nanoseconds where time < span.end.nanoseconds {
                        isFree[Int(time - span.start.nanoseconds)] = false
                    }
                }
                expected += Int64(isFree.count(where: \.self))
            }
            let rest = waits.rest.values.reduce(0, +)
            #expect(waits.rest.values.allSatisfy { $0 >= 0 } && rest <= expected && sum(waits) >= expected)
        }
    }

    @Test(
        "What an operation waits for is its duration without its processor time, under the name of what it waited for"
    )
    func profile() throws {
        let fixture = try StoreFixture()
        let second = Duration.seconds(1)
        let spans = SpanLog()
        fixture.telemetry.span("outer") {
            spans.note()
            fixture.time.advance(by: second)
            fixture.telemetry.span("inner") {
                spans.note()
                fixture.time.advance(by: second * 3)
                let probe = fixture.telemetry.recording.spans?.probe(named: "pool main")
                probe?.record(SpanRecord(.wait, .action(0), start: fixture.time.now, nanoseconds: 500_000_000))
                fixture.time.advance(by: second)
            }
        }
        // 1 s of the inner one's 4 s on a processor.
        for _ in 0..<100 { fixture.take(spans.noted.reversed(), [1]) }
        fixture.advance(1)
        let profile = fixture.profile()
        #expect(profile.samplesByStack == ["outer;inner;f1": 100])
        #expect(
            profile.waitsByStack == [
                "outer;waits": 1_000_000_000, "outer;inner;pool main": 500_000_000, "outer;inner;waits": 2_500_000_000,
            ]
        )
        #expect(profile.waitsSince == nil)
        #expect(fixture.profile(action: "inner").waitsByStack.keys.sorted() == ["inner;pool main", "inner;waits"])
        let trace = fixture.profile(of: spans.noted[0].trace)
        #expect(trace.waitsByStack == profile.waitsByStack && trace.samplesByStack == profile.samplesByStack)
        #expect(trace.end.nanoseconds(since: trace.start) == 5_000_000_000)
    }

    @Test("More processor time than wall time, as of parallel tasks, gives no wait")
    func parallel() throws {
        let fixture = try StoreFixture()
        let spans = SpanLog()
        fixture.telemetry.span("outer") {
            spans.note()
            fixture.time.advance(by: .seconds(1))
        }
        for _ in 0..<200 { fixture.take(spans.noted, [1]) }
        fixture.advance(1)
        #expect(fixture.profile().waitsByStack.isEmpty)
        #expect(fixture.profile().values { Int($0.processor) } == ["outer;f1": 2_000_000_000])
    }

    @Test("If spans were overwritten, the profile says since when waits are known, and older ones are left out")
    func horizon() throws {
        let fixture = try StoreFixture()
        for _ in 0..<100_000 {
            fixture.telemetry.span("work") { fixture.time.advance(by: .microseconds(500)) }
        }
        fixture.store.tick(lost: 0)
        let profile = fixture.profile()
        let since = try #require(profile.waitsSince)
        #expect(since > profile.start && since < profile.end)
        let known = profile.end.nanoseconds(since: since)
        #expect(abs(Int64(profile.waitsByStack["work;waits"] ?? 0) - known) < 1_000_000)
    }

    @Test("A call waits in the call, and a wait for the main actor has its name")
    func names() throws {
        let fixture = try StoreFixture()
        var builder = ProfileBuilder(
            fixture.profile(),
            fixture.telemetry.profiledSpans,
            NumberedFunctions(),
            ProfileQuery()
        )
        let call = fixture.span("load", kind: .capabilityCall).subject
        builder.addWait(5, of: [call], in: nil)
        builder.addWait(7, of: [call], in: fixture.span("", kind: .mainActorWait).subject)
        builder.addWait(0, of: [call], in: nil)
        #expect(builder.profile.waitsByStack == ["load;waits in the call": 5, "load;waits for the main actor": 7])
        #expect(builder.profile.frames.map(\.kind) == [.capability, .wait, .wait])
    }
}

/// The spans of the calling tasks, in the order of the calls.
final class SpanLog: Sendable {
    private let spans = Lock<[SpanContext]>([])

    var noted: [SpanContext] { spans.withLock { $0 } }
    func note() {
        let span = OperationContext.currentSpan
        spans.withLock { $0.append(span) }
    }
}
