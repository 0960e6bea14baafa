// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomStorage
import AxiomTestSupport
import Foundation
import Testing

@Suite("The demo's orders, cart and profile", .serialized, .timeLimit(.minutes(10)))
struct OrderTests {
    private static let storm = ["--faults", "storm", "--rate", "300"]

    /// An order, as the shop and its server write it.
    private struct Order: Decodable {
        let id: String
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-state-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.path)
    }

    /// The value of a persistent state, without its version.
    private func state(_ key: StorageKey, _ folder: String) async throws -> Data {
        let storage = SQLiteStorage(path: "\(folder)/shop.db")
        let data = try #require(try await storage.data(key))
        await storage.terminate()
        let line = try #require(data.firstIndex(of: UInt8(ascii: "\n")))
        return Data(data[(line + 1)...])
    }

    /// The orders that wait in the outbox of the shop.
    private func waitingOrders(_ folder: String) async throws -> Set<String> {
        let storage = SQLiteStorage(path: "\(folder)/shop.db")
        let waiting = try await Outbox("orders", in: storage).pendingChanges.map(\.id.uuidString)
        await storage.terminate()
        return Set(waiting)
    }

    /// The orders that the server has applied, each as often as it was.
    private func appliedOrders(_ folder: String) async throws -> [String] {
        let storage = SQLiteStorage(path: "\(folder)/upstream.db")
        var orders: [String] = []
        for key in try await storage.keys(prefix: "orders/") {
            orders.append(try #require(try await storage.load(Order.self, key)).id)
        }
        await storage.terminate()
        return orders
    }

    @Test("In a storm orders are sent again, always with the same key, and each is applied exactly once")
    func storm() async throws {
        try await withFolder { folder in
            let file = folder + ".json"
            defer { try? FileManager.default.removeItem(atPath: file) }
            let demo = try await DemoProcess.counted(Self.storm + ["--ledger", file])
            try await Loopback.wait(for: "orders whose answers were lost", polls: 2_400) {
                try await demo.ledger().orders.repeated > 2
            }
            #if Instrumented
            let page = try await demo.scrape()
            for outcome in ["sent", "failed"] {
                #expect(page.total("axiom_sync_changes_total", ["queue": "orders", "outcome": outcome]) > 0)
            }
            #expect(page.values(of: "queue", in: "axiom_outbox_oldest_seconds") == ["orders"])
            #endif
            demo.program.signal()
            #expect(await demo.program.exitCode() == 0)
            let report = try Data(contentsOf: URL(filePath: file))
            let orders = try JSONDecoder().decode(DemoLedger.self, from: report).orders
            #expect(orders.placed > 0 && orders.waiting == 0)
            // An action that was cancelled may have placed its order.
            #expect(orders.applied >= orders.placed && orders.received > orders.applied)
            #expect(orders.doubled == 0 && orders.rekeyed == 0)
        }
    }

    @Test("After kill -9 in a storm no order is lost or doubled, however often it happens")
    func killed() async throws {
        try await withFolder { folder in
            var known: Set<String> = []
            for round in 1...4 {
                let demo = try await DemoProcess.counted(Self.storm + ["--state-dir", folder, "--seed", "\(round)"])
                var placed = 0.0
                try await Loopback.wait(for: "orders") {
                    placed = try await demo.ledger().orders.placed
                    return placed > 5
                }
                demo.program.signal(SIGKILL)
                #expect(await demo.program.exitCode() == SIGKILL)
                let applied = try await appliedOrders(folder)
                #expect(Set(applied).count == applied.count)
                let before = known.count
                #expect(known.subtracting(applied).isSubset(of: try await waitingOrders(folder)))
                known.formUnion(try await waitingOrders(folder).union(applied))
                #expect(Double(known.count - before) >= placed)
            }
            let demo = try await DemoProcess.counted(["--state-dir", folder, "--steps", "1", "--linger", "120s"])
            let expected = Double(known.count)
            try await Loopback.wait(for: "all orders") { try await demo.ledger().orders.applied == expected }
            let orders = try await demo.ledger().orders
            #expect(orders.placed == 0 && orders.doubled == 0 && orders.rekeyed == 0)
            demo.program.signal()
            #expect(await demo.program.exitCode() == 0)
            let applied = try await appliedOrders(folder)
            #expect(applied.count == known.count && Set(applied) == known)
            #expect(try await waitingOrders(folder).isEmpty)
        }
    }

    #if Instrumented
    /// The state of a client as the dashboard shows it.
    private struct StateTree: Decodable, Hashable {
        let name: String?
        let text: String?
        let children: [StateTree]?

        /// The text of the first leaf of this name.
        func leaf(_ wanted: String) -> String? {
            if name == wanted, let text { return text }
            return children?.lazy.compactMap { $0.leaf(wanted) }.first
        }
    }

    private struct StoredProfile: Decodable {
        struct Profile: Decodable {
            let customer: String
            let name: String
        }

        let profile: Profile
    }

    private func clientState(_ client: String, _ demo: DemoProcess) async throws -> StateTree {
        struct List: Decodable {
            struct Store: Decodable { let id: Int }
            let clients: [Store]
        }
        struct Answer: Decodable { let tree: StateTree }
        let list = try await Loopback.get("\(demo.exporter)/api/state?component=\(client)")
        let id = try #require(try JSONDecoder().decode(List.self, from: list).clients.first).id
        let answer = try await Loopback.get("\(demo.exporter)/api/state/\(id)")
        return try JSONDecoder().decode(Answer.self, from: answer).tree
    }

    @Test("After kill -9 the profile that was shown is stored, and the next run shows the same cart")
    func states() async throws {
        try await withFolder { folder in
            let load = ["--linger", "120s", "--inspect-state", "--state-dir", folder]
            let first = try await DemoProcess(["--steps", "400", "--rate", "200"] + load)
            try await first.loadEnded()
            let cart = try await clientState("CartClient", first)
            let profile = try await clientState("ProfileClient", first)
            // The cart is saved 100 ms after its last change.
            try await Loopback.wait(for: "the saved cart") {
                try await first.scrape().total("axiom_storage_unsaved_seconds", ["client": "CartClient"]) == 0
            }
            first.program.signal(SIGKILL)
            #expect(await first.program.exitCode() == SIGKILL)
            let stored = try JSONDecoder().decode(StoredProfile.self, from: try await state("profile", folder)).profile
            #expect(profile.leaf("customer") == "\"\(stored.customer)\"")
            #expect(profile.leaf("name") == "\"\(stored.name)\"")

            // The first step of a script opens the shop, which does not change the cart.
            let second = try await DemoProcess(["--steps", "1", "--rate", "1"] + load)
            try await second.loadEnded()
            #expect(try await clientState("CartClient", second) == cart)
            second.program.signal()
            #expect(await second.program.exitCode() == 0)
        }
    }
    #endif
}
