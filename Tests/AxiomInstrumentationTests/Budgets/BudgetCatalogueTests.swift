// SPDX-License-Identifier: Apache-2.0

import AxiomInstrumentation
import Testing

@Suite("The catalogue of performance budgets")
struct BudgetCatalogueTests {
    /// RFC-001 1.7, "Performance Summary", row by row.
    private static let summary = [
        "Capability: Initialization (first) < 10ms", "Capability: Initialization (cached) < 1ms",
        "Capability: Invalidation < 5ms", "Capability: Recovery Strategy < 5ms", "Client: State Mutation < 8ms",
        "Client: State Publishing < 1ms", "Client: Memory Overhead < 512 bytes", "Context: Creation < 50ms",
        "Context: State Observation < 8ms", "Context: Memory Overhead < 1KB", "Context: Lifecycle Methods < 10ms",
        "View: Rendering < 16ms", "View: Navigation < 300ms", "View: Memory < 256KB",
    ]

    /// Framework documentation 1.0, "Performance Requirements": response times, memory, concurrency.
    private static let requirements = [
        "State Updates < 5ms", "UI Rendering < 10ms", "Navigation < 10ms", "Action Processing < 50ms",
        "App Launch (cold) < 1s", "App Launch (warm) < 100ms", "Base Memory < 50MB", "State Memory < 1MB",
        "Navigation Stack < 10MB", "Cache Limits configurable", "Leak Prevention zero",
        "Actor Contention < 1ms average", "Task Startup < 1ms", "Cancellation < 10ms", "Thread Pool efficient",
        "Deadlock Prevention zero",
    ]

    /// Framework documentation 1.0, "Timing Requirements".
    private static let timing = [
        "State Propagation < 5ms", "UI Updates < 10ms", "Navigation < 10ms", "Error Handling < 50ms",
        "Capability State < 10ms",
    ]

    /// RFC-001 1.7, "Architectural Constraints": the rules with a limit of their own.
    private static let rules = ["15: Error Propagation < 10ms", "19: Error Boundaries < 5ms"]

    private func rows(of document: String) -> Set<String> {
        let rows = PerformanceBudget.specification.flatMap(\.rows).filter { $0.document.hasSuffix(document) }
        return Set(rows.map { "\($0.operation) \($0.target)" })
    }

    @Test(
        "Every row of the specification's tables and each rule with a limit is a budget, and no budget has another row (ERR-05)"
    )
    func complete() {
        #expect(rows(of: "Performance Summary") == Set(Self.summary))
        #expect(rows(of: "Performance Requirements") == Set(Self.requirements))
        #expect(rows(of: "Timing Requirements") == Set(Self.timing))
        #expect(rows(of: "Architectural Constraints") == Set(Self.rules))
        #expect(PerformanceBudget.specification.allSatisfy { !$0.rows.isEmpty })
    }

    @Test("Names are unique and in snake case")
    func names() {
        let names = PerformanceBudget.specification.map(\.id.rawValue)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil })
    }

    @Test("The limit is the strictest of the rows")
    func strictest() throws {
        for budget in PerformanceBudget.specification where budget.limit.unit == .time || budget.limit.unit == .bytes {
            let targets = try budget.rows.map { try #require(Self.value(of: $0.target), "\($0.target)") }
            #expect(budget.limit.value == targets.min(), "\(budget.id)")
        }
    }

    @Test("The statistic is the one that the specification names")
    func statistics() {
        let named = Dictionary(grouping: PerformanceBudget.specification) { $0.statistic }
            .mapValues { Set($0.map(\.id.rawValue)) }
        #expect(named[.p95] == ["client_action", "state_mutation"])
        #expect(named[.p99] == ["capability_check_cached", "context_creation"])
        #expect(named[.mean] == ["actor_wait"])
        #expect(named[.every]?.isSuperset(of: ["lifecycle", "navigation", "leak_prevention"]) == true)
    }

    /// In nanoseconds or bytes.
    private static func value(of target: String) -> Int64? {
        guard let match = target.wholeMatch(of: /< (\d+) ?(ms|s|KB|MB|bytes)( average)?/) else { return nil }
        let units: [Substring: Int64] = ["ms": 1_000_000, "s": 1_000_000_000, "KB": 1_024, "MB": 1_048_576, "bytes": 1]
        return Int64(match.1).flatMap { number in units[match.2].map { number * $0 } }
    }
}
