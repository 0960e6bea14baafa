// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience

/// What the specification wants of capabilities.
enum CapabilityRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "capability.first-check",
            statement: "first availability check < 10 ms",
            unit: "ms",
            limit: 10,
            measure: { try await checks().first }
        ),
        .init(
            id: "capability.cached-check",
            statement: "100 cached checks p99 < 1 ms",
            unit: "ms",
            limit: 1,
            measure: { try await checks().cached }
        ),
        .init(
            id: "capability.invalidation",
            statement: "50 capabilities terminated < 250 ms",
            unit: "ms",
            limit: 250,
            measure: { try await invalidation() }
        ),
        .init(
            id: "capability.recreation",
            statement: "recreated < 10 ms after a permission change, the slowest of 50",
            unit: "ms",
            limit: 10,
            measure: { try await recreation() }
        ),
        .init(
            id: "capability.recovery",
            statement: "the recovery of an error is chosen < 5 ms, p99 of 1,000 repeated calls",
            unit: "ms",
            limit: 5,
            measure: { try await recovery() }
        ),
    ]

    /// Hands out the reference that clients get.
    private actor Probe: StatelessClient, Component {
        enum Ask: Action {
            case ask

            static let caseNames = ["ask"]
            var caseIndex: Int { 0 }
        }

        nonisolated let identity: ComponentIdentity
        nonisolated let capability: CapabilityRef<NumberedCapability<Zero>>

        init(_ scope: borrowing ClientScope) throws {
            identity = scope.identity
            capability = try scope.capability(NumberedCapability<Zero>.self)
        }

        func process(_ action: Ask) {}
    }

    @MainActor
    private static func checks() async throws -> (first: Double, cached: Double) {
        let made = Lock<Probe?>(nil)
        let orchestrator = try await FrameworkSuite.application { orchestrator in
            orchestrator.register(NumberedCapability<Zero>.self) { NumberedCapability($0) }
            orchestrator.register(Probe.self) { scope in
                let probe = try Probe(scope)
                made.withLock { $0 = probe }
                return probe
            }
        }
        defer { withExtendedLifetime(orchestrator) {} }
        guard let probe = made.withLock({ $0 }) else { return (.nan, .nan) }
        var (first, cached) = (Durations(), Durations())
        await first.time { _ = await probe.capability.isAvailable }
        for _ in 0..<100 { await cached.time { _ = await probe.capability.isAvailable } }
        return (first.largest, cached.percentile(0.99))
    }

    @MainActor
    private static func invalidation() async throws -> Double {
        let orchestrator = Orchestrator()
        register(Zero.self, 50, orchestrator)
        try await orchestrator.start()
        var durations = Durations()
        await durations.time { await orchestrator.shutdown() }
        return durations.total
    }

    /// Registers capabilities of so many types, that of `number` and those after it.
    @inline(never)
    @MainActor
    static func register<Number>(_ number: Number.Type, _ count: Int, _ orchestrator: Orchestrator) {
        guard count > 0 else { return }
        orchestrator.register(NumberedCapability<Number>.self) { NumberedCapability<Number>($0) }
        register(Next<Number>.self, count - 1, orchestrator)
    }

    @MainActor
    private static func recreation() async throws -> Double {
        let orchestrator = try await FrameworkSuite.application { orchestrator in
            orchestrator.register(NumberedCapability<Zero>.self) { NumberedCapability($0) }
        }
        var durations = Durations()
        for _ in 0..<50 {
            try await durations.time {
                try await orchestrator.capabilityChanged(NumberedCapability<Zero>.self, .permissionGranted)
            }
        }
        return durations.largest
    }

    /// A capability whose error is repeated without a delay.
    private actor Flaky: Capability {
        struct Broken: Error {}

        nonisolated let identity: ComponentIdentity
        private var isBroken = false

        init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

        static func recovery(for error: any Error) -> CapabilityRecovery { .retry(attempts: 2, backoff: .none) }

        /// Fails every other time.
        func use() throws {
            isBroken.toggle()
            if isBroken { throw Broken() }
        }
    }

    private actor FlakyUser: StatelessClient, Component {
        nonisolated let identity: ComponentIdentity
        nonisolated let flaky: CapabilityRef<Flaky>

        init(_ scope: borrowing ClientScope) throws {
            identity = scope.identity
            flaky = try scope.capability(Flaky.self)
        }

        func process(_ action: Probe.Ask) {}
    }

    @MainActor
    private static func recovery() async throws -> Double {
        let made = Lock<FlakyUser?>(nil)
        let orchestrator = try await FrameworkSuite.application { orchestrator in
            orchestrator.register(Flaky.self) { Flaky($0) }
            orchestrator.register(FlakyUser.self) { scope in
                let user = try FlakyUser(scope)
                made.withLock { $0 = user }
                return user
            }
        }
        defer { withExtendedLifetime(orchestrator) {} }
        guard let user = made.withLock({ $0 }) else { return .nan }
        var durations = Durations()
        for _ in 0..<1_000 { try await durations.time { try await user.flaky.call { try await $0.use() } } }
        return durations.percentile(0.99)
    }
}
