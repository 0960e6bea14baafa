// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBenchmarking

/// The numbers of the specification's acceptance tests, each measured as its test says: wanted, measured, met.
enum FrameworkSuite {
    static let suite = BenchmarkSuite("framework") { suite in
        let rows =
            CapabilityRows.rows + RecreationRows.rows + ClientRows.rows + ConcurrencyRows.rows + ContextRows.rows
            + PathRows.rows + ApplicationRows.rows + MemoryRows.rows + ViewRows.rows + LargeStateRows.rows
            + PersistentStateRows.rows + ValidationRows.rows + NavigationRows.rows + RestorationRows.rows
        for row in rows {
            // Times of whole scenarios are for the table; benchmarks of their parts are what is compared.
            suite.addValue(
                row.id,
                unit: row.unit,
                kind: .information,
                options: .goal(row.goal),
                row.measure
            )
        }
        suite.addUnmeasured(
            "view.navigation",
            goal: .atMost(300, "view transition < 300 ms"),
            reason: "n/a: SwiftUI does not exist on Linux"
        )
    }

    /// One acceptance test.
    struct Row: Sendable {
        let id: String
        let statement: String
        let unit: String
        let limit: Double
        let measure: @Sendable () async throws -> Double

        var goal: BenchmarkGoal { .atMost(limit, statement) }
    }

    /// An application that runs, with its client and contexts registered.
    @MainActor
    static func application(
        _ register: (Orchestrator) -> Void = { _ in }
    ) async throws -> Orchestrator {
        let orchestrator = Orchestrator()
        orchestrator.register(BrokenCapability.self) { BrokenCapability($0) }
        orchestrator.register(BookClient.self) { try BookClient($0) }
        orchestrator.register(BookContext.self) { try BookContext($0) }
        register(orchestrator)
        try await orchestrator.start()
        return orchestrator
    }
}
