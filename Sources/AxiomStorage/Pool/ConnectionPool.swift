// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase

/// A connection that a ``ConnectionPool`` creates, reuses and closes.
public protocol PooledConnection: AnyObject, Sendable {
    /// Whether the connection can be used again. Read before each reuse. Answer from known facts, or with a short round
    /// trip: a connection whose answer takes longer than ``ConnectionPoolConfiguration/checkTimeout`` is closed, while the
    /// answer may still be under way.
    var isValid: Bool { get async }

    /// Whether the connection can be used again, if that is known without a wait; by default nil: ``isValid`` is
    /// read. A check without a wait needs no task, and does not leave the thread of the caller.
    var knownValidity: Bool? { get }

    /// Closes the connection. Called once, on a task of the pool. The connection counts towards the limit of the pool
    /// until the call returns.
    func close() async
}

extension PooledConnection {
    /// Nil: ``isValid`` is read.
    public var knownValidity: Bool? { nil }
}

/// The settings of a ``ConnectionPool``. The initializer of the pool checks them.
public struct ConnectionPoolConfiguration: Sendable {
    /// How long a call waits for a connection; nil for no limit. Default: 30 s.
    public var acquireTimeout: Duration? = .seconds(30)
    /// A connection that was not used for this time is closed; nil for never. Default: 10 min.
    public var idleLimit: Duration? = .seconds(600)
    /// A connection that exists for this time is closed as soon as it is not in use; nil for never. Default: 30 min. The
    /// limit of each connection is drawn from 90 to 100 % of it, so that those which were created together are not closed
    /// together.
    public var ageLimit: Duration? = .seconds(1_800)
    /// A connection that was idle for less than this is reused without a check. Default: 0, so every reuse is checked. A
    /// connection whose last call threw an error is checked in any case.
    public var checkAfter: Duration = .zero
    /// How long a check may take; longer than zero. Default: 5 s, and at most half of ``acquireTimeout``. Then the connection
    /// is closed, and the waiting call gets another one.
    public var checkTimeout: Duration = .seconds(5)

    /// Creates the default settings.
    public init() {}

    var checkLimit: Duration { acquireTimeout.map { min(checkTimeout, $0 / 2) } ?? checkTimeout }

    func validate(_ pool: String, limit: Int) throws(PoolError) {
        guard !pool.isEmpty else { throw .invalid(pool, "name", "\"\"", "a text for errors and metrics") }
        guard limit >= 1 else { throw .invalid(pool, "limit", limit, "1 or more") }
        for (name, value) in [
            ("acquireTimeout", acquireTimeout), ("idleLimit", idleLimit), ("ageLimit", ageLimit),
        ] {
            guard let value, value <= .zero else { continue }
            throw .invalid(pool, name, value, "longer than zero, or nil for no limit")
        }
        guard checkTimeout > .zero else { throw .invalid(pool, "checkTimeout", checkTimeout, "longer than zero") }
        guard checkAfter >= .zero else { throw .invalid(pool, "checkAfter", checkAfter, "zero or longer") }
    }
}

/// Reuses connections, and limits how many of them exist.
///
/// ```swift
/// let pool = try ConnectionPool("orders", limit: 10, owner: scope.identity) { try await Connection.open(server) }
/// let total = try await pool.withConnection { try await $0.count("orders") }
/// ```
///
/// - At every instant at most `limit` connections exist, including those that are being created, checked and closed.
/// - Calls that wait are served in the order of their arrival. A call that is cancelled or waits too long leaves the queue
///   at once; a connection that was created for it serves the next call.
/// - The connection that was returned last is used first, so that surplus connections reach their idle limit.
/// - A failed creation fails the call that waits longest, and the next call gets a new attempt.
///
/// A call that finds an idle connection does not suspend, unless the check of the connection does. Close the pool when its
/// owner ends. The idle connections of a pool that is released without ``close(within:)`` are closed too, but nothing waits
/// for them.
public final class ConnectionPool<C: PooledConnection>: Sendable {
    private let core: PoolCore

    /// Creates a pool without connections.
    ///
    /// - Parameters:
    ///   - name: The name, for errors and metrics.
    ///   - limit: How many connections may exist at once: 1 or more.
    ///   - owner: The identity of the component whose observer records the pool's signals, such as `scope.identity`. Nil
    ///     to record nothing.
    ///   - clock: The clock of all limits; by default that of the application of `owner`.
    ///   - configure: Modifies the default settings.
    ///   - make: Creates a connection. It runs on a task of its own, which no waiting call cancels: give it a time-out.
    /// - Throws: ``PoolError`` if the name is empty or a setting is out of range.
    public init(
        _ name: String,
        limit: Int,
        owner: ComponentIdentity? = nil,
        clock: TimeSource? = nil,
        configure: (inout ConnectionPoolConfiguration) -> Void = { _ in },
        make: @escaping @Sendable () async throws -> C
    ) throws {
        var configuration = ConnectionPoolConfiguration()
        configure(&configuration)
        core = try PoolCore(
            name,
            limit: limit,
            owner: owner,
            clock: clock ?? owner?.clock ?? .live,
            configuration,
            make: make
        )
    }

    /// The connections by phase, the waiting calls and the totals, all read at one instant.
    package var counts: PoolCounts { core.counts }

    /// Runs `body` with a connection, on the actor of the caller. The connection is returned when `body` ends, even if it
    /// throws. Do not keep it.
    ///
    /// - Parameters:
    ///   - limit: How long to wait for the connection; by default
    ///     ``ConnectionPoolConfiguration/acquireTimeout``. Zero or less fails at once if a wait is necessary:
    ///     if no connection is idle, or its check suspends.
    ///   - body: Uses the connection. It has no limit: use a ``/AxiomResilience/Timeout`` for one.
    /// - Throws: ``PoolError`` with the code ``/Axiom/ErrorCode/poolTimedOut`` or ``/Axiom/ErrorCode/poolClosed``; the
    ///   error of a creation; `CancellationError` if the task was cancelled while it waited; the error of `body`.
    public func withConnection<R>(
        within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: nonisolated(nonsending) (C) async throws -> R
    ) async throws -> R {
        let lease = try await core.acquire(within: limit, isolation: isolation)
        var isSuspect = true
        defer { core.giveBack(lease, isSuspect: isSuspect) }
        // Every connection comes from the closure of the initializer, which returns a `C`.
        let result = try await body(unsafeDowncast(lease.connection, to: C.self))
        isSuspect = false
        return result
    }

    /// Closes the pool and waits until all its connections are closed.
    ///
    /// Calls that wait fail with the code ``/Axiom/ErrorCode/poolClosed``. Idle connections are closed at once, and
    /// connections in use when they are returned. Further calls wait for the same end.
    ///
    /// - Parameter limit: How long to wait. The pool continues to close its connections after it.
    /// - Throws: ``PoolError`` with the code ``/Axiom/ErrorCode/connectionsOverdue`` if the limit passed; its message names
    ///   the connections. `CancellationError` if the task is cancelled.
    public func close(within limit: Duration = .seconds(5)) async throws {
        try await core.close(within: limit)
    }
}
