// SPDX-License-Identifier: Apache-2.0

@testable import AxiomInstrumentation

extension Telemetry {
    /// Waits until the error sink has received all queued errors, or until the task is cancelled.
    func drainErrorSink() async {
        while !Task.isCancelled, errorDelivery?.isDelivering == true { await Task.yield() }
    }

    /// Waits until `onBudgetViolation` has returned for all queued violations, or until the task is cancelled.
    func drainBudgetViolations() async {
        while !Task.isCancelled, judging.violations.isDelivering { await Task.yield() }
    }
}
