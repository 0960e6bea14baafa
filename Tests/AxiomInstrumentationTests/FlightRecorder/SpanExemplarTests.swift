// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomMetrics
import AxiomSampleApp
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomInstrumentation

@Suite("Exemplars of durations", .timeLimit(.minutes(10)))
@MainActor
struct SpanExemplarTests {
    private static let second: Int64 = 1_000_000_000

    /// Sends an action that calls the leaf client, and returns the trace.
    @discardableResult
    private func send(
        _ app: FlightApp,
        _ context: FlightContext,
        _ time: ManualTime,
        caseIndex: Int = 0,
        nanoseconds: Int64,
        failing isFailing: Bool = false
    ) async throws -> KnownTrace {
        let work: Work = {
            time.advance(by: .nanoseconds(nanoseconds))
            if isFailing { throw Refused() }
        }
        let trace = try await app.trace(context) {
            try? await $0.leaf.process(LeafClient.Action(caseIndex: caseIndex, work: work))
        }
        return try #require(trace)
    }

    @Test(
        "Whatever actions run, the value of each exemplar is in its bucket, and its trace is kept and has the action",
        arguments: 0..<3
    )
    func property(number: UInt64) async throws {
        var random = SplitMix64(seed: number == 0 ? TestSeed.drawn() : number)
        let time = ManualTime()
        let app = try await FlightApp.started(memory: 1 << 19, clock: .manual(time))
        let context = try app.context()
        var (lastTimes, shown) = ([String: Double](), 0)
        for round in 0..<200 {
            let magnitude = Double.random(in: 3...9.5, using: &random)
            try await send(
                app,
                context,
                time,
                caseIndex: Int.random(in: 0..<4, using: &random),
                nanoseconds: Int64(pow(10, magnitude)),
                failing: Int.random(in: 0..<8, using: &random) == 0
            )
            guard round % 8 == 0 else { continue }
            for exemplar in try app.telemetry.registry.pageExemplars() {
                try check(exemplar, app.telemetry, now: time)
                #expect(exemplar.timestamp >= lastTimes[exemplar.bucket] ?? 0, "Prometheus rejects older exemplars")
                lastTimes[exemplar.bucket] = exemplar.timestamp
                shown += 1
            }
        }
        #expect(shown > 200)
    }

    private func check(_ exemplar: PageExemplar, _ telemetry: Telemetry, now time: ManualTime) throws {
        let trace = try #require(telemetry.trace(exemplar.trace))
        #expect(trace.keptFor != nil)
        #expect(exemplar.lower < exemplar.value && exemplar.value <= exemplar.upper, "\(exemplar)")
        let span = try #require(trace.spans.first { TraceID.hex($0.id) == exemplar.span })
        #expect(Double(span.nanoseconds) / 1e9 == exemplar.value)
        let component = try #require(span.component)
        #expect(exemplar.bucket.contains("=\"\(component.name)\""))
        #expect(exemplar.bucket.contains("=\"\(span.name)\""))
        let age = time.now.nanoseconds(since: span.end)
        #expect(age <= SpanExemplars.window)
        #expect(abs(TimeSource.manual(time).secondsSinceEpoch - Double(age) / 1e9 - exemplar.timestamp) < 0.002)
    }

    @Test("The slowest recent action of a bucket is its exemplar, one of a trace that is kept anyway comes first")
    func choice() async throws {
        let time = ManualTime()
        let app = try await FlightApp.started(clock: .manual(time))
        let context = try app.context()
        // These are the three slowest of the minute, in another bucket.
        for _ in 0..<3 { try await send(app, context, time, nanoseconds: 2 * Self.second) }
        // None of these is over its budget.
        for microseconds in [5_700, 6_500, 6_000] as [Int64] {
            try await send(app, context, time, nanoseconds: microseconds * 1_000)
        }
        func values() throws -> [Double] {
            try app.telemetry.registry.pageExemplars()
                .filter { $0.bucket.hasPrefix("axiom_client") && $0.upper == 0.0075 }.map(\.value)
        }
        #expect(try values() == [0.0065])
        try await send(app, context, time, nanoseconds: 7_000_000)
        #expect(try values() == [0.007])
        try await send(app, context, time, nanoseconds: 6_200_000, failing: true)
        #expect(try values() == [0.0062])
        try await send(app, context, time, nanoseconds: 7_500_000)
        #expect(try values() == [0.0062])
        time.advance(by: .nanoseconds(SpanExemplars.window - 7_500_000))
        #expect(try values() == [0.0062])
        time.advance(by: .nanoseconds(7_500_000))
        #expect(try values() == [0.0075])
        time.advance(by: .seconds(1))
        #expect(try values() == [])
    }

    @Test("The trace of an exemplar outlives the ring, with all its spans")
    func keeping() async throws {
        let time = ManualTime()
        let app = try await FlightApp.started(memory: 1 << 19, clock: .manual(time))
        let context = try app.context()
        for _ in 0..<3 { try await send(app, context, time, nanoseconds: 2 * Self.second) }
        let usual = try await send(app, context, time, nanoseconds: 5_000_000)
        #expect(usual.keptFor == nil)
        let exemplars = try app.telemetry.registry.pageExemplars().filter { $0.trace == usual.id }
        #expect(Set(exemplars.map(\.span)) == Set(usual.spans.map { TraceID.hex($0.id) }))
        #expect(app.telemetry.trace(usual.id)?.keptFor == .exemplar)
        for _ in 0..<20_000 { app.telemetry.span("noise") {} }
        #expect(app.telemetry.trace(usual.id)?.spans == usual.spans)
        // Shown again, with the same time: Prometheus does not store it a second time.
        let again = try app.telemetry.registry.pageExemplars().filter { $0.trace == usual.id }
        #expect(again.map(\.timestamp) == exemplars.map(\.timestamp))
    }

    @Test("A page in text 0.0.4 has no exemplar and keeps no trace, and exemplars add no sample")
    func formats() async throws {
        let time = ManualTime()
        let app = try await FlightApp.started(clock: .manual(time))
        let context = try app.context()
        for _ in 0..<3 { try await send(app, context, time, nanoseconds: 2 * Self.second) }
        let usual = try await send(app, context, time, nanoseconds: 5_000_000)
        let registry = app.telemetry.registry
        #expect(!registry.collect(exemplars: false).text.contains("trace_id"))
        #expect(app.telemetry.trace(usual.id)?.keptFor == nil)
        #expect(!registry.collect().text.contains("trace_id"))
        let plain = ExpositionFormat.openMetrics.page(registry.collect(exemplars: false)).split(separator: "\n")
        let page = ExpositionFormat.openMetrics.page(registry.collect()).split(separator: "\n")
        #expect(!plain.contains { $0.contains("trace_id") } && page.contains { $0.contains("trace_id") })
        // The values of other families differ between two pages.
        let series = { (lines: [Substring]) in lines.map { $0.prefix { $0 != " " } } }
        #expect(series(plain) == series(page))
        let durations = { (lines: [Substring]) in lines.filter { $0.contains("_action_duration_seconds_") } }
        #expect(
            durations(plain)
                == durations(page).map { line in line.firstRange(of: " # ").map { line[..<$0.lowerBound] } ?? line }
        )
    }

    @Test("An action is no exemplar while its trace runs, nor if it was rejected")
    func openTraces() async throws {
        let time = ManualTime()
        let app = try await FlightApp.started(clock: .manual(time))
        let context = try app.context()
        let registry = app.telemetry.registry
        var whileItRuns: [PageExemplar]?
        _ = try await app.trace(context) {
            try await $0.leaf.process(LeafClient.Action(caseIndex: 5) { time.advance(by: .milliseconds(5)) })
            whileItRuns = try registry.pageExemplars()
        }
        let isLeaf = { (exemplar: PageExemplar) in exemplar.bucket.contains("action=\"leaf5\"") }
        #expect(try #require(whileItRuns).contains(where: isLeaf) == false)
        #expect(try registry.pageExemplars().contains(where: isLeaf))
    }

    @Test("Phases of the life cycle have exemplars, in protocol buffers as exemplars of the native histogram")
    func phases() async throws {
        let app = try await FlightApp.started()
        _ = try app.context()
        let exemplars = try app.telemetry.registry.pageExemplars().filter { $0.bucket.contains("phase=\"create\"") }
        #expect(exemplars.count == 1)
        var buffer = ExpositionBuffer()
        ExpositionFormat.protobuf.encode(app.telemetry.registry.collect(), into: &buffer)
        let text = ProtobufText.read(buffer.bytes)
        let trace = try #require(exemplars.first?.trace)
        #expect(text.contains("exemplars {") && text.contains("\"\(trace)\""))
    }

    @Test("Spans are conserved while pages keep traces that are about to leave the ring, and no trace is kept twice")
    func conservation() throws {
        var random = SplitMix64(seed: TestSeed.drawn())
        let (time, recorder) = (ManualTime(), try FlightRecorder(bytes: 1 << 18))
        let exemplars = SpanExemplars(recorder, clock: .manual(time))
        let component = ComponentDescriptor(kind: .client, name: "Model")
        let spans = ComponentSpans(recorder, component, actions: ["run"], limits: [.max, .max])
        let durations = try Registry().exponentialHistogram("d_seconds", help: "D.", buckets: [1e-6, 1e-5, 1e-4, 1e-3])
        exemplars.add(.clientAction, component, "run", durations)
        for round in 0..<20_000 {
            let root = spans.begin(.custom, .action(0), at: time.now, under: .none)
            let nanoseconds = Int64.random(in: 0...2_000_000, using: &random)
            OperationContext.$current.withValue(OperationContext(span: root.context)) {
                for _ in 0..<Int.random(in: 0...3, using: &random) { spans.record(record(nanoseconds, at: time)) }
            }
            time.advance(by: .nanoseconds(nanoseconds))
            spans.end(root, record(nanoseconds, at: time))
            time.advance(by: .milliseconds(100))
            if round % 50 == 0 { _ = exemplars.findExemplars() }
        }
        let kept = recorder.kept.all
        #expect(kept.contains { $0.reason == .exemplar })
        #expect(Set(kept.map(\.id)).count == kept.count)
        var inRing: Set<UInt64> = []
        recorder.ring.readEach { inRing.insert($0.span) }
        let counts = recorder.counts
        #expect(counts.displaced > 0, "the test has to displace traces")
        #expect(counts.inRing == UInt64(inRing.count))
        #expect(counts.keptOnly == UInt64(Set(kept.flatMap { $0.spans.map(\.span) }).subtracting(inRing).count))
        let dropped = counts.overwritten + counts.displaced + counts.contended
        #expect(counts.recorded == counts.inRing + counts.keptOnly + dropped)
    }

    private func record(_ nanoseconds: Int64, at time: ManualTime) -> SpanRecord {
        SpanRecord(.clientAction, .action(0), start: time.now, nanoseconds: nanoseconds)
    }

    @Test("A page has at most a thousand exemplars, those of the slowest actions")
    func bound() throws {
        let (time, recorder) = (ManualTime(), try FlightRecorder(bytes: 4 << 20))
        let exemplars = SpanExemplars(recorder, clock: .manual(time))
        let names = (0..<1_500).map { "action\($0)" }
        let component = ComponentDescriptor(kind: .client, name: "Wide")
        let limits = [Int64](repeating: .max, count: names.count + 1)
        let spans = ComponentSpans(recorder, component, actions: names, limits: limits)
        let family = try Registry().exponentialHistograms("d_seconds", help: "D.", labels: Label<String>("action"))
        let histograms = names.map { family($0) }
        for (name, histogram) in zip(names, histograms) { exemplars.add(.clientAction, component, name, histogram) }
        for index in names.indices {
            let nanoseconds = Int64(1_000 + index)
            spans.record(SpanRecord(.clientAction, .action(index), start: time.now, nanoseconds: nanoseconds))
        }
        let found = exemplars.findExemplars()
        let shown = histograms.indices.filter { found.count(of: histograms[$0]) > 0 }
        #expect(shown == Array(500..<1_500))
    }
}
#endif
