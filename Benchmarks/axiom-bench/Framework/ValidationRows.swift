// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBenchmarking

/// The specification's goals for the validation of an architecture, and the cost of an inspection. The 100 components are
/// 60 capabilities, 20 clients and 20 contexts with more than 150 dependencies.
enum ValidationRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "application.validation",
            statement: "100 components with > 150 dependencies validated in a dry run < 50 ms, the slowest of 20",
            unit: "ms",
            limit: 50,
            measure: { try await dryRun() }
        ),
        .init(
            id: "validation.100",
            statement: "ArchitectureValidator of 100 started components with > 150 dependencies < 50 ms, "
                + "goal 1 ms, the slowest of 100",
            unit: "ms",
            limit: 1,
            measure: { try await graphValidation() }
        ),
        .init(
            id: "inspection.100",
            statement: "100 components with shown contexts inspected < 5 ms, the slowest of 100",
            unit: "ms",
            limit: 5,
            measure: { try await inspection() }
        ),
    ]

    @MainActor
    private static func dryRun() async throws -> Double {
        let application = LayeredApplication(capabilities: 60, clients: 20)
        var durations = Durations()
        for _ in 0..<20 {
            var last: CompositionReport?
            await durations.time { last = application.orchestrator.validate() }
            guard let report = last, report.isComplete else {
                throw LayeredApplication.Incomplete(description: last?.description ?? "no report")
            }
            try application.check(report.graph)
        }
        return durations.largest
    }

    @MainActor
    private static func graphValidation() async throws -> Double {
        let application = LayeredApplication(capabilities: 60, clients: 20)
        try await application.start()
        let graph = application.orchestrator.graph
        try application.check(graph)
        var (durations, found) = (Durations(), [ArchitectureViolation]())
        for _ in 0..<100 {
            await durations.time { found += ArchitectureValidator.validate(application.orchestrator.graph) }
        }
        guard found.isEmpty else { throw LayeredApplication.Incomplete(description: "\(found)") }
        return durations.largest
    }

    @MainActor
    private static func inspection() async throws -> Double {
        let application = LayeredApplication(capabilities: 60, clients: 20)
        try await application.start()
        var (durations, seen) = (Durations(), 0)
        for _ in 0..<100 {
            await durations.time {
                let inspection = application.orchestrator.inspect()
                seen += inspection.capabilities.count + inspection.clients.count + inspection.contexts.count
            }
        }
        guard seen == 100 * application.components else {
            throw LayeredApplication.Incomplete(description: "\(seen) components were seen in 100 inspections")
        }
        return durations.largest
    }
}
