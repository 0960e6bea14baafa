// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import CMicrohttpd

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Accepts connections on a thread of its own, and passes each one to libmicrohttpd when the head of its first request has
/// arrived and it is admitted.
///
/// A connection that sends no request, or sends it slowly, therefore takes none of the admitted connections' memory. The
/// thread peeks at the bytes and leaves them in the socket.
final class ConnectionAcceptor: Sendable {
    /// The parts of the server that the thread uses.
    struct Parts: Sendable {
        let configuration: HTTPServerConfiguration
        let connections: OpenConnections
        /// The paths of the reserved routes, as they occur in a request line.
        let reservedPaths: Set<String>
        /// Passes a socket on; returns false if it was refused and closed.
        let serve: @Sendable (CInt, UnsafePointer<sockaddr>, socklen_t) -> Bool
    }

    private let wake: AcceptorWake
    private let thread: WorkerThread

    /// Starts the thread, which owns the listening socket from then on.
    ///
    /// - Throws: ``HTTPServerError`` with code `systemFailure` if the process is out of descriptors or threads. The
    ///   listening socket stays open then.
    init(_ parts: Parts, _ socket: ListenSocket, wake: AcceptorWake) throws {
        self.wake = wake
        let descriptors = try AcceptLoop.Descriptors(listening: socket.descriptor, wake: wake.descriptor)
        guard let thread = WorkerThread({ AcceptLoop(parts, descriptors, wake).run() }) else {
            descriptors.closeOwn()
            throw HTTPServerError(
                .systemFailure,
                "cannot start the thread that accepts connections; look at the limit of threads (ulimit -u)"
            )
        }
        self.thread = thread
    }

    /// Closes the listening socket and every pending connection, and waits for the thread. To be called once.
    func stop() {
        wake.requestStop()
        thread.join()
    }
}

/// Wakes the acceptor's thread when a connection may be admitted, or to stop it.
final class AcceptorWake: Sendable {
    let descriptor: CInt
    private let stops = Lock(false)

    /// - Throws: ``HTTPServerError`` with code `systemFailure` if the process is out of descriptors.
    init() throws {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard descriptor >= 0 else { throw HTTPServerError.descriptors(errno) }
    }

    deinit { close(descriptor) }

    var isStopRequested: Bool { stops.withLock { $0 } }

    func signal() {
        eventfd_write(descriptor, 1)
    }

    func requestStop() {
        stops.withLock { $0 = true }
        signal()
    }

    /// Resets the signal, on the acceptor's thread.
    func acknowledge() {
        var count = eventfd_t()
        eventfd_read(descriptor, &count)
    }
}
