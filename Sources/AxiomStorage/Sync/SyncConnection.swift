// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomResilience
internal import Foundation

/// Whether there is a connection to the server, now and after every change.
public struct SyncConnection: Sendable {
    /// Reports the connection until it is cancelled.
    let follow: @Sendable (_ report: @escaping @Sendable (Bool) async -> Void) async -> Void
    /// Finds out again whether there is a connection. The result comes through `follow`.
    let refresh: @Sendable () async -> Void

    private init(
        refresh: @escaping @Sendable () async -> Void = {},
        follow: @escaping @Sendable (_ report: @escaping @Sendable (Bool) async -> Void) async -> Void
    ) {
        self.follow = follow
        self.refresh = refresh
    }

    /// There is always a connection. Failed attempts and the circuit breaker alone decide when to send.
    public static let always = SyncConnection { report in await report(true) }

    /// There is a connection while the level of a capability, such as a `NetworkCapability`, is
    /// ``DegradationLevel/limited`` or better. While there is none, each regular round checks the capability again, for
    /// capabilities that do not report changes themselves.
    public static func capability<C: Sendable>(_ capability: CapabilityRef<C>) -> SyncConnection {
        SyncConnection {
            capability.invalidate()
            _ = await capability.isAvailable
        } follow: { report in
            for await level in capability.levels { await report(level <= .limited) }
        }
    }

    /// There is a connection while the service ``SystemService/network`` of a source is up. If the source fails, the last
    /// known state stays.
    public static func source(_ source: some ChangeSource) -> SyncConnection {
        SyncConnection { report in
            do {
                for try await event in source.events() {
                    if case .service(.network, let isUp, _) = event { await report(isUp) }
                }
            } catch {}
        }
    }

    /// A connection that a sequence reports. There is none before the first element.
    public static func states(_ states: some AsyncSequence<Bool, Never> & Sendable) -> SyncConnection {
        SyncConnection { report in
            for await isConnected in states { await report(isConnected) }
        }
    }
}

/// The errors that say that a server could not be reached, or that it is down or busy.
enum Outage {
    /// Whether an error is one of them, or is caused by one.
    static func isCause(of error: any Error) -> Bool {
        switch error {
        case is TimeoutError, is CircuitOpenError, is CircuitError, is BulkheadFullError, is RateLimitError,
            is CapabilityError:
            true
        case let error as NetworkError: isCause(of: error)
        default: isCause(of: error as NSError, depth: 0)
        }
    }

    private static func isCause(of error: NetworkError) -> Bool {
        switch error.code {
        case .noConnection, .networkTimeout: true
        case .serverError: error.facts.status.map(statuses.contains) ?? false
        default: false
        }
    }

    /// An error of Foundation, with the errors that caused it. Domains are compared as texts, because on Linux `URLError`
    /// is in a module that brings libcurl.
    private static func isCause(of error: NSError, depth: Int) -> Bool {
        switch error.domain {
        case "NSURLErrorDomain" where urlCodes.contains(error.code): return true
        case NSPOSIXErrorDomain where systemCodes.contains(CInt(truncatingIfNeeded: error.code)): return true
        default: break
        }
        guard depth < 4, let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError else { return false }
        return isCause(of: cause, depth: depth + 1)
    }

    /// Request timeout, too many requests, bad gateway, service unavailable, gateway timeout. Not 500, which a change
    /// may bring about.
    private static let statuses: Set<Int> = [408, 429, 502, 503, 504]

    /// The codes of `URLError`: timed out, cannot find or connect to the host, connection lost, name not resolved, not
    /// connected, roaming is off, a call is active, no data allowed; and those of a TLS connection, which also fails
    /// behind the login page of a network.
    private static let urlCodes: Set<Int> = [
        -1001, -1003, -1004, -1005, -1006, -1009, -1018, -1019, -1020, -1200, -1201, -1202, -1203, -1204,
    ]

    private static let systemCodes: Set<CInt> = [
        ECONNREFUSED, ECONNRESET, ECONNABORTED, ENOTCONN, EPIPE, ETIMEDOUT, ENETDOWN, ENETUNREACH, ENETRESET, EHOSTDOWN,
        EHOSTUNREACH, EADDRNOTAVAIL, EAGAIN, EMFILE, ENFILE, ENOBUFS,
    ]
}

/// How a ``SyncEngine`` sends changes.
public struct SyncOptions: Sendable {
    /// How many changes, of different keys, are sent at the same time: 1 to 100. Default: 4.
    public var maximumConcurrentSends = 4
    /// After how many attempts that failed a change is set aside: 1 or more. Default: 10. Failures for which
    /// ``isOutage`` is true do not count, nor do those that arrive while there is no connection, nor those for which the
    /// server says when to try again (``RetryDecision/retry(after:)``).
    public var maximumAttempts = 10
    /// For how long the attempts of a change must have failed before it is set aside: zero or longer. Default: 24 h, so
    /// that an outage which ``isOutage`` does not recognise sets nothing aside on the same day. A wall clock that is set
    /// while the outbox is in use does not change it. Attempts that the server answered, with a conflict, do not wait for
    /// it.
    public var minimumFailureTime = Duration.seconds(86_400)
    /// How long one call of `send` or `resolve` may take; longer than zero. Default: 30 s. Then its task is cancelled. If
    /// it has not ended 5 s later, its place is free for another change, and an ``OfflineError`` says so; the change
    /// waits for its answer.
    public var timeLimit = Duration.seconds(30)
    /// The wait of a change after a failed attempt. Default: exponential from 1 s to 5 min with full jitter. The longest
    /// wait is 1 h.
    public var backoff = Backoff.exponential(base: .seconds(1), cap: .seconds(300))
    /// Decides whether to send a change again after an error. ``RetryDecision/stop`` sets it aside at once, because another
    /// attempt could not help. Default: the advice of the error, otherwise to try again. May be called twice for an error.
    public var onError: @Sendable (any Error) -> RetryDecision = RetryConfiguration.advised
    /// Whether an error means that the server could not be reached, is down or is busy, which is not the fault of a
    /// change. Such a change is sent again until it arrives. Default: ``standardOutage``.
    public var isOutage: @Sendable (any Error) -> Bool = SyncOptions.standardOutage

    /// The default options.
    public init() {}

    /// The default of ``isOutage``: a `NetworkError` without a connection or an answer, or with the status 408, 429, 502,
    /// 503 or 504; a `URLError` and a `POSIXError` of the connection, also as the underlying error of another; a
    /// `TimeoutError`, an open circuit breaker, a bulkhead or a rate limiter that refuses a call, and a capability that
    /// does not work.
    public static let standardOutage: @Sendable (any Error) -> Bool = { Outage.isCause(of: $0) }

    func validate(every interval: Duration) throws(OfflineError) {
        guard interval > .zero else {
            throw .invalid("The interval of a sync engine", interval, "it has to be longer than zero")
        }
        guard (1...100).contains(maximumConcurrentSends) else {
            throw .invalid("maximumConcurrentSends", maximumConcurrentSends, "it has to be 1 to 100")
        }
        guard maximumAttempts >= 1 else { throw .invalid("maximumAttempts", maximumAttempts, "it has to be 1 or more") }
        guard minimumFailureTime >= .zero else {
            throw .invalid("minimumFailureTime", minimumFailureTime, "it has to be zero or longer")
        }
        guard timeLimit > .zero else { throw .invalid("timeLimit", timeLimit, "it has to be longer than zero") }
    }
}
