// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// The connections that libmicrohttpd serves. Stores the ``ConnectionTable`` and performs its decisions.
///
/// A stop ends every connection before it stops libmicrohttpd, for this reason: if libmicrohttpd 0.9.75 responds to a
/// malformed request by itself (400, 431, ...) during `MHD_stop_daemon`, it dereferences a null pointer, because queueing a
/// response then has no effect and still reports success. Without connections it has nothing to respond to.
final class OpenConnections: Sendable {
    private struct State {
        var table: ConnectionTable
        /// Whether connections that open later end at once.
        var isClosing = false
        /// Whether a request waits for admission.
        var isAwaited = false
    }

    /// The open sockets. A socket is removed before it is closed; that of a dropped connection when libmicrohttpd closes it.
    let sockets = DrainingSet<CInt>()
    /// Guards every field. `sockets` changes under it, so that a descriptor that is dropped under it still belongs to its
    /// connection. The only system calls under it are quick: the end of a connection, and a wake.
    private let state: Lock<State>
    /// Called under the lock when a waiting request may be admitted. It must only wake a thread.
    private let onCapacity: @Sendable () -> Void
    /// Measures the time of heads, also of those that the acceptor waits for.
    let clock: TimeSource

    init(
        limits: ConnectionTable.Limits,
        clock: TimeSource = .live,
        onCapacity: @escaping @Sendable () -> Void
    ) {
        self.clock = clock
        state = Lock(State(table: ConnectionTable(limits: limits)))
        self.onCapacity = onCapacity
    }

    /// Whether there are none.
    var isEmpty: Bool { state.withLock { $0.table.count == 0 } }

    // MARK: - Admission, on the acceptor's thread

    /// Admits a connection whose request has arrived, and drops another one for it if need be; returns false at the limit.
    func admit(_ descriptor: CInt, from address: String, isReserved: Bool) -> Bool {
        state.withLock { state in
            let now = clock.now
            switch state.table.admit(descriptor, from: address, isReserved: isReserved, now: now) {
            case .full: return false
            case .admitted(let victim):
                if let victim { drop(victim) }
                return true
            }
        }
    }

    /// libmicrohttpd refused an admitted connection.
    func refused(_ descriptor: CInt) {
        state.withLock { $0.table.remove(descriptor) }
    }

    /// Sets whether requests wait for admission. If so, the acceptor is woken when one may be admitted.
    func setAwaited(_ isAwaited: Bool) {
        state.withLock { $0.isAwaited = isAwaited }
    }

    /// Drops the connections that take too long to send the head of a request, or to begin with one.
    func dropExpired(receiving: Duration, idle: Duration) {
        state.withLock { state in
            state.table.expired(receiving: receiving, idle: idle, now: clock.now).forEach(drop)
        }
    }

    /// Whether a request for a route without a reserve may be handled. Drops another connection for it if need be.
    func claim(_ descriptor: CInt) -> Bool {
        state.withLock { state in
            switch state.table.claim(descriptor, now: clock.now) {
            case .full: return false
            case .admitted(let victim):
                if let victim { drop(victim) }
                return true
            }
        }
    }

    // MARK: - Changes, on the connection's thread

    /// libmicrohttpd serves a connection from now on.
    func opened(_ descriptor: CInt) {
        state.withLock { state in
            sockets.insert(descriptor)
            state.table.start(descriptor, now: clock.now)
            if state.isClosing { ConnectedSocket.end(descriptor) }
        }
    }

    /// A connection is about to be closed.
    func closed(_ descriptor: CInt) {
        state.withLock { state in
            // A dropped connection is no longer in the table, but its descriptor is not reused before this call.
            state.table.remove(descriptor)
            sockets.remove(descriptor)
            if state.isAwaited { onCapacity() }
        }
    }

    /// The activity of a connection changed.
    func set(_ descriptor: CInt, _ activity: ConnectionTable.Activity, isReserved: Bool = false) {
        state.withLock { $0.table.set(descriptor, activity, isReserved: isReserved, now: clock.now) }
    }

    /// The connection waits for its next request.
    func becomeIdle(_ descriptor: CInt) {
        state.withLock { state in
            state.table.becomeIdle(descriptor, now: clock.now)
            if state.isAwaited { onCapacity() }
        }
    }

    /// Whether one more stream may be sent.
    func beginStream(_ descriptor: CInt) -> Bool {
        state.withLock { $0.table.beginStream(descriptor, now: clock.now) }
    }

    /// Whether a body may be sent within the limit of unsent bytes. Drops slow readers for it.
    func beginBody(_ descriptor: CInt, _ body: HTTPBody) -> Bool {
        state.withLock { state in
            let decision = state.table.beginBody(
                descriptor,
                ObjectIdentifier(body),
                bytes: body.count,
                now: clock.now
            )
            decision.victims.forEach(drop)
            return decision.isAllowed
        }
    }

    // MARK: - Ending

    /// Ends every connection, also those that open later.
    func hangUp() {
        state.withLock { state in
            state.isClosing = true
            sockets.visit(ConnectedSocket.end)
        }
    }

    private func drop(_ victim: ConnectionTable.Victim) {
        victim.isSending ? ConnectedSocket.reset(victim.descriptor) : ConnectedSocket.end(victim.descriptor)
    }
}

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
