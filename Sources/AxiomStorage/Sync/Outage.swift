// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomResilience
internal import Foundation

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
