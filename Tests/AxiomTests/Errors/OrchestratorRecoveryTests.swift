// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@testable import Axiom

@MainActor
@Suite("Recovery at the orchestrator", .timeLimit(.minutes(10)))
struct OrchestratorRecoveryTests {
    /// Fails a given number of times for each part, then works.
    private final class Faults: Sendable {
        private let journal = Journal<Int>()
        private let counts: [Int: Int]

        init(_ counts: [Int: Int]) { self.counts = counts }

        func strike(_ part: Int) throws {
            let before = journal.entries.count { $0 == part }
            journal.write(part)
            if before < counts[part, default: 0] { throw SampleError("part \(part)") }
        }
    }

    private func machine(_ dependencies: [Int: [Int]], _ faults: Faults = Faults([:])) -> PartMachine {
        var machine = PartMachine()
        machine.dependencies = dependencies
        machine.onInitialize = { try faults.strike($0) }
        return machine
    }

    private func propagating(_ app: RecoveringApp) async throws -> RecoveringContext {
        try await app.context { _ in .propagate }
    }

    @Test("What the last context propagates ends at the orchestrator, once, with its path")
    func propagated() async throws {
        let app = RecoveringApp()
        let context = try await propagating(app)
        await context.send(RecoveringAction { try await $0.tally.process(.fail("x")) })
        let boundary = app.orchestrator.errorBoundary
        #expect(boundary.current?.path.map(\.name) == ["TallyClient", "RecoveringContext", "Orchestrator"])
        #expect(boundary.count == 1 && context.errorBoundary.count == 0)
        #expect(context.errorBoundary.current == nil)
    }

    @Test("A strategy of the application replaces what depends on a capability, and runs the operation again (ORC-09)")
    func replacement() async throws {
        let machine = machine([1: [0], 2: [1]])
        let app = RecoveringApp { machine.register(0..<3, in: $0) }
        let context = try await propagating(app)
        app.orchestrator.recover { [unowned orchestrator = app.orchestrator] _ in
            RecoveryStrategy("replace") { operation in
                try await orchestrator.capabilityChanged(Part<P0>.self, .serviceRestored)
                try await operation.run()
            }
        }
        let flaky = Flaky(failures: 1)
        await context.send(flaky.action)
        #expect(machine.order(of: "terminated") == [2, 1, 0])
        #expect(machine.order(of: "initialized") == [0, 1, 2, 0, 1, 2])
        #expect(flaky.runs == 2)
        #expect(app.orchestrator.errorBoundary.recoveredCount == 1)
        #expect(app.orchestrator.errorBoundary.count == 0)
    }

    @Test("What fails at the start is really started again by a retry", arguments: 0..<4)
    func startRetry(failures: Int) async throws {
        let faults = Faults([0: failures])
        let machine = machine([:], faults)
        let clock = TimeSource.manual(ManualTime())
        let (orchestrator, box) = (Orchestrator(clock: clock), Box<CapabilityRef<Part<P0>>>())
        machine.register([0], in: orchestrator, optional: [0])
        orchestrator.register(Keeper<Part<P0>>.self) { scope in
            try faults.strike(7)
            return try Keeper(scope, Part<P0>.self) { box.put($0) }
        }
        orchestrator.recover { _ in .retry(attempts: 3, backoff: .none) }
        try await orchestrator.start()
        let ref = try #require(box.value)
        #expect(await ref.isAvailable == (failures < 3))
        #expect(orchestrator.errorBoundary.count == (failures < 3 ? 0 : 1))
        #expect(orchestrator.errorBoundary.recoveredCount == ((1..<3).contains(failures) ? 1 : 0))
        await orchestrator.shutdown()
    }

    @Test("A client that starts at a later attempt is there for contexts, and deactivated once")
    func clientRetry() async throws {
        let (orchestrator, journal) = (Orchestrator(limits: .endless), Journal<String>())
        let faults = Faults([0: 2])
        orchestrator.register(PingClient.self) { scope in
            try faults.strike(0)
            return PingClient(scope, journal)
        }
        orchestrator.recover { _ in .retry(attempts: 3, backoff: .none) }
        try await orchestrator.start()
        #expect(journal.entries == ["activate PingClient"])
        #expect(orchestrator.errorBoundary.recoveredCount == 1)
        await orchestrator.shutdown()
        #expect(journal.entries == ["activate PingClient", "deactivate PingClient"])
    }
}
