// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Limits how many calls run at once, so that one slow server cannot use up the resources of its callers.
///
/// ```swift
/// let bulkhead = try Bulkhead("search") {
///     $0.limit = 20
///     $0.queueLimit = 50
///     $0.queueTimeout = .milliseconds(200)
/// }
/// ```
///
/// Each running call holds a slot. A call beyond the limit waits in a bounded queue, or fails with ``BulkheadFullError``.
/// Waiting calls get slots by their ``BulkheadPriority``, and in the order of arrival within one priority. A task that is
/// cancelled while it waits leaves the queue at once. A call that finds a free slot takes an uncontended lock twice and
/// allocates nothing.
///
/// A call that finds the queue full displaces the latest of the least urgent waiting calls, if that is less urgent than
/// itself; the displaced call fails with ``BulkheadFullError``. Less urgent calls wait as long as more urgent ones keep
/// coming, so set a `queueTimeout` if you use priorities.
public final class Bulkhead: ResilienceStrategy, DescribedStrategy {
    /// The name, for errors and metrics.
    package let name: String
    /// The settings.
    package let configuration: BulkheadConfiguration
    private let clock: TimeSource
    /// Locked for one transition, never while a call runs. Waiters are resumed outside of the lock.
    private let machine: Lock<BulkheadMachine>

    /// Creates a bulkhead with the default settings, modified by `configure`.
    ///
    /// - Throws: ``ResilienceError`` if the name is empty or a setting is out of range.
    public init(
        _ name: String,
        clock: TimeSource = .live,
        file: String = #fileID,
        line: Int = #line,
        configure: (inout BulkheadConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = BulkheadConfiguration()
        configure(&configuration)
        let check = SettingCheck(subject: "Bulkhead \"\(name)\"", file: file, line: line)
        try check.requireName(name)
        try configuration.validate(check)
        self.name = name
        self.configuration = configuration
        self.clock = clock
        machine = Lock(BulkheadMachine(limit: configuration.limit, queueLimit: configuration.queueLimit))
    }

    /// The calls that run and wait now, and the totals so far, all read at one instant.
    public var counts: BulkheadCounts { machine.withLock { $0.counts } }

    package var kind: StrategyKind { .bulkhead }

    package var outline: String {
        let wait = configuration.queueTimeout.map { " for at most \($0)" } ?? ""
        let queue = configuration.queueLimit == 0 ? "none waiting" : "\(configuration.queueLimit) waiting\(wait)"
        return "Bulkhead \"\(name)\": \(configuration.limit) at once, \(queue)"
    }

    /// Runs `operation` on the actor of the caller with normal priority, as soon as a slot is free.
    ///
    /// - Throws: ``BulkheadFullError`` if there is no slot, `CancellationError` if the task was cancelled while it waited,
    ///   otherwise the error of the operation.
    public func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        try await run(priority: .normal, isolation: isolation, operation)
    }

    /// Runs `operation` on the actor of the caller, as soon as a slot is free and no more urgent call waits.
    ///
    /// - Throws: ``BulkheadFullError`` if there is no slot or a more urgent call took the place in the queue,
    ///   `CancellationError` if the task was cancelled while it waited, otherwise the error of the operation.
    public func run<R>(
        priority: BulkheadPriority,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        _ = try await enter(priority)
        requireIsolation(isolation)
        defer { leave() }
        return try await operation()
    }

    /// Takes a slot as soon as one is free and no more urgent call waits. Whoever has it calls ``leave()`` once.
    ///
    /// - Returns: Whether the call waited.
    /// - Throws: As ``run(priority:isolation:_:)``, without an operation.
    package nonisolated(nonsending) func enter(_ priority: BulkheadPriority) async throws -> Bool {
        switch machine.withLock({ $0.enter(priority) { makeWaiter(priority) } }) {
        case .admitted: return false
        case .queued(let waiter, let ticket, let displaced):
            displaced?.verdict.settle(.displaced)
            try await waitForSlot(waiter, ticket)
            return true
        case .full: throw BulkheadFullError(policy: name, reason: .queueFull, limit: configuration.limit)
        }
    }

    private func makeWaiter(_ priority: BulkheadPriority) -> BulkheadWaiter {
        BulkheadWaiter(priority: priority, deadline: configuration.queueTimeout.map { clock.now.advanced(by: $0) })
    }

    /// Gives a slot back, for the next call that waits.
    package func leave() {
        let released = machine.withLock { $0.leave { clock.now } }
        for waiter in released.admitted { waiter.verdict.settle(.admitted) }
        for waiter in released.late { waiter.verdict.settle(.late) }
    }

    /// Waits until a slot is free, a more urgent call displaces this one, the queue timeout expires, or the task is cancelled.
    private nonisolated(nonsending) func waitForSlot(_ waiter: BulkheadWaiter, _ ticket: UInt64) async throws {
        let verdict = await withTaskCancellationHandler {
            await waitForVerdict(waiter, ticket)
        } onCancel: {
            if machine.withLock({ $0.cancel(waiter, ticket) }) { waiter.verdict.settle(.cancelled) }
        }
        switch verdict {
        case .admitted: return
        case .cancelled: throw CancellationError()
        case .displaced: throw BulkheadFullError(policy: name, reason: .queueFull, limit: configuration.limit)
        case .late: throw BulkheadFullError(policy: name, reason: .waitedTooLong, limit: configuration.limit)
        }
    }

    private func waitForVerdict(_ waiter: BulkheadWaiter, _ ticket: UInt64) async -> BulkheadWaiter.Verdict {
        guard let deadline = waiter.deadline else { return await waiter.verdict.value }
        // Leaving the scope cancels the timer and waits for it.
        async let _: Void = expire(waiter, ticket, at: deadline)
        return await waiter.verdict.value
    }

    private func expire(_ waiter: BulkheadWaiter, _ ticket: UInt64, at deadline: Instant) async {
        guard (try? await clock.sleep(until: deadline)) != nil else { return }
        if machine.withLock({ $0.expire(waiter, ticket) }) { waiter.verdict.settle(.late) }
    }
}
