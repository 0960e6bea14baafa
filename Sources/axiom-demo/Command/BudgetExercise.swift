// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// What the shop has no occasion for, done so that the budgets for it are measured too: a second start in the process,
/// a capability that is asked often whether it is there, and one that is made anew.
@MainActor
enum BudgetExercise {
    private static let changes = 20
    private static let questions = 640

    /// Starts and ends an application of one capability and one client beside the shop.
    ///
    /// - Throws: What keeps it from being started.
    static func run(_ instrumentation: any Instrumentation) async throws {
        let orchestrator = Orchestrator(instrumentation: instrumentation)
        let made = Lock<ScalesClient?>(nil)
        orchestrator.register(Scales.self) { Scales($0) }
        orchestrator.register(ScalesClient.self) { scope in
            let client = try ScalesClient(scope)
            made.withLock { $0 = client }
            return client
        }
        try await orchestrator.start()
        for _ in 0..<changes {
            try await orchestrator.capabilityChanged(Scales.self, .configurationChanged)
            await made.withLock { $0 }?.ask(times: questions)
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

    func ask(times: Int) async {
        for _ in 0..<times where await !scales.isAvailable { return }
    }
}

extension MetricsEndpoint {
    /// Looks at the clients' states, which are gone after the shutdown.
    func noteStates() {
        _ = telemetry?.budgets.report
    }

    /// Writes the table of all budgets, as a whole or not at all; nothing where nothing is observed.
    ///
    /// - Throws: ``AtomicFile/Failure`` that names the path.
    func writeBudgets(to path: String) throws {
        guard let budgets = telemetry?.budgets else { return }
        try AtomicFile.write(Array(budgets.report.table.utf8), to: path)
    }
}
