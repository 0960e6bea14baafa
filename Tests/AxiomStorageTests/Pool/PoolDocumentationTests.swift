// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@Suite("The documentation of pools and background tasks", .timeLimit(.minutes(10)))
@MainActor
struct PoolDocumentationTests {
    @Test("The example of the documentation is the one that is compiled here")
    func example() throws {
        let text = { (path: String) in
            try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        }
        let page = try text("Documentation/pools-and-tasks.md").split(separator: "```swift\n")
        let example = try #require(page.dropFirst().first?.split(separator: "```").first)
        #expect(try text("Tests/AxiomStorageTests/Pool/PoolDocumentationExample.swift").hasSuffix(example))
    }

    @Test("The example refreshes its number in the background, and ends with the application (BGT-02)")
    func run() async throws {
        let values = SignalValues()
        let orchestrator = Orchestrator(instrumentation: Instrumentations(values))
        let made = Journal<OrderStatistics>()
        registerOrders(in: orchestrator)
        orchestrator.override(OrderStatistics.self) { scope in
            let statistics = try OrderStatistics(scope)
            made.write(statistics)
            return statistics
        }
        try await orchestrator.start()
        await eventually { await made.entries[0].orders == 12 }
        await orchestrator.shutdown()
        #if Instrumented
        #expect(values["axiom_pool_wait_seconds orders"] == 1)
        #expect(values["axiom_pool_closed_total orders shutdown"] == 1)
        #expect(values["axiom_background_task_runs_total orders success"] == 1)
        #endif
    }
}
