// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Times an application's operations for budgets of its own.
///
/// ```swift
/// let catalogue = try await telemetry.performance.measure("catalogue_sync") { try await fetch() }
/// ```
/// It costs two clock readings and no hop. For a benchmark, use the product `AxiomBenchmarking`; for a limit in a test, the
/// assertion `expectWithinBudgets` of `AxiomTesting`.
public struct PerformanceMonitor: Sendable {
    /// The component that shows the application's own budgets.
    package static let component = "application"

    private let budgets: BudgetMonitor
    private let clock: TimeSource

    init(_ budgets: BudgetMonitor, clock: TimeSource) {
        self.budgets = budgets
        self.clock = clock
    }

    /// Runs `operation` in the caller's isolation, and checks its duration against a budget, even if it throws an error.
    ///
    /// - Parameter label: The name of a budget that the application added. The duration is not recorded if there is none.
    /// - Throws: Errors of `operation`.
    public func measure<R, E: Error>(
        _ label: String,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws(E) -> sending R
    ) async throws(E) -> sending R {
        let start = clock.now
        defer { record(clock.now.nanoseconds(since: start), label) }
        return try await operation()
    }

    private func record(_ nanoseconds: Int64, _ label: String) {
        let id = PerformanceBudget.ID(rawValue: label)
        guard budgets.table.budget(id)?.rows.isEmpty == true else { return }
        budgets.meter(id, Self.component)?.record(nanoseconds)
    }
}
