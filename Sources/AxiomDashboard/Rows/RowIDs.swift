// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

/// The numbers of rows that have none of their own.
struct RowIDs: Sendable {
    var circuits = IDTable<String>()
    var errors = IDTable<ErrorFingerprint?>()
    var budgets = IDTable<String>()
    var regressions = IDTable<String>()
    var edges = IDTable<ComponentDependency>()
    var policies = IDTable<String>()
    var runtime = IDTable<String>()
    var telemetry = IDTable<String>()
    var slowest = IDTable<SlowAction>()
}
