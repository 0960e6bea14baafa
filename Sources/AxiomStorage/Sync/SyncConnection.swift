// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomResilience
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
