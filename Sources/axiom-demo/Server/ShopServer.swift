// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import Foundation

/// The shop's server: real HTTP on a port of this machine, with latency and faults. It stands for a system that other people
/// run. Besides the shop's own interface it serves `GET /faults` and `POST /faults`, the mode of its faults.
final class ShopServer: Sendable {
    /// Stands before each handler of the shop's interface.
    typealias Gate =
        @Sendable (HTTPRequest, _ answer: @Sendable () async throws -> HTTPResponse) async throws -> HTTPResponse

    let books: ShopBooks
    private let server: HTTPServer

    /// Creates a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - pages: Further routes.
    ///   - gate: Plans and carries out the faults; nil for those of the injector.
    /// - Throws: `HTTPServerError` if a route is malformed.
    init(
        _ books: ShopBooks,
        _ faults: FaultInjector,
        clock: TimeSource,
        pages: [HTTPRoute] = [],
        gate: Gate? = nil
    ) throws {
        self.books = books
        var configuration = HTTPServerConfiguration()
        // The exporter, the databases and the clients are in the same process, and need descriptors too.
        let share = Int(clamping: max(16, HTTPServerConfiguration.descriptorLimit / 8))
        configuration.connectionLimit = min(1_024, share)
        configuration.connectionLimitPerAddress = configuration.connectionLimit
        configuration.waitingLimit = min(configuration.waitingLimit, share)
        configuration.drainTimeout = .seconds(1)
        let gate = gate ?? { try await faults.carryOut(faults.next(), $1) }
        let routes = Self.shop(books, gate) + Self.faults(faults) + pages
        server = try HTTPServer(configuration: configuration, routes: routes, clock: clock)
    }

    /// Begins to listen on a free port of 127.0.0.1.
    ///
    /// - Returns: The port.
    /// - Throws: `HTTPServerError`.
    func start() throws -> Int {
        try server.start()
        return server.port ?? 0
    }

    /// Answers the requests in flight, for up to a second, and closes.
    func stop() async {
        await server.stop()
        await books.close()
    }

    private static func shop(_ books: ShopBooks, _ gate: @escaping Gate) -> [HTTPRoute] {
        func get(_ path: String, _ answer: @escaping @Sendable (String) async throws -> any Encodable) -> HTTPRoute {
            .get(path) { request in
                try await gate(request) { try json(try await answer(request.parameters["name"] ?? "")) }
            }
        }
        func post<Body: Decodable & Sendable>(
            _ path: String,
            _ answer: @escaping @Sendable (HTTPRequest, Body) async throws -> HTTPResponse
        ) -> HTTPRoute {
            .post(path, maximumBodyBytes: 65_536) { request in
                let body = try ShopJSON.decode(Body.self, from: Data(request.body))
                return try await gate(request) { try await answer(request, body) }
            }
        }
        return [
            get("/profiles/{name}") { await books.profile($0) },
            post("/profiles/{name}") { try json(await books.rename($0.parameters["name"] ?? "", to: $1)) },
            get("/products/{name}") { Product(article: $0, price: ShopBooks.price(of: $0)) },
            post("/sessions") { try json(Session(customer: $1, token: UUID().uuidString)) },
            post("/events") { (_, events: [ActivityEvent]) in try json(events.count) },
            post("/prices") { try json(ShopBooks.quote($1)) },
            post("/orders") { (request, order: Order) in
                guard let key = request.headers["Idempotency-Key"] else {
                    return .text("An order needs an Idempotency-Key.\n", status: .badRequest)
                }
                return .text("", status: try await books.place(order, key: key) ? .created : .ok)
            },
        ]
    }

    /// They have no faults and are not counted. The body of a change is the name of a mode.
    private static func faults(_ faults: FaultInjector) -> [HTTPRoute] {
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

    private static func json(_ value: any Encodable) throws -> HTTPResponse {
        HTTPResponse(headers: ["Content-Type": "application/json"], body: Array(try ShopJSON.encode(value)))
    }
}
