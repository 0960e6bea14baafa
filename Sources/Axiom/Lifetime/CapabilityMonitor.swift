// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

/// Listens to one ``ChangeSource`` for one run of the application.
///
/// The source is never made to wait for a reaction: events are kept until they have been quiet for the debounce time,
/// only the latest of each permission, service and resource. Then one reaction at a time is carried out.
@MainActor
final class CapabilityMonitor {
    /// How often a source that fails is listened to, without a minute of success in between.
    static let maximumAttempts = 5
    /// An attempt that lasted so long begins the count of attempts again.
    static let soundAttempt = Duration.seconds(60)

    private let worker: Worker
    private let task: Task<Void, Never>

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - fail: Receives each failure of the source, and whether it was the last attempt.
    ///   - react: Carries out what events lead to.
    init<S: ChangeSource>(
        _ source: S,
        debounce: Duration,
        clock: TimeSource,
        fail: @escaping @MainActor (any Error, _ isLast: Bool) async -> Void,
        react: @escaping @MainActor ([CapabilityEvent]) async -> Void
    ) {
        let worker = Worker(debounce: max(.zero, debounce), clock: clock, fail: fail, react: react)
        self.worker = worker
        let source: Worker.Source = {
            for try await event in source.events() {
                try Task.checkCancellation()
                await worker.take(event)
            }
        }
        // Detached: it belongs to no turn and to no operation.
        task = Task.detached(executorPreference: inheritedExecutor) { await worker.listen(source) }
    }

    deinit { task.cancel() }

    func end() {
        task.cancel()
        worker.end()
    }
}

/// The two tasks of a monitor: one listens, and one reacts while there are events.
@MainActor
private final class Worker {
    private enum Key: Hashable {
        case permission(Permission)
        case service(SystemService)
        case pressure(SystemResource)

        init(_ event: CapabilityEvent) {
            switch event {
            case .permission(let permission, _): self = .permission(permission)
            case .service(let service, _, _): self = .service(service)
            case .pressure(let resource, _): self = .pressure(resource)
            }
        }
    }

    typealias Source = @Sendable () async throws -> Void

    private let debounce: Duration
    private let clock: TimeSource
    private let fail: @MainActor (any Error, _ isLast: Bool) async -> Void
    private let react: @MainActor ([CapabilityEvent]) async -> Void
    private var pending: [Key: CapabilityEvent] = [:]
    /// When the pending events are carried out, and the latest time to which further events postpone it.
    private var due: (next: Instant, last: Instant)?
    private var reaction: Task<Void, Never>?
    private var hasEnded = false
    /// The attempts to listen since the last one that lasted long.
    private var attempts = 0

    init(
        debounce: Duration,
        clock: TimeSource,
        fail: @escaping @MainActor (any Error, _ isLast: Bool) async -> Void,
        react: @escaping @MainActor ([CapabilityEvent]) async -> Void
    ) {
        self.debounce = debounce
        self.clock = clock
        self.fail = fail
        self.react = react
    }

    func end() {
        hasEnded = true
        reaction?.cancel()
        pending = [:]
    }

    /// Listens until the source ends, the task is cancelled, or the attempts are used up.
    func listen(_ source: @escaping Source) async {
        while !Task.isCancelled, await listenOnce(source) {}
    }

    /// - Returns: Whether to begin the attempts again, because the last one had lasted long.
    private func listenOnce(_ source: @escaping Source) async -> Bool {
        guard
            let retry = try? Retry(
                "monitor",
                clock: clock,
                configure: {
                    $0.maximumAttempts = CapabilityMonitor.maximumAttempts
                    $0.onError = { $0 is LongAttempt ? .stop : .retry }
                }
            )
        else { return false }
        attempts = 0
        do {
            try await retry.run { try await self.attempt(source) }
            return false
        } catch {
            return error is LongAttempt
        }
    }

    /// An attempt failed that had lasted long. Its error was reported.
    private struct LongAttempt: Error {}

    private func attempt(_ source: Source) async throws {
        attempts += 1
        let start = clock.now
        do {
            try await source()
        } catch {
            guard !Task.isCancelled else { throw CancellationError() }
            let isLong = clock.now.duration(since: start) >= CapabilityMonitor.soundAttempt
            await fail(error, !isLong && attempts == CapabilityMonitor.maximumAttempts)
            throw isLong ? LongAttempt() : error is CancellationError ? Interruption() : error
        }
    }

    /// The source ended with a cancellation although nothing cancelled it. It is listened to again.
    private struct Interruption: Error {}

    func take(_ event: CapabilityEvent) {
        guard !hasEnded else { return }
        let now = clock.now
        let last = due?.last ?? now.advanced(by: debounce * 10)
        due = (min(now.advanced(by: debounce), last), last)
        pending[Key(event)] = event
        if reaction == nil {
            reaction = Task.detached(executorPreference: inheritedExecutor) { await self.reactToAll() }
        }
    }

    private func reactToAll() async {
        while !hasEnded, let next = due?.next {
            if clock.now < next {
                guard (try? await clock.sleep(until: next)) != nil else { break }
                continue
            }
            let events = Array(pending.values)
            (pending, due) = ([:], nil)
            await react(events)
        }
        reaction = nil
    }
}
