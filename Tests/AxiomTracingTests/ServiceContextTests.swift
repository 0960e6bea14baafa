// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomInstrumentation
import AxiomResilience
import AxiomTracing
import InMemoryTracing
import Testing
import Tracing

private enum TenantKey: ServiceContextKey {
    typealias Value = String
}

@Suite("Contexts of distributed traces", .timeLimit(.minutes(10)))
@MainActor
struct ServiceContextTests {
    @Test("The context of the caller is the parent of the root, and its values reach the capability")
    func inbound() async throws {
        let app = try await TracedApp.started()
        let context = try app.context()
        var inbound = ServiceContext.topLevel
        inbound[TenantKey.self] = "acme"
        try await app.tracer.withSpan("request", context: inbound) { request in
            _ = try await app.trace(context) {
                try await $0.orders.process(.call { #expect(ServiceContext.current?[TenantKey.self] == "acme") })
            }
            let root = try #require(app.exported("DeskContext.act0").first)
            #expect(root.parentSpanID == request.spanID && root.traceID == request.traceID)
        }
        let tree = app.tracer.finishedSpans.first { $0.operationName == "request" }
            .map { SpanTree($0, among: app.tracer.finishedSpans) }
        #expect(tree?.names == "request(DeskContext.act0(OrderClient.call(Depot.process)))")
        // The next action has another caller.
        _ = try await app.trace(context) { _ in }
        #expect(app.exported("DeskContext.act0").last?.parentSpanID == nil)
    }

    @Test("Spans of the application are children of the action in which they begin, and parents of what they call")
    func applicationSpans() async throws {
        let app = try await TracedApp.started()
        let (tracer, telemetry) = (app.tracer, app.telemetry)
        let trace = try #require(
            try await app.trace { context in
                let (orders, stock) = (context.orders, context.stock)
                try await tracer.withSpan("in context") { _ in
                    try await stock.process(
                        StockClient.Action(caseIndex: 1) { tracer.withSpan("in client without capability") { _ in } }
                    )
                }
                try await orders.process(.call { tracer.withSpan("in capability") { _ in } })
                await telemetry.span("work") {
                    async let child: Void = tracer.withSpan("in child task") { _ in await Task.yield() }
                    await child
                    await Task { tracer.withSpan("in task") { _ in } }.value
                }
                telemetry.span("sync") { tracer.withSpan("in sync") { _ in } }
            }
        )
        #expect(
            app.exportedTree(trace)?.names == """
                DeskContext.act0(in context(StockClient.step1(in client without capability)) \
                OrderClient.call(Depot.process(in capability)) work(in child task in task) sync(in sync))
                """
        )
    }

    @Test("A retry binds the context of its attempt")
    func retry() async throws {
        let app = try await TracedApp.started()
        let (context, tracer) = (try app.context(), app.tracer)
        context.choose = { _ in .retry(attempts: 2, backoff: .constant(.zero)) }
        var runs = 0
        let trace = try #require(
            try await app.trace(context) { _ in
                runs += 1
                tracer.withSpan("run \(runs)") { _ in }
                if runs < 2 { throw Outage() }
            }
        )
        #expect(
            app.exportedTree(trace)?.names
                == "DeskContext.act0(run 1 DeskContext.retry(DeskContext.retry_attempt(run 2)))"
        )
    }

    @Test("A carried span is the parent of what runs under it in a detached task")
    func carried() async throws {
        let app = try await TracedApp.started()
        let trace = try #require(
            try await app.trace { context in
                let (span, stock) = (CarriedSpan.current, context.stock)
                try await Task.detached {
                    #expect(ServiceContext.current == nil)
                    try await span.run { try await stock.process(StockClient.Action(caseIndex: 1)) }
                }.value
            }
        )
        #expect(app.exportedTree(trace)?.names == "DeskContext.act0(StockClient.step1)")
    }

    @Test("An observation outlives the operation that began it, and has no context of its own")
    func observation() async throws {
        let app = try await TracedApp.started()
        var rendered = 0
        let host = PresentationHost(DeskView.self, app.orchestrator) { rendered = $0 }
        try await app.tracer.withSpan("request") { _ in try await host.mount() }
        let context = try #require(host.context)
        await context.send(
            DeskAction(caseIndex: 0) { try await $0.stock.process(StockClient.Action(caseIndex: 7)) }
        )
        while rendered != 1 { await Task.yield() }
        #expect(!context.observedIn.isEmpty && context.observedIn.allSatisfy { $0 == nil })
        await host.unmount()
        let phases = app.tracer.finishedSpans.filter { $0.text("axiom.kind") == "lifecycle_phase" }
        #expect(Set(phases.compactMap { $0.text("axiom.action") }).isSuperset(of: ["create", "appear", "disappear"]))
        let request = try #require(app.exported("request").first)
        #expect(app.exported("DeskContext.appear").first?.parentSpanID == request.spanID)
        #expect(app.exported("DeskContext.render").allSatisfy { $0.parentSpanID == nil })
        #expect(app.tracer.activeSpans.isEmpty)
    }
}
#endif
