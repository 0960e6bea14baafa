// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@testable import Axiom

/// Keeps the reported events of one component's calls.
private final class CallJournal: CapabilityProbe {
    let journal = Journal<String>()

    func number(of name: StaticString) -> Int { name.utf8CodeUnitCount }
    func began(_ number: Int) { journal.write("began \(number)") }
    func ended(_ number: Int, outcome: ActionOutcome, nanoseconds: Int64) {
        journal.write("\(outcome) \(number) \(nanoseconds)")
    }
    func retried() { journal.write("retried") }
    func recovered(by remedy: CapabilityRemedy) { journal.write("recovered by \(remedy)") }
    func answered(_ kind: CapabilityAnswerKind) { journal.write("answered \(kind)") }
}

/// Observes calls of capabilities, and no spans.
private struct CallObserver: Instrumentation, FrameworkObserver {
    let calls = CallJournal()
    let asked = Journal<String>()

    var frameworkObservers: FrameworkObservers { FrameworkObservers(self) }

    func capabilityProbe(
        for capability: ComponentDescriptor,
        calledBy caller: ComponentDescriptor
    ) -> (any CapabilityProbe)? {
        asked.write("\(caller.name) \(capability.name)")
        return calls
    }
}

private actor Lamp: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    static func recovery(for error: any Error) -> CapabilityRecovery { .retry(attempts: 2, backoff: .none) }
}

@MainActor
@Suite("The reports of calls of capabilities", .timeLimit(.minutes(10)))
struct CapabilityProbeTests {
    private let time = ManualTime()

    /// A reference of a client that an orchestrator with this observer started.
    private func reference(_ observer: some Instrumentation) async throws -> CapabilityRef<Lamp> {
        let box = Box<CapabilityRef<Lamp>>()
        let orchestrator = Orchestrator(instrumentation: observer, clock: .manual(time))
        orchestrator.register(Lamp.self) { Lamp($0) }
        orchestrator.register(Keeper<Lamp>.self) { try Keeper($0, Lamp.self) { box.put($0) } }
        try await orchestrator.start()
        return try box.value.orThrow()
    }

    #if Instrumented
    @Test("A call begins and ends once with the number of its name, however often its body runs")
    func events() async throws {
        let observer = CallObserver()
        let ref = try await reference(observer)
        #expect(observer.asked.entries.count == 1 && observer.asked.entries.allSatisfy { $0.hasSuffix(" Lamp") })
        try await ref.call("on") { _ in time.advance(by: .nanoseconds(70)) }
        await #expect(throws: SampleError("dark")) { try await ref.call("off") { _ in throw SampleError("dark") } }
        #expect(
            observer.calls.journal.entries == [
                "began 2", "success 2 70", "began 3", "retried", "recovered by propagate", "failure 3 0",
            ]
        )
    }

    @Test("The first of several observers that records calls gets the reports")
    func several() async throws {
        let (first, second) = (CallObserver(), CallObserver())
        let ref = try await reference(Instrumentations(Instrumentations(), first, second))
        try await ref.call("on") { _ in }
        #expect(first.calls.journal.entries == ["began 2", "success 2 0"])
        #expect(second.asked.entries.isEmpty)
    }
    #else
    @Test("Without the trait nothing is recorded")
    func off() async throws {
        let observer = CallObserver()
        let ref = try await reference(observer)
        try await ref.call("on") { _ in }
        #expect(observer.asked.entries.isEmpty && observer.calls.journal.entries.isEmpty)
    }
    #endif

    @Test("Without an observer a call works, also with a closure in parentheses and with a name")
    func unobserved() async throws {
        let ref = try await reference(Instrumentations())
        #expect(ref.probe == nil)
        #expect(try await ref.call({ _ in 1 }) == 1)
        #expect(try await ref.call("two") { _ in 2 } == 2)
    }
}
