// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomResilience
import AxiomSampleApp
import Testing

@Suite("Kinds of spans", .timeLimit(.minutes(10)))
@MainActor
struct SpanKindTests {
    @Test("A failed action shows its error, the recovery step, and each attempt below it")
    func recovery() async throws {
        let app = try await FlightApp.started()
        let context = try app.context()
        context.choose = { _ in .retry(attempts: 3, backoff: .constant(.zero)) }
        var runs = 0
        let trace = try #require(
            try await app.trace(context) { context in
                runs += 1
                let isLast = runs == 3
                try await context.leaf.process(LeafClient.Action(caseIndex: runs) { if !isLast { throw Refused() } })
            }
        )
        #expect(trace.root?.outcome == .success)
        #expect(trace.keptFor == .recovered)
        let step = try #require(trace.only(.recoveryStep))
        #expect(step.name == "retry" && step.parent == trace.root?.id && step.outcome == .success)
        #expect(trace.all(.retryAttempt).map(\.outcome) == [.failure, .success])
        #expect(trace.all(.retryAttempt).allSatisfy { $0.parent == step.id })
        #expect(trace.ancestry(trace.only(.clientAction, "leaf1")) == ["leaf1", "run"])
        #expect(trace.ancestry(trace.only(.clientAction, "leaf3")) == ["leaf3", "retry_attempt", "retry", "run"])
        #expect(trace.only(.clientAction, "leaf2")?.error?.type == "Refused")
    }

    @Test("An action that fails keeps its trace, with the type of the error")
    func failure() async throws {
        let app = try await FlightApp.started()
        let trace = try #require(try await app.trace { _ in throw PaperJam() })
        #expect(trace.keptFor == .failed)
        #expect(trace.root?.outcome == .failure)
        #expect(trace.root?.error?.type == "PaperJam" && trace.root?.error?.code == "SHOP_PRINTER_001")
        #expect(app.telemetry.readings.knownSpans?.keptRoots.first == trace.root)
    }

    @Test("A circuit breaker that refuses a call leaves a span of its own")
    func refusal() async throws {
        // On a slow machine the breaker would admit a trial after some time.
        let app = try await FlightApp.started(
            breakers: [.client(LeafClient.self, CircuitBreakerConfiguration(consecutiveFailures: 1))],
            clock: .manual(ManualTime())
        )
        let context = try app.context()
        _ = try await app.trace(context) {
            try await $0.leaf.process(LeafClient.Action(caseIndex: 0) { throw Refused() })
        }
        let trace = try #require(
            try await app.trace(context) { try await $0.leaf.process(LeafClient.Action(caseIndex: 1)) }
        )
        let refusal = try #require(trace.only(.breakerRefusal))
        #expect(refusal.outcome == .rejected && refusal.name == "leaf1" && refusal.parent == trace.root?.id)
        #expect(trace.all(.clientAction).isEmpty)
    }

    @Test("A wait of 1 ms and more is a span of the task that waited, a shorter one and one outside of actions is none")
    func waits() async throws {
        let app = try await FlightApp.started()
        let family = SignalFamily("axiom_pool_wait_seconds", .seconds, help: "Waits.", labels: ["pool"]).waits
        let signal = try #require(app.orchestrator.signal(family, ["orders"]))
        signal.observe(nanoseconds: 7_000_000)
        let trace = try #require(
            try await app.trace { _ in
                signal.observe(nanoseconds: 999_999)
                signal.observe(nanoseconds: 5_000_000)
            }
        )
        let wait = try #require(trace.only(.wait, "pool orders"))
        #expect(wait.nanoseconds == 5_000_000 && wait.parent == trace.root?.id && wait.kind.name == "wait")
        #expect(app.telemetry.registry.collect().value(family.name, ["pool": "orders"]) == 3)
    }

    @Test("Life cycle, rendering, published states and waits for the main actor are recorded")
    func surroundings() async throws {
        let app = try await FlightApp.started()
        var rendered = 0
        let host = PresentationHost(FlightView.self, app.orchestrator) { rendered = $0 }
        try await host.mount()
        let context = try #require(host.context)
        // The observation subscribes when it begins.
        while app.telemetry.activity(latest: 1, of: [.mainActorWait]).isEmpty { await Task.yield() }
        let trace = try #require(try await app.trace(context) { try await $0.counter.process(.add) })
        while rendered != 1 { await Task.yield() }
        let published = try #require(trace.only(.statePublished))
        #expect(published.parent == trace.root?.id && published.component?.name == "CountClient")
        await host.unmount()
        let phases = app.telemetry.activity(latest: 100, of: [.lifecyclePhase]).map(\.name)
        #expect(phases.contains("create") && phases.contains("appear") && phases.contains("disappear"))
        #expect(app.telemetry.activity(latest: 100, of: [.render]).count >= 1)
        #expect(app.telemetry.activity(latest: 100, of: [.mainActorWait]).count >= 1)
    }

    @Test("A trace over its budget is kept, and so is one that the application wants")
    func reasons() async throws {
        let time = ManualTime()
        let app = try await FlightApp.started(clock: .manual(time))
        let context = try app.context()
        // The first three of a minute are the slowest so far.
        for _ in 0..<3 { _ = try await app.trace(context) { _ in time.advance(by: .microseconds(10)) } }
        let usual = try #require(try await app.trace(context) { _ in })
        let slow = try #require(try await app.trace(context) { _ in time.advance(by: .milliseconds(1)) })
        let over = try #require(try await app.trace(context) { _ in time.advance(by: .seconds(2)) })
        let telemetry = app.telemetry
        let wanted = try #require(try await app.trace(context) { _ in telemetry.keepCurrentTrace() })
        #expect([usual, slow, over, wanted].map(\.keptFor) == [nil, .slowest, .overBudget, .requested])
    }

    @Test("The durations of spans are those of the histograms")
    func agreement() async throws {
        let time = ManualTime()
        let app = try await FlightApp.started(clock: .manual(time))
        let trace = try #require(
            try await app.trace {
                try await $0.leaf.process(LeafClient.Action(caseIndex: 0) { time.advance(by: .milliseconds(3)) })
                time.advance(by: .milliseconds(4))
            }
        )
        #expect(trace.root?.nanoseconds == 7_000_000)
        #expect(trace.only(.clientAction)?.nanoseconds == 3_000_000)
    }

    @Test(
        "A recorder whose memory is out of range is refused, and the message names it",
        arguments: [Int.min, -1, 1, 1 << 19 - 1, 1 << 28 + 1, Int.max]
    )
    func memoryRange(_ bytes: Int) throws {
        let error = try #require(throws: TelemetryError.self) {
            try Telemetry(flightRecorder: FlightRecorderOptions(memory: bytes))
        }
        #expect(error.code == .invalidSpanMemory)
        #expect(error.message.contains("\(bytes) bytes") && error.recoverySuggestion.contains("512 KiB"))
    }

    @Test("Memory at the ends of the range is accepted", arguments: [1 << 19, 1 << 28])
    func memoryEnds(_ bytes: Int) throws {
        _ = try Telemetry(flightRecorder: FlightRecorderOptions(memory: bytes))
    }

    @Test("A recorder without memory records nothing and changes nothing")
    func off() async throws {
        let app = try await FlightApp.started(memory: 0)
        let context = try app.context()
        await context.send(FlightAction { try await $0.leaf.process(LeafClient.Action(caseIndex: 0)) })
        #expect(app.telemetry.span("parse") { 3 } == 3)
        #expect(app.telemetry.activity(latest: 10).isEmpty)
        #expect(app.telemetry.spanCounts == nil)
        #expect(app.telemetry.registry.collect().family("axiom_trace_spans_dropped_total") == nil)
    }
}
#endif
