// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Bounds how many calls run at once, so that one slow server does not take up everything its callers have.
///
/// ```swift
/// let bulkhead = try Bulkhead("search") {
///     $0.limit = 20
///     $0.queueLimit = 50
///     $0.queueTimeout = .milliseconds(200)
/// }
/// ```
///
/// A call beyond the limit waits in a bounded queue, first come first served, or is refused with
/// ``BulkheadFullError``. A task that is cancelled while it waits leaves the queue at once. A call that finds a place
/// takes an uncontended lock twice and allocates nothing.
///
/// With an adaptive limit, the latencies of calls decide that succeed, end with a ``TimeoutError``, or are ended by the
/// deadline of a ``Timeout`` or a ``Retry`` around the bulkhead. Other errors may be quicker than the work, and would
/// raise the limit of a server that fails.
public final class Bulkhead: ResilienceStrategy {
    /// The name that errors and metrics show.
    public let name: String
    /// The settings, as they were given.
    public let configuration: BulkheadConfiguration
    private let clock: TimeSource
    /// Held for a transition, never across a call. Waiters are resumed outside it.
    private let machine: Lock<BulkheadMachine>

    /// Makes a bulkhead with the settings in `configuration`.
    ///
    /// - Throws: ``ResilienceError`` for an empty name or a setting that is out of its range.
    public init(
        _ name: String,
        _ configuration: BulkheadConfiguration = BulkheadConfiguration(),
        clock: TimeSource = .live,
        file: String = #fileID,
        line: Int = #line
    ) throws {
        let check = SettingCheck(subject: "Bulkhead \"\(name)\"", file: file, line: line)
        try check.requireName(name)
        try configuration.validate(check)
        let gradient = try configuration.adaptive.map { try GradientLimit($0, file: file, line: line) }
        self.name = name
        self.configuration = configuration
        self.clock = clock
        machine = Lock(
            BulkheadMachine(limit: configuration.limit, gradient: gradient, queueLimit: configuration.queueLimit)
        )
    }

    /// Makes a bulkhead with the default settings, changed by `configure`.
    ///
    /// - Throws: ``ResilienceError`` for an empty name or a setting that is out of its range.
    public convenience init(
        _ name: String,
        clock: TimeSource = .live,
        file: String = #fileID,
        line: Int = #line,
        configure: (inout BulkheadConfiguration) -> Void
    ) throws {
        var configuration = BulkheadConfiguration()
        configure(&configuration)
        try self.init(name, configuration, clock: clock, file: file, line: line)
    }

    /// What the bulkhead holds and has counted, all at one instant.
    public var counts: BulkheadCounts { machine.withLock { $0.counts } }

    /// ``StrategyKind/bulkhead``.
    public var kind: StrategyKind { .bulkhead }

    /// The name, the limit and the queue.
    public var outline: String {
        let adaptive = configuration.adaptive.map { "\($0.minimum) to \($0.maximum), by latency" }
        let wait = configuration.queueTimeout.map { " for at most \($0)" } ?? ""
        let queue = configuration.queueLimit == 0 ? "none waiting" : "\(configuration.queueLimit) waiting\(wait)"
        return "Bulkhead \"\(name)\": \(adaptive ?? "\(configuration.limit)") at once, \(queue)"
    }

    /// Runs `operation` once there is a place for it.
    ///
    /// - Throws: ``BulkheadFullError`` when there is none, `CancellationError` when the task was cancelled while it
    ///   waited, otherwise what the operation throws.
    public func run<R: Sendable>(_ operation: @Sendable () async throws -> R) async throws -> R {
        let inFlight: Int
        switch machine.withLock({ $0.enter { makeWaiter() } }) {
        case .admitted(let inUse):
            inFlight = inUse
        case .queued(let waiter):
            try await waitForPlace(waiter)
            inFlight = counts.inUse
        case .full(let limit):
            throw BulkheadFullError(policy: name, reason: .queueFull, limit: limit)
        }
        let start = configuration.adaptive == nil ? nil : clock.now
        let deadlines = start == nil ? .none : DeadlineMark.now
        do {
            let value = try await operation()
            leave(start, inFlight, isMeasure: true)
            return value
        } catch {
            leave(start, inFlight, isMeasure: error is TimeoutError || deadlines.hasExpired)
            throw error
        }
    }

    private func makeWaiter() -> BulkheadWaiter {
        BulkheadWaiter(deadline: configuration.queueTimeout.map { clock.now.advanced(by: $0) })
    }

    private func leave(_ start: Instant?, _ inFlight: Int, isMeasure: Bool) {
        let sample = start.flatMap { start in
            isMeasure ? BulkheadSample(latency: clock.now.duration(since: start), inFlight: inFlight) : nil
        }
        let released = machine.withLock { $0.leave(sample) { clock.now } }
        for waiter in released.admitted { waiter.verdict.settle(.admitted) }
        for waiter in released.late { waiter.verdict.settle(.late) }
    }

    /// Waits at most for the queue timeout, and without it until a call ends or the task is cancelled, as the
    /// configuration says.
    private func waitForPlace(_ waiter: BulkheadWaiter) async throws {
        let verdict = await withTaskCancellationHandler {
            await settled(waiter)
        } onCancel: {
            if machine.withLock({ $0.cancel(waiter) }) { waiter.verdict.settle(.cancelled) }
        }
        switch verdict {
        case .admitted: return
        case .cancelled: throw CancellationError()
        case .late: throw BulkheadFullError(policy: name, reason: .waitedTooLong, limit: counts.limit)
        }
    }

    private func settled(_ waiter: BulkheadWaiter) async -> BulkheadWaiter.Verdict {
        guard let deadline = waiter.deadline else { return await waiter.verdict.value }
        // Leaving the scope cancels the timer and awaits it.
        async let _: Void = expire(waiter, at: deadline)
        return await waiter.verdict.value
    }

    private func expire(_ waiter: BulkheadWaiter, at deadline: Instant) async {
        guard (try? await clock.sleep(until: deadline)) != nil else { return }
        if machine.withLock({ $0.expire(waiter) }) { waiter.verdict.settle(.late) }
    }
}
