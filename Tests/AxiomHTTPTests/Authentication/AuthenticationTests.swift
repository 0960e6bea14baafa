// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomHTTP
@testable import AxiomTLS

@Suite("Requests with credentials", .timeLimit(.minutes(10)))
struct AuthenticationTests {
    /// `htpasswd`, `crypt(3)` and Go write the same hash with different letters. The password is "geheim".
    private static let users = [
        "ann": "$2b$04$w2qEGbyomPTjabiAC8MkQ.jVA1FXB7WAL6w1Q1XA/S4Bli33Ai8E2",
        "bob": "$2y$04$w2qEGbyomPTjabiAC8MkQ.jVA1FXB7WAL6w1Q1XA/S4Bli33Ai8E2",
    ]
    private static let token = "0123456789abcdef0123456789abcdef"
    private static let routes: [HTTPRoute] = [
        .immediate("/") { _ in .text("in") }, .get("/late") { _ in .text("late") },
        .immediate("/health") { _ in .text("well") }.healthCheck(),
        .immediate("/metrics") { _ in .text("samples") }.reserved(),
        .post("/echo", maximumBodyBytes: 100) { HTTPResponse(body: $0.body) },
    ]

    private static func basic(_ pair: String) -> String {
        "Authorization: Basic \(Data(pair.utf8).base64EncodedString())\r\n"
    }

    private static func serving(
        _ authentication: HTTPAuthentication,
        events: Journal<SecurityEvent> = Journal(),
        _ body: (Int) async throws -> Void
    ) async throws {
        let server = try HTTPServer(
            configuration: .with { $0.authentication = authentication },
            routes: routes,
            onSecurity: { events.write($0) }
        )
        try server.start()
        do {
            try await body(try #require(server.port))
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private static func status(
        _ port: Int,
        _ path: String,
        _ headers: String,
        method: String = "GET"
    ) async throws -> Int {
        try await RawClient(port: port).request(method, path, headers: headers).status
    }

    @Test("A user with the right password is served by every route, at the first request and later")
    func users() async throws {
        try await Self.serving(HTTPAuthentication(users: Self.users)) { port in
            for path in ["/", "/late", "/health", "/metrics"] {
                for user in ["ann", "bob"] {
                    #expect(try await Self.status(port, path, Self.basic("\(user):geheim")) == 200)
                    #expect(try await Self.status(port, path, Self.basic("\(user):geheim")) == 200)
                }
            }
            let client = try await RawClient(port: port)
            let echo = try await client.request("POST", "/echo", headers: Self.basic("ann:geheim"), body: "hello")
            #expect(echo.body == "hello")
            // Each request of a connection needs credentials.
            #expect(try await client.request("GET", "/").status == 401)
        }
    }

    @Test("Missing, wrong and malformed credentials are answered 401 with a challenge, whatever the route")
    func refused() async throws {
        let events = Journal<SecurityEvent>()
        let zero = Data("ann:geheim\0x".utf8).base64EncodedString()
        let headers = [
            "", Self.basic("ann:wrong"), Self.basic("eve:geheim"), Self.basic("ann:"), Self.basic(":"),
            Self.basic("anngeheim"), "Authorization: Basic \(zero)\r\n", "Authorization: Basic !!!!\r\n",
            "Authorization: Basic\r\n", "Authorization: Digest x\r\n", "Authorization: Bearer \(Self.token)\r\n",
            Self.basic("ann:geheim") + Self.basic("ann:geheim"),
            "Authorization: Basic \(Data("ann:geheim".utf8).base64EncodedString())=\r\n",
        ]
        let paths = ["/", "/late", "/health", "/none"]
        try await Self.serving(HTTPAuthentication(users: Self.users), events: events) { port in
            for header in headers {
                for path in paths { #expect(try await Self.status(port, path, header) == 401, "\(header) \(path)") }
            }
            let response = try await RawClient(port: port).request("GET", "/")
            #expect(response.header("WWW-Authenticate") == "Basic realm=\"axiom\", charset=\"UTF-8\"")
            #expect(response.header("Cache-Control") == "no-store")
            for header in ["", Self.basic("ann:wrong")] {
                // Neither methods nor limits are revealed.
                #expect(try await Self.status(port, "/", header, method: "DELETE") == 401)
                let body = String(repeating: "x", count: 200)
                let long = try await RawClient(port: port).request("POST", "/echo", headers: header, body: body)
                #expect(long.status == 401)
            }
            #expect(try await Self.status(port, "/none", Self.basic("ann:geheim")) == 404)
            #expect(try await Self.status(port, "/", Self.basic("ann:geheim"), method: "DELETE") == 405)
        }
        #expect(events.entries.count == headers.count * paths.count + 5)
        #expect(events.entries.allSatisfy { $0 == .credentialsRefused })
    }

    @Test("A body of unknown length, too, reveals the limit of a route only to the right password")
    func chunked() async throws {
        let body = "c8\r\n\(String(repeating: "x", count: 200))\r\n0\r\n\r\n"
        try await Self.serving(HTTPAuthentication(users: Self.users)) { port in
            // The right password last: it is remembered then.
            for (pair, status) in [("ann:wrong", 401), ("eve:geheim", 401), ("ann:geheim", 413), ("ann:geheim", 413)] {
                for line in ["GET /", "POST /echo"] {
                    let client = try await RawClient(port: port)
                    try await client.send(
                        "\(line) HTTP/1.1\r\nHost: localhost\r\n\(Self.basic(pair))"
                            + "Transfer-Encoding: chunked\r\n\r\n\(body)"
                    )
                    #expect(try await client.response().status == status, "\(pair) \(line)")
                }
            }
        }
    }

    @Test("The scrape token opens metrics and health checks only, and exempt health checks need nothing")
    func token() async throws {
        let bearer = "Authorization: Bearer \(Self.token)\r\n"
        try await Self.serving(HTTPAuthentication(scrapeToken: Self.token)) { port in
            #expect(try await Self.status(port, "/metrics", bearer) == 200)
            #expect(try await Self.status(port, "/metrics", bearer.lowercased()) == 200)
            #expect(try await Self.status(port, "/health", bearer) == 200)
            #expect(try await Self.status(port, "/", bearer) == 401)
            #expect(try await Self.status(port, "/health", "") == 401)
            for wrong in ["\(Self.token.dropLast())0", "\(Self.token)0", "\(Self.token.prefix(16))", ""] {
                #expect(try await Self.status(port, "/metrics", "Authorization: Bearer \(wrong)\r\n") == 401)
            }
            let response = try await RawClient(port: port).request("GET", "/metrics")
            #expect(response.header("WWW-Authenticate") == "Bearer realm=\"axiom\"")
        }
        let exempt = HTTPAuthentication(scrapeToken: Self.token, exemptsHealthChecks: true)
        try await Self.serving(exempt) { port in
            let open = try await Self.status(port, "/health", "")
            let wrong = try await Self.status(port, "/health", Self.basic("a:b"))
            let metrics = try await Self.status(port, "/metrics", "")
            #expect(open == 200 && wrong == 200 && metrics == 401)
        }
    }

    @Test("Passwords that are guessed do not keep a known one waiting, and too many are answered 503 or 401")
    func guesses() async throws {
        // A cost of 10, so that guesses are slower than they arrive.
        let slow = "$2b$10$WlIvi6O2wmh7VwXPV/p0Tuw0Duu9qI6d.ggAjKU686VaoJR2J5AtC"
        try await Self.serving(HTTPAuthentication(users: ["ann": slow])) { port in
            #expect(try await Self.status(port, "/", Self.basic("ann:geheim")) == 200)
            try await withThrowingTaskGroup { group in
                for index in 0..<60 {
                    group.addTask { try await Self.status(port, "/", Self.basic("ann:guess\(index)")) }
                }
                for _ in 0..<10 { #expect(try await Self.status(port, "/", Self.basic("ann:geheim")) == 200) }
                var statuses: [Int: Int] = [:]
                for try await status in group { statuses[status, default: 0] += 1 }
                #expect(Set(statuses.keys).isSubset(of: [401, 503]), "\(statuses)")
                // 32 wait, and only a guess beyond them is not checked.
                #expect(statuses[401] ?? 0 >= 32, "\(statuses)")
            }
        }
    }

    @Test("Options that cannot work are refused without their secrets")
    func options() {
        func message(_ options: HTTPAuthentication) -> String? {
            do throws(AuthenticationProblem) {
                try options.validate()
                return nil
            } catch {
                return error.message
            }
        }
        let good = Self.users["ann"] ?? ""
        #expect(message(HTTPAuthentication(users: Self.users, scrapeToken: Self.token)) == nil)
        #expect(message(HTTPAuthentication(users: ["a:b": good]))?.contains("\"a:b\" is empty or has a colon") == true)
        for hash in ["secret", "$2b$04$short", "\(good.dropLast())!", "$1$\(good)", "\(good)x"] {
            let text = message(HTTPAuthentication(users: ["ann": hash])) ?? ""
            #expect(text.hasPrefix("the hash of the user ann is no bcrypt hash; make one"))
            #expect(!text.contains(hash))
        }
        let costly = good.replacing("$04$", with: "$31$")
        #expect(message(HTTPAuthentication(users: ["ann": costly]))?.contains("has the cost 31; 4 to 16") == true)
        for token in ["short", String(repeating: " ", count: 20), "schlüssel-mit-umlaut"] {
            let text = message(HTTPAuthentication(scrapeToken: token)) ?? ""
            #expect(text.hasPrefix("the scrape token has fewer than 16 characters") && !text.contains(token))
        }
        let shown = HTTPAuthentication(users: Self.users, scrapeToken: Self.token)
        var dumped = ""
        dump(shown, to: &dumped)
        for text in ["\(shown)", String(reflecting: shown), dumped] {
            #expect(!text.contains(Self.token) && !text.contains("$2"), "\(text)")
        }
        #expect("\(shown)" == "2 users, a scrape token, no exemptions")
        let credentials = Credentials(["Authorization": "Bearer \(Self.token)"])
        #expect("\(credentials)" == "bearer")
        #expect("\(Credentials([:]))" == "none")
    }
}

@Suite("Hashes of passwords")
struct BcryptTests {
    @Test("The test vectors of bcrypt")
    func vectors() {
        // From the test suite of crypt_blowfish 1.3 by Solar Designer.
        let vectors: [(String, String)] = [
            ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
            ("U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
            ("U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"),
        ]
        for (password, hash) in vectors {
            #expect(BcryptHash.problem(of: hash) == nil)
            #expect(BcryptHash(hash).matches(Array(password.utf8)), "\(password)")
            #expect(!BcryptHash(hash).matches(Array((password + "x").utf8)))
            #expect(!BcryptHash(hash).matches(Array((password + "\0").utf8)))
        }
        #expect(!BcryptHash.unknown(cost: 4).matches([]))
        #expect(BcryptHash.unknown(cost: 12).cost == 12)
    }

    @Test("A password of more than 72 bytes is refused, because bcrypt ignores the rest")
    func longPasswords() {
        // From the same test suite, whose password continues with "chars after 72 are ignored".
        let password = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
        let hash = BcryptHash("$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui")
        #expect(password.count == BcryptHash.longestPassword && hash.matches(password))
        #expect(!hash.matches(Array(password.dropLast())))
        for more in ["c", "chars after 72 are ignored", "\0", String(repeating: "a", count: 4_000)] {
            #expect(!hash.matches(password + Array(more.utf8)), "\(more.utf8.count) more bytes")
        }
    }
}

@Suite("The queue of checks of passwords")
struct FairQueueTests {
    @Test("Owners take turns, and the largest loses its youngest at the limit")
    func turns() {
        var queue = FairQueue<Int>(concurrency: 1, limit: 4)
        for element in 1...4 { #expect(queue.add(element, of: "a") == nil) }
        #expect(queue.add(5, of: "b") == 4)
        #expect(queue.add(6, of: "a") == 6)
        #expect(queue.start() == true)
        #expect(queue.start() == false)
        let served = (0..<5).map { _ in queue.next() }
        #expect(served == [1, 5, 2, 3, nil])
        #expect(queue.running == 0)
    }

    @Test("Random histories keep the limits, lose nothing and serve each owner in order")
    func model() {
        let seed = TestSeed.drawn()
        var random = SeededGenerator(seed: seed)
        var queue = FairQueue<Int>(concurrency: 3, limit: 8)
        var (waiting, workers): ([String: [Int]], Int) = ([:], 0)
        for element in 0..<10_000 {
            if Bool.random(using: &random) {
                let owner = ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
                waiting[owner, default: []].append(element)
                if let rejected = queue.add(element, of: owner) {
                    let most = waiting.values.map(\.count).max()
                    let loser = waiting.first { $0.value.last == rejected }
                    #expect(loser?.value.count == most, "seed \(seed)")
                    if let loser { waiting[loser.key]?.removeLast() }
                }
                if queue.start() { workers += 1 }
            } else if workers > 0 {
                if let next = queue.next() {
                    let owner = waiting.first { $0.value.first == next }?.key
                    #expect(owner != nil, "seed \(seed)")
                    if let owner { waiting[owner]?.removeFirst() }
                } else {
                    workers -= 1
                    #expect(waiting.values.allSatisfy { $0.isEmpty }, "seed \(seed)")
                }
            }
            #expect(queue.running == workers && workers <= 3 && queue.count <= 8, "seed \(seed)")
            #expect(queue.count == waiting.values.reduce(0) { $0 + $1.count }, "seed \(seed)")
        }
    }
}
