// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What a hostile connection does. Each kind holds its connection for as long as the server lets it.
enum Hostility: Int, CaseIterable {
    /// Sends the head of a request one byte a second.
    case slowHead
    /// Sends nothing.
    case idle
    /// Reads the dashboard's stream.
    case stream
    /// Asks for the page of metrics and does not read it.
    case deaf
    /// Sends half a head and ends its side.
    case halfOpen
    /// Sends bytes that are no request.
    case garbage
    /// Sends a request, and then a second one a byte a second.
    case slowSecondHead
    /// Announces a body and sends a byte of it a second.
    case slowBody

    /// What is sent at once.
    var opening: String {
        switch self {
        case .idle, .slowHead: ""
        case .stream: "GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"
        case .deaf: "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
        case .halfOpen: "GET /metrics HTTP/1.1\r\nHost: "
        case .garbage: "\u{16}\u{3}\u{1}\u{2}garbage without an end"
        case .slowSecondHead: "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        case .slowBody: "POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n"
        }
    }

    /// Whether a byte is sent every second.
    var isSlow: Bool { self == .slowHead || self == .slowSecondHead || self == .slowBody }
}

/// Holds hostile connections to a port of this machine, in one thread, and opens new ones for those that are closed.
struct Attacker {
    private struct Connection {
        let kind: Hostility
        var hasOpened = false
        var nextByte: Double
    }

    private let port: UInt16
    private let limit: Int
    private let rate: Double
    private let epoll = epoll_create1(0)
    private var connections: [CInt: Connection] = [:]
    private var opened = 0
    private var most = 0
    private var failed = 0
    private var scratch = [UInt8](repeating: 0, count: 65_536)

    init(port: UInt16, limit: Int, rate: Double) {
        (self.port, self.limit, self.rate) = (port, limit, rate)
    }

    /// Attacks for some seconds, and says what it did.
    mutating func run(seconds: Double) -> String {
        let start = now()
        var events = [epoll_event](repeating: epoll_event(), count: 512)
        while now() - start < seconds {
            let due = Int((now() - start) * rate)
            while opened + failed < due, connections.count < limit { open() }
            most = max(most, connections.count)
            let count = epoll_wait(epoll, &events, CInt(events.count), 10)
            for event in events.prefix(max(0, Int(count))) { handle(event) }
            sendSlowBytes()
        }
        return "attacker: opened \(opened), held at most \(most) at once, \(failed) could not connect"
    }

    private mutating func open() {
        guard let kind = Hostility(rawValue: (opened + failed) % Hostility.allCases.count) else { return }
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else {
            failed += 1
            return
        }
        var room: CInt = 4_096
        if kind == .deaf { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, 4) }
        let outcome = withLoopback(port: port) { connect(descriptor, $0, $1) }
        guard outcome == 0 || errno == EINPROGRESS else {
            close(descriptor)
            failed += 1
            return
        }
        let interest = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        var event = epoll_event(events: interest, data: epoll_data_t(fd: descriptor))
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
        connections[descriptor] = Connection(kind: kind, nextByte: now() + 1)
        opened += 1
    }

    private mutating func handle(_ event: epoll_event) {
        let descriptor = event.data.fd
        guard let connection = connections[descriptor] else { return }
        if event.events & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0,
            connection.kind != .halfOpen || event.events & EPOLLHUP.rawValue != 0
        {
            return end(descriptor)
        }
        if !connection.hasOpened, event.events & EPOLLOUT.rawValue != 0 {
            connections[descriptor]?.hasOpened = true
            let bytes = Array(connection.kind.opening.utf8)
            if !bytes.isEmpty { send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL)) }
            if connection.kind == .halfOpen { shutdown(descriptor, CInt(SHUT_WR)) }
        }
        guard connection.kind != .deaf else { return }
        while true {
            let count = recv(descriptor, &scratch, scratch.count, CInt(MSG_DONTWAIT))
            if count == 0 { return end(descriptor) }
            if count < 0 { return }
        }
    }

    private mutating func sendSlowBytes() {
        let time = now()
        for (descriptor, connection) in connections
        where connection.kind.isSlow && connection.hasOpened && connection.nextByte <= time {
            connections[descriptor]?.nextByte = time + 1
            if send(descriptor, "G", 1, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)) < 0, errno != EAGAIN {
                end(descriptor)
            }
        }
    }

    private mutating func end(_ descriptor: CInt) {
        close(descriptor)
        connections[descriptor] = nil
    }
}

/// Seconds on the monotonic clock.
func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Lends the address of a port of this machine.
func withLoopback<Result>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    return withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}
