// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomHTTP

@Suite("Which connections are admitted", .timeLimit(.minutes(10)))
struct AdmissionTests {
    private static let routes: [HTTPRoute] = [
        .immediate("/") { _ in .text("in") }, .immediate("/health") { _ in .text("well") }.reserved(),
        .get("/stream") { _ in .stream(Endless()) },
    ]

    /// A stream of one chunk that never ends.
    private struct Endless: AsyncSequence, Sendable {
        struct Iterator: AsyncIteratorProtocol {
            var hasSent = false

            mutating func next() async throws -> [UInt8]? {
                if hasSent { try await Task.sleep(for: .seconds(3_600)) }
                hasSent = true
                return Array("begun".utf8)
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator() }
    }

    @Test("A head that does not arrive in time is answered 408; a connection that sends nothing is closed")
    func headTimeout() async throws {
        let time = ManualTime()
        let limits: HTTPServerConfiguration = .with {
            ($0.headTimeout, $0.idleTimeout) = (.seconds(3), .seconds(3_600))
        }
        try await withServer(Self.routes, limits, clock: .manual(time)) { _, port in
            let (slow, silent) = (try await RawClient(port: port), try await RawClient(port: port))
            try await slow.send("GET / HTTP/1.1\r\nHo")
            // The acceptor has seen what came before when it serves this request, whose connection is kept.
            let kept = try await RawClient(port: port)
            #expect(try await kept.request("GET", "/").body == "in")
            time.advance(by: .seconds(3))
            #expect(try await slow.response().status == 408)
            #expect(try await slow.readToEnd().isEmpty)
            #expect(try await silent.readToEnd().isEmpty)
            // The second head of a connection.
            #expect(try await kept.request("GET", "/").body == "in")
            try await kept.send("GET / HTTP/1.1\r\nHo")
            let rest = try await time.advance {
                _ = try await RawClient(port: port).request("GET", "/")
            } until: {
                try await kept.readToEnd()
            }
            #expect(rest.isEmpty)
        }
    }

    @Test("Connections that send nothing or half a head do not count, however many there are")
    func headless() async throws {
        try await withServer(
            Self.routes,
            .with { ($0.threads, $0.connectionLimit, $0.connectionLimitPerAddress, $0.waitingLimit) = (1, 2, 2, 32) }
        ) { _, port in
            var clients: [RawClient] = []
            for index in 0..<100 {
                let client = try await RawClient(port: port)
                if index.isMultiple(of: 2) { try? await client.send("GET / HTTP/1.1\r\n") }
                clients.append(client)
                #expect(try await RawClient(port: port).request("GET", "/").body == "in")
            }
            // The oldest have been closed to make room, and not the youngest.
            #expect((try? await clients[0].readToEnd()) != nil)
            try await clients[98].send("Host: localhost\r\n\r\n")
            #expect(try await clients[98].response().body == "in")
        }
    }

    @Test("A stream beyond the limit is answered 503 with Retry-After, and is served after another has ended")
    func streamLimit() async throws {
        try await withServer(Self.routes, .with { $0.streamLimit = 2 }) { _, port in
            var readers: [RawClient] = []
            for _ in 0..<2 {
                let reader = try await RawClient(port: port)
                try await reader.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try await reader.read(until: "begun")
                readers.append(reader)
            }
            let refused = try await RawClient(port: port).request("GET", "/stream")
            #expect(refused.status == 503)
            #expect(refused.header("Retry-After") == "10")
            readers.removeLast().hangUp()
            var status = 503
            while status == 503 {
                let next = try await RawClient(port: port)
                try await next.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let line = try await next.readLine()
                status = Int(line.dropFirst(9).prefix(3)) ?? 0
            }
            #expect(status == 200)
        }
    }

    @Test("The streams of one address have a limit of their own, and leave the others to other addresses")
    func streamLimitPerAddress() async throws {
        #expect(HTTPServerConfiguration().streamLimitPerAddress < HTTPServerConfiguration().streamLimit)
        try await withServer(Self.routes, .with { ($0.streamLimit, $0.streamLimitPerAddress) = (4, 2) }) { _, port in
            func stream(from address: String) async throws -> (RawClient, Int) {
                let reader = try await RawClient(port: port, from: address)
                try await reader.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let line = try await reader.readLine()
                return (reader, Int(line.dropFirst(9).prefix(3)) ?? 0)
            }
            var readers: [RawClient] = []
            for (address, status) in [
                ("127.0.0.2", 200), ("127.0.0.2", 200), ("127.0.0.2", 503), ("127.0.0.3", 200), ("127.0.0.3", 200),
                ("127.0.0.3", 503), ("127.0.0.4", 503),
            ] {
                let (reader, found) = try await stream(from: address)
                #expect(found == status, "\(address)")
                readers.append(reader)
            }
        }
    }

    @Test("Clients that do not read a large body do not block others, and their unsent bytes are bounded")
    func unreadBodies() async throws {
        let bytes = 4 << 20
        // Each response has a body of its own, as pages of metrics have.
        let route = HTTPRoute.immediate("/large") { _ in HTTPResponse(body: [UInt8](repeating: 120, count: bytes)) }
        try await withServer([route], .with { $0.maximumUnsentBytes = 4 * bytes }) { _, port in
            var deaf: [RawClient] = []
            for _ in 0..<12 {
                let client = try await RawClient(port: port)
                try await client.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
                deaf.append(client)
                var response = try await RawClient(port: port).request("GET", "/large")
                // A slow reader keeps its place for a twentieth of a second at least.
                while response.status == 503 { response = try await RawClient(port: port).request("GET", "/large") }
                #expect(response.body.utf8.count == bytes)
            }
            await #expect(throws: RawClient.Failure.self) { try await deaf[0].response() }
        }
    }

    @Test("If every connection is busy, a request waits; the reserve is for reserved routes")
    func reserve() async throws {
        let (entered, released) = (Event(), Event())
        let busy = HTTPRoute.get("/busy") { _ in
            entered.fire()
            await released.wait()
            return .text("done")
        }
        // A sixteenth of 32 is 2.
        let limits: HTTPServerConfiguration = .with {
            ($0.threads, $0.connectionLimit, $0.connectionLimitPerAddress) = (2, 32, 32)
        }
        try await withServer(Self.routes + [busy], limits) { _, port in
            try await withThrowingTaskGroup { group in
                for _ in 0..<30 { group.addTask { try await RawClient(port: port).request("GET", "/busy").body } }
                await entered.wait(30)
                let waiting = try await RawClient(port: port)
                try await waiting.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                for _ in 0..<5 { #expect(try await RawClient(port: port).request("GET", "/health").body == "well") }
                released.fire()
                for try await body in group { #expect(body == "done") }
                #expect(try await waiting.response().body == "in")
            }
        }
    }

    @Test("If the listening socket cannot be watched, the start of the acceptor throws instead of serving nothing")
    func unwatchable() throws {
        let socket = try ListenSocket(host: "127.0.0.1", address: SocketAddress(configuredHost: "localhost"), port: 0)
        // epoll does not watch /dev/null.
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        #expect(dup2(null, socket.descriptor) == socket.descriptor)
        defer { for descriptor in [null, socket.descriptor] { close(descriptor) } }
        let limits = ConnectionTable.Limits(connections: 1, connectionsPerAddress: 1, streams: 1, bodyBytes: 1)
        let parts = ConnectionAcceptor.Parts(
            configuration: HTTPServerConfiguration(),
            connections: OpenConnections(limits: limits, onCapacity: {}),
            reservedPaths: [],
            isTLS: false,
            serve: { _, _, _ in true }
        )
        let poll = try EventPoll()
        let error = #expect(throws: HTTPServerError.self) { _ = try ConnectionAcceptor(parts, socket, poll) }
        #expect(error?.code == .systemFailure)
        #expect(error?.message.contains("ulimit -n") == true)
    }

    @Test("A preview distinguishes a complete head from a part, and finds the path of the request")
    func preview() {
        func preview(_ text: String, limit: Int = 1_000) -> RequestPreview {
            RequestPreview(Array(text.utf8), limit: limit)
        }
        let whole = "GET /metrics?a=b HTTP/1.1\r\nHost: x\r\n\r\n"
        #expect(preview(whole) == .arrived(path: "/metrics"))
        #expect(preview("\r\n\n\r\n" + whole + "rest") == .arrived(path: "/metrics"))
        for count in 0..<whole.utf8.count {
            #expect(RequestPreview(Array(whole.utf8.prefix(count)), limit: 1_000) == .partial)
        }
        for text in ["", "\r\n\r\n", "\n\n\n", "\r\r\r"] {
            #expect(preview(text) == .partial, "\(text.debugDescription)")
        }
        #expect(preview("nonsense\n\n") == .malformed)
        #expect(preview("nonsense", limit: 8) == .arrived(path: nil))
        #expect(preview("GET /a HTTP/1.1\n\n") == .arrived(path: "/a"))
        #expect(preview("GET /long", limit: 9) == .arrived(path: nil))
    }
}

@Suite("The table of connections and the pending ones")
struct ConnectionTableTests {
    private static func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

    private static func table(_ connections: Int, perAddress: Int, bodyBytes: Int = 1_000) -> ConnectionTable {
        ConnectionTable(
            limits: .init(
                connections: connections,
                connectionsPerAddress: perAddress,
                streams: 2,
                bodyBytes: bodyBytes
            )
        )
    }

    @Test("A body that arrives slowly ends after ten idle timeouts, however often a byte comes")
    func slowBody() {
        var table = Self.table(4, perAddress: 4)
        Self.enter(&table, 1, "a", at: 0)
        table.set(1, .uploading, now: Self.at(0))
        let idle = Duration.milliseconds(30)
        #expect(table.expired(receiving: .milliseconds(5), idle: idle, now: Self.at(299)).isEmpty)
        let expired = table.expired(receiving: .milliseconds(5), idle: idle, now: Self.at(300))
        #expect(expired == [ConnectionTable.Victim(descriptor: 1, isSending: false)])
        #expect(table.count == 0)
    }

    private static func enter(_ table: inout ConnectionTable, _ descriptor: Int32, _ address: String, at time: Int) {
        _ = table.admit(descriptor, from: address, isReserved: false, now: at(time))
        table.start(descriptor, now: at(time))
    }

    @Test(
        "Connections are dropped in order: arriving heads, bodies, idle, slow readers, streams, kept for a reserved route"
    )
    func order() {
        var table = Self.table(7, perAddress: 7)
        for descriptor in Int32(0)..<7 { Self.enter(&table, descriptor, "a", at: 0) }
        table.set(0, .working, isReserved: true, now: Self.at(0))
        table.becomeIdle(0, now: Self.at(0))
        #expect(table.beginStream(1, now: Self.at(0)) == true)
        let body = table.beginBody(2, ObjectIdentifier(Self.self), bytes: 1, now: Self.at(0))
        #expect(body == ConnectionTable.BodyDecision(isAllowed: true, victims: []))
        table.set(3, .working, now: Self.at(0))
        table.becomeIdle(3, now: Self.at(0))
        table.set(4, .uploading, now: Self.at(0))
        table.set(6, .working, now: Self.at(0))
        var dropped: [Int32] = []
        for descriptor in Int32(10)..<16 {
            guard
                case .admitted(let victim?) = table.admit(descriptor, from: "a", isReserved: false, now: Self.at(1_000))
            else { break }
            dropped.append(victim.descriptor)
            table.start(descriptor, now: Self.at(1_000))
            table.set(descriptor, .working, now: Self.at(1_000))
        }
        #expect(dropped == [5, 4, 3, 2, 1, 0])
        #expect(table.admit(20, from: "a", isReserved: true, now: Self.at(9_000)) == .full)
        #expect(table.streams == 0 && table.bodyBytes == 0)
    }

    @Test("An address at its limit loses a connection of its own; at the whole limit, the address with the most does")
    func addresses() {
        var table = Self.table(4, perAddress: 3)
        for descriptor in Int32(0)..<3 { Self.enter(&table, descriptor, "a", at: Int(descriptor)) }
        Self.enter(&table, 3, "b", at: 0)
        func victim(_ decision: ConnectionTable.Decision) -> Int32? {
            if case .admitted(let victim) = decision { victim?.descriptor } else { nil }
        }
        #expect(victim(table.admit(4, from: "c", isReserved: false, now: Self.at(500))) == 0)
        #expect(victim(table.admit(5, from: "a", isReserved: false, now: Self.at(500))) == 1)
    }

    @Test("Random histories keep every limit, and the sums of bodies and streams are those of the connections")
    func model() {
        let seed = TestSeed.drawn()
        var random = SeededGenerator(seed: seed)
        var table = Self.table(12, perAddress: 6, bodyBytes: 100)
        var alive: [Int32: String] = [:]
        let bodies = (0..<6).map { _ in Canary() }
        var holders: [Int32: (Int, Int)] = [:]
        var streaming: Set<Int32> = []
        for step in 0..<20_000 {
            let now = Self.at(step * 20)
            let descriptor = Int32.random(in: 0..<40, using: &random)
            func forget(_ descriptor: Int32) {
                alive[descriptor] = nil
                holders[descriptor] = nil
                streaming.remove(descriptor)
            }
            switch Int.random(in: 0..<7, using: &random) {
            case 0, 1:
                let address = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                forget(descriptor)
                guard case .admitted(let victim) = table.admit(descriptor, from: address, isReserved: false, now: now)
                else {
                    continue
                }
                if let victim { forget(victim.descriptor) }
                alive[descriptor] = address
                table.start(descriptor, now: now)
            case 2:
                table.set(descriptor, .working, now: now)
                holders[descriptor] = nil
                streaming.remove(descriptor)
            case 3:
                table.becomeIdle(descriptor, now: now)
                holders[descriptor] = nil
                streaming.remove(descriptor)
            case 4:
                guard alive[descriptor] != nil else { continue }
                streaming.remove(descriptor)
                holders[descriptor] = nil
                if table.beginStream(descriptor, now: now) { streaming.insert(descriptor) }
            case 5:
                guard alive[descriptor] != nil else { continue }
                let body = Int.random(in: bodies.indices, using: &random)
                streaming.remove(descriptor)
                holders[descriptor] = nil
                let decision = table.beginBody(
                    descriptor,
                    ObjectIdentifier(bodies[body]),
                    bytes: 10 + body * 10,
                    now: now
                )
                for victim in decision.victims { forget(victim.descriptor) }
                if decision.isAllowed { holders[descriptor] = (body, 10 + body * 10) }
            default:
                table.remove(descriptor)
                forget(descriptor)
            }
            let held = Dictionary(holders.values.map { ($0.0, $0.1) }, uniquingKeysWith: { first, _ in first })
            let isRight =
                table.count == alive.count && table.count <= 12 && table.streams == streaming.count
                && table.streams <= 2 && table.bodyBytes == held.values.reduce(0, +) && table.bodyBytes <= 100
                && Dictionary(grouping: alive.values, by: \.self).values.allSatisfy { $0.count <= 6 }
            #expect(isRight, "seed \(seed), step \(step)")
            if !isRight { return }
        }
    }

    @Test("An address whose requests wait for admission pushes out no connection of another address")
    func pendingOfOthers() {
        var pending = PendingConnections(limit: 4)
        for descriptor in Int32(0)..<3 {
            pending.insert(descriptor, from: "a", now: Self.at(0))
            pending.becomeReady(descriptor, isReserved: true, now: Self.at(Int(descriptor)))
        }
        pending.insert(3, from: "b", now: Self.at(5))
        #expect(pending.isFull)
        #expect(pending.oldestArriving == nil)
        #expect(pending.youngestReady == 2)
        // Of addresses that have as many, the one without a request comes first.
        for descriptor in Int32(0)..<2 { pending.remove(descriptor) }
        #expect(pending.oldestArriving == 3)
        #expect(pending.youngestReady == 2)
        for descriptor in Int32(2)..<4 { pending.remove(descriptor) }
        #expect(pending.oldestArriving == nil && pending.youngestReady == nil)
    }

    @Test("The oldest connection without a request is closed first, of the address that has the most")
    func pending() {
        var pending = PendingConnections(limit: 4)
        for descriptor in Int32(0)..<3 { pending.insert(descriptor, from: "a", now: Self.at(Int(descriptor))) }
        #expect(!pending.isFull)
        pending.insert(3, from: "b", now: Self.at(0))
        #expect(pending.isFull)
        pending.becomeReady(0, isReserved: false, now: Self.at(9))
        #expect(pending.oldestArriving == 1)
        #expect(pending.youngestReady == 0)
        pending.remove(1)
        pending.insert(4, from: "b", now: Self.at(10))
        pending.becomeReady(4, isReserved: true, now: Self.at(11))
        #expect(pending.youngestReady == 0)
        var tried: [Int32] = []
        let admitted = pending.admit { connection in
            tried.append(connection.descriptor)
            return connection.address == "b"
        }
        #expect(tried == [4, 0])
        #expect(admitted.map(\.descriptor) == [4])
        #expect(pending.count == 3)
        #expect(pending.removeLate(after: .milliseconds(10), now: Self.at(11)).map(\.descriptor) == [3])
        #expect(pending.removeStarved(after: .milliseconds(10), now: Self.at(19)).map(\.descriptor) == [0])
        let rest = pending.removeAll()
        #expect(rest == [2])
        #expect(pending.isEmpty)
    }

    @Test("A head in more pieces than allowed is too slow")
    func pieces() {
        var pending = PendingConnections(limit: 4)
        pending.insert(1, from: "a", now: Self.at(0))
        for _ in 0..<PendingConnections.maximumPieces { #expect(pending.received(1) == .inTime) }
        #expect(pending.received(1) == .tooSlow)
        #expect(pending.received(2) == .inTime)
    }
}
