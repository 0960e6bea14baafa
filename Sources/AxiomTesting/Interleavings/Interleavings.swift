// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation
public import Testing

/// Runs a test under many schedules, each from a seed, until one fails.
///
/// ```swift
/// @Test func additionsAreNotLost() async throws {
///     try await withInterleavings(200) { _ in
///         let counter = Counter()
///         async let first: Void = counter.add()
///         async let second: Void = counter.add()
///         _ = await (first, second)
///         #expect(await counter.value == 2)
///     }
/// }
/// ```
/// Every job of the body runs alone: its child tasks, the actors that they call, and what Axiom does for them in tasks of
/// its own and on the main actor. At each suspension the seed decides which task goes on. The same seed gives the same
/// schedule. Other tests can run at the same time.
///
/// `Task { }` and `Task.detached { }` in the code under test are outside of the schedule, because they do not inherit an
/// executor. So are threads, Dispatch and real clocks. The body may wait for them, but a seed then need not repeat its
/// schedule. Use child tasks and `ManualTime` instead.
///
/// If the environment variable `AXIOM_INTERLEAVING_SEED` is set, the body runs only with this seed. A text that is not a seed
/// is an error.
///
/// - Parameters:
///   - count: The number of runs, at least 1.
///   - seed: The seed of the first run. Each further run has the next one.
///   - limit: How long the body may wait while none of its tasks can run, in real time. By default 20 s: other tests may
///     occupy the main actor for seconds.
///   - maximumSteps: The greatest number of steps of a run, at least 1. A step is what a task does between two suspensions.
///   - checkingReplay: Whether each seed runs twice, and fails if the schedules differ.
/// - Throws: ``InterleavingFailure`` for the first run that throws an error, fails an expectation, or cannot end;
///   `CancellationError` if the calling task is cancelled; ``TestError`` if `count` or `maximumSteps` is less than 1.
public func withInterleavings(
    _ count: Int = 200,
    seed: UInt64 = 1,
    limit: Duration = .seconds(20),
    maximumSteps: Int = 100_000,
    checkingReplay: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (Interleaving) async throws -> Void
) async throws {
    guard maximumSteps > 0 else {
        throw TestError("withInterleavings(maximumSteps: \(maximumSteps)) permits no step. Give 1 or more.")
    }
    let seeds = try InterleavingSeeds(count, from: seed, environment: ProcessInfo.processInfo.environment)
    for run in 1...seeds.count {
        let seed = seeds.first &+ UInt64(run - 1)
        let test = InterleavedRun(seed, limit: limit, maximumSteps: maximumSteps, sourceLocation, body)
        var (cause, schedule) = await test.perform()
        try Task.checkCancellation()
        if cause == nil, checkingReplay {
            let (_, repeated) = await test.perform()
            cause = schedule.firstDifference(from: repeated).map { .differs(step: $0) }
            schedule = repeated
        }
        if let cause {
            throw InterleavingFailure(seed: seed, run: run, count: seeds.count, cause: cause, taken: schedule)
        }
    }
}

/// The seeds of the runs of a test.
struct InterleavingSeeds: Equatable {
    /// The seed of the first run. Each further run has the next one.
    let first: UInt64
    let count: Int

    /// - Parameter environment: Its `AXIOM_INTERLEAVING_SEED` replaces the seed and the count.
    /// - Throws: ``UnknownInterleavingSeed`` if that is not a seed; ``TestError`` if `count` is less than 1.
    init(_ count: Int, from seed: UInt64, environment: [String: String]) throws {
        guard count > 0 else {
            throw TestError("withInterleavings(\(count)) runs nothing, which proves nothing. Give 1 or more.")
        }
        guard let text = environment[InterleavingFailure.variable], !text.isEmpty else {
            (first, self.count) = (seed, count)
            return
        }
        guard let given = UInt64(text) else { throw UnknownInterleavingSeed(text: text) }
        (first, self.count) = (given, 1)
    }
}

struct UnknownInterleavingSeed: MessageError, CustomStringConvertible {
    let text: String

    var message: String {
        "\(InterleavingFailure.variable) is \"\(text)\", which is not a seed. Set it to the whole number in the message of a "
            + "failure, or remove it from the environment."
    }
}

/// One schedule of a body.
private struct InterleavedRun {
    private typealias End = OneShot<InterleavingFailure.Cause?>

    private let seed: UInt64
    private let limit: Duration
    private let maximumSteps: Int
    private let sourceLocation: SourceLocation
    private let body: @Sendable (Interleaving) async throws -> Void

    init(
        _ seed: UInt64,
        limit: Duration,
        maximumSteps: Int,
        _ sourceLocation: SourceLocation,
        _ body: @escaping @Sendable (Interleaving) async throws -> Void
    ) {
        (self.seed, self.limit, self.maximumSteps) = (seed, limit, maximumSteps)
        (self.sourceLocation, self.body) = (sourceLocation, body)
    }

    /// Runs the body and what it leaves behind.
    func perform() async -> (InterleavingFailure.Cause?, Schedule) {
        let (end, issues) = (End(), Tally())
        let executor = SeededExecutor(seed: seed, limit: limit, steps: maximumSteps) { end.settle(self.cause(of: $0)) }
        let cause = await counting(issues) {
            let task = start(on: executor, end)
            let cause = await withTaskCancellationHandler {
                await end.value
            } onCancel: {
                task.cancel()
            }
            task.cancel()
            await executor.quiet()
            return cause ?? executor.halt.map { self.cause(of: $0) }
        }
        return (cause ?? (issues.value > 0 ? .issues(Int(issues.value)) : nil), executor.schedule)
    }

    private func start(on executor: SeededExecutor, _ end: End) -> Task<Void, Never> {
        Task(executorPreference: executor) { [seed, body] in
            let cause: InterleavingFailure.Cause?
            do {
                try await body(Interleaving(seed: seed, executor: executor))
                cause = nil
            } catch {
                cause = .error(error)
            }
            // Here, because the task that waits for the end may not get a thread for longer than the limit.
            executor.bodyEnded()
            end.settle(cause)
        }
    }

    private func cause(of halt: SeededExecutor.Halt) -> InterleavingFailure.Cause {
        switch halt.reason {
        case .nothingRuns: .nothingRuns(limit: limit, waits: halt.waits)
        case .tooManySteps: .tooManySteps(maximum: maximumSteps, waits: halt.waits)
        }
    }

    /// Counts the issues that are recorded meanwhile. None of them is known: they are reported as usual.
    private func counting(
        _ issues: Tally,
        _ work: @Sendable () async -> InterleavingFailure.Cause?
    ) async -> InterleavingFailure.Cause? {
        let result = OneShot<InterleavingFailure.Cause?>()
        await withKnownIssue(isIntermittent: true, sourceLocation: sourceLocation) {
            result.settle(await work())
        } matching: { _ in
            issues.increment()
            return false
        }
        return result.settled ?? nil
    }
}

/// One run of ``withInterleavings(_:seed:limit:maximumSteps:checkingReplay:sourceLocation:_:)``.
public struct Interleaving: Sendable {
    /// The seed from which the schedule follows.
    public let seed: UInt64
    let executor: SeededExecutor

    /// The tasks in the order in which they ran so far, such as "1 2 2 main 1 main×3": tasks have numbers in the order
    /// of their first step, and "main" is a turn of the main actor.
    public var schedule: String { executor.schedule.text }

    /// Waits until no other task of this run can run: each has ended or waits for something, such as a manual clock.
    public func quiet() async { await executor.quiet() }
}
