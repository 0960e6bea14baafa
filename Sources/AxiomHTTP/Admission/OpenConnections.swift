// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import CMicrohttpd
internal import Glibc

/// The connections that libmicrohttpd serves: who may come in, who is dropped, and the end of all at a stop.
///
/// A stop ends every connection before it stops libmicrohttpd. That order matters: if libmicrohttpd 0.9.75 answers a
/// malformed request by itself (400, 431, ...) at the moment in which `MHD_stop_daemon` is called, it dereferences a
/// null pointer, because queueing a response then does nothing and says that it worked. Without connections there is
/// nothing that it could answer.
final class OpenConnections: Sendable {
    private struct State {
        var table: ConnectionTable
        /// Whether connections that are still to be opened end at once.
        var isClosing = false
        /// Whether a request waits for a place.
        var isAwaited = false
    }

    /// The sockets in the set are open: one leaves it before it is closed. A dropped connection stays in it until
    /// libmicrohttpd closes it.
    let sockets = DrainingSet<CInt>()
    /// Guards every field. Sockets enter and leave `sockets` under it, so that a descriptor which is dropped under it
    /// is the one that is meant. Only quick system calls are made under it: the end of a connection, and a wake.
    private let state: Lock<State>
    /// Called under the lock when there may be a place for a request that waits. It must only wake a thread.
    private let onPlace: @Sendable () -> Void

    init(limits: ConnectionTable.Limits, onPlace: @escaping @Sendable () -> Void) {
        state = Lock(State(table: ConnectionTable(limits: limits)))
        self.onPlace = onPlace
    }

    /// Whether no connection has a place.
    var isEmpty: Bool { state.withLock { $0.table.count == 0 } }

    // MARK: - Admission, on the gate's thread

    /// Makes room for a connection whose request has arrived; false if there is none.
    func admit(_ descriptor: CInt, from address: String, isReserved: Bool) -> Bool {
        state.withLock { state in
            let now = TimeSource.live.now
            switch state.table.admit(descriptor, from: address, isReserved: isReserved, now: now) {
            case .full: return false
            case .admitted(let victim):
                if let victim { drop(victim) }
                return true
            }
        }
    }

    /// libmicrohttpd did not take the connection.
    func refused(_ descriptor: CInt) {
        state.withLock { $0.table.remove(descriptor) }
    }

    /// Whether requests wait for a place: then the thread that gives places is woken when there may be one.
    func awaitPlace(_ isAwaited: Bool) {
        state.withLock { $0.isAwaited = isAwaited }
    }

    /// Drops the connections that take too long to send the head of a request, and those that send none.
    func dropExpired(receiving: Duration, idle: Duration) {
        state.withLock { state in
            state.table.expired(receiving: receiving, idle: idle, now: TimeSource.live.now).forEach(drop)
        }
    }

    // MARK: - Changes, on the connection's thread

    /// libmicrohttpd has taken a connection over.
    func opened(_ descriptor: CInt) {
        state.withLock { state in
            sockets.insert(descriptor)
            state.table.start(descriptor, now: TimeSource.live.now)
            if state.isClosing { Self.end(descriptor) }
        }
    }

    /// A connection is about to be closed.
    func closed(_ descriptor: CInt) {
        state.withLock { state in
            // A connection that was dropped has left the table, and its descriptor is still its own.
            state.table.remove(descriptor)
            sockets.remove(descriptor)
            if state.isAwaited { onPlace() }
        }
    }

    /// The connection does something else now.
    func set(_ descriptor: CInt, _ activity: ConnectionTable.Activity, isReserved: Bool = false) {
        state.withLock { $0.table.set(descriptor, activity, isReserved: isReserved, now: TimeSource.live.now) }
    }

    /// The connection waits for its next request.
    func becomeIdle(_ descriptor: CInt) {
        state.withLock { state in
            state.table.becomeIdle(descriptor, now: TimeSource.live.now)
            if state.isAwaited { onPlace() }
        }
    }

    /// Whether one more stream may be sent.
    func beginStream(_ descriptor: CInt) -> Bool {
        state.withLock { $0.table.beginStream(descriptor, now: TimeSource.live.now) }
    }

    /// Whether the bytes of one more body may be held while it is sent. Drops slow readers for it.
    func beginBody(_ descriptor: CInt, _ body: HTTPBody) -> Bool {
        state.withLock { state in
            let decision = state.table.beginBody(
                descriptor,
                ObjectIdentifier(body),
                bytes: body.count,
                now: TimeSource.live.now
            )
            decision.victims.forEach(drop)
            return decision.isAllowed
        }
    }

    // MARK: - Ending

    /// Ends every connection, at both sides, and every one that is still to be opened.
    func hangUp() {
        state.withLock { state in
            state.isClosing = true
            sockets.visit(Self.end)
        }
    }

    /// Ends a connection at both sides. What was sent before arrives. The socket stays open.
    static func end(_ descriptor: CInt) {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    /// Resets a connection: the peer gets a TCP `RST` at once, and the kernel frees what was not received. The socket
    /// stays open.
    static func reset(_ descriptor: CInt) {
        // Connecting to "no address" ends a TCP connection with a reset. A close with SO_LINGER 0 would do so too,
        // but libmicrohttpd shuts the socket down before it closes it, and the peer would first see an orderly end.
        var nowhere = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    private func drop(_ victim: ConnectionTable.Victim) {
        victim.isSending ? Self.reset(victim.descriptor) : Self.end(victim.descriptor)
    }
}
