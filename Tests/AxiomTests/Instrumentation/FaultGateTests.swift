// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import Axiom

/// Counts its actions.
private actor Echo: StatelessClient {
    enum Call: Action { case call }

    private(set) var calls = 0

    func process(_ action: Call) { calls += 1 }
}

/// An observer with one gate for all components.
private struct GateObserver: Instrumentation, FrameworkObserver {
    let gate = FaultGate()
    let outcomes = Outcomes()

    var frameworkObservers: FrameworkObservers { FrameworkObservers(self) }

    func faultGate(for component: ComponentDescriptor) -> FaultGate? { gate }
    func clientProbe<C: StatelessClient>(
        for client: ComponentDescriptor,
        of type: C.Type,
        calledBy caller: ComponentDescriptor?
    ) -> (any ClientProbe)? { outcomes }
}

private actor Tape: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) {
        identity = scope.identity
    }
}

/// A value that several closures share.
private final class Shared<Value: Sendable>: Sendable {
    private let storage: Lock<Value>

    init(_ value: Value) { storage = Lock(value) }

    var value: Value { storage.withLock { $0 } }

    func update(_ body: @Sendable (inout Value) -> Void) { storage.withLock { body(&$0) } }
}

/// Holds a reference to the capability.
private actor Player: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    nonisolated let tape: CapabilityRef<Tape>

    init(_ scope: borrowing ClientScope, _ found: Shared<CapabilityRef<Tape>?>) throws {
        identity = scope.identity
        let tape = try scope.capability(Tape.self)
        self.tape = tape
        found.update { $0 = tape }
    }

    func process(_ action: Echo.Call) {}
}

/// Counts outcomes.
private final class Outcomes: ClientProbe {
    let counts = Lock<[ActionOutcome: UInt64]>([:])

    func began(caseIndex: Int) {}
    func ended(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
        counts.withLock { $0[outcome, default: 0] += 1 }
    }
    func refused(caseIndex: Int) {}
}

@Suite("The gate that injects faults", .timeLimit(.minutes(10)))
struct FaultGateTests {
    private let time = ManualTime()
    private let component = ComponentDescriptor(kind: .client, name: "Echo")

    private var clock: TimeSource { .manual(time) }

    private func deadline(_ seconds: Int) -> Instant { clock.now.advanced(by: .seconds(seconds)) }

    @Test("A gate is not set until there is a fault, and not after the fault has ended")
    func isSet() {
        let gate = FaultGate()
        #expect(!gate.isSet)
        for (fault, kind) in [
            (FaultGate.Fault.latency(.seconds(1)), FaultGate.Kind.latency), (.errors(ratio: 1), .errors),
            (.absence, .absence),
        ] {
            gate.inject(fault, until: deadline(60))
            #expect(gate.isSet)
            gate.end(kind)
            #expect(!gate.isSet)
        }
        #expect(!FaultGate.none.isSet)
    }

    @Test("An injected error fails the call with its code, and the call does not run")
    func error() async throws {
        let (echo, gate, outcomes) = (Echo(), FaultGate(), Outcomes())
        let client = ObservedClient(echo, component, probe: outcomes, clock: clock, faults: gate)
        try await client.process(.call)
        gate.inject(.errors(ratio: 1), until: deadline(60))
        let error = await #expect(throws: InjectedFault.self) { try await client.process(.call) }
        #expect(error?.code.rawValue == "AXIOM_TELEMETRY_014")
        #expect(error?.message.contains("Echo") == true)
        #expect(await echo.calls == 1)
        #expect(outcomes.counts.withLock { $0 } == [.success: 1, .failure: 1])
        #expect(gate.counts.delayed == 0 && gate.counts.failed == 1)
    }

    @Test("A ratio of 0 fails no call, and every call is a success or an injected failure", arguments: [0, 0.3, 1])
    func ratio(_ ratio: Double) async throws {
        let (echo, gate, outcomes) = (Echo(), FaultGate(seed: 4_711), Outcomes())
        let client = ObservedClient(echo, component, probe: outcomes, clock: clock, faults: gate)
        gate.inject(.errors(ratio: ratio), until: deadline(60))
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<250 { try? await client.process(.call) } }
            }
        }
        let counts = outcomes.counts.withLock { $0 }
        #expect(counts[.success, default: 0] + counts[.failure, default: 0] == 2_000)
        #expect(counts[.failure, default: 0] == gate.counts.failed)
        #expect(await echo.calls == Int(counts[.success, default: 0]))
        #expect((Double(gate.counts.failed) / 2_000 - ratio).magnitude < 0.06)
    }

    @Test("Latency waits on the given clock, and the call runs after it")
    func latency() async throws {
        let (echo, gate, outcomes) = (Echo(), FaultGate(), Outcomes())
        let client = ObservedClient(echo, component, probe: outcomes, clock: clock, faults: gate)
        gate.inject(.latency(.seconds(2)), until: deadline(60))
        let call = Task { try await client.process(.call) }
        await time.waitForSleepers(1)
        #expect(await echo.calls == 0)
        time.advance(by: .seconds(2))
        try await call.value
        #expect(await echo.calls == 1)
        #expect(gate.counts.delayed == 1)
    }

    @Test("Cancellation ends injected latency at once, and the call counts as cancelled and not as an injected failure")
    func cancellation() async {
        let (echo, gate, outcomes) = (Echo(), FaultGate(), Outcomes())
        let client = ObservedClient(echo, component, probe: outcomes, clock: clock, faults: gate)
        gate.inject(.latency(.seconds(10)), until: deadline(60))
        gate.inject(.errors(ratio: 1), until: deadline(60))
        let call = Task { try await client.process(.call) }
        await time.waitForSleepers(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(outcomes.counts.withLock { $0 } == [.cancelled: 1])
        #expect(gate.counts.failed == 0)
    }

    @Test("A fault ends by itself at its deadline, also if nothing else ends it")
    func expiry() async throws {
        let (echo, gate, outcomes) = (Echo(), FaultGate(), Outcomes())
        let client = ObservedClient(echo, component, probe: outcomes, clock: clock, faults: gate)
        gate.inject(.errors(ratio: 1), until: deadline(60))
        gate.inject(.absence, until: deadline(90))
        time.advance(by: .nanoseconds(59_999_999_999))
        await #expect(throws: InjectedFault.self) { try await client.process(.call) }
        time.advance(by: .nanoseconds(1))
        try await client.process(.call)
        #expect(gate.isAbsent(clock))
        time.advance(by: .seconds(30))
        #expect(!gate.isAbsent(clock))
        #expect(!gate.isSet)
    }

    @Test("The observer learns once that the capability is taken away, and once that it is back")
    func presence() {
        let gate = FaultGate()
        let changes = Shared(0)
        gate.onPresenceChange { changes.update { $0 += 1 } }
        gate.inject(.errors(ratio: 1), until: deadline(60))
        gate.inject(.absence, until: deadline(60))
        gate.inject(.absence, until: deadline(90))
        #expect(changes.value == 1)
        gate.expire(at: deadline(90))
        gate.end(.absence)
        #expect(changes.value == 2)
    }

    #if Instrumented
    @Test("A capability that is taken away is not available and has no level, and is as before when it is back")
    @MainActor
    func absence() async throws {
        let (observer, time) = (GateObserver(), time)
        let found = Shared<CapabilityRef<Tape>?>(nil)
        let orchestrator = Orchestrator(instrumentation: observer, clock: .manual(time))
        orchestrator.register(Tape.self) { Tape($0) }
        orchestrator.register(Player.self) { try Player($0, found) }
        try await orchestrator.start()
        let tape = try #require(found.value)
        for ends in [true, false] {
            #expect(await tape.isAvailable)
            observer.gate.inject(.absence, until: deadline(60))
            let error = #expect(throws: CapabilityError.self) { try tape.current() }
            #expect(error?.message.contains("taken away in the dashboard") == true)
            #expect(try await !tape.checkAvailability())
            #expect(tape.degradationLevel == .unavailable)
            if ends { observer.gate.end(.absence) } else { time.advance(by: .seconds(60)) }
            #expect(try await tape.checkAvailability())
            #expect(tape.degradationLevel == .full)
            _ = try tape.current()
        }
        await orchestrator.shutdown()
    }

    @Test("A scheduled action that fails by an injected error gives up its place, and the next one runs")
    @MainActor
    func scheduled() async throws {
        let (observer, time) = (GateObserver(), time)
        let app = try await WorkApplication(instrumentation: observer, clock: .manual(time)) { _ in }
        for action in [WorkAction.serial(0), .latest(0), .first(0)] {
            observer.gate.inject(.errors(ratio: 1), until: deadline(60))
            await #expect(throws: InjectedFault.self, "\(action)") { try await app.client.process(action) }
            #expect(app.scheduled == 0, "\(action)")
            observer.gate.end(.errors)
            try await app.client.process(action)
        }
        #expect(observer.outcomes.counts.withLock { $0 } == [.success: 3, .failure: 3])
    }
    #endif
}
