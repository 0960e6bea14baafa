// SPDX-License-Identifier: Apache-2.0

/// One run of ``withInterleavings(_:seed:limit:maximumSteps:checkingReplay:sourceLocation:_:)``.
public struct Interleaving: Sendable {
    /// The seed from which the schedule follows.
    public let seed: UInt64
    let executor: SeededExecutor

    /// The tasks in the order in which they ran so far, such as "1 2 2 main 1 main×3": tasks have numbers in the order
    /// of their first step, and "main" is a turn of the main actor.
    public var schedule: String { executor.schedule.text }

    /// Waits until no other task of this run can run: each has ended or waits for something, such as a manual clock.
    public func quiet() async {
        await executor.quiet()
    }
}
