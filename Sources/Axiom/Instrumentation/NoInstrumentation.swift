// SPDX-License-Identifier: Apache-2.0

/// Observes nothing. What an orchestrator has unless it is told otherwise.
public struct NoInstrumentation: Instrumentation {
    /// Makes the observer that observes nothing.
    public init() {}
}
