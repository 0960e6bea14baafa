// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The deadlines that were running when a call began: one bit per deadline, by its depth. A deadline inside more than 15
/// others has no bit and is not seen.
struct DeadlineSnapshot: Equatable, Sendable {
    static let none = DeadlineSnapshot(bits: 0)

    let bits: UInt16

    /// The snapshot for a call that begins now. Cost: one atomic load until the process has its first deadline. After
    /// that also the look-up of a task-local value.
    @inline(__always)
    static var now: DeadlineSnapshot { Deadline.areUsed.load(ordering: .relaxed) ? current : .none }

    @inline(never)
    private static var current: DeadlineSnapshot {
        var bits: UInt16 = 0
        var next = Deadline.current
        while let deadline = next {
            if deadline.isRunning { bits |= bit(deadline) }
            next = deadline.outer
        }
        return DeadlineSnapshot(bits: bits)
    }

    private static func bit(_ deadline: Deadline) -> UInt16 {
        deadline.depth < 16 ? 1 << UInt16(deadline.depth) : 0
    }

    /// Whether no deadline was running.
    @inline(__always)
    var isEmpty: Bool { bits == 0 }

    /// The error of the innermost of these deadlines that has expired since and ends the current task, or nil.
    @inline(never)
    func expiredError() -> TimeoutError? {
        var next = Deadline.current
        while let deadline = next {
            if bits & Self.bit(deadline) != 0, deadline.endsTask { return deadline.error }
            next = deadline.outer
        }
        return nil
    }
}
