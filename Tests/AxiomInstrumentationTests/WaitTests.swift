// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomResilience
import Dispatch
import Testing

/// Keeps the jobs that it is given until ``open()``, and counts them: each is one entry into an actor.
private final class GatedExecutor: SerialExecutor {
    private struct State {
        var held: [UnownedJob] = []
        var isOpen = false
        var entries = 0
        var waiting: [(count: Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "gated")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (isOpen, reached) = state.withLock { state in
            state.entries += 1
            if !state.isOpen { state.held.append(job) }
            let reached = state.waiting.filter { $0.count <= state.entries }
            state.waiting.removeAll { $0.count <= state.entries }
            return (state.isOpen, reached)
        }
        if isOpen { run(job) }
        for waiter in reached { waiter.1.resume() }
    }

    var entries: Int { state.withLock { $0.entries } }

    /// Runs the jobs that were kept, in their order, and from now on each at once.
    func open() {
        // Under the lock, so that a job that arrives at the same time does not overtake them; `async` runs nothing here.
        state.withLock { state in
            state.isOpen = true
            for job in state.held { run(job) }
            state.held = []
        }
    }

    /// Keeps the jobs again.
    func close() {
        state.withLock { $0.isOpen = false }
    }

    /// Returns when `count` jobs have arrived.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.entries < count { state.waiting.append((count, continuation)) }
                return state.entries >= count
            }
            if isReached { continuation.resume() }
        }
    }

    private func run(_ job: UnownedJob) {
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

private enum LedgerAction: Action {
    case add(Int)
    static let caseNames = ["add"]
    var caseIndex: Int { 0 }
}

private struct LedgerState: OwnedState {
    var entries: [Int] = []
}

/// What the ledgers below have in common.
private protocol Ledger: Client where StateType == LedgerState, ActionType == LedgerAction {}

extension Ledger {
    nonisolated var stateStream: StateStream<LedgerState> { StateStore(LedgerState()).stream }
}

/// Notes the actions in the order in which they run, on an executor of the test.
private actor GatedLedger: Ledger {
    nonisolated let executor: GatedExecutor
    private(set) var state = LedgerState()

    init(_ executor: GatedExecutor) {
        self.executor = executor
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func process(_ action: LedgerAction) throws {
        executor.preconditionIsolated()
        guard case .add(let number) = action else { return }
        if number < 0 { throw Cancellation.onPurpose }
        state.entries.append(number)
    }
}

/// The same on the executor that actors have by themselves.
private actor PlainLedger: Ledger {
    private(set) var state = LedgerState()

    func process(_ action: LedgerAction) async {
        guard case .add(let number) = action else { return }
        await Task.yield()
        preconditionIsolated()
        state.entries.append(number)
    }
}

/// The same on the main actor's.
private actor MainLedger: Ledger {
    private(set) var state = LedgerState()

    nonisolated var unownedExecutor: UnownedSerialExecutor { MainActor.sharedUnownedExecutor }

    func process(_ action: LedgerAction) async {
        MainActor.preconditionIsolated()
        guard case .add(let number) = action else { return }
        state.entries.append(number)
    }
}

/// The instance of a global actor.
@globalActor
private actor SharedLedger: Ledger {
    static let shared = SharedLedger()
    private(set) var state = LedgerState()

    func process(_ action: LedgerAction) async {
        SharedLedger.preconditionIsolated()
        guard case .add(let number) = action else { return }
        state.entries.append(number)
    }
}

/// As the gated one, from an orchestrator.
private actor RegisteredLedger: Ledger, Component {
    nonisolated let identity: ComponentIdentity
    nonisolated let executor: GatedExecutor
    private(set) var state = LedgerState()

    init(_ scope: borrowing ClientScope, _ executor: GatedExecutor) {
        identity = scope.identity
        self.executor = executor
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func process(_ action: LedgerAction) {
        guard case .add(let number) = action else { return }
        state.entries.append(number)
    }
}

@MainActor
private final class LedgerContext: Context {
    nonisolated let identity: ComponentIdentity
    let ledger: any Client<LedgerState, LedgerAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        ledger = try scope.client(RegisteredLedger.self)
    }
}

@Suite("The instrumented build does not change when a client's actions run", .timeLimit(.minutes(10)))
struct WaitTests {
    private let time = ManualTime()
    private let telemetry: Telemetry

    init() throws {
        telemetry = try Telemetry(clock: .manual(time))
    }

    private func wrapped<L: Ledger>(_ ledger: L) -> any Client<LedgerState, LedgerAction> {
        let component = ComponentDescriptor(kind: .client, name: "Ledger")
        let probe = telemetry.clientProbe(for: component, of: L.self, calledBy: nil)
        let breakers = telemetry.clientBreakers(for: component, of: L.self)
        return ObservedClient(ledger, component, probe: probe, clock: .manual(time), breakers: breakers)
    }

    private func waits() throws -> BudgetReport.Component {
        let row = try #require(telemetry.budgets.report.rows.first { $0.budget.id == .actorWait })
        return try #require(row.components.first { $0.name == "Ledger" })
    }

    /// 1,000 instants, of which about one in 64 is that of an action whose wait is timed.
    private func callAtManyInstants(_ client: any Client<LedgerState, LedgerAction>) async throws {
        for number in 0..<1_000 {
            time.advance(by: .nanoseconds(1))
            try await client.process(.add(number))
        }
    }

    @Test("An action enters its client's actor once, whether its wait is timed or not")
    func oneEntry() async throws {
        let executor = GatedExecutor()
        executor.open()
        try await callAtManyInstants(wrapped(GatedLedger(executor)))
        #expect(executor.entries == 1_000)
        #expect(try waits().counts.checks > 0)
    }

    @Test("A call that throws enters the actor once")
    func oneEntryOfFailure() async throws {
        let executor = GatedExecutor()
        executor.open()
        let client = wrapped(GatedLedger(executor))
        await #expect(throws: CancellationError.self) { try await client.process(.add(-1)) }
        #expect(executor.entries == 1)
    }

    @Test("Actions that tasks of the main actor send one after the other run in that order")
    @MainActor
    func order() async throws {
        let (executor, count) = (GatedExecutor(), 1_000)
        let ledger = GatedLedger(executor)
        let client = wrapped(ledger)
        let calls = (0..<count).map { number in
            Task {
                time.advance(by: .nanoseconds(1))
                try await client.process(.add(number))
            }
        }
        await executor.wait(for: count)
        executor.open()
        for call in calls { try await call.value }
        #expect(executor.entries == count)
        #expect(await ledger.state.entries == Array(0..<count))
        #expect(try waits().counts.checks > 0)
    }

    @Test("The actor before a client adds no entry and keeps the order", arguments: [false, true])
    @MainActor
    func orchestrated(isInstrumented: Bool) async throws {
        let (executor, count) = (GatedExecutor(), 200)
        let orchestrator =
            isInstrumented ? Orchestrator(instrumentation: telemetry, limits: .endless) : Orchestrator(limits: .endless)
        orchestrator.register(RegisteredLedger.self) { RegisteredLedger($0, executor) }
        orchestrator.register(LedgerContext.self) { try LedgerContext($0) }
        executor.open()
        try await orchestrator.start()
        let client = try orchestrator.makeContext(LedgerContext.self).ledger
        executor.close()
        let before = executor.entries
        let calls = (0..<count).map { number in Task { try await client.process(.add(number)) } }
        await executor.wait(for: before + count)
        executor.open()
        for call in calls { try await call.value }
        #expect(executor.entries == before + count)
        #expect(await client.state.entries == Array(0..<count))
        await orchestrator.shutdown()
    }

    @Test("The wait for the actor is what an action waited: the work in front of it, and none of its own")
    func wait() async throws {
        let executor = GatedExecutor()
        let client = wrapped(GatedLedger(executor))
        let call = Task { try await client.process(.add(1)) }
        await executor.wait(for: 1)
        time.advance(by: .milliseconds(5))
        executor.open()
        try await call.value
        let row = try waits()
        #expect(row.counts == BudgetCounts(checks: 1, violations: 1))
        #expect(row.worst.map(\.value) == [5_000_000])
        #expect(telemetry.readings.slowestActions.map(\.nanoseconds) == [5_000_000])
    }

    @Test("A client may have any executor: its own, that of a global actor, or the main actor's")
    func executors() async throws {
        let (plain, main) = (PlainLedger(), MainLedger())
        for client in [wrapped(plain), wrapped(main), wrapped(SharedLedger.shared)] {
            try await callAtManyInstants(client)
            #expect(await client.state.entries == Array(0..<1_000))
        }
        #expect(try waits().counts.checks > 0)
    }

    @Test("An action that waits lets others run, whether its wait is timed or not", arguments: [0, 1])
    func reentrancy(nanoseconds: Int) async throws {
        time.advance(by: .nanoseconds(nanoseconds))
        let ledger = PlainLedger()
        let client = wrapped(ledger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 { group.addTask { try await client.process(.add(number)) } }
            try await group.waitForAll()
        }
        #expect(await Set(ledger.state.entries) == Set(0..<100))
    }
}
