// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTesting
import Observation
import Testing

@testable import Axiom

@MainActor
@Suite("Retries of clients that failed at the start", .timeLimit(.minutes(10)))
struct ClientRetryTests {
    private let time = ManualTime()
    private let journal = Journal<String>()
    /// Opened to end the second activation.
    private let gate = Gate()
    private let orchestrator: Orchestrator

    init() {
        orchestrator = Orchestrator(clock: .manual(time))
        orchestrator.recover { _ in .notify(options: [.retry()]) }
        orchestrator.register(NeedsLife.self) { try NeedsLife($0) }
    }

    /// Registers a client whose first activation fails, whose second waits for the gate, and whose others succeed.
    private func registerClient(
        secondError: SampleError? = nil,
        deactivate: @escaping @Sendable () async -> Void = {}
    ) {
        let (journal, gate) = (journal, gate)
        orchestrator.register(
            LifeClient.Script(
                activate: {
                    journal.write("activate")
                    switch journal.count(of: "activate") {
                    case 1: throw SampleError("the server is not up")
                    case 2:
                        await gate.wait()
                        if let secondError { throw secondError }
                    default: break
                    }
                    journal.write("activated")
                },
                deactivate: {
                    journal.write("deactivate")
                    await deactivate()
                }
            )
        )
    }

    /// Chooses the retry that the first notification offers.
    private func chooseRetry() throws -> Task<Void, Never> {
        let boundary = orchestrator.errorBoundary
        let notification = try #require(boundary.notifications.first)
        let retry = try #require(notification.options.first)
        return Task.onMainActor { await boundary.choose(retry, for: notification) }
    }

    /// Chooses the retry and waits until the client activates.
    private func retryUntilActivation() async throws -> Task<Void, Never> {
        let choice = try chooseRetry()
        await journal.wait { $0.count { $0 == "activate" } == 2 }
        return choice
    }

    @Test("A client that the user tries again serves contexts, or fails again and is offered again", arguments: [0, 1])
    func triedAgain(failures: Int) async throws {
        registerClient(secondError: failures == 0 ? nil : SampleError("still not up"))
        gate.open()
        try await orchestrator.start()
        let boundary = orchestrator.errorBoundary
        for attempt in 0...failures {
            #expect(throws: (any Error).self) { try orchestrator.makeContext(NeedsLife.self) }
            let notification = try #require(boundary.notifications.first)
            let outcome = await boundary.choose(try #require(notification.options.first), for: notification)
            #expect(outcome == (attempt < failures ? .failure : .success))
            #expect(boundary.count == 1 + min(attempt + 1, failures))
        }
        #expect(boundary.notifications.isEmpty)
        _ = try orchestrator.makeContext(NeedsLife.self)
        await orchestrator.shutdown()
    }

    @Test("A client that a retry activates after the shutdown is deactivated")
    func activatedAfterShutdown() async throws {
        registerClient()
        try await orchestrator.start()
        let choice = try await retryUntilActivation()
        await orchestrator.shutdown()
        gate.open()
        await choice.value
        #expect(journal.entries == ["activate", "activate", "activated", "deactivate"])
        #expect(orchestrator.errorBoundary.count == 1, "the error of the start")
    }

    @Test("The deactivation of a client that a retry activates after the shutdown has a limit")
    func hangingDeactivation() async throws {
        let hanging = Gate()
        registerClient { await hanging.wait() }
        try await orchestrator.start()
        let choice = try await retryUntilActivation()
        await orchestrator.shutdown()
        gate.open()
        await journal.wait(for: "deactivate")
        await time.waitForSleepers(1)
        time.advance(by: .seconds(5))
        await choice.value
        let error = try #require(orchestrator.errorBoundary.current?.error as? LifecycleError)
        #expect(error.message.contains("deactivate of the client LifeClient did not end within 5.0 seconds"))
        hanging.open()
    }

    @Test("A retry that fails after a shutdown does not affect the next run", arguments: [true, false])
    func failsInTheNextRun(expires: Bool) async throws {
        registerClient(secondError: SampleError("still not up"))
        try await orchestrator.start()
        let choice = try await retryUntilActivation()
        await orchestrator.shutdown()
        try await orchestrator.start()
        if expires {
            await time.waitForSleepers(1)
            time.advance(by: .seconds(20))
        } else {
            gate.open()
        }
        await choice.value
        _ = try orchestrator.makeContext(NeedsLife.self)
        #expect(orchestrator.errorBoundary.notifications.isEmpty)
        gate.open()
        await orchestrator.shutdown()
        #expect(journal.count(of: "deactivate") == 1)
    }

    @Test("A retry that is chosen while the capabilities are terminated makes no client")
    func chosenDuringTermination() async throws {
        try await withInterleavings(20) { try await Self().chooseDuringTermination($0) }
    }

    private func chooseDuringTermination(_ run: Interleaving) async throws {
        let (journal, gate) = (journal, gate)
        orchestrator.register(SlowCapability.self) { SlowCapability($0, journal, gate) }
        registerClient()
        try await orchestrator.start()
        async let shutdown: Void = orchestrator.shutdown()
        await journal.wait(for: "terminate")
        let choice = try chooseRetry()
        await run.quiet()
        gate.open()
        await choice.value
        await shutdown
        #expect(journal.entries == ["activate", "terminate"])
    }

    @Test("An orchestrator with notifications that offer retries is released", arguments: [true, false])
    func released(afterShutdown: Bool) async throws {
        func run() async throws -> [WeakReference] {
            let orchestrator = Orchestrator(limits: .endless)
            orchestrator.recover { _ in .notify(options: [.retry()]) }
            var machine = PartMachine()
            machine.onInitialize = { _ in throw SampleError("no disk") }
            machine.register([0], in: orchestrator, optional: [0])
            orchestrator.register(TallyClient.self) { TallyClient($0) }
            orchestrator.register(LifeClient.Script(activate: { throw SampleError("the server is not up") }))
            try await orchestrator.start()
            #expect(orchestrator.errorBoundary.notifications.count == 2)
            if afterShutdown { await orchestrator.shutdown() }
            return [WeakReference(orchestrator), WeakReference(orchestrator.errorBoundary)]
        }
        let references = try await run()
        await until { references.allSatisfy { $0.object == nil } }
    }
}

private final class NeedsLife: Context, Observable {
    let identity: ComponentIdentity
    private let client: any StatelessClient<LifeAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(LifeClient.self)
    }
}

/// A capability whose termination waits for a gate.
private actor SlowCapability: Capability {
    nonisolated let identity: ComponentIdentity
    private let journal: Journal<String>
    private let gate: Gate

    init(_ scope: borrowing CapabilityScope, _ journal: Journal<String>, _ gate: Gate) {
        identity = scope.identity
        self.journal = journal
        self.gate = gate
    }

    func initialize() async throws {}

    func terminate() async {
        journal.write("terminate")
        await gate.wait()
    }
}

extension Journal<String> {
    fileprivate func count(of entry: String) -> Int {
        entries.count { $0 == entry }
    }
}
