// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Accepts connections on a thread of its own, and passes each one to libmicrohttpd when the head of its first request, or
/// over TLS its ClientHello, has arrived and it is admitted.
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
        /// Whether the port speaks TLS.
        let isTLS: Bool
        /// Passes a socket on; returns false if it was refused and closed.
        let serve: @Sendable (CInt, UnsafePointer<sockaddr>, socklen_t) -> Bool
    }

    private let poll: EventPoll
    private let thread: WorkerThread

    /// Starts the thread, which owns the listening socket from then on.
    ///
    /// - Parameter poll: Wakes the thread when a connection may be admitted.
    /// - Throws: ``HTTPServerError`` with code `systemFailure` if the process is out of descriptors or threads. The
    ///   listening socket stays open then.
    init(_ parts: Parts, _ socket: ListenSocket, _ poll: EventPoll) throws {
        self.poll = poll
        let spare = try AcceptLoop.begin(poll, listening: socket.descriptor)
        guard let thread = WorkerThread({ AcceptLoop(parts, poll, listening: socket.descriptor, spare: spare).run() })
        else {
            close(spare)
            throw HTTPServerError(
                .systemFailure,
                "cannot start the thread that accepts connections; look at the limit of threads (ulimit -u)"
            )
        }
        self.thread = thread
    }

    /// Closes the listening socket and every pending connection, and waits for the thread. To be called once.
    func stop() {
        poll.stop()
        thread.join()
    }
}
