// SPDX-License-Identifier: Apache-2.0

// For <sys/epoll.h>, which the module of the C library leaves out.
internal import CMicrohttpd
internal import Foundation

#if !os(Linux)
#error("AxiomHTTP is for Linux, because it uses epoll. On other platforms serve the pages of AxiomMetrics yourself.")
#endif

// Constants that Glibc declares as enumerations and Musl as integers.

/// The kind of a socket, and flags of its creation: for socket(2) and accept4(2).
package enum SocketType {
    #if canImport(Glibc)
    package static let stream = CInt(SOCK_STREAM.rawValue)
    package static let closeOnExec = CInt(SOCK_CLOEXEC.rawValue)
    package static let nonBlocking = CInt(SOCK_NONBLOCK.rawValue)
    #else
    package static let stream = CInt(SOCK_STREAM)
    package static let closeOnExec = CInt(SOCK_CLOEXEC)
    package static let nonBlocking = CInt(SOCK_NONBLOCK)
    #endif
}

/// The events of epoll_ctl(2).
package enum PollEvents {
    #if canImport(Glibc)
    package static let readable = EPOLLIN.rawValue
    package static let hangup = EPOLLRDHUP.rawValue
    package static let edgeTriggered = EPOLLET.rawValue
    package static let oneShot = EPOLLONESHOT.rawValue
    #else
    package static let readable = UInt32(EPOLLIN)
    package static let hangup = UInt32(EPOLLRDHUP)
    package static let edgeTriggered = UInt32(EPOLLET)
    package static let oneShot = UInt32(EPOLLONESHOT)
    #endif
}

/// How many descriptors the process may have open: getrlimit(2).
struct OpenFileLimit: Hashable, Sendable {
    /// What the kernel enforces.
    var soft: UInt
    /// How far the process may raise ``soft``.
    var hard: UInt

    /// What a server raises the soft limit to, if the hard one allows it. A login shell has a soft limit of 1,024, which
    /// exists for programs with `select(2)`. No higher than this, because some programs, which inherit the limit, close
    /// every possible descriptor when they start.
    static let usual: UInt = 65_536

    static var current: OpenFileLimit {
        var limit = rlimit()
        #if canImport(Glibc)
        let outcome = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let outcome = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        guard outcome == 0 else { return OpenFileLimit(soft: .max, hard: .max) }
        return OpenFileLimit(soft: UInt(limit.rlim_cur), hard: UInt(limit.rlim_max))
    }

    /// The same limit with a soft one of ``usual``, or of `needed` if that is more, as far as the hard one allows. It never
    /// falls.
    func raised(for needed: UInt = 0) -> OpenFileLimit {
        OpenFileLimit(soft: max(soft, min(hard, max(needed, Self.usual))), hard: hard)
    }

    /// Raises the soft limit of the process as ``raised(for:)`` says.
    ///
    /// - Returns: How many descriptors the process may have open then.
    static func raise(for needed: UInt) -> UInt {
        let (old, new) = (current, current.raised(for: needed))
        guard new != old else { return old.soft }
        var limit = rlimit(rlim_cur: rlim_t(new.soft), rlim_max: rlim_t(new.hard))
        #if canImport(Glibc)
        let outcome = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let outcome = setrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return outcome == 0 ? new.soft : old.soft
    }
}
