// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBenchmarking

/// The specification's goal for the validation of an architecture, and the cost of an inspection.
enum ValidationRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "validation.100",
            statement: "ArchitectureValidator of 100 started components < 50 ms, goal 1 ms, the slowest of 100",
            unit: "ms",
            limit: 1,
            measure: { try await graphValidation() }
        ),
        .init(
            id: "inspection.100",
            statement: "100 components inspected < 5 ms, the slowest of 100",
            unit: "ms",
            limit: 5,
            measure: { try await inspection() }
        ),
    ]

    @MainActor
    private static func graphValidation() async throws -> Double {
        let orchestrator = Orchestrator()
        CapabilityRows.register(Zero.self, 100, orchestrator)
        try await orchestrator.start()
        var (durations, found) = (Durations(), 0)
        for _ in 0..<100 { await durations.time { found += ArchitectureValidator.validate(orchestrator.graph).count } }
        blackHole(found)
        return durations.largest
    }

    @MainActor
    private static func inspection() async throws -> Double {
        let orchestrator = Orchestrator()
        CapabilityRows.register(Zero.self, 100, orchestrator)
        try await orchestrator.start()
        var (durations, seen) = (Durations(), 0)
        for _ in 0..<100 { await durations.time { seen += orchestrator.inspect().capabilities.count } }
        blackHole(seen)
        return durations.largest
    }
}
