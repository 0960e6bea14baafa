// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// The turns of this process: the starts, shutdowns, changes, mounts, unmounts and component calls within them, and the
/// waits between them.
///
/// There is one table per process, because a component of one orchestrator may wait for another orchestrator.
///
/// The current turn is a task-local value. It passes through every call, including an action of a client. A client that
/// awaits a shutdown within an unmount is therefore detected, although a client call binds nothing and costs nothing
/// here. `Task { }` and child tasks inherit the turn. Their work counts as part of the turn while the turn lasts, and
/// their wait for the turn is refused, even though the turn does not wait for the task. `Task.detached { }` inherits
/// nothing: use it for work that follows the turn. If a turn waits for the value of a detached task that waits for the
/// turn, the cycle is not detected here; the limit of the turn ends it.
package enum Turns {
    /// The innermost turn of this task. A turn that has ended counts as none: a task that began in it may outlive it.
    @TaskLocal package static var current: TurnID?

    /// Read and written under this lock, which is never held across a call to other code.
    private static let table = Lock(TurnTable())

    /// Begins a turn within the current turn of this task. It lasts until ``end(_:)``.
    ///
    /// - Parameter others: The turns that the caller awaits before the new one does anything.
    /// - Throws: ``WaitCycle`` if one of `others` waits for the turn of this task. No turn begins then.
    package static func begin(
        _ subject: TurnSubject,
        after others: [TurnID],
        clock: TimeSource
    ) throws(WaitCycle) -> TurnID {
        let (caller, now) = (current, clock.now)
        let turn = try table.withLock { table throws(WaitCycle) in
            try table.begin(subject, at: now, within: caller, after: others)
        }
        noteWait(for: turn, subject)
        return turn
    }

    /// Begins a turn that waits for no other turn and is therefore never refused.
    package static func begin(_ subject: TurnSubject, clock: TimeSource) -> TurnID {
        let (caller, now) = (current, clock.now)
        let turn = table.withLock { $0.begin(subject, at: now, within: caller) }
        noteWait(for: turn, subject)
        return turn
    }

    private static func noteWait(for turn: TurnID, _ subject: TurnSubject) {
        inheritedExecutor?.waitBegan { isLive(turn) ? subject.description : nil }
    }

    /// Records that `turn` cannot end before `other`. Used if this was true before through a turn that ends now, so it
    /// closes no cycle.
    package static func follow(_ turn: TurnID, _ other: TurnID) {
        table.withLock { try? $0.beginWait(of: turn, for: other) }
    }

    package static func end(_ turn: TurnID) { table.withLock { $0.end(turn) } }

    /// Ends the outer turn's wait for the turn, which continues to run.
    ///
    /// - Returns: The turns that keep `turn` from ending, other than itself.
    @discardableResult
    package static func abandon(_ turn: TurnID) -> [TurnSubject] {
        table.withLock { table in
            let obstacles = table.obstacles(of: turn).map(\.subject)
            let isAlone = table.needsNothing(turn)
            table.abandon(turn)
            return isAlone ? [] : obstacles
        }
    }

    package static func isLive(_ turn: TurnID) -> Bool { table.withLock { $0.isLive(turn) } }

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
    /// - Throws: ``WaitCycle`` if `turn` waits for the turn of this task. `body` does not run then.
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

    /// The turns that keep `turn` from ending; see ``TurnTable/obstacles(of:)``.
    package static func obstacles(of turn: TurnID) -> [TurnTable.Turn] {
        table.withLock { $0.obstacles(of: turn) }
    }

    /// The turns in progress in this process, in the order in which they began. For diagnosis.
    package static var live: [(id: TurnID, turn: TurnTable.Turn)] { table.withLock { $0.live } }
}
