// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP
internal import CMicrohttpd
internal import Foundation

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
    /// Sends the first message of a TLS handshake one byte a second.
    case slowHello
    /// Sends the first message of a TLS handshake, and does not go on.
    case stalledHandshake

    /// The kinds against a port with or without TLS.
    static func kinds(isTLS: Bool) -> [Hostility] {
        allCases.filter { isTLS || $0.rawValue < slowHello.rawValue }
    }

    /// Whether a whole handshake comes first at a port with TLS.
    var shakesHands: Bool {
        switch self {
        case .idle, .garbage, .slowHello, .stalledHandshake: false
        case .slowHead, .stream, .deaf, .halfOpen, .slowSecondHead, .slowBody: true
        }
    }

    /// What is sent at once.
    var opening: String {
        switch self {
        case .idle, .slowHead, .slowHello, .stalledHandshake: ""
        case .stream: "GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"
        case .deaf: "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
        case .halfOpen: "GET /metrics HTTP/1.1\r\nHost: "
        case .garbage: "\u{16}\u{3}\u{1}\u{2}garbage without an end"
        case .slowSecondHead: "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        case .slowBody: "POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n"
        }
    }

    /// Whether a byte is sent every second.
    var isSlow: Bool { self == .slowHead || self == .slowSecondHead || self == .slowBody || self == .slowHello }
}

/// Holds hostile connections to a port of this machine, in one thread, and opens new ones for those that are closed.
struct Attacker {
    private struct Connection {
        let kind: Hostility
        let wire: Wire
        var hasOpened = false
        /// How many slow bytes were sent.
        var slowBytes = 0
        var nextByte: Double
    }

    private let port: UInt16
    private let limit: Int
    private let rate: Double
    private let isTLS: Bool
    private let epoll = epoll_create1(0)
    private var connections: [CInt: Connection] = [:]
    private var opened = 0
    private var most = 0
    private var failed = 0
    private var scratch = [UInt8](repeating: 0, count: 65_536)

    init(port: UInt16, limit: Int, rate: Double, isTLS: Bool) {
        (self.port, self.limit, self.rate, self.isTLS) = (port, limit, rate, isTLS)
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
        let kinds = Hostility.kinds(isTLS: isTLS)
        let kind = kinds[(opened + failed) % kinds.count]
        let descriptor = socket(AF_INET, SocketType.stream | SocketType.nonBlocking, 0)
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
        let interest = PollEvents.readable | PollEvents.writable | PollEvents.hangup | PollEvents.edgeTriggered
        var event = epoll_event(events: interest, data: epoll_data_t(fd: descriptor))
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
        let wire = Wire(descriptor, isTLS: isTLS && kind.shakesHands)
        connections[descriptor] = Connection(kind: kind, wire: wire, nextByte: now() + 1)
        opened += 1
    }

    private mutating func handle(_ event: epoll_event) {
        let descriptor = event.data.fd
        guard let connection = connections[descriptor] else { return }
        if event.events & (PollEvents.hangup | PollEvents.closed | PollEvents.failed) != 0,
            connection.kind != .halfOpen || event.events & PollEvents.closed != 0
        {
            return end(descriptor)
        }
        if !connection.hasOpened {
            switch connection.wire.shakeHands() {
            case .later: return
            case .end, .failed: return end(descriptor)
            case .bytes: if event.events & PollEvents.writable != 0 { begin(descriptor, connection) }
            }
        }
        guard connection.kind != .deaf else { return }
        while true {
            switch connection.wire.read(into: &scratch) {
            case .bytes: continue
            case .later: return
            case .end, .failed: return end(descriptor)
            }
        }
    }

    private mutating func begin(_ descriptor: CInt, _ connection: Connection) {
        connections[descriptor]?.hasOpened = true
        let isStalled = connection.kind == .stalledHandshake
        let bytes = isStalled ? Wire.clientHello : Array(connection.kind.opening.utf8)
        if !bytes.isEmpty { _ = connection.wire.write(bytes) }
        if connection.kind == .halfOpen { shutdown(descriptor, CInt(SHUT_WR)) }
    }

    private mutating func sendSlowBytes() {
        let time = now()
        for (descriptor, connection) in connections
        where connection.kind.isSlow && connection.hasOpened && connection.nextByte <= time {
            connections[descriptor]?.nextByte = time + 1
            connections[descriptor]?.slowBytes += 1
            let isHello = connection.kind == .slowHello
            let byte = isHello ? Wire.clientHello[connection.slowBytes % 200] : UInt8(ascii: "G")
            if connection.wire.write([byte]) == .failed { end(descriptor) }
        }
    }

    private mutating func end(_ descriptor: CInt) {
        connections[descriptor]?.wire.hangUp()
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
