// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomBenchmarking
import AxiomInstrumentation

#if Instrumented
/// What it costs to observe a call of a capability: counts, times, the span of the call, and the name of the caller.
enum CapabilityCallRows {
    static func add(to suite: inout BenchmarkSuite) {
        let calls: @Sendable (Caller, Int) async -> Void = { await $0.client.call($1) }
        suite.addAsync("capability.call", fixture: { try await Caller.make(Telemetry()) }, calls)
        suite.addAsync("capability.call.unobserved", fixture: { try await Caller.make(nil) }, calls)
        // Two readings of the clock are about ten atomic additions.
        let statement = "atomic additions beyond the call of an application without telemetry"
        let goal = BenchmarkGoal.atMost(40, statement).held(at: 120)
        suite.addValue("capability.call.added", unit: "x atomic", kind: .information, options: .goal(goal)) {
            let (observed, plain) = (try await Caller.make(Telemetry()), try await Caller.make(nil))
            let total = Total()
            let times = try await Turns.times(
                rounds: 101,
                iterations: 5_000,
                [
                    { await observed.client.call($0) },
                    { await plain.client.call($0) },
                    { for _ in 0..<$0 { total.add() } },
                ]
            )
            return (times[0] - times[1]) / times[2]
        }
    }

    /// An application with a client that calls a capability.
    private struct Caller: Sendable {
        /// Lives as long as what it made.
        let orchestrator: Orchestrator
        let client: CallingClient

        @MainActor
        static func make(_ telemetry: Telemetry?) async throws -> Caller {
            let orchestrator = telemetry.map { Orchestrator(instrumentation: $0) } ?? Orchestrator()
            let client = Lock<CallingClient?>(nil)
            orchestrator.register(CountingCapability.self) { CountingCapability($0) }
            orchestrator.register(CallingClient.self) { scope in
                let made = try CallingClient(scope)
                client.withLock { $0 = made }
                return made
            }
            try await orchestrator.start()
            guard let made = client.withLock({ $0 }) else { throw CancellationError() }
            return Caller(orchestrator: orchestrator, client: made)
        }
    }
}

private actor CountingCapability: Capability {
    nonisolated let identity: ComponentIdentity
    private var count = 0

    init(_ scope: borrowing CapabilityScope) {
        identity = scope.identity
    }

    func increment() { count &+= 1 }
}

private actor CallingClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let capability: CapabilityRef<CountingCapability>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        capability = try scope.capability(CountingCapability.self)
    }

    func process(_ action: TallyClient.Action) {}

    func call(_ iterations: Int) async {
        for _ in 0..<iterations { try? await capability.call { await $0.increment() } }
    }
}
#endif
