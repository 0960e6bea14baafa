// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP
// For <sys/epoll.h>, which the module of the C library leaves out.
internal import CMicrohttpd
internal import Foundation

/// Events that only a client waits for.
extension PollEvents {
    #if canImport(Glibc)
    static let writable = EPOLLOUT.rawValue
    static let closed = EPOLLHUP.rawValue
    static let failed = EPOLLERR.rawValue
    #else
    static let writable = UInt32(EPOLLOUT)
    static let closed = UInt32(EPOLLHUP)
    static let failed = UInt32(EPOLLERR)
    #endif
}
