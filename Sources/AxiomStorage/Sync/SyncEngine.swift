// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
public import AxiomResilience
public import Foundation

/// Sends the changes of an ``Outbox`` to a server.
///
/// A client makes it, starts it in `activate()` and stops it in `deactivate()`, so that it ends with the application:
/// ```swift
/// outbox = try Outbox("orders", in: storage)
/// engine = try SyncEngine(scope, outbox, connection: .capability(network)) { change in
///     try await network.call { try await $0.post(change.payload, idempotencyKey: change.id) }
/// }
/// func activate() async throws { try await engine.start() }
/// func deactivate() async { await engine.stop() }
/// ```
/// Changes are sent at once after an append and when the connection comes back, when the wait after a failed attempt is
/// over, and in a regular round. Nothing is sent while there is no connection. A change is removed after the server has
/// accepted it. If the process ends in between, it is sent again, with the same idempotency key: a server that ignores
/// repeated keys applies each change exactly once.
///
/// A failed attempt is repeated after a wait that grows. Behind `send` is a circuit breaker: while it is open, nothing is
/// sent and no attempt counts. A change that fails too often is set aside; see ``SyncOptions`` and
/// ``OutboxOptions/afterSetAside``.
public final class SyncEngine: Sendable {
    /// Resolves a conflict: receives the change and the present state of the server.
    public typealias Resolver = @Sendable (PendingChange, Data) async throws -> ConflictResolution

    /// The changes.
    public let outbox: Outbox
    let runner: SyncRunner
    private let report: @Sendable (any Error) -> Void
    private let component: ComponentDescriptor
    private enum Life {
        /// With the run before, which may still end, and its claim as long as its attempts are awaited.
        case stopped(Task<Void, Never>?, StorageKeyClaim?)
        case running(Task<Void, Never>, StorageKeyClaim?)
    }

    private let life = Lock(Life.stopped(nil, nil))

    /// Creates an engine without signals, for an outbox outside of an application.
    ///
    /// - Parameters:
    ///   - outbox: The changes. Its clock is the clock of the engine. Use one engine per outbox.
    ///   - interval: The time between two regular rounds; longer than zero.
    ///   - connection: Whether there is a connection.
    ///   - options: Limits, waits, and the meaning of errors.
    ///   - breaker: The circuit breaker around `send`; nil for one of the engine's own. It is reset when the connection
    ///     comes back, and ignores errors that only concern one change.
    ///   - onError: Receives the errors of the storage, and an ``OfflineError`` for each change that is set aside.
    ///   - send: Sends a change with its idempotency key ``PendingChange/id``. Called concurrently for changes of different
    ///     keys. Throws if the answer is not known.
    ///   - resolve: Resolves a conflict. Default: sets the change aside.
    /// - Throws: ``OfflineError`` if an option is out of range; ``ResilienceError`` for the backoff.
    public convenience init(
        _ outbox: Outbox,
        every interval: Duration = .seconds(30),
        connection: SyncConnection = .always,
        options: SyncOptions = SyncOptions(),
        breaker: CircuitBreaker? = nil,
        onError: @escaping @Sendable (any Error) -> Void = { _ in },
        send: @escaping @Sendable (PendingChange) async throws -> SyncAnswer,
        resolve: @escaping Resolver = SyncEngine.setAside
    ) throws {
        let handlers = SyncRunner.Handlers(report: onError, send: send, resolve: resolve)
        try self.init(nil, outbox, interval, connection, options, breaker, handlers)
    }

    /// Creates the engine of a client. Its errors end at the boundary of the orchestrator, and it is measured.
    ///
    /// The parameters and errors are those of ``init(_:every:connection:options:breaker:onError:send:resolve:)``.
    public convenience init(
        _ scope: borrowing ClientScope,
        _ outbox: Outbox,
        every interval: Duration = .seconds(30),
        connection: SyncConnection = .always,
        options: SyncOptions = SyncOptions(),
        breaker: CircuitBreaker? = nil,
        send: @escaping @Sendable (PendingChange) async throws -> SyncAnswer,
        resolve: @escaping Resolver = SyncEngine.setAside
    ) throws {
        let handlers = SyncRunner.Handlers(report: scope.reportError, send: send, resolve: resolve)
        try self.init(scope.identity, outbox, interval, connection, options, breaker, handlers)
    }

    init(
        _ identity: ComponentIdentity?,
        _ outbox: Outbox,
        _ interval: Duration,
        _ connection: SyncConnection,
        _ options: SyncOptions,
        _ breaker: CircuitBreaker?,
        _ handlers: SyncRunner.Handlers
    ) throws {
        try options.validate(every: interval)
        let name = "sync \(outbox.name)"
        // Checks the backoff.
        _ = try Retry(name) { $0.backoff = options.backoff }
        let parts = SyncRunner.Parts(
            outbox: outbox,
            connection: connection,
            breaker: try breaker ?? Self.breaker(name, options, outbox.clock),
            ownsBreaker: breaker == nil,
            timeout: try Timeout(name, options.timeLimit, clock: outbox.clock),
            signals: SyncSignals(identity, queue: outbox.name),
            handlers: handlers
        )
        if let identity { outbox.publisher.bind(OutboxSignals(identity, queue: outbox.name)) }
        self.outbox = outbox
        report = handlers.report
        component = identity?.descriptor ?? ComponentDescriptor(kind: .client, name: "SyncEngine")
        runner = SyncRunner(parts, SyncMachine(options, every: interval))
    }

    deinit {
        if case .running(let task, _) = life.withLock({ $0 }) { task.cancel() }
    }

    /// The default resolver.
    public static let setAside: Resolver = { _, _ in
        .setAside(reason: "the server has another state, and the engine has no resolver")
    }

    private static func breaker(_ name: String, _ options: SyncOptions, _ clock: TimeSource) throws -> CircuitBreaker {
        var configuration = CircuitBreakerConfiguration(consecutiveFailures: 5)
        configuration.classify = { error in
            if Cancellation.isIntended(error) { return .cancelled }
            // An error of one change says nothing about the server.
            return !options.isOutage(error) && options.onError(error) == .stop ? .ignored : .failure
        }
        return try CircuitBreaker(name: name, configuration, clock: clock)
    }

    /// Loads the outbox and begins to send. Does nothing if the engine runs.
    ///
    /// - Throws: The error of the storage if the outbox cannot be loaded; ``OfflineError`` if another engine of this process
    ///   sends the changes of the outbox, or of another one with its name in its storage. The engine then does not run.
    public func start() async throws {
        try await outbox.load()
        let unreadable = try await outbox.unreadable
        let hasStarted = try life.withLock { life in
            guard case .stopped(let former, let own) = life else { return false }
            let claim = try own ?? outbox.claim(for: component)
            // Detached: it outlives the call, and has no part in its deadline or its trail of errors.
            let task = Task.detached(executorPreference: inheritedExecutor) { [runner] in
                await former?.value
                await runner.run()
            }
            life = .running(task, claim)
            return true
        }
        guard hasStarted, !unreadable.isEmpty else { return }
        report(OfflineError.unreadable(unreadable, in: outbox.name, cause: await outbox.flaw))
    }

    /// Begins no attempt any more, and waits for the attempts under way. When the limit is over, or if the calling task is
    /// cancelled, they are cancelled and no longer awaited; their changes stay in the outbox, unless the server still
    /// accepts them. A further call waits for the same attempts.
    ///
    /// - Parameter limit: How long to wait. An application gives a client 5 s to deactivate.
    /// - Returns: Whether all attempts ended in time.
    @discardableResult
    public func stop(within limit: Duration = .seconds(3)) async -> Bool {
        let (running, ended) = life.withLock { life in
            switch life {
            case .stopped(let task, _): return (Task<Void, Never>?.none, task)
            case .running(let task, let claim):
                life = .stopped(task, claim)
                return (task, task)
            }
        }
        defer { releaseClaim(of: ended) }
        return await runner.stop(running, within: limit)
    }

    /// Lets another engine send the changes of the outbox, unless this one ran again after `run`.
    private func releaseClaim(of run: Task<Void, Never>?) {
        // Released outside of the lock.
        let claim = life.withLock { life -> StorageKeyClaim? in
            guard case .stopped(let task, let claim) = life, task == run else { return nil }
            life = .stopped(task, nil)
            return claim
        }
        withExtendedLifetime(claim) {}
    }

    /// Ends the waits of all changes, and sends them as soon as possible. Does nothing without a connection.
    public func syncNow() async {
        await outbox.hasten()
        runner.wake()
    }

    /// Whether the engine runs and there is a connection.
    public var isOnline: Bool { get async { await runner.isOnline } }
}
