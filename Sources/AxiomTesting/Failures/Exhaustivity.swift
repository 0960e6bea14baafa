// SPDX-License-Identifier: Apache-2.0

/// Whether a test has to assert everything that happens. Fixed when the test orchestrator is made.
public enum Exhaustivity: Sendable, Hashable {
    /// Unasserted changes, states, errors, running actions, sleeping tasks and contexts that stay alive are failures.
    case on
    /// They are not. What the test asserts is still compared.
    ///
    /// - Parameter showSkipped: Whether to print what would be a failure to the standard output.
    case off(showSkipped: Bool)

    /// Nothing has to be asserted, and nothing is printed.
    public static let off = Exhaustivity.off(showSkipped: false)
}
