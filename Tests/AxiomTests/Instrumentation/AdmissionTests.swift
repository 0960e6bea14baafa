// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@testable import Axiom

/// Records the calls that breakers admitted or refused.
private final class GuardedProbe: ClientProbe {
    let breakers: [CircuitBreaker]
    let journal = Journal<String>()

    init(_ breakers: [CircuitBreaker]) {
        self.breakers = breakers
    }

    func began(caseIndex: Int) { journal.write("began \(caseIndex)") }
    func ended(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
        journal.write("ended \(caseIndex) \(outcome)")
    }
    func refused(caseIndex: Int) { journal.write("refused \(caseIndex)") }
}

/// Hands out one probe for every client, and puts its breakers before it.
private struct Guard: Instrumentation {
    let probe: GuardedProbe

    func clientProbe<C: StatelessClient>(
        for client: ComponentDescriptor,
        of type: C.Type,
        calledBy caller: ComponentDescriptor?
    ) -> (any ClientProbe)? { probe }

    func clientBreakers<C: StatelessClient>(for client: ComponentDescriptor, of type: C.Type) -> [CircuitBreaker] {
        probe.breakers
    }
}

/// Puts breakers before contexts.
private struct ContextGuard: Instrumentation, ContextProbe {
    let breakers: [CircuitBreaker]
    let journal = Journal<String>()

    func contextProbe<C: Context>(for context: ComponentDescriptor, of type: C.Type) -> (any ContextProbe)? { self }
    func contextBreakers<C: Context>(for context: ComponentDescriptor, of type: C.Type) -> [CircuitBreaker] { breakers }
    func actionEnded(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) { journal.write("\(outcome)") }
    func phaseEnded(_ phase: LifecyclePhase, nanoseconds: Int64) {}
}

@Suite("Admission by circuit breakers", .timeLimit(.minutes(10)))
struct AdmissionTests {
    private let time = ManualTime()
    private let component = ComponentDescriptor(kind: .client, name: "Tally")

    private func breaker(
        _ name: String,
        _ configuration: CircuitBreakerConfiguration = CircuitBreakerConfiguration(consecutiveFailures: 1)
    ) throws -> CircuitBreaker {
        try CircuitBreaker(name: name, configuration, clock: .manual(time))
    }

    private func observed(
        _ client: TallyDouble,
        _ breakers: CircuitBreaker...
    ) throws -> (
        any Client<TallyState, TallyAction>, [GuardedProbe]
    ) {
        let probes = breakers.map { GuardedProbe([$0]) }
        let all: any Instrumentation
        switch probes.count {
        case 1: all = Guard(probe: probes[0])
        case 2: all = Instrumentations(Guard(probe: probes[0]), Guard(probe: probes[1]))
        default:
            let inner = Instrumentations(Guard(probe: probes[1]), Guard(probe: probes[2]))
            all = Instrumentations(Guard(probe: probes[0]), inner)
        }
        let probe = all.clientProbe(for: component, of: TallyDouble.self, calledBy: nil)
        let breakers = all.clientBreakers(for: component, of: TallyDouble.self)
        return (
            ObservedClient(client, component, probe: probe, clock: .manual(time), breakers: breakers), probes
        )
    }

    @Test("An action that every observer's breaker admits runs once, and every breaker learns how it ended")
    func admitted() async throws {
        let (one, two, three) = (try breaker("one"), try breaker("two"), try breaker("three"))
        let double = TallyDouble(value: 0)
        let (client, probes) = try observed(double, one, two, three)
        try await client.process(.add(1))
        #expect(double.journal.entries == ["add(1)"])
        for breaker in [one, two, three] {
            #expect(breaker.counts().success == 1)
            #expect(breaker.counts().offered == 1)
        }
        for probe in probes { #expect(probe.journal.entries == ["began 0", "ended 0 success"]) }
    }

    @Test(
        "An action that one observer's breaker refuses does not run, and all observers see it as refused",
        arguments: 0..<3
    )
    func refused(refusing: Int) async throws {
        let breakers = [try breaker("one"), try breaker("two"), try breaker("three")]
        breakers[refusing].forceOpen()
        let double = TallyDouble(value: 0)
        let (client, probes) = try observed(double, breakers[0], breakers[1], breakers[2])
        let error = await #expect(throws: CircuitError.self) { try await client.process(.fail("x")) }
        #expect(error?.breaker == breakers[refusing].name)
        #expect(double.journal.entries.isEmpty)
        for probe in probes { #expect(probe.journal.entries == ["refused 1"]) }
        for (index, breaker) in breakers.enumerated() {
            let counts = breaker.counts()
            #expect(counts.success + counts.failure + counts.inFlight == 0)
            #expect(counts.rejected == (index == refusing ? 1 : 0))
            // Offered and given back before the refusal; not offered after it.
            #expect(counts.cancelled == (index < refusing ? 1 : 0))
        }
    }

    @Test("A half-open breaker whose permit another breaker's refusal gave back still has its probe")
    func probeGivenBack() async throws {
        let (probing, closing) = (try breaker("probing"), try breaker("closing"))
        try probing.open(for: .seconds(1))
        time.advance(by: .seconds(2))
        #expect(probing.state == .halfOpen)
        closing.forceOpen()
        let (client, _) = try observed(TallyDouble(value: 0), probing, closing)
        for _ in 0..<5 { await #expect(throws: CircuitError.self) { try await client.process(.add(1)) } }
        #expect(probing.state == .halfOpen)
        closing.reset()
        try await client.process(.add(1))
        #expect(probing.state == .closed)
    }

    @Test("Each breaker judges an error by its own configuration")
    func judged() async throws {
        var tolerant = CircuitBreakerConfiguration(consecutiveFailures: 1)
        tolerant.classify = { _ in .ignored }
        let (strict, lenient) = (try breaker("strict"), try breaker("lenient", tolerant))
        let probe = GuardedProbe([strict, lenient])
        let client = ObservedClient(
            Refuser(),
            component,
            probe: probe,
            clock: .manual(time),
            breakers: probe.breakers
        )
        await #expect(throws: SampleError("x")) { try await client.process(.fail("x")) }
        #expect(strict.state == .open)
        #expect(lenient.state == .closed)
        #expect(lenient.counts().ignored == 1)
        #expect(probe.journal.entries == ["began 1", "ended 1 failure"])
    }

    @Test("A breaker that several observers share decides once for each action")
    func shared() async throws {
        let breaker = try breaker("shared")
        let (client, _) = try observed(TallyDouble(value: 0), breaker, breaker, breaker)
        try await client.process(.add(1))
        #expect(breaker.counts().offered == 1)
        #expect(breaker.counts().success == 1)
    }

    @Test("Breakers of clients and contexts protect with the trait Instrumented on and off")
    @MainActor
    func protection() async throws {
        let (client, context) = (try breaker("client"), try breaker("context"))
        let probe = GuardedProbe([client])
        let all = Instrumentations(Guard(probe: probe), ContextGuard(breakers: [context]))
        let calls = Journal<String>()
        let app = try await WorkApplication(instrumentation: all) { action in
            calls.write("\(action.number)")
            if action.number == 0 { throw SampleError("down") }
        }
        await #expect(throws: SampleError.self) { try await app.client.process(.free(0)) }
        await #expect(throws: CircuitError.self) { try await app.client.process(.free(1)) }
        await #expect(throws: CircuitError.self) { try await app.client.process(.serial(2)) }
        #expect(calls.entries == ["0"] && client.state == .open && app.scheduled == 0)
        #expect(client.counts().rejected == 2)
        let orchestrator = Orchestrator.scripted(instrumentation: all, clock: .manual(time))
        try await orchestrator.start()
        let screen = try orchestrator.makeContext(ScriptContext.self)
        await screen.send(ScriptAction { $0.value += 1 })
        context.forceOpen()
        await screen.send(ScriptAction { $0.value += 1 })
        #expect(screen.value == 1 && context.counts().rejected == 1)
        #expect(screen.errorBoundary.current?.error is CircuitError)
        await orchestrator.shutdown()
        await app.orchestrator.shutdown()
    }

    #if Instrumented
    @Test(
        "A context's action passes the breakers of all observers, or is rejected and counted as cancelled by the others"
    )
    @MainActor
    func contexts() async throws {
        let (one, two) = (try breaker("one"), try breaker("two"))
        let (first, second) = (ContextGuard(breakers: [one]), ContextGuard(breakers: [two]))
        let orchestrator = Orchestrator.scripted(
            instrumentation: Instrumentations(first, second),
            clock: .manual(time)
        )
        try await orchestrator.start()
        let context = try orchestrator.makeContext(ScriptContext.self)
        await context.send(ScriptAction { $0.value += 1 })
        two.forceOpen()
        await context.send(ScriptAction { $0.value += 1 })
        #expect(context.value == 1)
        #expect(first.journal.entries == ["success", "rejected"])
        #expect(second.journal.entries == ["success", "rejected"])
        #expect(one.counts().success == 1 && one.counts().cancelled == 1 && one.counts().inFlight == 0)
        #expect(two.counts().success == 1 && two.counts().rejected == 1)
        #expect(context.errorBoundary.count == 1)
        await orchestrator.shutdown()
    }
    #endif
}

/// Throws what it is asked to.
private actor Refuser: StatelessClient {
    func process(_ action: TallyAction) async throws {
        if case .fail(let name) = action { throw SampleError(name) }
    }
}
