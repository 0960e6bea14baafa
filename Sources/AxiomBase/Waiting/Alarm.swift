// SPDX-License-Identifier: Apache-2.0

/// Acts once at an instant of a clock, unless it is cancelled before.
package struct Alarm: Sendable {
    private let task: Task<Void, Never>

    /// Sets an alarm. Its task inherits neither the actor nor the task-local values of the caller.
    ///
    /// - Parameters:
    ///   - instant: When to act.
    ///   - clock: The clock of the instant.
    ///   - ring: What to do.
    package init(at instant: Instant, on clock: TimeSource, _ ring: @escaping @Sendable () async -> Void) {
        task = Task.detached(executorPreference: inheritedExecutor) {
            if (try? await clock.sleep(until: instant)) != nil { await ring() }
        }
    }

    /// Sets an alarm for the end of a time from now.
    package init(after time: Duration, on clock: TimeSource, _ ring: @escaping @Sendable () async -> Void) {
        self.init(at: clock.now.advanced(by: time), on: clock, ring)
    }

    /// Prevents the alarm. If it acts already, it is not interrupted, but its task is cancelled.
    package func cancel() {
        task.cancel()
    }
}
