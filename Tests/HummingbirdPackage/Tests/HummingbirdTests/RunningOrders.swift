// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Hummingbird
import Testing

@testable import OrdersService

/// The program of Documentation/service.md as a process of its own.
struct RunningOrders: Sendable {
    let program: RunningProgram
    let orders: LiveServer
    let dashboard: LiveServer

    func place(_ item: String, _ headers: [String: String] = [:]) async throws -> LiveServer.Answer {
        try await orders.send("/orders/\(item)", method: "POST", headers)
    }

    /// The orders that an answer has.
    static func orders(_ answer: LiveServer.Answer) throws -> [Order] {
        try JSONDecoder().decode([Order].self, from: Data(answer.text.utf8))
    }

    /// The lines of the page of metrics.
    var metrics: Set<String> {
        get async throws { Set(try await dashboard.send("/metrics").text.split(separator: "\n").map(String.init)) }
    }

    /// The lines of the log that contain a text.
    func log(_ text: String) -> [String] {
        program.output.split(separator: "\n").map(String.init).filter { $0.contains(text) }
    }

    /// Ends the program as a supervisor does.
    func end() async -> Int32 {
        program.signal(SIGTERM)
        return await program.exitCode()
    }
}

/// A folder for the files of the program, and what it calls: the price list, and a Pushgateway.
struct OrdersSurroundings: Sendable {
    let folder: URL
    /// The items whose prices were asked for.
    let asked: Journal<String>
    /// The price of snails is answered when it is open.
    let gate: Gate
    /// The pages that were pushed.
    let pushed: Journal<String>
    private let server: LiveServer

    /// Runs `body` in its surroundings.
    static func prepared(_ body: (OrdersSurroundings) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "orders-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (asked, gate, pushed) = (Journal<String>(), Gate(), Journal<String>())
        let router = Router()
        router.get("/{item}") { _, call in
            let item = try call.parameters.require("item")
            asked.write(item)
            if item == "snails" { await gate.wait() }
            if item == "nothing" { throw HTTPError(.notFound) }
            return item == "words" ? "words" : "36"
        }
        router.put("/metrics/job/orders/instance/orders-1") { request, _ in
            pushed.write(String(buffer: try await request.body.collect(upTo: 10_000_000)))
            return HTTPResponse.Status.ok
        }
        try await LiveServer.serving(router) { server in
            try await body(Self(folder: folder, asked: asked, gate: gate, pushed: pushed, server: server))
        }
    }

    private init(folder: URL, asked: Journal<String>, gate: Gate, pushed: Journal<String>, server: LiveServer) {
        (self.folder, self.server) = (folder, server)
        (self.asked, self.gate, self.pushed) = (asked, gate, pushed)
    }

    /// The arguments of `env` for the program in its folder. Ports are free ones, and nothing is shipped, unless
    /// `settings` say so.
    func arguments(_ settings: [String: String] = [:]) throws -> [String] {
        let address = "http://127.0.0.1:\(server.port)"
        let given = [
            "ORDERS_PORT": "0", "ORDERS_DASHBOARD_PORT": "0", "ORDERS_PRICES": address, "ORDERS_PUSHGATEWAY": address,
            "ORDERS_SHIPPING_INTERVAL": "3600",
        ]
        let variables = given.merging(settings) { $1 }.map { "\($0.key)=\($0.value)" }
        return try ["-C", folder.path] + variables + [BuildFolder().url.appending(path: "OrdersService").path]
    }

    /// Starts the program, and waits until it is served.
    func start(_ settings: [String: String] = [:]) async throws -> RunningOrders {
        let program = try RunningProgram("/usr/bin/env", arguments(settings))
        let ports = try await program.firstLine("its addresses") { line in
            let addresses = #/http://127.0.0.1:(\d+)/orders is served, the dashboard is http://127.0.0.1:(\d+)//#
            return line.firstMatch(of: addresses).flatMap { Int($0.1) }.map { orders in
                (orders, line.firstMatch(of: addresses).flatMap { Int($0.2) } ?? 0)
            }
        }
        return RunningOrders(
            program: program,
            orders: LiveServer(port: ports.0),
            dashboard: LiveServer(port: ports.1)
        )
    }

    func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: file), options: .atomic)
    }
}
