// SPDX-License-Identifier: Apache-2.0

/// Ends the calls of an observer of transitions.
public struct CircuitObservation: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    /// Ends them. One that is under way meanwhile is not waited for.
    public func cancel() {
        end()
    }
}
