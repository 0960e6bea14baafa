// SPDX-License-Identifier: Apache-2.0

@testable import AxiomInstrumentation

extension Telemetry {
    /// Waits until the error sink has received all queued errors, or until the task is cancelled.
    func drainErrorSink() async {
        await errorDelivery?.drained()
    }

    /// Waits until `onBudgetViolation` has returned for all queued violations, or until the task is cancelled.
    func drainBudgetViolations() async {
        await judging.violations.drained()
    }
}
