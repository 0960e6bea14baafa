// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// A simulated user of an application, who takes one step after another.
@MainActor
package protocol SimulatedUser: AnyObject, Sendable {
    associatedtype Step: CustomStringConvertible, Sendable

    /// The next step; nil at the end of the user's script.
    func nextStep() -> Step?

    /// Takes a step; returns when it is done.
    func take(_ step: Step) async throws

    /// Leaves the application. Called once, after the last step.
    func leave() async
}

/// Runs several simulated users at once, at a steady rate of steps.
@MainActor
package struct LoadGenerator {
    /// When the users stop.
    package enum Bound: Hashable, Sendable {
        /// When the task is cancelled.
        case none
        /// After this time. A step that has begun is finished.
        case duration(Duration)
        /// After this number of steps of all users together.
        case steps(Int)
    }

    /// Steps of all users together per second.
    private let rate: Double
    private let watchdog: Watchdog
    private let clock: TimeSource

    /// - Parameters:
    ///   - rate: Steps of all users together per second, more than 0.
    ///   - stepLimit: How long a step may take.
    package init(rate: Double, stepLimit: Duration, clock: TimeSource) {
        self.rate = rate
        self.clock = clock
        watchdog = Watchdog(limit: stepLimit, clock: clock)
    }

    /// Enough users to keep the rate while some of them wait.
    private var userCount: Int {
        Int(min(max(4, rate / 5), 64).rounded(.up))
    }

    /// Runs the users until `bound` is reached or the task is cancelled. All of them have left when this returns.
    ///
    /// - Parameters:
    ///   - onOverdue: Called for the first step that takes more than the limit, while it still runs and on another thread
    ///     than the main one: a step that is stuck cannot be ended from here.
    ///   - user: Creates the user with this index.
    /// - Throws: ``Watchdog/Overdue`` if a step took more than the limit; the error of a step.
    package func run(
        _ bound: Bound,
        onOverdue: @escaping @Sendable (Watchdog.Overdue) -> Void = { _ in },
        user: (_ index: Int) -> some SimulatedUser
    ) async throws {
        let patrol = Task.detached { [watchdog] in await watchdog.patrol(onOverdue) }
        let result: Result<Void, any Error>
        do {
            result = .success(try await runUsers(bound, user))
        } catch {
            result = .failure(error)
        }
        patrol.cancel()
        if let overdue = await patrol.value { throw overdue }
        try result.get()
    }

    private func runUsers(_ bound: Bound, _ user: (_ index: Int) -> some SimulatedUser) async throws {
        let pacer = Pacer(rate: rate, clock: clock)
        let end: Instant? = if case .duration(let duration) = bound { clock.now.advanced(by: duration) } else { nil }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<userCount {
                let (user, steps) = (user(index), steps(ofUser: index, bound))
                group.addTask { try await run(user, pacer, steps: steps, until: end) }
            }
            try await group.waitForAll()
        }
    }

    private func run(_ user: some SimulatedUser, _ pacer: Pacer, steps: Int, until end: Instant?) async throws {
        do {
            for _ in 0..<steps {
                guard (try? await pacer.turn()) != nil, let step = user.nextStep() else { break }
                if let end, clock.now >= end { break }
                try await watchdog.watch(step) { try await user.take(step) }
            }
        } catch {
            await user.leave()
            throw error
        }
        await user.leave()
    }

    private func steps(ofUser index: Int, _ bound: Bound) -> Int {
        guard case .steps(let steps) = bound else { return .max }
        return steps / userCount + (index < steps % userCount ? 1 : 0)
    }
}

/// Starts the steps of all users together at a steady rate.
@MainActor
private final class Pacer {
    /// Steps that are late by more than this are skipped; otherwise they would follow in a burst.
    private static let slack = Duration.seconds(1)

    private let interval: Duration
    private let clock: TimeSource
    private var nextSlot: Instant

    init(rate: Double, clock: TimeSource) {
        interval = .seconds(1 / rate)
        self.clock = clock
        nextSlot = clock.now
    }

    /// Waits for the next slot.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func turn() async throws {
        let earliest = clock.now.advanced(by: .zero - Self.slack)
        let slot = max(nextSlot, earliest)
        nextSlot = slot.advanced(by: interval)
        try Task.checkCancellation()
        try await clock.sleep(until: slot)
    }
}
