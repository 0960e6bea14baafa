// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomSampleApp
import Dispatch
import Testing

@Suite("Parents of spans", .timeLimit(.minutes(10)))
@MainActor
struct SpanParentTests {
    private func leaf(_ index: Int) -> LeafClient.Action { LeafClient.Action(caseIndex: index) }

    @Test("A client action is a child of the context action, and the trace has exactly the two")
    func clientAction() async throws {
        let app = try await FlightApp.started()
        let trace = try #require(try await app.trace { try await $0.leaf.process(LeafClient.Action(caseIndex: 3)) })
        #expect(trace.spans.map(\.kind) == [.contextAction, .clientAction])
        let (root, child) = (try #require(trace.root), try #require(trace.only(.clientAction)))
        #expect(child.parent == root.id)
        #expect(root.component == ComponentDescriptor(kind: .context, name: "FlightContext"))
        #expect(child.component == ComponentDescriptor(kind: .client, name: "LeafClient"))
        #expect((root.name, child.name) == ("run", "leaf3"))
        #expect(child.instance > 0 && root.instance > 0 && child.instance != root.instance)
        #expect(child.start >= root.start && child.end <= root.end)
        #expect(trace.id.description.count == 32)
        #expect(TraceID(trace.id.description) == trace.id)
    }

    @Test("A capability call is a child of the client that makes it, and what the capability causes is its child")
    func capabilityCall() async throws {
        let app = try await FlightApp.started()
        let trace = try #require(
            try await app.trace { context in
                let leaf = context.leaf
                try await context.binding.process(.call { try await leaf.process(LeafClient.Action(caseIndex: 1)) })
            }
        )
        #expect(trace.ancestry(trace.only(.clientAction, "leaf1")) == ["leaf1", "process", "call", "run"])
        #expect(trace.only(.capabilityCall)?.component?.name == "FlightCapability")
    }

    @Test("Parents are exact across suspensions, actors, async let, both task groups and unstructured tasks")
    func concurrency() async throws {
        let app = try await FlightApp.started()
        let telemetry = app.telemetry
        let trace = try #require(
            try await app.trace { context in
                let (binding, leaf) = (context.binding, context.leaf)
                @Sendable func call(_ index: Int) async throws {
                    await Task.yield()
                    try await leaf.process(
                        LeafClient.Action(caseIndex: index) { try await Task.sleep(for: .microseconds(10)) }
                    )
                }
                try await binding.process(
                    .run {
                        async let first: Void = call(0)
                        async let second: Void = telemetry.span("second") { try await call(1) }
                        try await telemetry.span("group") {
                            try await withThrowingTaskGroup(of: Void.self) { group in
                                for _ in 0..<5 { group.addTask { try await call(2) } }
                                try await group.waitForAll()
                            }
                        }
                        try await telemetry.span("discarding") {
                            try await withThrowingDiscardingTaskGroup { group in
                                for _ in 0..<5 { group.addTask { try await call(3) } }
                            }
                        }
                        _ = try await (first, second)
                        try await telemetry.span("task") { try await Task { try await call(4) }.value }
                        await telemetry.span("continuation") {
                            await withCheckedContinuation { continuation in
                                DispatchQueue.global().async { continuation.resume() }
                            }
                            try? await call(5)
                        }
                    }
                )
                try await call(6)
            }
        )
        let expected = [
            0: ["run", "run"], 1: ["second", "run", "run"], 2: ["group", "run", "run"],
            3: ["discarding", "run", "run"],
            4: ["task", "run", "run"], 5: ["continuation", "run", "run"], 6: ["run"],
        ]
        for (index, above) in expected {
            let spans = trace.all(.clientAction, "leaf\(index)")
            #expect(spans.count == (index == 2 || index == 3 ? 5 : 1), "leaf\(index)")
            for span in spans { #expect(trace.ancestry(span) == ["leaf\(index)"] + above) }
        }
    }

    @Test("An action that another context's action sends is part of its trace, with its client calls below it")
    func nestedAction() async throws {
        let app = try await FlightApp.started()
        let other = try app.context()
        let trace = try #require(
            try await app.trace { context in
                await other.send(FlightAction { try await $0.leaf.process(LeafClient.Action(caseIndex: 2)) })
                try await context.leaf.process(LeafClient.Action(caseIndex: 5))
            }
        )
        #expect(trace.ancestry(trace.only(.clientAction, "leaf2")) == ["leaf2", "run", "run"])
        #expect(trace.ancestry(trace.only(.clientAction, "leaf5")) == ["leaf5", "run"])
    }

    @Test("A detached task begins a trace of its own, unless it carries the span")
    func detached() async throws {
        let app = try await FlightApp.started()
        let trace = try #require(
            try await app.trace { context in
                let (leaf, span) = (context.leaf, CarriedSpan.current)
                try await Task.detached { try await leaf.process(LeafClient.Action(caseIndex: 0)) }.value
                try await Task.detached {
                    try await span.run { try await leaf.process(LeafClient.Action(caseIndex: 1)) }
                }.value
                let callback: @Sendable () -> CarriedSpan = { span.run { CarriedSpan.current } }
                try await Task.detached {
                    try await callback().run { try await leaf.process(LeafClient.Action(caseIndex: 2)) }
                }.value
            }
        )
        #expect(trace.all(.clientAction).map(\.name) == ["leaf1", "leaf2"])
        let lost = try #require(app.telemetry.activity(latest: 10).first { $0.name == "leaf0" })
        #expect(lost.parent == nil && lost.trace != trace.id)
    }

    @Test("A task that outlives its action has the action as parent, and an observation has none")
    func outliving() async throws {
        let app = try await FlightApp.started()
        let (release, released) = AsyncStream.makeStream(of: Void.self)
        var late: Task<Void, any Error>?
        let trace = try #require(
            try await app.trace { context in
                let leaf = context.leaf
                late = Task {
                    for await _ in release { break }
                    try await leaf.process(LeafClient.Action(caseIndex: 7))
                }
            }
        )
        #expect(trace.spans.count == 1)
        released.finish()
        try await late?.value
        let whole = try #require(app.telemetry.trace(trace.id))
        #expect(whole.ancestry(whole.only(.clientAction, "leaf7")) == ["leaf7", "run"])
    }

    @Test("Named work runs on the caller's actor, returns what it returns and throws what it throws")
    func namedWork() async throws {
        struct Typed: Error {}
        let telemetry = try Telemetry()
        let sum = telemetry.span("sum") { 1 + 1 }
        #expect(sum == 2)
        let text = await telemetry.span("text") {
            MainActor.assertIsolated()
            await Task.yield()
            MainActor.assertIsolated()
            return "done"
        }
        #expect(text == "done")
        await #expect(throws: Typed.self) {
            try await telemetry.span("typed") { () async throws(Typed) -> Void in throw Typed() }
        }
        let spans = telemetry.activity(latest: 3)
        #expect(spans.map(\.name) == ["typed", "text", "sum"])
        #expect(spans.map(\.outcome) == [.failure, .success, .success])
        #expect(spans[0].error?.type == "Typed")
        #expect(spans.allSatisfy { $0.kind == .custom && $0.parent == nil && $0.component == nil })
    }

    @Test("A span of another telemetry is no parent")
    func otherTelemetry() async throws {
        let (app, other) = (try await FlightApp.started(), try Telemetry())
        let trace = try #require(
            try await app.trace { context in
                try await other.span("foreign") { try await context.leaf.process(LeafClient.Action(caseIndex: 0)) }
            }
        )
        #expect(trace.spans.count == 1)
        #expect(other.activity(latest: 1).first?.parent == nil)
    }
}
#endif
