// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomResilience
import AxiomTracing
import InMemoryTracing
import Testing
import Tracing

@Suite("Export of spans to a tracer", .timeLimit(.minutes(10)))
@MainActor
struct ExportTests {
    @Test("The tracer has the same tree as the flight recorder: names, kinds, outcomes, parents and exact times")
    func sameTree() async throws {
        let app = try await TracedApp.started()
        let (telemetry, context) = (app.telemetry, try app.context())
        var states = context.stock.stateStream.makeAsyncIterator()
        _ = try await states.next()
        let trace = try #require(
            try await app.trace(context) { context in
                let (orders, stock) = (context.orders, context.stock)
                @Sendable func step(_ index: Int) async throws {
                    await Task.yield()
                    try await stock.process(StockClient.Action(caseIndex: index) { await Task.yield() })
                }
                try await orders.process(.call { try await step(1) })
                try await orders.process(
                    .run {
                        async let second: Void = step(2)
                        try await telemetry.span("group") {
                            try await withThrowingTaskGroup(of: Void.self) { group in
                                for index in 3..<6 { group.addTask { try await step(index) } }
                                try await group.waitForAll()
                            }
                        }
                        telemetry.span("parse") {}
                        try await second
                        try await Task { try await step(6) }.value
                    }
                )
                try await stock.process(StockClient.Action(caseIndex: 7))
            }
        )
        let exported = try #require(app.exportedTree(trace))
        #expect(exported == SpanTree(trace))
        // act0, 2 orders, 1 capability call, 7 steps, 2 named spans, 1 published state.
        #expect(trace.spans.count == 14)
        #expect(exported.children.map(\.name) == ["OrderClient.call", "OrderClient.run", "StockClient.step7"])
        #expect(exported.children.first?.names == "OrderClient.call(Depot.process(StockClient.step1))")
        #expect(exported.children.last?.names == "StockClient.step7(StockClient.state_published)")
        #expect(app.tracer.activeSpans.isEmpty)
        _ = try await states.next()
    }

    @Test("Retries and recovery steps have the parents that are recorded, and each error is recorded")
    func recovery() async throws {
        let app = try await TracedApp.started()
        let context = try app.context()
        context.choose = { _ in .retry(attempts: 3, backoff: .constant(.zero)) }
        var runs = 0
        let trace = try #require(
            try await app.trace(context) { context in
                runs += 1
                let isLast = runs == 3
                try await context.stock.process(StockClient.Action(caseIndex: runs) { if !isLast { throw Outage() } })
            }
        )
        let exported = try #require(app.exportedTree(trace))
        #expect(exported == SpanTree(trace))
        #expect(
            exported.names == """
                DeskContext.act0(StockClient.step1 DeskContext.retry(DeskContext.retry_attempt(StockClient.step2) \
                DeskContext.retry_attempt(StockClient.step3)))
                """
        )
        let failed = try #require(app.exported("StockClient.step2").first)
        #expect(failed.status?.code == .error && failed.errors.count == 1 && failed.errors.first?.error is Outage)
        #expect(failed.text("error.type") == "Outage" && failed.text("axiom.error.code") == "TEST_OUTAGE_001")
        #expect(failed.errors.first?.instant.nanosecondsSinceEpoch == failed.endInstant.nanosecondsSinceEpoch)
        let root = try #require(app.exported("DeskContext.act0").first)
        #expect(root.status == nil && root.errors.isEmpty && root.text("axiom.outcome") == "success")
    }

    @Test("Each attribute says what is recorded about the span")
    func attributes() async throws {
        let time = ManualTime()
        let app = try await TracedApp.started(clock: .manual(time))
        let context = try app.context()
        let trace = try #require(
            try await app.trace(context) { context in
                time.advance(by: .milliseconds(1))
                try await context.orders.process(.run { time.advance(by: .milliseconds(3)) })
            }
        )
        let span = try #require(app.exported("OrderClient.run").first)
        let recorded = try #require(trace.spans.first { $0.kind == .clientAction })
        #expect(span.kind == .internal)
        #expect(span.text("axiom.component") == "OrderClient" && span.text("axiom.component.kind") == "client")
        #expect(span.text("axiom.action") == "run" && span.text("axiom.kind") == "client_action")
        #expect(span.attributes.get("axiom.instance") == .int64(Int64(recorded.instance)))
        #expect(span.text("axiom.trace_id") == trace.id.description)
        #expect(span.text("axiom.span_id") == TraceID.hex(recorded.id))
        let start = UInt64((TimeSource.manual(time).secondsSinceEpoch * 1e9).rounded()) - 3_000_000
        #expect(Int64(span.startInstant.nanosecondsSinceEpoch) - Int64(start) < 1_000)
        #expect(span.endInstant.nanosecondsSinceEpoch - span.startInstant.nanosecondsSinceEpoch == 3_000_000)
    }

    @Test("A trace that begins a second after the wall clock was set, forward or back, has its new time")
    func wallClock() async throws {
        let time = ManualTime()
        let app = try await TracedApp.started(clock: .manual(time))
        let context = try app.context()
        func start() async throws -> Double {
            _ = try await app.trace(context) { try await $0.orders.process(.run {}) }
            let span = try #require(app.exported("OrderClient.run").last)
            return (Double(span.startInstant.nanosecondsSinceEpoch) / 1e9).rounded()
        }
        var expected = TimeSource.manual(time).secondsSinceEpoch
        #expect(try await start() == expected)
        for step in [3_600.0, -7_200, 1] {
            time.stepWallClock(by: step)
            // Spans of one second have one offset, so that their order stays exact.
            #expect(try await start() == expected)
            time.advance(by: .seconds(2))
            expected += step + 2
            #expect(try await start() == expected)
        }
    }

    @Test("A refused call and a cancelled action are exported with their outcome, and every span is ended once")
    func outcomes() async throws {
        let app = try await TracedApp.started(breakers: [
            .client(StockClient.self, CircuitBreakerConfiguration(consecutiveFailures: 1))
        ])
        let context = try app.context()
        _ = try await app.trace(context) {
            try await $0.stock.process(StockClient.Action(caseIndex: 1) { throw Outage() })
        }
        _ = try await app.trace(context) { try await $0.stock.process(StockClient.Action(caseIndex: 2)) }
        let refused = try #require(app.exported("StockClient.step2").first)
        #expect(refused.text("axiom.kind") == "breaker_refusal" && refused.text("axiom.outcome") == "rejected")
        #expect(refused.status?.code == .error)

        let (stream, entered) = AsyncStream.makeStream(of: Void.self)
        let sending = Task {
            await context.send(
                DeskAction(caseIndex: 3) { context in
                    try await context.orders.process(
                        .call {
                            entered.yield()
                            try await Task.sleep(for: .seconds(600))
                        }
                    )
                }
            )
        }
        for await _ in stream { break }
        #expect(app.tracer.activeSpans.count == 3)
        sending.cancel()
        await sending.value
        #expect(app.tracer.activeSpans.isEmpty)
        for name in ["DeskContext.act3", "OrderClient.call", "Depot.process"] {
            let spans = app.exported(name)
            #expect(spans.count == 1, "\(name)")
            #expect(spans.first?.text("axiom.outcome") == "cancelled" && spans.first?.status == nil, "\(name)")
        }
    }

    @Test("Many cancelled actions of many tasks leave no span open")
    func cancellation() async throws {
        let app = try await TracedApp.started()
        let context = try app.context()
        await withDiscardingTaskGroup { group in
            for index in 0..<200 {
                group.addTask {
                    let sending = Task { @MainActor in
                        await context.send(
                            DeskAction(caseIndex: index % 8) { context in
                                try await context.orders.process(.call { try await Task.sleep(for: .milliseconds(1)) })
                            }
                        )
                    }
                    if index % 3 != 0 { sending.cancel() }
                    await sending.value
                }
            }
        }
        #expect(app.tracer.activeSpans.isEmpty)
        let spans = app.tracer.finishedSpans
        #expect(spans.count { $0.text("axiom.kind") == "context_action" } == 200)
        #expect(Set(spans.map(\.spanID)).count == spans.count)
    }

    @Test("The export is refused after the start of the orchestrator, and a second time")
    func refusal() async throws {
        let app = try await TracedApp.started(exports: false)
        let late = #expect(throws: TelemetryError.self) { try app.telemetry.exportSpans(to: app.tracer) }
        #expect(late?.code.rawValue == "AXIOM_TELEMETRY_013")
        let telemetry = try Telemetry()
        #expect(try telemetry.exportSpans(to: app.tracer))
        #expect(throws: TelemetryError.self) { try telemetry.exportSpans(to: app.tracer) }
    }

    @Test("Without a tracer and without a recorder nothing is exported, and no span has a binding")
    func nothing() async throws {
        let telemetry = try Telemetry()
        #expect(try !telemetry.exportSpans())
        #expect(try !Telemetry(flightRecorder: .off).exportSpans(to: InMemoryTracer()))
        let component = ComponentDescriptor(kind: .client, name: "StockClient")
        #expect(telemetry.spanProbe(for: component, actions: [])?.binding == nil)
        let app = try await TracedApp.started(exports: false)
        let context = try app.context()
        var states = context.stock.stateStream.makeAsyncIterator()
        _ = try await states.next()
        let trace = try await app.trace(context) { context in
            #expect(ServiceContext.current == nil)
            try await context.stock.process(StockClient.Action(caseIndex: 7) { #expect(ServiceContext.current == nil) })
        }
        // The client binds no span, so the state is published below the context's action.
        #expect(
            trace.flatMap(SpanTree.init)?.names == "DeskContext.act0(StockClient.step7 StockClient.state_published)"
        )
        #expect(app.tracer.finishedSpans.isEmpty && app.tracer.activeSpans.isEmpty)
        _ = try await states.next()
    }
}
#endif
