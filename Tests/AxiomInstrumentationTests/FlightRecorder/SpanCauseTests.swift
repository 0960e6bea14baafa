// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomResilience
import AxiomSampleApp
import Testing

/// Spans of operations that fail, are refused or are cancelled, and of calls that cross components.
@Suite("Causes and ends of spans", .timeLimit(.minutes(10)))
@MainActor
struct SpanCauseTests {
    @Test("A phase of the life cycle that fails shows its error, and its client calls are below it")
    func lifecycle() async throws {
        let app = try await FlightApp.started { context in
            try await context.leaf.process(LeafClient.Action(caseIndex: 2))
            throw PaperJam()
        }
        let host = PresentationHost(FlightView.self, app.orchestrator) { _ in }
        try await host.mount()
        let spans = app.telemetry.activity(latest: 100)
        let appear = try #require(spans.first { $0.kind == .lifecyclePhase && $0.name == "appear" })
        #expect(appear.outcome == .failure && appear.error?.type == "PaperJam")
        let trace = try #require(app.telemetry.trace(appear.trace))
        #expect(trace.keptFor == .failed)
        #expect(trace.ancestry(trace.only(.clientAction, "leaf2")) == ["leaf2", "appear"])
        await host.unmount()
    }

    @Test("An error that an action could not throw is the error of its span")
    func fault() async throws {
        let app = try await FlightApp.started()
        let trace = try #require(try await app.trace { try await $0.counter.process(.nest) })
        #expect(trace.root?.outcome == .failure)
        #expect(trace.root?.error?.code == "AXIOM_STATE_003")
    }

    @Test("An action that is refused because its context has disappeared shows why")
    func refused() async throws {
        let app = try await FlightApp.started()
        let host = PresentationHost(FlightView.self, app.orchestrator) { _ in }
        try await host.mount()
        let context = try #require(host.context)
        await host.unmount()
        await context.send(FlightAction { _ in })
        let span = try #require(app.telemetry.activity(latest: 1, of: [.contextAction]).first)
        #expect(span.outcome == .rejected && span.error?.type == "ContextError")
    }

    @Test("An action that recovered has no error, and an action after it has none either")
    func recovered() async throws {
        let app = try await FlightApp.started()
        let context = try app.context()
        context.choose = { _ in .retry(attempts: 2, backoff: .constant(.zero)) }
        var runs = 0
        let trace = try #require(
            try await app.trace(context) { _ in
                runs += 1
                if runs == 1 { throw Refused() }
            }
        )
        #expect(trace.root?.outcome == .success && trace.root?.error == nil)
        #expect(try await app.trace(context) { _ in }?.root?.error == nil)
    }

    @Test("A cancelled call is a cancelled span, and does not make its trace a failed one")
    func cancelled() async throws {
        let app = try await FlightApp.started()
        let trace = try #require(
            try await app.trace { context in
                let (leaf, binding) = (context.leaf, context.binding)
                let task = Task {
                    try await binding.process(
                        .call {
                            try await leaf.process(
                                LeafClient.Action(caseIndex: 0) { try await Task.sleep(for: .seconds(600)) }
                            )
                        }
                    )
                }
                await Task.yield()
                task.cancel()
                _ = await task.result
            }
        )
        let spans = trace.all(.clientAction) + trace.all(.capabilityCall)
        #expect(spans.count == 3 && spans.allSatisfy { $0.outcome == .cancelled })
        #expect(trace.root?.outcome == .success && trace.keptFor != .recovered)
        #expect(trace.ancestry(trace.only(.clientAction, "leaf0")) == ["leaf0", "process", "call", "run"])
    }

    @Test("A capability call that fails shows its error, and so do the actions above it")
    func capability() async throws {
        let app = try await FlightApp.started()
        let trace = try #require(try await app.trace { try await $0.binding.process(.call { throw PaperJam() }) })
        for span in [trace.only(.capabilityCall), trace.only(.clientAction), trace.root] {
            #expect(span?.outcome == .failure && span?.error?.type == "PaperJam")
        }
        #expect(trace.ancestry(trace.only(.capabilityCall)) == ["process", "call", "run"])
    }

    @Test("What a client calls that binds no span has the caller of the client as parent")
    func clientOfClient() async throws {
        let app = try await FlightApp.started()
        let trace = try #require(
            try await app.trace { context in
                let leaf = context.leaf
                try await leaf.process(
                    LeafClient.Action(caseIndex: 1) { try await leaf.process(LeafClient.Action(caseIndex: 2)) }
                )
            }
        )
        #expect(trace.ancestry(trace.only(.clientAction, "leaf1")) == ["leaf1", "run"])
        #expect(trace.ancestry(trace.only(.clientAction, "leaf2")) == ["leaf2", "run"])
    }

    @Test("What a task does with the elements of a stream has the span as parent in which the task began")
    func streams() async throws {
        let app = try await FlightApp.started()
        let telemetry = app.telemetry
        let (stream, elements) = AsyncStream.makeStream(of: Int.self)
        let trace = try #require(
            try await app.trace { context in
                let leaf = context.leaf
                let reader = telemetry.span("reader") {
                    Task { for await index in stream { try await leaf.process(LeafClient.Action(caseIndex: index)) } }
                }
                telemetry.span("writer") { _ = [3, 4].map { elements.yield($0) } }
                elements.finish()
                try await reader.value
            }
        )
        for index in [3, 4] {
            #expect(trace.ancestry(trace.only(.clientAction, "leaf\(index)")) == ["leaf\(index)", "reader", "run"])
        }
    }

    @Test("A state that is applied by an observation begins a trace of its own, whoever published it")
    func observation() async throws {
        let app = try await FlightApp.started()
        var rendered = 0
        let host = PresentationHost(FlightView.self, app.orchestrator) { rendered = $0 }
        try await host.mount()
        let context = try #require(host.context)
        while app.telemetry.activity(latest: 1, of: [.mainActorWait]).isEmpty { await Task.yield() }
        let trace = try #require(try await app.trace(context) { try await $0.counter.process(.add) })
        while rendered != 1 { await Task.yield() }
        let render = try #require(app.telemetry.activity(latest: 1, of: [.render]).first)
        #expect(render.parent == nil && render.trace != trace.id)
        await host.unmount()
    }
}
#endif
