// SPDX-License-Identifier: Apache-2.0

/// Which tasks ran in which order.
struct Schedule: Hashable, Sendable {
    /// The task of each job that ran, from 1; 0 for a turn of the main actor.
    let steps: [Int]
    /// The number of tasks.
    let tasks: Int

    /// The steps, such as "1 2 2 main 1".
    var text: String {
        steps.map { $0 == ScheduleMachine<Int>.mainActor ? "main" : "\($0)" }.joined(separator: " ")
    }

    /// The index of the first step that differs; nil if the schedules are equal.
    func firstDifference(from other: Schedule) -> Int? {
        guard steps != other.steps else { return nil }
        return zip(steps, other.steps).enumerated().first { $1.0 != $1.1 }?.offset
            ?? min(steps.count, other.steps.count)
    }
}
