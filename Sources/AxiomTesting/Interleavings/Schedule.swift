// SPDX-License-Identifier: Apache-2.0

/// Which tasks ran in which order.
struct Schedule: Hashable, Sendable {
    /// The task of each job that ran, from 1; 0 for a turn of the main actor.
    let steps: [Int]
    /// The number of tasks.
    let tasks: Int

    /// The steps, such as "1 2 2 main 1 main×3".
    var text: String { text(ofLast: Int.max) }

    /// The last steps, as in ``text``. Turns of the main actor in a row count as one.
    func text(ofLast count: Int) -> String {
        var groups: [(step: Int, count: Int)] = []
        for step in steps {
            if step == ScheduleMachine<Int>.mainActor, groups.last?.step == step {
                groups[groups.count - 1].count += 1
            } else {
                groups.append((step, 1))
            }
        }
        return groups.suffix(count).map(Self.text).joined(separator: " ")
    }

    private static func text(_ step: Int, _ count: Int) -> String {
        (step == ScheduleMachine<Int>.mainActor ? "main" : "\(step)") + (count > 1 ? "×\(count)" : "")
    }

    /// The index of the first step that differs; nil if the schedules are equal.
    func firstDifference(from other: Schedule) -> Int? {
        guard steps != other.steps else { return nil }
        return zip(steps, other.steps).enumerated().first { $1.0 != $1.1 }?.offset
            ?? min(steps.count, other.steps.count)
    }
}
