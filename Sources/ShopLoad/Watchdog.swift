// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// Finds steps that take too long. It runs outside of the main actor, so it also finds a main actor that is blocked.
package final class Watchdog: Sendable {
    /// A step that has not ended.
    package struct Overdue: Error, Hashable, CustomStringConvertible {
        package let step: String
        package let limit: Duration

        package var description: String { "\(step) has not ended after \(limit)" }
    }

    private struct State {
        var lastID = 0
        var running: [Int: (step: any CustomStringConvertible & Sendable, deadline: Instant)] = [:]
    }

    private let limit: Duration
    private let clock: TimeSource
    /// Guarded by the lock.
    private let state = Lock(State())

    package init(limit: Duration, clock: TimeSource) {
        self.limit = limit
        self.clock = clock
    }

    /// Runs `work` as `step`, which is watched until it ends.
    package func watch<R>(
        _ step: any CustomStringConvertible & Sendable,
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> R
    ) async rethrows -> R {
        let deadline = clock.now.advanced(by: limit)
        let id = state.withLock { state in
            state.lastID += 1
            state.running[state.lastID] = (step, deadline)
            return state.lastID
        }
        defer { state.withLock { _ = $0.running.removeValue(forKey: id) } }
        return try await work()
    }

    /// Checks ten times a second until the task is cancelled or a step is overdue.
    ///
    /// - Parameter onOverdue: Called with the first overdue step, which still runs.
    /// - Returns: That step.
    package func patrol(_ onOverdue: @Sendable (Overdue) -> Void) async -> Overdue? {
        while (try? await clock.sleep(for: .milliseconds(100))) != nil {
            guard let overdue else { continue }
            onOverdue(overdue)
            return overdue
        }
        return nil
    }

    /// The overdue step with the earliest deadline.
    package var overdue: Overdue? {
        let now = clock.now
        let late = state.withLock { state in
            state.running.values.filter { $0.deadline < now }.min { $0.deadline < $1.deadline }
        }
        return late.map { Overdue(step: $0.step.description, limit: limit) }
    }
}
