// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Chooses which job runs next, from a seed.
///
/// Each task has a random priority, and the job of the task with the highest priority runs. After a choice, the priority
/// of that task is drawn again with a probability that depends on the seed: always, or once in 4, 16 or 64 choices. The
/// first finds races of neighbouring steps. The last lets one task overtake another by many steps, which equal chances
/// never do (Burckhardt et al., "A randomized scheduler with probabilistic guarantees of finding bugs", 2010).
///
/// The main actor takes part as one more task. Its own jobs keep their order, as in production.
struct ScheduleMachine<Job: Sendable>: Sendable {
    enum Choice {
        case job(Job)
        /// Everything that waits for the main actor now.
        case mainActor
        case nothing
    }

    /// The number of the main actor in ``steps``; tasks count from 1, in the order of their first job.
    static var mainActor: Int { 0 }
    /// The main actor runs after so many other choices in a row, so that other tests can use it.
    private static var longestTurn: Int { 64 }
    /// The main actor has at most so many turns in a row while a task can run. What it does can take several: a call of an
    /// actor and the way back are two or three.
    private static var mostTurns: Int { 32 }

    /// Whose job each choice ran.
    private(set) var steps: [Int] = []
    /// The number of tasks so far.
    private(set) var taskCount = 0

    private var generator: SeededGenerator
    /// One priority in so many choices is drawn again.
    private let changeInterval: Int
    /// In the order in which they became runnable.
    private var runnable: [(job: Job, task: Int)] = []
    private var numbers: [UInt64: Int] = [:]
    private var priorities: [UInt64]
    private var running: Int?
    private var stepsSinceMainActor = 0
    private var turnsInRow = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        changeInterval = [1, 4, 16, 64][generator.index(below: 4)]
        priorities = [generator.next()]
    }

    /// Notes a job that can run.
    ///
    /// - Parameter task: The identifier of its task. Nil for the job of an actor; it counts as a job of the task that runs
    ///   now, which waits for the actor.
    mutating func add(_ job: Job, of task: UInt64?) {
        runnable.append((job, task.map { number(of: $0) } ?? running ?? nextNumber()))
    }

    /// Chooses. The previous job has returned.
    mutating func next() -> Choice {
        running = nil
        guard let index = runnable.indices.max(by: { isBefore(runnable[$0].task, runnable[$1].task, $0, $1) }) else {
            return .nothing
        }
        let task = runnable[index].task
        if isTurnOfMainActor(before: task) {
            stepsSinceMainActor = 0
            turnsInRow += 1
            note(Self.mainActor)
            return .mainActor
        }
        stepsSinceMainActor += 1
        turnsInRow = 0
        note(task)
        running = task
        return .job(runnable.remove(at: index).job)
    }

    /// Whether the main actor runs before the task.
    private func isTurnOfMainActor(before task: Int) -> Bool {
        guard !steps.isEmpty, turnsInRow < Self.mostTurns else { return false }
        return stepsSinceMainActor >= Self.longestTurn || priorities[Self.mainActor] > priorities[task]
    }

    /// Whether the job at `first` has a lower rank than the one at `second`: the jobs of one task keep their order.
    private func isBefore(_ task: Int, _ other: Int, _ first: Int, _ second: Int) -> Bool {
        task == other ? first > second : priorities[task] < priorities[other]
    }

    private mutating func note(_ task: Int) {
        steps.append(task)
        if generator.index(below: changeInterval) == 0 { priorities[task] = generator.next() }
    }

    private mutating func number(of task: UInt64) -> Int {
        if let number = numbers[task] { return number }
        let number = nextNumber()
        numbers[task] = number
        return number
    }

    private mutating func nextNumber() -> Int {
        taskCount += 1
        priorities.append(generator.next())
        return taskCount
    }
}

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
