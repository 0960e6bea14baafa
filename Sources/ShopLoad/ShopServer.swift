// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
internal import AxiomHTTP
internal import Foundation

/// The shop's server: real HTTP on a port of this machine, with latency and faults.
///
/// Besides the shop's own interface it serves `GET /ledger`, the current counts, `GET /screens`, what the users see, and
/// `GET /faults` and `POST /faults`, the mode of its faults.
package final class ShopServer: Sendable {
    /// Longer than a client waits. When the client gives up, the task of the answer is cancelled.
    private static let never = Duration.seconds(60)

    private let server: HTTPServer
    private let orders: OrderBackend

    /// Creates a server that does not listen yet.
    ///
    /// - Parameter folder: The folder of the server's database, which keeps the orders.
    /// - Throws: `HTTPServerError` if a route is malformed.
    package init(
        faults: FaultInjector,
        ledger: Ledger,
        displays: Displays,
        folder: String,
        clock: TimeSource
    ) throws {
        let backend = Backend()
        orders = OrderBackend(path: "\(folder)/upstream.db", ledger.orders)
        let gate = Gate(faults: faults, ledger: ledger, clock: clock)
        let router = try HTTPRouter(
            Self.customerRoutes(backend, gate) + Self.orderRoutes(backend, orders, gate) + Self.faultRoutes(faults) + [
                .get("/ledger") { _ in Self.json(try await ledger.report.json()) },
                .get("/screens") { _ in .text(await displays.text) },
            ]
        )
        var configuration = HTTPServerConfiguration()
        // Each request has a connection of its own, and a request that times out keeps its connection for a while.
        // An eighth of the descriptors is left to those that wait, and the rest to the exporter, the databases and the
        // clients, which are in the same process.
        let share = Int(clamping: max(16, HTTPServerConfiguration.descriptorLimit / 8))
        configuration.connectionLimit = min(1_024, share)
        configuration.connectionLimitPerAddress = configuration.connectionLimit
        configuration.waitingLimit = min(configuration.waitingLimit, share)
        configuration.drainTimeout = .seconds(1)
        server = HTTPServer(configuration: configuration, router: router, clock: clock)
    }

    /// Begins to listen on a free port of 127.0.0.1.
    ///
    /// - Returns: The port.
    /// - Throws: `HTTPServerError`.
    package func start() throws -> Int {
        try server.start()
        return server.port ?? 0
    }

    /// Reads the orders of earlier runs, for the ledger.
    ///
    /// - Throws: `StorageError`.
    package func restore() async throws {
        try await orders.restore()
    }

    /// Answers the requests in flight, for up to a second, and closes.
    package func stop() async {
        await server.stop()
        await orders.close()
    }

    /// Handles each request of the shop's interface: counts it, delays it, and injects its fault.
    private struct Gate: Sendable {
        let faults: FaultInjector
        let ledger: Ledger
        let clock: TimeSource

        /// - Parameter losesAnswers: Whether a request whose answer is lost has had its effect.
        func pass(
            _ request: HTTPRequest,
            losesAnswers: Bool = false,
            _ answer: () async throws -> some Encodable
        ) async throws -> HTTPResponse {
            let plan = faults.next()
            ledger.received(whileStormy: plan.isStormy)
            // A request without a number is not one of the application's: the fate of its fault would stay unknown.
            let number = request.headers["X-Request-Number"].flatMap { UInt64($0) }
            guard let fault = plan.fault, let number, ledger.faults.serve(number) else {
                try await clock.sleep(for: plan.latency)
                return try ShopServer.response(try await answer())
            }
            if losesAnswers, fault == .timeout || fault == .reset { _ = try await answer() }
            try await clock.sleep(for: fault == .timeout ? ShopServer.never : plan.latency)
            switch fault {
            case .reset: return .reset
            case .slow: return try ShopServer.response(try await answer())
            case .unavailable, .timeout: return .text("Come back later.\n", status: .serviceUnavailable)
            }
        }
    }

    private static func customerRoutes(_ backend: Backend, _ gate: Gate) -> [HTTPRoute] {
        [
            .get("/profiles/{customer}") { request in
                try await gate.pass(request) { await backend.profile(request.customer) }
            },
            .post("/profiles/{customer}", maximumBodyBytes: 1_024) { request in
                let name = try request.json(String.self)
                return try await gate.pass(request) { await backend.rename(request.customer, to: name) }
            },
            .get("/inbox/{customer}") { request in
                try await gate.pass(request) { await backend.inbox(request.customer) }
            },
            .post("/sessions", maximumBodyBytes: 1_024) { request in
                let customer = try request.json(String.self)
                return try await gate.pass(request) { await backend.signIn(customer) }
            },
            .post("/events", maximumBodyBytes: 65_536) { request in
                let events = try request.json([Backend.Event].self)
                return try await gate.pass(request) { await backend.record(events) }
            },
        ]
    }

    private static func orderRoutes(_ backend: Backend, _ orders: OrderBackend, _ gate: Gate) -> [HTTPRoute] {
        [
            .get("/products/{article}") { request in
                let article = request.parameters["article"] ?? ""
                return try await gate.pass(request) { await backend.product(article) }
            },
            .post("/orders", maximumBodyBytes: 65_536) { request in
                let order = try request.json(OrderBackend.Order.self)
                guard let key = request.headers["Idempotency-Key"] else {
                    return .text("An order needs an Idempotency-Key.\n", status: .badRequest)
                }
                return try await gate.pass(request, losesAnswers: true) { try await orders.place(order, key: key) }
            },
            .post("/prices", maximumBodyBytes: 65_536) { request in
                let lines = try request.json([Backend.Line].self)
                return try await gate.pass(request) { await backend.quote(lines) }
            },
            .post("/payments", maximumBodyBytes: 1_024) { request in
                let payment = try request.json(Backend.Payment.self)
                return try await gate.pass(request) { await backend.pay(payment) }
            },
            .get("/payments") { request in try await gate.pass(request) { await backend.totalPaid() + orders.total } },
        ]
    }

    /// They have no faults and are not counted. The body of a change is the name of a mode.
    private static func faultRoutes(_ faults: FaultInjector) -> [HTTPRoute] {
        [
            .get("/faults") { _ in .text("\(faults.mode.rawValue)\n") },
            .post("/faults", maximumBodyBytes: 64) { request in
                let name = String(decoding: request.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
                guard let mode = FaultMode(rawValue: name) else {
                    let modes = FaultMode.allCases.map(\.rawValue).joined(separator: ", ")
                    return .text("The body is \(name.debugDescription); send one of \(modes).\n", status: .badRequest)
                }
                faults.mode = mode
                return .text("\(mode.rawValue)\n")
            },
        ]
    }

    private static func response(_ value: some Encodable) throws -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return json(try Array(encoder.encode(value)))
    }

    private static func json(_ bytes: [UInt8]) -> HTTPResponse {
        HTTPResponse(headers: ["Content-Type": "application/json"], body: bytes)
    }
}

extension HTTPRequest {
    fileprivate var customer: String { parameters["customer"] ?? "" }

    fileprivate func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body))
    }
}
/// What the users see now: the latest text of each.
@MainActor
package final class Displays {
    private var texts: [Int: String] = [:]

    /// Creates displays that show nothing.
    package nonisolated init() {}

    package func show(_ text: String, to user: Int) {
        texts[user] = text
    }

    package func clear(_ user: Int) {
        texts[user] = nil
    }

    /// All texts, one below the other.
    package var text: String {
        texts.sorted { $0.key < $1.key }
            .map { "--- shopper \($0.key + 1) ---\n\($0.value)\n" }
            .joined(separator: "\n")
    }
}
