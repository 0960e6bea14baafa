// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
// For accept4(2).
internal import CMicrohttpd
internal import Foundation

/// The work of the acceptor's thread, and what it owns.
///
/// At a port with TLS the head of a request is encrypted, so a connection is passed on when its ClientHello has arrived.
/// What the head decides otherwise is then decided later, by rules that hold the same limits:
/// - The handshake and the first head together have the time of one head: ``ConnectionTable`` counts the connection as
///   `receiving`, the first activity to be dropped, and drops it after `headTimeout`. A late connection is closed without
///   a 408, which could only be sent in plain text.
/// - It may take a connection of the reserve. If its request turns out to be for another route, it must find room outside
///   the reserve, or is answered 503: see ``ConnectionTable/claim(_:now:)``.
/// - What is no ClientHello never reaches GnuTLS. A plain HTTP request is answered 400 in plain text.
final class AcceptLoop {
    private static let listenID = UInt64.max - 1
    /// How often times are checked.
    private static let tick = Duration.milliseconds(100)
    /// How much of a head is previewed. libmicrohttpd decides on longer ones.
    private static let previewBytes = 32_768
    /// The kernel reserves twice as much, for its own records.
    private static let sendBufferBytes: CInt = 262_144

    private let parts: ConnectionAcceptor.Parts
    private let poll: EventPoll
    private let listening: CInt
    /// Is closed to accept and refuse a connection if the process has no other descriptor left.
    private var spare: CInt
    private var pending: PendingConnections
    private var peers: [CInt: PeerAddress] = [:]
    private var buffer = [UInt8](repeating: 0, count: AcceptLoop.previewBytes)
    private let clock: TimeSource
    private var nextTick: Instant

    /// Watches the listening socket, before the thread starts.
    ///
    /// - Returns: The spare descriptor. The loop closes both at its end.
    /// - Throws: ``HTTPServerError`` with code `systemFailure` if the process is out of descriptors. `listening` stays open
    ///   then.
    static func begin(_ poll: EventPoll, listening: CInt) throws -> CInt {
        let spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard spare >= 0, poll.add(listening, PollEvents.readable, id: listenID) else {
            let code = errno
            if spare >= 0 { Foundation.close(spare) }
            throw HTTPServerError.descriptors(code)
        }
        return spare
    }

    init(_ parts: ConnectionAcceptor.Parts, _ poll: EventPoll, listening: CInt, spare: CInt) {
        (self.parts, self.poll, self.listening, self.spare) = (parts, poll, listening, spare)
        clock = parts.connections.clock
        nextTick = clock.now
        pending = PendingConnections(limit: parts.configuration.waitingLimit)
    }

    func run() {
        while !poll.isStopped {
            poll.wait(timeout) { handle($0, $1) }
            admit()
            checkTimes()
        }
        for descriptor in pending.removeAll() { close(descriptor) }
        for descriptor in [spare, listening] where descriptor >= 0 { Foundation.close(descriptor) }
    }

    /// In milliseconds. Without connections there is no time to check.
    private var timeout: CInt {
        if !pending.isEmpty { return 100 }
        return parts.connections.isEmpty ? -1 : 1_000
    }

    private func handle(_ id: UInt64, _ events: UInt32) {
        guard id != Self.listenID else { return accept() }
        // The socket of a late event may have been closed, or passed on.
        let descriptor = CInt(truncatingIfNeeded: id)
        if pending.isArriving(descriptor) { peek(descriptor, hasEnded: events & PollEvents.hangup != 0) }
    }

    // MARK: - Accepting

    private func accept() {
        for _ in 0..<512 {
            var peer = PeerAddress()
            let flags = SocketType.nonBlocking | SocketType.closeOnExec
            let descriptor = peer.withMutableSockaddr { accept4(listening, $0, $1, flags) }
            guard descriptor >= 0 else {
                if errno == EMFILE || errno == ENFILE { freeDescriptor() }
                return
            }
            insert(descriptor, peer)
        }
    }

    private func insert(_ descriptor: CInt, _ peer: PeerAddress) {
        // Otherwise the kernel buffers up to 4 MiB for a client that does not read.
        var bytes = Self.sendBufferBytes
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
        if pending.isFull { closeOne() }
        pending.insert(descriptor, from: peer.network, now: clock.now)
        peers[descriptor] = peer
        // Edge-triggered: the bytes stay in the socket, and a level-triggered event would repeat.
        let interest = PollEvents.readable | PollEvents.hangup | PollEvents.edgeTriggered
        if !poll.add(descriptor, interest, id: UInt64(descriptor)) { remove(descriptor) }
    }

    /// Closes one pending connection. Each candidate is previewed once more: on a busy machine its request may have arrived
    /// since the last event.
    private func closeOne() {
        while let oldest = pending.oldestArriving {
            peek(oldest, hasEnded: false)
            if pending.isArriving(oldest) { remove(oldest) }
            if !pending.isFull { return }
        }
        if let youngest = pending.youngestReady { remove(youngest) }
    }

    /// Closes a connection because the process has no descriptor left: the oldest one without a request, or the one that
    /// is to be accepted. Otherwise the event of the listening socket would repeat at once.
    private func freeDescriptor() {
        if !pending.isEmpty { return closeOne() }
        guard spare >= 0 else { return }
        Foundation.close(spare)
        let refused = accept4(listening, nil, nil, SocketType.closeOnExec)
        if refused >= 0 { Foundation.close(refused) }
        spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    // MARK: - Arrival

    private func peek(_ descriptor: CInt, hasEnded: Bool) {
        let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
        guard count > 0 else {
            if count == 0 || (errno != EAGAIN && errno != EINTR) { remove(descriptor) }
            return
        }
        let limit = min(parts.configuration.connectionMemoryBytes, Self.previewBytes)
        let preview = pending.withScan(of: descriptor) {
            ConnectionPreview(buffer[..<count], limit: limit, isTLS: parts.isTLS, scan: &$0)
        }
        switch preview {
        case nil: return
        case .arrived(let path):
            poll.remove(descriptor)
            if !parts.isTLS { dropEmptyLines(descriptor, count) }
            let isReserved = parts.isTLS || path.map(parts.reservedPaths.contains) ?? false
            pending.becomeReady(descriptor, isReserved: isReserved, now: clock.now)
        case .foreign:
            // In plain text also at a port with TLS: no TLS has begun, and this may be a browser or curl with http.
            ConnectedSocket.answer(descriptor, "400 Bad Request")
            remove(descriptor)
        case .malformed: refuse(descriptor, "400 Bad Request")
        case .partial:
            if hasEnded {
                remove(descriptor)
            } else if pending.received(descriptor) == .tooSlow {
                refuse(descriptor, "408 Request Timeout")
            }
        }
    }

    /// Removes the empty lines before a request from its socket: the versions of libmicrohttpd differ in how many they ignore.
    private func dropEmptyLines(_ descriptor: CInt, _ count: Int) {
        let empty = RequestPreview.emptyLines(before: buffer[..<count])
        if empty > 0 { _ = recv(descriptor, &buffer, empty, CInt(MSG_DONTWAIT)) }
    }

    // MARK: - Admission

    private func admit() {
        guard pending.hasReady else { return }
        // Before the attempt, so that a connection that ends after it wakes this thread.
        parts.connections.setAwaited(true)
        let admitted = pending.admit { connection in
            parts.connections.admit(connection.descriptor, from: connection.address, isReserved: connection.isReserved)
        }
        for connection in admitted {
            guard let peer = peers.removeValue(forKey: connection.descriptor) else { continue }
            let isServed = peer.withSockaddr { parts.serve(connection.descriptor, $0, $1) }
            if !isServed { parts.connections.refused(connection.descriptor) }
        }
        if !pending.hasReady { parts.connections.setAwaited(false) }
    }

    private func checkTimes() {
        let now = clock.now
        guard now >= nextTick else { return }
        nextTick = now.advanced(by: Self.tick)
        let (head, idle) = (parts.configuration.headTimeout, parts.configuration.idleTimeout)
        for connection in pending.removeLate(after: head, now: now) {
            // A connection that has sent nothing has requested nothing.
            connection.pieces > 0
                ? refuse(connection.descriptor, "408 Request Timeout") : close(connection.descriptor)
        }
        for connection in pending.removeStarved(after: idle, now: now) {
            refuse(connection.descriptor, "503 Service Unavailable\r\nRetry-After: 10")
        }
        parts.connections.dropExpired(receiving: head, idle: idle)
    }

    // MARK: - Closing

    private func remove(_ descriptor: CInt) {
        pending.remove(descriptor)
        close(descriptor)
    }

    /// Answers with a bare status if the client can read it, and closes the connection.
    private func refuse(_ descriptor: CInt, _ status: String) {
        if !parts.isTLS { ConnectedSocket.answer(descriptor, status) }
        remove(descriptor)
    }

    /// Closes the socket of a connection that is no longer pending. This also ends its watch.
    private func close(_ descriptor: CInt) {
        peers[descriptor] = nil
        // With unread bytes the close would send a reset, which may overtake an answer.
        _ = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        Foundation.close(descriptor)
    }
}
