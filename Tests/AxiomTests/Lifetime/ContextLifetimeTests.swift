// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Observation
import Testing

@testable import Axiom

/// Owns a plain context, and then fails if its input says so.
@Observable
private final class Doubtful: Context {
    typealias Input = Bool

    @ObservationIgnored let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope, fails: Bool) throws {
        identity = scope.identity
        _ = try scope.context(PlainContext.self)
        if fails { throw SampleError("too late") }
    }
}

@MainActor
@Suite("The lives of contexts", .timeLimit(.minutes(10)))
struct ContextLifetimeTests {
    private let instrumentation = RecordingInstrumentation()

    private func doubtful() async throws -> Orchestrator {
        let orchestrator = Orchestrator(instrumentation: instrumentation, limits: .endless)
        orchestrator.register(PlainContext.self) { PlainContext($0) }
        orchestrator.register(Doubtful.self) { try Doubtful($0, fails: $1) }
        try await orchestrator.start()
        return orchestrator
    }

    @Test("A phase that the user tries again runs again, and its error is settled like the first time (CTX-09)")
    func phaseTriedAgain() async throws {
        let journal = Journal<String>()
        var script = ScriptContext.Script()
        script.onAppear = { _ in
            journal.write("appear")
            if journal.entries.count < 3 { throw NetworkError.noConnection(to: "shop.example") }
        }
        let orchestrator = Orchestrator.scripted(script)
        try await orchestrator.start()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        try await host.mount()
        let boundary = try #require(host.context?.errorBoundary)
        for expected in [ActionOutcome.failure, .success] {
            let retry = try #require(boundary.current?.options.first)
            #expect(await boundary.choose(retry) == expected)
        }
        #expect(journal.entries.count == 3 && boundary.current == nil && boundary.count == 2)
        await host.unmount()
        await orchestrator.shutdown()
    }

    @Test("A hundred presentations mounted at the same time have a hundred contexts (rules 4 and 10)")
    func onePerPresentation() async throws {
        let orchestrator = Orchestrator.scripted(instrumentation: instrumentation)
        try await orchestrator.start()
        var hosts: [PresentationHost<ScriptPresentation>] = []
        for _ in 0..<100 {
            let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
            try await host.mount()
            hosts.append(host)
        }
        #expect(Set(hosts.compactMap { $0.context.map(ObjectIdentifier.init) }).count == 100)
        #expect(Set(hosts.compactMap { $0.context?.identity.id }).count == 100)
        for host in hosts { await host.unmount() }
        #expect(hosts.allSatisfy { $0.context == nil })
    }

    @Test("After 10,000 mounts and unmounts no context and no presentation is alive")
    func nothingIsLeft() async throws {
        let orchestrator = Orchestrator.scripted(instrumentation: instrumentation)
        try await orchestrator.start()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        for round in 0..<10_000 {
            try await host.mount()
            weak let context = host.context
            context?.value += 1
            await host.unmount()
            #expect(context == nil, "round \(round)")
        }
        #if Instrumented
        for name in ["ScriptContext", "ScriptPresentation"] {
            #expect(instrumentation.createdCount(name) == 10_000)
            #expect(instrumentation.live(name).isEmpty)
        }
        #endif
    }

    #if Instrumented
    @Test("At every moment created equals destroyed plus alive", arguments: 0..<5)
    func conservation(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let orchestrator = try await doubtful()
        var held: [any Context] = []
        for _ in 0..<200 {
            if !held.isEmpty, Bool.random(using: &random) {
                held.remove(at: Int.random(in: held.indices, using: &random))
            } else if let context = try? orchestrator.makeContext(Doubtful.self, .random(using: &random)) {
                held.append(context)
            }
            #expect(instrumentation.live("Doubtful") == Set(held.map(\.identity.id)))
            #expect(instrumentation.live("PlainContext").count == held.count)
        }
    }

    @Test("A factory that throws creates nothing, and what it had resolved ends")
    func throwingFactory() async throws {
        let orchestrator = try await doubtful()
        #expect(throws: SampleError("too late")) { try orchestrator.makeContext(Doubtful.self, true) }
        #expect(instrumentation.createdCount("Doubtful") == 0)
        #expect(instrumentation.createdCount("PlainContext") == 1)
        #expect(instrumentation.live("PlainContext").isEmpty)
    }

    @Test("An instance is destroyed once, when its last reference goes, with the time that it lived")
    func exactDestruction() async throws {
        let time = ManualTime()
        let orchestrator = Orchestrator(instrumentation: instrumentation, clock: .manual(time))
        orchestrator.register(PlainContext.self) { PlainContext($0) }
        try await orchestrator.start()
        var context: PlainContext? = try orchestrator.makeContext(PlainContext.self)
        let id = try #require(context?.identity.id)
        time.advance(by: .milliseconds(7))
        let other = context
        context = nil
        #expect(instrumentation.live("PlainContext") == [id])
        withExtendedLifetime(other) {}
        _ = consume other
        let ends = instrumentation.events.filter {
            if case .destroyed("PlainContext", _, _) = $0 { true } else { false }
        }
        #expect(ends == [.destroyed("PlainContext", id, lifetime: 7_000_000)])
    }

    @Test("A foreign identity announces nothing")
    func foreignIdentity() async throws {
        let orchestrator = Orchestrator(instrumentation: instrumentation, limits: .endless)
        let kept = Box<PlainContext>()
        orchestrator.register(PlainContext.self) { scope in
            if let before = kept.value { return before }
            let made = PlainContext(scope)
            kept.put(made)
            return made
        }
        try await orchestrator.start()
        _ = try orchestrator.makeContext(PlainContext.self)
        #expect(throws: CompositionError.self) { try orchestrator.makeContext(PlainContext.self) }
        #expect(instrumentation.createdCount("PlainContext") == 1)
    }
    #endif
}
