// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

/// What a test sees of a server, and how it switches the connection.
final class ShopControl: Sendable {
    private struct State {
        var status: CapabilityStatus?
        var isOnline = false
        var orders: [UInt8] = []
        var keys: [UUID] = []
    }

    private let state = Lock(State())

    var isOnline: Bool { state.withLock { $0.isOnline } }
    var orders: [UInt8] { state.withLock { $0.orders } }

    func made(_ status: CapabilityStatus) { state.withLock { $0.status = status } }

    /// Changes the connection. The capability reports it only if `reports`.
    func connect(_ isOnline: Bool, reports: Bool = true) {
        let status = state.withLock { state in
            state.isOnline = isOnline
            return state.status
        }
        guard reports else { return }
        status?.report(isOnline ? .full : .minimal, isAvailable: isOnline, because: isOnline ? "" : "there is no link")
    }

    func receive(_ order: Data, _ key: UUID) throws -> SyncAnswer {
        try state.withLock { state in
            guard state.isOnline else { throw OutboxTest.Refused() }
            if !state.keys.contains(key) {
                state.keys.append(key)
                state.orders += order
            }
            return .accepted
        }
    }
}

actor ShopServer: NetworkCapability {
    nonisolated let identity: ComponentIdentity
    private let control: ShopControl

    init(_ scope: borrowing CapabilityScope, _ control: ShopControl) {
        identity = scope.identity
        self.control = control
        control.made(scope.status)
    }

    var isOnline: Bool { control.isOnline }

    func place(_ order: Data, idempotencyKey: UUID) throws -> SyncAnswer {
        try control.receive(order, idempotencyKey)
    }

    func prices() throws -> [String: Int] {
        guard control.isOnline else { throw OutboxTest.Refused() }
        return ["tea": control.orders.count]
    }
}

/// A storage that is a capability.
actor DiskCapability: Capability, KeyValueStorage {
    nonisolated let identity: ComponentIdentity
    private let storage: CrashingStorage

    init(_ scope: borrowing CapabilityScope, _ storage: CrashingStorage) {
        identity = scope.identity
        self.storage = storage
    }

    func data(_ key: StorageKey) async throws -> Data? { try await storage.data(key) }
    func keys(prefix: String) async throws -> [StorageKey] { try await storage.keys(prefix: prefix) }
    func transaction(_ changes: [StorageChange]) async throws { try await storage.transaction(changes) }
}

enum PriceAction: Action { case ask }

/// Asks for prices, and keeps the last answer in a storage.
actor PriceClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let shop: CapabilityRef<ShopServer>
    private let disk: CapabilityRef<DiskCapability>
    private let cache: CapabilityCache<[String: Int]>
    private(set) var answers: [String] = []

    init(_ scope: borrowing ClientScope, _ clock: TimeSource) throws {
        identity = scope.identity
        shop = try scope.capability(ShopServer.self)
        disk = try scope.capability(DiskCapability.self)
        cache = CapabilityCache(maximumAge: .seconds(3_600), clock: clock)
    }

    func activate() async throws { try await disk.call { [cache] in try await cache.load("prices", from: $0) } }

    func process(_ action: PriceAction) async throws {
        switch try await shop.answer(orCached: cache, { try await $0.prices() }) {
        case .fresh(let prices):
            answers.append("fresh \(prices["tea"] ?? -1)")
            try await disk.call { [cache] in try await cache.save("prices", to: $0) }
        case .cached(let prices, let staleness): answers.append("cached \(prices["tea"] ?? -1), \(staleness)")
        case .empty: answers.append("empty")
        }
    }
}

@MainActor
@Suite("An application that works offline", .timeLimit(.minutes(10)))
struct OfflineApplicationTests {
    private final class Made<Value: Sendable>: Sendable {
        private let value = Lock<Value?>(nil)
        func put(_ new: Value) { value.withLock { $0 = new } }
        func get() throws -> Value { try #require(value.withLock { $0 }) }
    }

    private struct Application {
        let orchestrator: Orchestrator
        let orders: OrdersClient
        let prices: PriceClient
    }

    private func start(
        _ control: ShopControl,
        _ storage: CrashingStorage,
        _ clock: TimeSource = .live
    ) async throws
        -> Application
    {
        let orchestrator = Orchestrator()
        let (orders, prices) = (Made<OrdersClient>(), Made<PriceClient>())
        orchestrator.register(ShopServer.self) { ShopServer($0, control) }
        orchestrator.register(DiskCapability.self) { DiskCapability($0, storage) }
        orchestrator.register(OrdersClient.self) { scope in
            let client = try OrdersClient(scope, in: storage)
            orders.put(client)
            return client
        }
        orchestrator.register(PriceClient.self) { scope in
            let client = try PriceClient(scope, clock)
            prices.put(client)
            return client
        }
        try await orchestrator.start()
        return Application(orchestrator: orchestrator, orders: try orders.get(), prices: try prices.get())
    }

    private func waitForPending(_ count: Int, _ client: OrdersClient) async throws {
        for try await state in client.stateStream where state.pending == count { return }
    }

    @Test("Orders queue while the network capability is offline, and are sent in order at once online (CAP-23, SYN-03)")
    func queue() async throws {
        let (control, storage) = (ShopControl(), CrashingStorage())
        let app = try await start(control, storage)
        control.connect(false)
        for order in 1...9 { try await app.orders.process(.place(Data([UInt8(order)]), customer: "ann")) }
        try await waitForPending(9, app.orders)
        #expect(control.orders.isEmpty)
        control.connect(true)
        try await waitForPending(0, app.orders)
        #expect(control.orders == Array(1...9))
        control.connect(false)
        try await app.orders.process(.place(Data([10]), customer: "ann"))
        await app.orchestrator.shutdown()
        #expect(storage.contents.count == 1, "what was not sent is kept")
        let next = try await start(control, storage.crash())
        control.connect(true)
        try await waitForPending(0, next.orders)
        #expect(control.orders == Array(1...10))
        await next.orchestrator.shutdown()
    }

    @Test(
        "The order is fresh, cached with its staleness, empty; stored answers survive a restart (CAP-19, CAP-20, PER-06)"
    )
    func answers() async throws {
        let (control, storage) = (ShopControl(), CrashingStorage())
        let first = ManualTime()
        var app = try await start(control, storage, .manual(first))
        try await app.prices.process(.ask)
        control.connect(true)
        try await app.prices.process(.ask)
        control.connect(false)
        first.advance(by: .seconds(7))
        try await app.prices.process(.ask)
        #expect(await app.prices.answers == ["empty", "fresh 0", "cached 0, 7.0 seconds"])
        await app.orchestrator.shutdown()
        // The next process begins a minute later. Its monotonic clock has another origin.
        let second = ManualTime(start: Instant(nanoseconds: 99), secondsSinceEpoch: 1_700_000_060)
        app = try await start(control, storage.crash(), .manual(second))
        try await app.prices.process(.ask)
        second.advance(by: .seconds(3_541))
        try await app.prices.process(.ask)
        #expect(await app.prices.answers == ["cached 0, 60.0 seconds", "empty"])
        await app.orchestrator.shutdown()
    }

    @Test("A regular round finds a connection that the capability does not report (CAP-23, SYN-01)")
    func refreshed() async throws {
        let (control, time) = (ShopControl(), ManualTime())
        let orchestrator = Orchestrator()
        let made = Made<SyncEngine>()
        orchestrator.register(ShopServer.self) { ShopServer($0, control) }
        orchestrator.register(SilentClient.self) { scope in
            let client = try SilentClient(scope, .manual(time))
            made.put(client.engine)
            return client
        }
        try await orchestrator.start()
        let engine = try made.get()
        try await engine.outbox.append("x", Data([1]))
        control.connect(true, reports: false)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(30))
        for await status in engine.outbox.publisher.updates where status.pending == 0 { break }
        #expect(control.orders == [1])
        await orchestrator.shutdown()
    }

    @Test("An error of the engine ends at the orchestrator (SYN-01)")
    func errors() async throws {
        let storage = CrashingStorage(["outbox/orders/00000000000000000001": Data([1])])
        let app = try await start(ShopControl(), storage)
        while app.orchestrator.errorBoundary.current == nil { await Task.yield() }
        let error = app.orchestrator.errorBoundary.current?.error as? OfflineError
        #expect(error?.code == "AXIOM_OFFLINE_005")
        await app.orchestrator.shutdown()
    }

    /// Has an engine whose clock a test moves.
    private actor SilentClient: StatelessClient, Component {
        nonisolated let identity: ComponentIdentity
        nonisolated let engine: SyncEngine

        init(_ scope: borrowing ClientScope, _ clock: TimeSource) throws {
            identity = scope.identity
            let shop = try scope.capability(ShopServer.self)
            let outbox = try Outbox("silent", in: MemoryStorage(), clock: clock)
            engine = try SyncEngine(scope, outbox, connection: .capability(shop)) { change in
                try await shop.call { try await $0.place(change.payload, idempotencyKey: change.id) }
            }
        }

        func activate() async throws { try await engine.start() }
        func deactivate() async { await engine.stop() }
        func process(_ action: PriceAction) async throws {}
    }
}

@Suite("The documentation of offline work")
struct OfflineDocumentationTests {
    @Test("The example of the documentation is the one that is compiled here")
    func example() throws {
        let text = { (path: String) in
            try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        }
        let page = try text("Documentation/offline.md").split(separator: "```swift\n")
        let example = try #require(page.dropFirst().first?.split(separator: "```").first)
        #expect(try text("Tests/AxiomStorageTests/Sync/OfflineDocumentationExample.swift").hasSuffix(example))
    }
}
