// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// Measures the budgets that the shop does not: those of a second start in a process, of frequent availability checks,
/// and of a capability that is replaced.
@MainActor
enum BudgetExercise {
    private static let changes = 20
    private static let checks = 640

    /// Starts and ends an application of one capability and one client.
    ///
    /// - Throws: The error of its start.
    static func run(_ instrumentation: any Instrumentation) async throws {
        let orchestrator = Orchestrator(instrumentation: instrumentation)
        let created = Lock<ScalesClient?>(nil)
        orchestrator.register(Scales.self) { Scales($0) }
        orchestrator.register(ScalesClient.self) { scope in
            let client = try ScalesClient(scope)
            created.withLock { $0 = client }
            return client
        }
        try await orchestrator.start()
        for _ in 0..<changes {
            try await orchestrator.capabilityChanged(Scales.self, .configurationChanged)
            await created.withLock { $0 }?.checkAvailability(times: checks)
        }
        await orchestrator.shutdown()
    }
}

private actor Scales: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) {
        identity = scope.identity
    }
}

private actor ScalesClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let scales: CapabilityRef<Scales>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        scales = try scope.capability(Scales.self)
    }

    func process(_ action: NoAction) async throws {}

    func checkAvailability(times: Int) async {
        for _ in 0..<times where await !scales.isAvailable { return }
    }
}
