// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Watches that no step takes too long, from beside the main actor, so that it sees a main actor that is stuck.
final class Watchdog: Sendable {
    /// A step that has not ended.
    struct Overdue: Error, Hashable, CustomStringConvertible {
        let step: String
        let limit: Duration

        var description: String { "\(step) has not ended after \(limit)" }
    }

    private struct State {
        var lastID = 0
        var running: [Int: (step: Step, deadline: Instant)] = [:]
    }

    private let limit: Duration
    private let clock: TimeSource
    /// Guarded by the lock.
    private let state = Lock(State())

    init(limit: Duration, clock: TimeSource) {
        self.limit = limit
        self.clock = clock
    }

    /// Runs `work` as `step`, which is watched until it ends.
    func watch<R>(
        _ step: Step,
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

    /// Looks ten times a second until the task is cancelled or a step took too long, of which it tells `onOverdue`.
    ///
    /// - Returns: The first step that took too long.
    func patrol(_ onOverdue: @Sendable (Overdue) -> Void) async -> Overdue? {
        while (try? await clock.sleep(for: .milliseconds(100))) != nil {
            guard let overdue else { continue }
            onOverdue(overdue)
            return overdue
        }
        return nil
    }

    /// The step that should have ended first and has not.
    var overdue: Overdue? {
        let now = clock.now
        let late = state.withLock { state in
            state.running.values.filter { $0.deadline < now }.min { $0.deadline < $1.deadline }
        }
        return late.map { Overdue(step: $0.step.description, limit: limit) }
    }
}
