// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Testing

@testable import AxiomDashboard

@Suite("A trace", .timeLimit(.minutes(10)))
struct TraceTests {
    @Test("It has every span once, each parent directly before what it caused; it is complete only if none is missing")
    func complete() async throws {
        var random = SplitMix64(seed: TestSeed.drawn())
        let app = try TracedApp(memory: 1 << 19)
        var expected: [(id: TraceID, count: Int)] = []
        for _ in 0..<500 {
            let steps = (0..<Int.random(in: 0..<6, using: &random)).map { _ in TracedApp.Plan.random(&random) }
            let before = app.performed
            let id = try #require(await app.trace("root", steps))
            expected.append((id, app.performed - before))
        }
        let known = try #require(app.telemetry.readings.knownSpans)
        var (complete, partial) = (0, 0)
        for (id, count) in expected {
            guard let trace = known.trace(id) else { continue }
            Self.checkOrder(trace.spans)
            if trace.isComplete {
                #expect(trace.spans.count == count)
                #expect(trace.spans.first?.parent == nil)
                complete += 1
            } else {
                #expect(trace.spans.count <= count)
                partial += 1
            }
        }
        #expect(complete > 20, "\(complete) complete, \(partial) not")
        #expect(partial > 0)
        let last = try #require(try app.dashboard.traceItem(expected.last?.id))
        #expect(last["complete"] == .flag(true))
        #expect(last["spans"]?.list.count == expected.last?.count)
        #expect(last["seconds"] == last["spans"]?.list.first?.object["seconds"])
        #expect(last["start"] == last["spans"]?.list.first?.object["start"])
    }

    /// Each span is below the last one before it that is an ancestor, and siblings are in the order of their start.
    private static func checkOrder(_ spans: [Span]) {
        let ids = Set(spans.map(\.id))
        #expect(ids.count == spans.count)
        var path: [UInt64] = []
        var lastStart: [UInt64: Instant] = [:]
        for span in spans {
            let parent = span.parent ?? 0
            if ids.contains(parent) {
                while let last = path.last, last != parent { path.removeLast() }
                #expect(path.last == parent, "a parent is before its children")
            } else {
                path = []
            }
            #expect(span.start >= lastStart[parent] ?? span.start)
            lastStart[parent] = span.start
            path.append(span.id)
        }
    }

    @Test("A span has the budget of its action, and named work has none")
    func budget() async throws {
        let app = try TracedApp()
        let id = await app.trace("order", [TracedApp.Plan(who: .client(0, 0), nanoseconds: 9_000_000)])
        let trace = try #require(try app.dashboard.traceItem(id))
        let spans = trace["spans"]?.list.map(\.object) ?? []
        #expect(
            spans.map { $0["budget"] } == [.null, .fields(["name": .text("client_action"), "limit": .value(0.008)])]
        )
        #expect(trace["kept"] == .text("over_budget"))
        #expect(spans[1]["seconds"] == .value(0.009))
        #expect(spans[1]["instance"] == .value(1))
    }

    @Test("It has the log records of its operations, and no others")
    func logs() async throws {
        let app = try TracedApp()
        let (first, second) = (await app.trace("one"), await app.trace("two"))
        let span = UInt64(0xabc)
        for (index, name) in HostileName.all.enumerated() {
            app.time.advance(by: .milliseconds(1))
            app.telemetry.readings.logRecords.append(
                LogRecord(
                    at: app.time.now,
                    level: "info",
                    label: name,
                    message: name,
                    metadata: [name: name, "key": "value"],
                    trace: index % 2 == 0 ? first : second,
                    span: index == 0 ? span : nil,
                    component: "Saw",
                    action: nil
                )
            )
        }
        app.telemetry.readings.logRecords.append(LogRecord(at: app.time.now, level: "info", label: "", message: "none"))
        let logs = try #require(try app.dashboard.traceItem(first)?["logs"]?.list.map(\.object))
        #expect(logs.count == (HostileName.all.count + 1) / 2)
        #expect(logs.first?["span"] == .text("0000000000000abc"))
        #expect(logs.last?["span"] == .null)
        #expect(logs.first?["message"] == .text(HostileName.all[0]))
        #expect(logs.first?["metadata"]?.object["key"] == .text("value"))
        #expect(try #require(logs.first?["at"]?.number) > 1_700_000_000)
    }

    @Test("A trace of very many spans is written in part, and says how many are left out")
    func limit() async throws {
        let app = try TracedApp()
        let id = await app.trace("root", (0..<1_500).map { _ in TracedApp.Plan(who: .client(1, 0)) })
        let trace = try #require(try app.dashboard.traceItem(id))
        #expect(trace["spans"]?.list.count == 1_000)
        #expect(trace["omitted"] == .value(501))
        #expect(trace["complete"] == .flag(false))
        #expect(trace["spans"]?.list.first?.object["parent"] == .null)
    }

    @Test("An unknown trace is none, also one of another process")
    func unknown() async throws {
        let (app, other) = (try TracedApp(), try TracedApp())
        let id = try #require(await app.trace("root"))
        #expect(app.dashboard.trace(id) != nil)
        #expect(other.dashboard.trace(id) == nil)
        #expect(app.dashboard.trace(TraceID(high: id.high, low: id.low &+ 1)) == nil)
    }

    @Test("While actions run, every answer is sound JSON, and every parent precedes its children")
    func load() async throws {
        let app = try TracedApp(memory: 1 << 19)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var random = SplitMix64(seed: UInt64(task))
                    for _ in 0..<200 {
                        let steps = (0..<4).map { _ in TracedApp.Plan.random(&random) }
                        _ = await app.trace("task\(task)", steps)
                        await Task.yield()
                    }
                }
            }
            var last = 0.0
            for _ in 0..<10 {
                let answer = try app.dashboard.activity(["limit": "50"])
                let recorded = try #require(answer["recorded"]?.number)
                #expect(recorded >= last)
                last = recorded
                let known = try #require(app.telemetry.readings.knownSpans)
                for row in answer["activity"]?.list.map(\.object) ?? [] {
                    let id = try #require(row["trace"]?.string.flatMap { TraceID($0) })
                    Self.checkOrder(known.trace(id)?.spans ?? [])
                }
                let newest = answer["activity"]?.list.first?.object["trace"]?.string.flatMap { TraceID($0) }
                _ = try app.dashboard.traceItem(newest)
                _ = try JSONItem(app.dashboard.traces())
                _ = try JSONItem(app.dashboard.exportedSnapshot())
                await Task.yield()
            }
            try await group.waitForAll()
        }
    }
}
#endif
