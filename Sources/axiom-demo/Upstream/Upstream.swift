// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP

/// The shop's servers: real HTTP on a port of this machine, with latency and faults.
///
/// Besides the shop's own interface it serves `GET /ledger`, the books as they are now, and `GET /screens`, what the
/// shoppers see.
final class Upstream: Sendable {
    /// Longer than any request waits: the network gives up first, and the answer's task is cancelled then.
    private static let never = Duration.seconds(60)

    private let server: HTTPServer

    /// Makes servers that do not listen yet.
    ///
    /// - Throws: `HTTPServerError` when a route is malformed, which none is.
    init(weather: Weather, ledger: Ledger, screens: Screens, clock: TimeSource) throws {
        let backend = Backend()
        let gate = Gate(weather: weather, ledger: ledger, clock: clock)
        let router = try HTTPRouter(
            Self.routes(backend, gate) + [
                .get("/ledger") { _ in Self.json(try await ledger.report.json()) },
                .get("/screens") { _ in .text(await screens.text) },
            ]
        )
        var configuration = HTTPServerConfiguration()
        // Every request is a connection of its own, and one that times out stays for a while.
        configuration.connectionLimit = 1_024
        configuration.connectionLimitPerAddress = 1_024
        configuration.drainTimeout = .seconds(1)
        server = HTTPServer(configuration: configuration, router: router, clock: clock)
    }

    /// Begins to listen at any free port of 127.0.0.1.
    ///
    /// - Returns: The port.
    /// - Throws: `HTTPServerError`.
    func start() throws -> Int {
        try server.start()
        return server.port ?? 0
    }

    /// Answers what is under way, for up to a second, and closes.
    func stop() async {
        await server.stop()
    }

    /// Stands before every route of the shop's interface: counts, delays, and lets go wrong what is to go wrong.
    private struct Gate: Sendable {
        let weather: Weather
        let ledger: Ledger
        let clock: TimeSource

        func pass(
            _ request: HTTPRequest,
            _ answer: () async throws -> some Encodable
        ) async throws -> HTTPResponse {
            let forecast = weather.next()
            ledger.received(whileStormy: forecast.isStormy)
            // A request without a number is not the shop's, and nobody would account for a fault of it.
            let number = request.headers["X-Request-Number"].flatMap { UInt64($0) }
            guard let fault = forecast.fault, let number, ledger.faults.serve(number) else {
                try await clock.sleep(for: forecast.latency)
                return Upstream.json(try JSON.encode(try await answer()))
            }
            try await clock.sleep(for: fault == .timeout ? Upstream.never : forecast.latency)
            switch fault {
            case .reset: return .reset
            case .slow: return Upstream.json(try JSON.encode(try await answer()))
            case .unavailable, .timeout: return .text("Come back later.\n", status: .serviceUnavailable)
            }
        }
    }

    private static func routes(_ backend: Backend, _ gate: Gate) -> [HTTPRoute] {
        [
            .get("/profiles/{customer}") { request in
                try await gate.pass(request) { await backend.profile(request.customer) }
            },
            .post("/profiles/{customer}", maximumBodyBytes: 1_024) { request in
                let name = try JSON.decode(String.self, from: request.body)
                return try await gate.pass(request) { await backend.rename(request.customer, to: name) }
            },
            .get("/inbox/{customer}") { request in
                try await gate.pass(request) { await backend.inbox(request.customer) }
            },
            .post("/sessions", maximumBodyBytes: 1_024) { request in
                let customer = try JSON.decode(String.self, from: request.body)
                return try await gate.pass(request) { await backend.signIn(customer) }
            },
            .post("/prices", maximumBodyBytes: 65_536) { request in
                let lines = try JSON.decode([CartLine].self, from: request.body)
                return try await gate.pass(request) { await backend.quote(lines) }
            },
            .post("/payments", maximumBodyBytes: 1_024) { request in
                let payment = try JSON.decode(Payment.self, from: request.body)
                return try await gate.pass(request) { await backend.pay(payment) }
            },
            .get("/payments") { request in try await gate.pass(request) { await backend.totalPaid() } },
            .post("/events", maximumBodyBytes: 65_536) { request in
                let events = try JSON.decode([ActivityEvent].self, from: request.body)
                return try await gate.pass(request) { await backend.record(events) }
            },
        ]
    }

    private static func json(_ bytes: [UInt8]) -> HTTPResponse {
        HTTPResponse(headers: ["Content-Type": "application/json"], body: bytes)
    }
}

extension HTTPRequest {
    fileprivate var customer: String { parameters["customer"] ?? "" }
}
