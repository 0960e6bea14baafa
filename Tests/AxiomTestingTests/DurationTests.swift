// SPDX-License-Identifier: Apache-2.0

import AxiomTesting
import Testing

/// The specification's limits of time for the testing kit. These tests run alone, in the turn `quiet` of
/// `Scripts/testing/turns.py`: other tests would use the main actor at the same time.
@MainActor
@Suite("Durations of the testing kit", .serialized, .timeLimit(.minutes(1)))
struct DurationTests {
    /// The shortest of some rounds.
    private func best(of rounds: Int, _ round: () async throws -> Void) async rethrows -> Duration {
        var best = Duration.seconds(60)
        for _ in 0..<rounds {
            let start = ContinuousClock.now
            try await round()
            best = min(best, ContinuousClock.now - start)
        }
        return best
    }

    @Test("A simulated capability passes through all states in less than 10 ms (CAP-32, TL-T7)")
    func allStates() async throws {
        let (app, service) = TestOrchestrator.teaShop()
        try await app.start()
        let duration = try await best(of: 30) { try await service.visitAllStates { _ in } }
        print("All states of a capability: \(duration)")
        #expect(duration < .milliseconds(10))
        await app.finish()
    }

    @Test("50 contexts are made in less than 500 ms (TL-T14)")
    func manyContexts() async throws {
        let duration = try await best(of: 3) {
            let (app, _) = TestOrchestrator.teaShop()
            var contexts: [TestContext<TeaContext>] = []
            for _ in 0..<50 { contexts.append(try await app.context(TeaContext.self)) }
            await app.finish()
            #expect(contexts.count == 50)
        }
        print("50 contexts: \(duration)")
        #expect(duration < .milliseconds(500))
    }

    @Test("A unit test of a client takes few milliseconds at most (TL-T24)")
    func unitTest() async throws {
        let duration = try await best(of: 21) { try await ScopeTests().client() }
        print("A unit test of a client: \(duration)")
        #expect(duration < .milliseconds(5))
    }
}
