// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// The turns of this process: which starts, shutdowns, changes, mounts, unmounts, and calls of components within them,
/// wait for which others.
///
/// There is one table for the process, because a component of one orchestrator may wait for another orchestrator.
///
/// The turn in which code runs is a task-local value. It passes through every call: through an action of a client, too,
/// so that a client that awaits a shutdown within an unmount is seen although a client call binds nothing and costs
/// nothing here. `Task { }` and child tasks inherit the turn: what they do counts as a part of the turn as long as it
/// lasts, and a wait for the turn is refused though the turn does not wait for the task. `Task.detached { }` inherits
/// nothing: use it for what is to happen after the turn. A turn that waits for the value of a detached task that waits
/// for the turn is not seen here; its limit ends it.
package enum Turns {
    /// The innermost turn of this task. A turn that has ended is as good as none: a task that was begun in it may
    /// live on.
    @TaskLocal package static var current: TurnID?

    /// Read and written under this lock, which is never held across a call of anything else.
    private static let table = Lock(TurnTable())

    /// Begins a turn within the one of this task. It lasts until ``end(_:)``.
    ///
    /// - Parameter others: The turns that the caller awaits before the new one does anything.
    /// - Throws: ``WaitCycle`` when one of `others` waits for the turn of this task. Nothing is begun then.
    package static func begin(
        _ subject: TurnSubject,
        after others: [TurnID],
        clock: TimeSource
    ) throws(WaitCycle) -> TurnID {
        let (caller, now) = (current, clock.now)
        return try table.withLock { table throws(WaitCycle) in
            try table.begin(subject, at: now, within: caller, after: others)
        }
    }

    /// Begins a turn that waits for no other turn: never refused.
    package static func begin(_ subject: TurnSubject, clock: TimeSource) -> TurnID {
        let (caller, now) = (current, clock.now)
        return table.withLock { $0.begin(subject, at: now, within: caller) }
    }

    package static func end(_ turn: TurnID) {
        table.withLock { $0.end(turn) }
    }

    /// Notes that nothing waits for the turn any more, though it goes on.
    ///
    /// - Returns: What keeps the turn from ending, other than itself.
    @discardableResult
    package static func abandon(_ turn: TurnID) -> [TurnSubject] {
        table.withLock { table in
            let obstacles = table.obstacles(of: turn).map(\.subject)
            let isAlone = table.needsNothing(turn)
            table.abandon(turn)
            return isAlone ? [] : obstacles
        }
    }

    package static func isLive(_ turn: TurnID) -> Bool {
        table.withLock { $0.isLive(turn) }
    }

    /// Runs `body` as the code of `turn`, and ends the turn.
    package static func run<R>(
        _ turn: TurnID,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> R
    ) async rethrows -> R {
        defer { end(turn) }
        return try await $current.withValue(turn, operation: body)
    }

    /// Runs `body`, which awaits the end of `turn`.
    ///
    /// - Throws: ``WaitCycle`` when `turn` waits for the turn of this task; `body` is not run then.
    package static func wait(
        for turn: TurnID,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async -> Void
    ) async throws(WaitCycle) {
        let caller = current
        try table.withLock { table throws(WaitCycle) in try table.beginWait(of: caller, for: turn) }
        await body()
        table.withLock { $0.endWait(of: caller, for: turn) }
    }

    /// What keeps `turn` from ending; see ``TurnTable/obstacles(of:)``.
    package static func obstacles(of turn: TurnID) -> [TurnTable.Turn] {
        table.withLock { $0.obstacles(of: turn) }
    }

    /// The turns that are under way in this process, the one that began first first. For diagnosis.
    package static var live: [(id: TurnID, turn: TurnTable.Turn)] {
        table.withLock { $0.live }
    }
}
