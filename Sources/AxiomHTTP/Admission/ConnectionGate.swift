// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import CMicrohttpd
internal import Glibc

/// The thread that accepts connections and hands each one to libmicrohttpd when the head of its first request has
/// arrived and there is a place for it.
///
/// A connection that sends no request, or sends it slowly, therefore never takes a place. The gate looks at what has
/// arrived without taking it from the socket.
final class ConnectionGate: Sendable {
    /// The other parts of the server that the thread uses.
    struct Parts: Sendable {
        let configuration: HTTPServerConfiguration
        let connections: OpenConnections
        /// The paths of the reserved routes, as they are written in a request.
        let reservedPaths: Set<String>
        /// Hands a socket over; false if it was refused, and closed.
        let serve: @Sendable (CInt, UnsafePointer<sockaddr>, socklen_t) -> Bool
    }

    private let wake: GateWake
    private let thread: WorkerThread

    /// Starts the thread, which owns the listening socket from here on.
    ///
    /// - Throws: ``HTTPServerError`` with code `systemFailure` if the process is out of descriptors or threads.
    init(_ parts: Parts, _ socket: consuming ListenSocket, wake: GateWake) throws {
        self.wake = wake
        let listening = socket.descriptor
        guard let thread = WorkerThread({ GateLoop(parts, listening, wake)?.run() }) else {
            socket.closeIfOpen()
            throw HTTPServerError(
                .systemFailure,
                "cannot start the thread that accepts connections; look at the limit of threads (ulimit -u)"
            )
        }
        self.thread = thread
    }

    /// Closes the listening socket and every connection that waits, and waits for the thread. To be called once.
    func stop() {
        wake.requestStop()
        thread.join()
    }
}

/// What wakes the gate's thread: a place that has become free, or the stop.
final class GateWake: Sendable {
    fileprivate let descriptor: CInt
    private let stops = Lock(false)

    /// - Throws: ``HTTPServerError`` with code `systemFailure` if the process is out of descriptors.
    init() throws {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard descriptor >= 0 else { throw HTTPServerError.descriptors(errno) }
    }

    deinit { close(descriptor) }

    fileprivate var isStopRequested: Bool { stops.withLock { $0 } }

    func signal() {
        eventfd_write(descriptor, 1)
    }

    fileprivate func requestStop() {
        stops.withLock { $0 = true }
        signal()
    }
}

/// What the gate's thread owns while it runs.
private final class GateLoop {
    private static let listenID = UInt64.max
    private static let wakeID = UInt64.max - 1
    /// How often times are checked.
    private static let tick = Duration.milliseconds(100)
    /// How much of a head is looked at; libmicrohttpd reads what is longer by itself.
    private static let previewBytes = 32_768

    /// The kernel takes twice as much, for its own records.
    private static let sendBufferBytes: CInt = 262_144

    private let parts: ConnectionGate.Parts
    private let listening: CInt
    private let wake: GateWake
    private let epoll: CInt
    /// Given up to accept, and close, a connection when the process has no other descriptor left.
    private var spare: CInt
    private var room: WaitingRoom
    private var peers: [CInt: PeerAddress] = [:]
    private var buffer = [UInt8](repeating: 0, count: GateLoop.previewBytes)
    private var nextTick = TimeSource.live.now

    init?(_ parts: ConnectionGate.Parts, _ listening: CInt, _ wake: GateWake) {
        (self.parts, self.listening, self.wake) = (parts, listening, wake)
        room = WaitingRoom(limit: parts.configuration.waitingLimit)
        spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
        epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard epoll >= 0, watch(listening, EPOLLIN.rawValue, Self.listenID),
            watch(wake.descriptor, EPOLLIN.rawValue, Self.wakeID)
        else {
            for descriptor in [epoll, spare, listening] where descriptor >= 0 { close(descriptor) }
            return nil
        }
    }

    func run() {
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while !wake.isStopRequested {
            let count = epoll_wait(epoll, &events, CInt(events.count), timeout)
            // Interrupted by a signal, or no event in time: there is nothing to look at.
            for event in events.prefix(max(0, Int(count))) { handle(event) }
            admit()
            checkTimes()
        }
        for descriptor in room.removeAll() { drop(descriptor) }
        for descriptor in [epoll, spare, listening] where descriptor >= 0 { close(descriptor) }
    }

    /// In milliseconds. Without connections there is no time to check, and the thread sleeps.
    private var timeout: CInt {
        if !room.isEmpty { return 100 }
        return parts.connections.isEmpty ? -1 : 1_000
    }

    private func handle(_ event: epoll_event) {
        switch event.data.u64 {
        case Self.listenID: accept()
        case Self.wakeID:
            var count = eventfd_t()
            eventfd_read(wake.descriptor, &count)
        default:
            // An event that was already on its way when its socket was closed, or handed over, finds nothing.
            let descriptor = CInt(truncatingIfNeeded: event.data.u64)
            if room.isArriving(descriptor) { look(descriptor, hasEnded: event.events & EPOLLRDHUP.rawValue != 0) }
        }
    }

    private func watch(_ descriptor: CInt, _ interest: UInt32, _ id: UInt64) -> Bool {
        var event = epoll_event(events: interest, data: epoll_data_t(u64: id))
        return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    // MARK: - Accepting

    private func accept() {
        for _ in 0..<512 {
            var peer = PeerAddress()
            let flags = CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
            let descriptor = peer.withMutableSockaddr { accept4(listening, $0, $1, flags) }
            guard descriptor >= 0 else {
                if errno == EMFILE || errno == ENFILE { makeDescriptor() }
                return
            }
            enter(descriptor, peer)
        }
    }

    private func enter(_ descriptor: CInt, _ peer: PeerAddress) {
        // Else the kernel takes up to 4 MiB for a client that does not read.
        var bytes = Self.sendBufferBytes
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
        if room.isFull { makeRoom() }
        room.enter(descriptor, from: peer.host, now: TimeSource.live.now)
        peers[descriptor] = peer
        // Edge-triggered: what has arrived stays in the socket, and would be reported without end.
        let interest = EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        guard watch(descriptor, interest, UInt64(descriptor)) else { return leave(descriptor) }
    }

    /// Closes a connection that waits. A request may have arrived since the last look, if the processor was busy
    /// elsewhere, so there is one more look before a connection is closed.
    private func makeRoom() {
        while let oldest = room.oldestArriving {
            look(oldest, hasEnded: false)
            if room.isArriving(oldest) { leave(oldest) }
            if !room.isFull { return }
        }
        if let youngest = room.youngestReady { leave(youngest) }
    }

    /// The process has no descriptor left. The listening socket would be reported without end, so a connection goes: the
    /// oldest without a request, or the one that is about to be accepted.
    private func makeDescriptor() {
        if !room.isEmpty { return makeRoom() }
        guard spare >= 0 else { return }
        close(spare)
        let refused = accept4(listening, nil, nil, CInt(SOCK_CLOEXEC.rawValue))
        if refused >= 0 { close(refused) }
        spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    // MARK: - Looking at what has arrived

    private func look(_ descriptor: CInt, hasEnded: Bool) {
        let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
        guard count > 0 else {
            if count == 0 || (errno != EAGAIN && errno != EINTR) { leave(descriptor) }
            return
        }
        let limit = min(parts.configuration.connectionMemoryBytes, Self.previewBytes)
        switch RequestPreview(buffer[..<count], limit: limit) {
        case .arrived(let path):
            epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
            let isReserved = path.map(parts.reservedPaths.contains) ?? false
            room.becomeReady(descriptor, isReserved: isReserved, now: TimeSource.live.now)
        case .partial:
            if hasEnded {
                leave(descriptor)
            } else if room.received(descriptor) == .tooSlow {
                refuse(descriptor, "408 Request Timeout")
            }
        }
    }

    // MARK: - Admission

    private func admit() {
        guard room.isAwaitingPlace else { return }
        // Before the attempt: a place that becomes free after it wakes this thread.
        parts.connections.awaitPlace(true)
        let admitted = room.admit { guest in
            parts.connections.admit(guest.descriptor, from: guest.address, isReserved: guest.isReserved)
        }
        for guest in admitted {
            guard let peer = peers.removeValue(forKey: guest.descriptor) else { continue }
            let isServed = peer.withSockaddr { parts.serve(guest.descriptor, $0, $1) }
            if !isServed { parts.connections.refused(guest.descriptor) }
        }
        if !room.isAwaitingPlace { parts.connections.awaitPlace(false) }
    }

    private func checkTimes() {
        let now = TimeSource.live.now
        guard now >= nextTick else { return }
        nextTick = now.advanced(by: Self.tick)
        let (head, idle) = (parts.configuration.headTimeout, parts.configuration.idleTimeout)
        for guest in room.late(after: head, now: now) {
            // One that has sent nothing has asked nothing.
            guest.pieces > 0 ? refuse(guest.descriptor, "408 Request Timeout") : drop(guest.descriptor)
        }
        for guest in room.starved(after: idle, now: now) {
            refuse(guest.descriptor, "503 Service Unavailable\r\nRetry-After: 10")
        }
        parts.connections.dropExpired(receiving: head, idle: idle)
    }

    // MARK: - Closing

    private func leave(_ descriptor: CInt) {
        room.remove(descriptor)
        drop(descriptor)
    }

    private func refuse(_ descriptor: CInt, _ status: String) {
        MicrohttpdConnection.answer(descriptor, status)
        leave(descriptor)
    }

    /// Closes a socket that has left the room. This also ends its watch.
    private func drop(_ descriptor: CInt) {
        peers[descriptor] = nil
        // If anything were left unread, the close would be a reset, which may overtake an answer.
        _ = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        close(descriptor)
    }
}
