// SPDX-License-Identifier: Apache-2.0

// For <sys/epoll.h>, which the module of the C library leaves out.
internal import CMicrohttpd

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
#error("AxiomHTTP is for Linux, because it uses epoll. On other platforms serve the pages of AxiomMetrics yourself.")
#endif

// Constants that Glibc declares as enumerations and Musl as integers, and functions whose names methods have too.

/// The kind of a socket, and flags of its creation: for socket(2) and accept4(2).
enum SocketType {
    #if canImport(Glibc)
    static let stream = CInt(SOCK_STREAM.rawValue)
    static let closeOnExec = CInt(SOCK_CLOEXEC.rawValue)
    static let nonBlocking = CInt(SOCK_NONBLOCK.rawValue)
    #else
    static let stream = CInt(SOCK_STREAM)
    static let closeOnExec = CInt(SOCK_CLOEXEC)
    static let nonBlocking = CInt(SOCK_NONBLOCK)
    #endif
}

/// The events of epoll_ctl(2).
enum PollEvents {
    #if canImport(Glibc)
    static let readable = EPOLLIN.rawValue
    static let hangup = EPOLLRDHUP.rawValue
    static let edgeTriggered = EPOLLET.rawValue
    static let oneShot = EPOLLONESHOT.rawValue
    #else
    static let readable = UInt32(EPOLLIN)
    static let hangup = UInt32(EPOLLRDHUP)
    static let edgeTriggered = UInt32(EPOLLET)
    static let oneShot = UInt32(EPOLLONESHOT)
    #endif
}

/// Closes a descriptor.
func closeDescriptor(_ descriptor: CInt) {
    close(descriptor)
}

/// How many descriptors the process may have open.
func openFileLimit() -> UInt {
    var limit = rlimit()
    #if canImport(Glibc)
    let outcome = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
    let outcome = getrlimit(RLIMIT_NOFILE, &limit)
    #endif
    return outcome == 0 ? UInt(limit.rlim_cur) : .max
}
