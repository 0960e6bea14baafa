// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomSampleApp
import Observation
import Testing

/// A capability whose answer and whose end take time.
private actor SlowCapability: Capability {
    nonisolated let identity: ComponentIdentity
    private let time: ManualTime

    init(_ scope: borrowing CapabilityScope, _ time: ManualTime) {
        identity = scope.identity
        self.time = time
    }

    var isAvailable: Bool {
        time.advance(by: .milliseconds(12))
        return true
    }

    func terminate() {
        time.advance(by: .milliseconds(6))
    }
}

private struct Pile: OwnedState {
    var lines: [String] = []
}

private enum PileAction: Action {
    case add(String)
    case check
}

/// A client whose updates take time.
private actor PileClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<Pile>
    private let capability: CapabilityRef<SlowCapability>
    private let time: ManualTime

    init(_ scope: borrowing ClientScope, _ time: ManualTime) throws {
        identity = scope.identity
        store = scope.store(Pile())
        capability = try scope.capability(SlowCapability.self)
        self.time = time
    }

    var state: Pile { store.state }
    nonisolated var stateStream: StateStream<Pile> { store.stream }

    func process(_ action: PileAction) async throws {
        switch action {
        case .check: _ = await capability.isAvailable
        case .add(let line):
            store.update {
                time.advance(by: .milliseconds(9))
                $0.lines.append(line)
            }
        }
    }
}

@MainActor
@Observable
private final class PileContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let pile: any Client<Pile, PileAction>
    @ObservationIgnored private let time: ManualTime

    init(_ scope: borrowing ContextScope, _ time: ManualTime) throws {
        identity = scope.identity
        self.time = time
        pile = try scope.client(PileClient.self)
        time.advance(by: .milliseconds(51))
    }

    func handle(_ action: NoAction) async throws {}

    func onAppear() async throws {
        observe(pile) { _, _ in }
        time.advance(by: .milliseconds(10))
        throw Refused()
    }

    func onDisappear() async throws {
        time.advance(by: .milliseconds(11))
    }

    func recovery(for error: any Error) -> RecoveryStrategy {
        time.advance(by: .milliseconds(60))
        return .surface
    }
}

private struct PileView: Presentation {
    let context: PileContext
    var body: Int { 0 }
}

@Suite("Where performance budgets are measured", .timeLimit(.minutes(10)))
@MainActor
struct BudgetMeasuringTests {
    private let time = ManualTime()
    private let telemetry: Telemetry
    private let orchestrator: Orchestrator

    init() throws {
        telemetry = try Telemetry(onBudgetViolation: { _ in }, clock: .manual(time))
        var limits = WaitLimits()
        // The capability takes longer than its budget, which is to be measured and not to be cut off.
        limits.availability = .seconds(1)
        orchestrator = Orchestrator(instrumentation: telemetry, clock: .manual(time), limits: limits)
        let time = time
        orchestrator.register(SlowCapability.self) { SlowCapability($0, time) }
        orchestrator.register(PileClient.self) { try PileClient($0, time) }
        orchestrator.register(PileContext.self) { try PileContext($0, time) }
    }

    private func row(_ id: PerformanceBudget.ID) throws -> BudgetReport.Row {
        try #require(telemetry.budgets.report.row(id))
    }

    private func expect(_ id: PerformanceBudget.ID, checks: UInt64, beyond: UInt64) throws {
        #expect(try row(id).counts == BudgetCounts(checks: checks, violations: beyond), "\(id)")
    }

    @Test("Capabilities: the first check, one in 64 cached ones, the end and the change")
    func capabilities() async throws {
        try await orchestrator.start()
        let host = PresentationHost(PileView.self, orchestrator) { _ in }
        try await host.mount()
        let pile = try #require(host.context).pile
        for _ in 0..<130 { try await pile.process(.check) }
        try expect("capability_check_first", checks: 1, beyond: 1)
        try expect("capability_check_cached", checks: 3, beyond: 0)
        try await orchestrator.capabilityChanged(SlowCapability.self, .configurationChanged)
        try expect("capability_invalidation", checks: 1, beyond: 1)
        try expect("availability_change", checks: 1, beyond: 0)
        try await pile.process(.check)
        try expect("capability_check_first", checks: 2, beyond: 2)
        await host.unmount()
        await orchestrator.shutdown()
        try expect("capability_invalidation", checks: 2, beyond: 2)
    }

    @Test("State: the change and the publishing of one update in 64, and every arrival")
    func state() async throws {
        try await orchestrator.start()
        let host = PresentationHost(PileView.self, orchestrator) { _ in }
        try await host.mount()
        let pile = try #require(host.context).pile
        var states = pile.stateStream.makeAsyncIterator()
        _ = try await states.next()
        for index in 0..<65 { try await pile.process(.add("\(index)")) }
        try expect("state_mutation", checks: 2, beyond: 2)
        try expect("state_publishing", checks: 2, beyond: 0)
        time.advance(by: .milliseconds(6))
        _ = try await states.next()
        #expect(try row("state_observation").counts.violations >= 1)
        try expect("client_action", checks: 65, beyond: 65)
    }

    @Test("Errors: the way of each error of a client and of a capability to the boundary of its context (ERR-05)")
    func errorPropagation() throws {
        let probe = try #require(
            telemetry.contextProbe(for: ComponentDescriptor(kind: .context, name: "PileContext"), of: PileContext.self)
        )
        probe.operationEnded(.clientErrorPropagation, nanoseconds: 6_000_000)
        probe.operationEnded(.clientErrorPropagation, nanoseconds: 4_000_000)
        probe.operationEnded(.capabilityErrorPropagation, nanoseconds: 11_000_000)
        try expect("client_error_propagation", checks: 2, beyond: 1)
        try expect("capability_error_propagation", checks: 1, beyond: 1)
    }

    @Test("Contexts: making, life cycle, choice of a strategy, settling of an error, tasks and their end")
    func contexts() async throws {
        try await orchestrator.start()
        let host = PresentationHost(PileView.self, orchestrator) { _ in }
        try await host.mount()
        try expect("context_creation", checks: 1, beyond: 1)
        // Throwing takes the choice of a strategy as well, which happens inside.
        try expect("lifecycle", checks: 1, beyond: 1)
        try expect("strategy_choice", checks: 1, beyond: 1)
        try expect("error_propagation", checks: 1, beyond: 1)
        await host.unmount()
        try expect("lifecycle", checks: 2, beyond: 2)
        while try row("cancellation").counts.checks == 0 { await Task.yield() }
        // The main actor was busy with onAppear, and then with onDisappear, before the task had its turn.
        try expect("task_startup", checks: 1, beyond: 1)
        try expect("cancellation", checks: 1, beyond: 1)
    }

    @Test("Memory: objects of clients and contexts, states, the process; the wait for an actor; the start (APP-07)")
    func memory() async throws {
        try await orchestrator.start()
        let host = PresentationHost(PileView.self, orchestrator) { _ in }
        try await host.mount()
        let pile = try #require(host.context).pile
        try await pile.process(.add(String(repeating: "x", count: 2_000_000)))
        for id in ["client_memory", "context_memory"] as [PerformanceBudget.ID] {
            let bytes = try #require(try row(id).p50)
            #expect(bytes > 100 && bytes < 1_024, "\(id)")
            #expect(try row(id).status == .met, "\(id): \(bytes) bytes")
        }
        try expect("state_memory", checks: 1, beyond: 1)
        time.advance(by: .seconds(9))
        _ = telemetry.registry.collect()
        try expect("state_memory", checks: 1, beyond: 1)
        time.advance(by: .seconds(2))
        _ = telemetry.registry.collect()
        try expect("state_memory", checks: 2, beyond: 2)
        #expect(try row("base_memory").counts.checks == 1)
        #expect(try row("cold_start").counts.checks + row("warm_start").counts.checks == 1)
        #expect(try row("leak_prevention").status == .met)
    }

    @Test("The wait for a client's actor is timed for about one action in 64")
    func actorWait() async throws {
        try await orchestrator.start()
        let host = PresentationHost(PileView.self, orchestrator) { _ in }
        try await host.mount()
        let pile = try #require(host.context).pile
        _ = try await pile.process(.check)
        let calls = 6_400
        for _ in 0..<calls {
            time.advance(by: .nanoseconds(1))
            try await pile.process(.check)
        }
        let checks = try row("actor_wait").counts.checks
        #expect(checks > UInt64(calls / 128) && checks < UInt64(calls / 32), "\(checks) of \(calls)")
    }
}
#endif
