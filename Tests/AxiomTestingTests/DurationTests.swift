// SPDX-License-Identifier: Apache-2.0

import AxiomTesting
import Testing

/// Called on its own actor, as the code under test calls clients and capabilities.
private actor Turnstile {
    private var passes = 0
    func pass() { passes += 1 }
}

/// The specification's limits of time for the testing kit, as multiples of a measure of this machine: 1,000 calls of an
/// actor, which take 5 ms or less, and no limit is above that of the specification. These tests run alone, in the turn `quiet` of
/// `Scripts/testing/turns.py`: other tests would use the main actor at the same time.
@MainActor
@Suite("Durations of the testing kit", .serialized, .timeLimit(.minutes(10)))
struct DurationTests {
    /// How often 1,000 calls of an actor fit into a round: the shortest of each, measured in turns.
    private func calls(of what: String, rounds: Int, _ round: () async throws -> Void) async rethrows -> Double {
        let (clock, turnstile) = (ContinuousClock(), Turnstile())
        var (best, unit) = (Duration.seconds(60), Duration.seconds(60))
        for _ in 0..<rounds {
            unit = min(unit, await clock.measure { for _ in 0..<1_000 { await turnstile.pass() } })
            best = min(best, try await clock.measure { try await round() })
        }
        print("\(what): \(best), and 1,000 calls of an actor: \(unit)")
        return best / unit
    }

    @Test("A simulated capability passes through all states in less than 500 calls of an actor (CAP-32, TL-T7)")
    func allStates() async throws {
        let (app, service) = TestOrchestrator.teaShop()
        try await app.start()
        let calls = try await calls(of: "All states of a capability", rounds: 30) {
            try await service.visitAllStates { _ in }
        }
        #expect(calls < 0.5)
        await app.finish()
    }

    @Test("50 contexts are made in less than 50,000 calls of an actor (TL-T14)")
    func manyContexts() async throws {
        let calls = try await calls(of: "50 contexts", rounds: 3) {
            let (app, _) = TestOrchestrator.teaShop()
            var contexts: [TestContext<TeaContext>] = []
            for _ in 0..<50 { contexts.append(try await app.context(TeaContext.self)) }
            await app.finish()
            #expect(contexts.count == 50)
        }
        #expect(calls < 50)
    }

    @Test("A unit test of a client takes less than 500 calls of an actor (TL-T24)")
    func unitTest() async throws {
        let calls = try await calls(of: "A unit test of a client", rounds: 21) { try await ScopeTests().client() }
        #expect(calls < 0.5)
    }
}
