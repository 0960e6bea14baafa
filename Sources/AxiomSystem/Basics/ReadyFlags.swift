// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Flags that any thread raises and one task waits for. A flag that is raised twice before the task takes it counts once.
final class ReadyFlags: Sendable {
    private struct State {
        var raised: UInt32 = 0
        /// Of the only waiting task.
        var waiter: OneShot<Void>?
    }

    /// The waiter is settled outside the lock.
    private let state = Lock(State())

    /// Raises flags and wakes the waiting task.
    func raise(_ flags: UInt32) {
        let waiter = state.withLock { state in
            state.raised |= flags
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.settle(())
    }

    /// Lowers all flags and returns those that were raised.
    func take() -> UInt32 {
        state.withLock { state in
            defer { state.raised = 0 }
            return state.raised
        }
    }

    /// Waits until a flag is raised.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before.
    func wait() async throws {
        let waiter = OneShot<Void>()
        let isRaised = state.withLock { state in
            state.waiter = waiter
            return state.raised != 0
        }
        if !isRaised { await waiter.value(ifCancelled: ()) }
        try Task.checkCancellation()
    }

    /// Waits until a flag is raised or `deadline` has passed. Without a deadline, only a flag ends the wait.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before.
    func wait(until deadline: Instant?, on clock: TimeSource) async throws {
        guard let deadline else { return try await wait() }
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.wait() }
            group.addTask { try await clock.sleep(until: deadline) }
            try await group.next()
            // Waiting takes no flag, so the wait that is cancelled here loses none.
            group.cancelAll()
        }
    }
}
