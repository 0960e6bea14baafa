// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@testable import Axiom

/// Accepts no orchestrator.
private struct Refusing: Instrumentation {
    func begin(_ orchestrator: ComponentInstance) throws { throw SampleError("not this one") }
}

/// Observes nothing.
private struct Silent: Instrumentation {}

/// Keeps what a signal records.
private final class NotedSignal: Signal, Instrumentation {
    let journal = Journal<String>()

    func signal(_ family: SignalFamily, _ values: [String]) -> (any Signal)? {
        journal.write("\(family.name) \(values)")
        return self
    }

    func add(_ amount: Int) { journal.write("add \(amount)") }
    func set(_ value: Double) { journal.write("set \(value)") }
    func observe(_ value: Double) { journal.write("observe \(value)") }
    func observe(nanoseconds: Int64) { journal.write("observe \(nanoseconds) ns") }
}

@MainActor
@Suite("Several observers", .timeLimit(.minutes(10)))
struct InstrumentationsTests {
    private let one = RecordingInstrumentation()
    private let two = RecordingInstrumentation()
    private let family = SignalFamily("axiom_test_depth", .gauge, help: "A test.", labels: ["flow"])

    private let client = ComponentDescriptor(kind: .client, name: "Tally")

    @Test("Where no observer has a probe there is none, and that of a single one stands alone")
    func absent() {
        let nothing = Instrumentations(Silent(), Silent())
        #expect(nothing.clientProbe(for: client, of: TallyClient.self, calledBy: nil) == nil)
        #expect(nothing.stateProbe(for: client) == nil)
        #expect(nothing.contextProbe(for: client, of: PlainContext.self) == nil)
        #expect(nothing.operationProbe(for: client) == nil)
        #expect(nothing.signal(family, ["main"]) == nil)
        let signal = NotedSignal()
        #expect(Instrumentations(Silent(), signal).signal(family, ["main"]) as AnyObject === signal)
    }

    @Test("A signal records with every observer")
    func signals() {
        let observers = [NotedSignal(), NotedSignal()]
        let signal = Instrumentations(observers[0], Silent(), observers[1]).signal(family, ["main"])
        signal?.increment()
        signal?.set(2)
        signal?.observe(3)
        signal?.observe(nanoseconds: 4)
        for observer in observers {
            #expect(
                observer.journal.entries == [
                    "axiom_test_depth [\"main\"]", "add 1", "set 2.0", "observe 3.0", "observe 4 ns",
                ]
            )
        }
    }

    @Test("State and operation probes pass every report on to all")
    func statesAndOperations() {
        let probes = [CountingProbe(), CountingProbe()]
        let all = Instrumentations(probes[0], probes[1])
        let state = all.stateProbe(for: client)
        state?.stateUpdated()
        state?.statesCoalesced(3)
        state?.statePropagated(nanoseconds: 5)
        state?.subscriberStalled(dropped: 7)
        state?.storeMade { nil }
        state?.operationEnded(.stateMutation, nanoseconds: 9)
        all.operationProbe(for: client)?.operationEnded(.firstCheck, nanoseconds: 11)
        for probe in probes {
            #expect(
                probe.journal.entries == [
                    "updated", "coalesced 3", "propagated 5", "stalled 7", "store", "stateMutation 9", "firstCheck 11",
                ]
            )
        }
    }

    @Test("If one observer rejects the orchestrator, the observers that accepted it receive the shutdown")
    func refused() throws {
        let instance = ComponentInstance(id: 1, component: client, createdAt: ManualTime().now)
        let (before, after) = (RecordingInstrumentation(), RecordingInstrumentation())
        #expect(throws: SampleError("not this one")) {
            try Instrumentations(before, Refusing(), after).begin(instance)
        }
        #expect(before.events == [.shutDown(at: instance.createdAt.nanoseconds)])
        #expect(after.events.isEmpty)
    }

    #if Instrumented
    @Test("Both observers of an orchestrator see the same events in the same order")
    func sameEvents() async throws {
        let time = ManualTime()
        let orchestrator = Orchestrator.scripted(instrumentation: Instrumentations(one, two), clock: .manual(time))
        try await orchestrator.start()
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        try await host.mount()
        let context = try #require(host.context)
        await context.send(ScriptAction { try await $0.tally.process(.add(1)) })
        await context.send(ScriptAction { try await $0.tally.process(.fail("x")) })
        await host.unmount()
        await orchestrator.shutdown()
        for event: RecordingInstrumentation.Event in [
            .registered("TallyClient"), .stateProbe("TallyClient"), .stateUpdated("TallyClient"),
            .clientProbe("TallyClient", caller: nil), .clientProbe("TallyClient", caller: "ScriptContext"),
            .callEnded("TallyClient", 0, .success, nanoseconds: 0),
            .callEnded("TallyClient", 1, .failure, nanoseconds: 0),
            .actionEnded("ScriptContext", 0, .success, nanoseconds: 0), .shutDown(at: 0),
            .resolved("ScriptContext", "TallyClient"),
            .ended(code: "SampleError", origin: "TallyClient", boundary: "ScriptContext", .nonCritical),
        ] {
            #expect(one.events.contains(event), "\(event)")
        }
        #expect(one.events == two.events)
    }

    @Test("A recovery that ends is reported to both")
    func recoveries() async throws {
        let observers = [EndingObserver(), EndingObserver()]
        let orchestrator = Orchestrator(instrumentation: Instrumentations(observers[0], observers[1]), limits: .endless)
        orchestrator.register(PlainContext.self) { PlainContext($0) }
        var machine = PartMachine()
        machine.onInitialize = { _ in throw SampleError("no disk") }
        machine.register([0], in: orchestrator, optional: [0])
        orchestrator.recover { _ in .retry(attempts: 2, backoff: .none) }
        try await orchestrator.start()
        for observer in observers {
            #expect(observer.recoveries.entries.count == 1)
            #expect(observer.ended.entries.count == 1)
        }
    }
    #endif
}

/// Notes what stores and operations report.
private final class CountingProbe: StateProbe, Instrumentation {
    let journal = Journal<String>()

    func stateProbe(for client: ComponentDescriptor) -> (any StateProbe)? { self }
    func operationProbe(for component: ComponentDescriptor) -> (any OperationProbe)? { self }

    func stateUpdated() { journal.write("updated") }
    func statesCoalesced(_ count: Int) { journal.write("coalesced \(count)") }
    func statePropagated(nanoseconds: Int64) { journal.write("propagated \(nanoseconds)") }
    func subscriberStalled(dropped: Int) { journal.write("stalled \(dropped)") }
    func storeMade(state: @escaping @Sendable () -> (any OwnedState)?) { journal.write("store") }
    func operationEnded(_ operation: ComponentOperation, nanoseconds: Int64) {
        journal.write("\(operation) \(nanoseconds)")
    }
}
