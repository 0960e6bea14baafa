// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Axiom
import AxiomBase
import AxiomHTTP
import AxiomNavigation
import AxiomStorage
import AxiomTestSupport
import Foundation
import Testing

@testable import shop_oracle

@Suite("The ledger of orders")
struct OrderTableTests {
    private func counts(_ work: (OrderTable) -> Void) -> OrderTable.Counts {
        let table = OrderTable()
        work(table)
        return table.counts
    }

    @Test("An order waits until it is applied, also if the server is first")
    func waiting() {
        let open = counts { $0.placed("1") }
        #expect((open.placed, open.applied, open.waiting) == (1, 0, 1))
        let applied = counts {
            $0.applied("1", key: "a")
            $0.placed("1")
        }
        #expect((applied.placed, applied.applied, applied.waiting) == (1, 1, 0))
    }

    @Test("A repetition with the same key is no doubled order")
    func repetition() {
        let counts = counts {
            $0.placed("1")
            $0.received("1", key: "a")
            $0.applied("1", key: "a")
            $0.received("1", key: "a")
            $0.repeated()
        }
        #expect((counts.received, counts.applied, counts.repeated) == (2, 1, 1))
        #expect((counts.doubled, counts.rekeyed) == (0, 0))
    }

    @Test("An order that is applied under two keys is doubled, once")
    func doubled() {
        let counts = counts { table in
            table.placed("1")
            for key in ["a", "b", "c"] {
                table.received("1", key: key)
                table.applied("1", key: key)
            }
        }
        #expect((counts.applied, counts.doubled, counts.rekeyed) == (1, 1, 1))
    }

    @Test("All but the latest orders are forgotten unless they wait, and their counts stay")
    func memory() {
        let table = OrderTable()
        for order in 0..<50_000 {
            table.placed("\(order)")
            // The server does not get every hundredth one.
            if order % 100 == 0 { continue }
            table.received("\(order)", key: "\(order)")
            table.applied("\(order)", key: "\(order)")
            #expect(table.remembered <= 2_002 + 2 * (order / 100 + 1))
        }
        let counts = table.counts
        #expect((counts.placed, counts.received, counts.applied) == (50_000, 49_500, 49_500))
        #expect((counts.waiting, counts.doubled) == (500, 0))
        for order in stride(from: 0, to: 50_000, by: 100) { table.applied("\(order)", key: "\(order)") }
        #expect((table.counts.applied, table.counts.waiting) == (50_000, 0))
    }

    @Test("An order that waited for a long time is not applied twice without notice")
    func doubledLate() {
        let table = OrderTable()
        table.placed("late")
        for order in 0..<5_000 {
            table.placed("\(order)")
            table.applied("\(order)", key: "\(order)")
        }
        for _ in 0..<2 { table.applied("late", key: "a") }
        #expect((table.counts.applied, table.counts.doubled) == (5_001, 1))
    }
}

@Suite("Orders of the cart", .timeLimit(.minutes(10)))
@MainActor
struct OrderTests {
    private let order = Order(
        id: UUID(),
        customer: "ada",
        lines: [CartLine(article: "tea", quantity: 2), CartLine(article: "bread", quantity: 1)]
    )

    @Test("An order takes its lines out of the cart, and leaves what was added since")
    func lines() {
        var cart = CartState(lines: order.lines)
        cart.add("tea", 1)
        cart.add("honey", 4)
        cart.take(order)
        #expect(cart.lines == [CartLine(article: "tea", quantity: 1), CartLine(article: "honey", quantity: 4)])
    }

    /// Runs the shop with a folder in which a run before it has ended within an order.
    ///
    /// - Parameter prepare: Writes what the run has left.
    /// - Returns: The ledger when no order waits.
    private func restart(_ prepare: (any KeyValueStorage) async throws -> Void) async throws -> LedgerReport {
        let folder = try TestFolder()
        let storage = SQLiteStorage(path: folder.path + "/shop.db")
        try await prepare(storage)
        await storage.terminate()
        let run = try CountedRun(.parse(["--data-dir", folder.path]))
        try await run.start()
        try await Loopback.wait(for: "the order at the server") { @MainActor in run.ledger.orders.counts.applied > 0 }
        await run.orchestrator.shutdown()
        let report = run.ledger.report
        try await run.shutdown()
        try FileManager.default.removeItem(atPath: folder.path)
        return report
    }

    @Test("An order that an earlier run has left in the queue is sent once")
    func queued() async throws {
        let report = try await restart { storage in
            let outbox = try Outbox("orders", in: storage)
            try await outbox.append("order.place", try ShopJSON.encode(order), key: order.customer, id: order.id)
        }
        #expect((report.orders.received, report.orders.applied) == (1, 1))
    }

    @Test("An order without an idempotency key is refused, and is not applied")
    func withoutKey() async throws {
        let folder = try TestFolder()
        defer { try? folder.remove() }
        let server = try ShopServer(
            ShopBooks(folder: folder.path),
            FaultInjector(.none, seed: 1, clock: .live),
            clock: .live
        )
        let port = try server.start()
        func send(_ request: NetworkRequest) async throws -> HTTPConnection.Response {
            let connection = try await HTTPConnection(port: port)
            let response = try await connection.exchange(request)
            await connection.close()
            return response
        }
        let bare = NetworkRequest(method: "POST", path: "/orders", body: try ShopJSON.encode(order))
        let refused = try await send(bare)
        #expect(refused.status == 400)
        #expect(refused.body == Data("An order needs an Idempotency-Key.\n".utf8))
        #expect(try await server.books.orders().isEmpty)
        var keyed = bare
        keyed.headers["Idempotency-Key"] = order.id.uuidString
        let applied = try await send(keyed)
        #expect(applied.status == 201)
        #expect(try await server.books.orders().count == 1)
        await server.stop()
    }

    @Test("Without faults each order is sent once and applied at once; the cart and the profile outlive the run")
    func healthy() async throws {
        let folder = try TestFolder()
        defer { try? folder.remove() }
        let options = try DemoCommand.parse(["--data-dir", folder.path])
        let run = try CountedRun(options)
        try await run.start()
        let window = try run.newWindow()
        _ = try await window.show(.cart)
        let shown = try #require(window.context as? CartContext)
        await window.act(.add(article: "tea", quantity: 2), on: shown)
        try await lines(of: window) { $0 == [CartLine(article: "tea", quantity: 2)] }
        await window.act(.order(customer: "ada"), on: shown)
        await window.act(.add(article: "honey", quantity: 1), on: shown)
        try await Loopback.wait(for: "the order at the server") { @MainActor in !run.ledger.isWaiting }
        let orders = run.ledger.orders.counts
        #expect((orders.placed, orders.received, orders.applied, orders.repeated) == (1, 1, 1, 0))
        await window.close()
        let profile = try run.orchestrator.makeContext(ProfileContext.self)
        try await profile.handle(.rename(customer: "ada", to: "Countess"))
        try await run.shutdown()

        let next = try CountedRun(options)
        try await next.start()
        let cart = try next.orchestrator.makeContext(CartContext.self)
        try await cart.onAppear()
        try await Loopback.wait(for: "the cart") { @MainActor in
            cart.lines == [CartLine(article: "honey", quantity: 1)]
        }
        let known = try next.orchestrator.makeContext(ProfileContext.self)
        try await known.onAppear()
        try await Loopback.wait(for: "the profile") { @MainActor in known.profile?.name == "Countess" }
        #expect(next.ledger.orders.counts.applied == 1)
        try await next.shutdown()
    }

    private func lines(of window: ShopWindow, _ condition: @escaping @MainActor ([CartLine]) -> Bool) async throws {
        try await Loopback.wait(for: "the cart") { @MainActor in
            (window.flow.liveContexts.last?.context as? CartContext).map { condition($0.lines) } ?? false
        }
    }
}

@Suite("A connection that is kept open", .timeLimit(.minutes(10)))
struct HTTPConnectionTests {
    private func send(_ connection: HTTPConnection, _ path: String) async throws -> Int {
        try await connection.exchange(NetworkRequest(method: "GET", path: path)).status
    }

    @Test("It serves several requests, and is not valid after a reset or the end of the server")
    func reuse() async throws {
        let server = try HTTPServer(
            routes: [.get("/fine") { _ in .text("fine") }, .get("/reset") { _ in .reset }]
        )
        try server.start()
        let port = try #require(server.port)
        let connection = try await HTTPConnection(port: port)
        for _ in 0..<3 {
            #expect(try await send(connection, "/fine") == 200)
            #expect(await connection.isValid)
        }
        let broken = try await HTTPConnection(port: port)
        await #expect(throws: POSIXError.self) { try await send(broken, "/reset") }
        #expect(await !broken.isValid)
        await server.stop()
        #expect(await !connection.isValid)
        await connection.close()
    }
}
