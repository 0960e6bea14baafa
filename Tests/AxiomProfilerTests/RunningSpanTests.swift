// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomInstrumentation
@testable import AxiomProfiler

/// Threads that begin and end operations at random, and use the processor or wait for 10 ms at a time, with the times of each.
private struct RandomThreads {
    struct Span {
        let context: SpanContext
        let parent: UInt64
        let path: String
        let start: Instant
        var hasEnded = false
        /// The 10 ms in which it was the innermost one, each by its middle, and whether it used the processor.
        var steps: [(time: Instant, runs: Bool)] = []
    }

    static let step: Int64 = 10_000_000

    let fixture: StoreFixture
    var generator: SeededGenerator
    var spans: [Span] = []
    /// The indices of the open spans of each thread, the outermost one first.
    var threads: [[Int]]

    init(_ fixture: StoreFixture, threads: Int, _ generator: SeededGenerator) {
        (self.fixture, self.generator) = (fixture, generator)
        self.threads = Array(repeating: [], count: threads)
    }

    /// - Parameter most: How many spans begin; then they run on.
    mutating func advance(most: Int) {
        for thread in threads.indices {
            if !threads[thread].isEmpty, generator.index(below: 30) == 0 { end(threads[thread].removeLast()) }
            let depth = threads[thread].count
            if spans.count < most, depth < 3, depth == 0 || generator.index(below: 20) == 0 { begin(thread) }
        }
        fixture.time.advance(by: .nanoseconds(Self.step / 2))
        for open in threads where !open.isEmpty {
            // Each runs at first, so that its path is known.
            let runs = spans[open[open.count - 1]].steps.isEmpty || generator.index(below: 2) == 0
            spans[open[open.count - 1]].steps.append((fixture.time.now, runs))
            if runs { fixture.take(open.reversed().map { spans[$0].context }, [1]) }
        }
        fixture.advance(Self.step / 2)
    }

    private mutating func begin(_ thread: Int) {
        let (name, outer) = ("op\(generator.index(below: 2))", threads[thread].last.map { spans[$0] })
        let model = fixture.span(name)
        // The upper bits say where the store notes the span.
        let id = UInt64(spans.count) << 48 | UInt64(generator.index(below: 1 << 40)) << 1 | 1
        let trace = outer?.context.trace ?? id
        let context = SpanContext(trace: trace, span: id, record: model.record, subject: model.subject)
        let path = (outer.map { $0.path + ";" } ?? "") + name
        threads[thread].append(spans.count)
        spans.append(Span(context: context, parent: outer?.context.span ?? 0, path: path, start: fixture.time.now))
    }

    private mutating func end(_ index: Int) {
        spans[index].hasEnded = true
        let span = spans[index]
        var words = SpanWords(
            span: span.context.span,
            parent: span.parent,
            trace: span.context.trace,
            start: span.start.nanoseconds,
            nanoseconds: fixture.time.now.nanoseconds(since: span.start),
            what: span.context.subject,
            who: 0
        )
        let stamp = fixture.telemetry.recording.spans?.recorder.ring.append(&words) { $0 }
        #expect(stamp != nil && stamp != 0)
    }

    /// What the spans that have ended waited for in a range, in nanoseconds.
    func waits(in profile: Profile, of trace: UInt64? = nil) -> [String: Int] {
        var waits: [String: Int] = [:]
        for span in spans where span.hasEnded && trace ?? span.context.trace == span.context.trace {
            let waiting = span.steps.count { !$0.runs && profile.start < $0.time && $0.time < profile.end }
            waits["\(span.path);waits", default: 0] += waiting * Int(Self.step)
        }
        return waits.filter { $0.value > 0 }
    }
}

@Suite("Spans that still run", .timeLimit(.minutes(10)))
struct RunningSpanTests {
    /// A span that the recorder does not know.
    private func running(_ name: String, id: UInt64, trace: UInt64? = nil, _ fixture: StoreFixture) -> SpanContext {
        let model = fixture.span(name)
        return SpanContext(trace: trace ?? id, span: id, record: model.record, subject: model.subject)
    }

    private func expectEqual(_ found: [String: Int], _ expected: [String: Int], _ comment: Comment) {
        #expect(Set(found.keys) == Set(expected.keys), comment)
        for (stack, time) in expected {
            // Sums have seven digits.
            #expect(abs(Double((found[stack] ?? 0) - time)) < 20_000, "\(stack): \(comment)")
        }
    }

    @Test("The waits of a path are the time of its ended spans without their samples, whatever runs beside them")
    func conservation() throws {
        let seed = TestSeed.drawn()
        for stream in 0..<TestScale.count(60) {
            let fixture = try StoreFixture()
            var threads = RandomThreads(fixture, threads: 4, SeededGenerator(seed: seed, stream: UInt64(stream)))
            for step in 0..<4_000 {
                threads.advance(most: 1_000)
                guard step % 97 == 96 else { continue }
                let (seconds, ago) = (1 + threads.generator.index(below: 40), threads.generator.index(below: 20))
                let profile = fixture.profile(seconds: seconds, ago: ago)
                let comment: Comment = "stream \(stream), step \(step), \(seconds) s, \(ago) s ago"
                expectEqual(profile.waitsByStack, threads.waits(in: profile), comment)
                guard step < 3_000, let open = threads.threads[0].first else { continue }
                let trace = threads.spans[open].context.trace
                let whole = fixture.profile(of: trace)
                expectEqual(whole.waitsByStack, threads.waits(in: whole, of: trace), comment)
            }
        }
    }

    @Test("More operations than are remembered, of which most have ended, take nothing from each other's waits")
    func many() throws {
        let fixture = try StoreFixture()
        let endless = (1...10).map { running("work", id: $0, fixture) }
        for _ in 0..<40 {
            for _ in 0..<40 {
                fixture.telemetry.span("work") {
                    fixture.take([OperationContext.currentSpan], [1], amount: 1_000_000)
                    fixture.time.advance(by: .milliseconds(2))
                }
            }
            for span in endless { fixture.take([span], [1], amount: 80_000_000) }
            fixture.advance(20_000_000)
        }
        #expect(fixture.profile().samples == 2_000)
        expectEqual(fixture.profile().waitsByStack, ["work;waits": 1_600_000_000], "")
        //         #expect(fixture.store.state.withLock { $0.running.count } <= SpanSample.limit)
    }

    @Test("Work in Task { } of an operation that runs takes nothing from the waits of others")
    func orphans() throws {
        let fixture = try StoreFixture()
        fixture.telemetry.span("work") { fixture.time.advance(by: .seconds(1)) }
        let orphan = running("work", id: 7, trace: 5, fixture)
        for _ in 0..<60 { fixture.take([orphan], [1]) }
        for _ in 0..<4 {
            expectEqual(fixture.profile().waitsByStack, ["work;waits": 1_000_000_000], "")
            fixture.advance(5_000_000_000)
        }
        fixture.take([orphan], [1], isAllocation: true)
        expectEqual(fixture.profile().waitsByStack, ["work;waits": 1_000_000_000], "")
    }
}
