// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import AxiomTestSupport
import Testing

@Suite("Prefetcher", .timeLimit(.minutes(10)))
struct PrefetcherTests {
    private struct Offline: Error {}

    /// A shop with the loaders of ``GuardedRoute``.
    private final class Shop: Sendable {
        let loads = Collector<String>()
        let priorities = Collector<TaskPriority>()
        let door = Door()
        let fails = Lock(false)
        let time = ManualTime()

        func makePrefetcher(
            isOpen: Bool = true,
            _ configure: (inout PrefetchBudget) -> Void = { _ in }
        ) throws -> Prefetcher {
            if isOpen { door.open() }
            var budget = PrefetchBudget()
            configure(&budget)
            let loaders = [
                PrefetchLoader { (_: CatalogueKey) in try await self.load("catalogue", 100) },
                PrefetchLoader { (key: ProductKey) in try await self.load("product \(key.id)", key.id) },
            ]
            return try Prefetcher(loaders, budget: budget, clock: .manual(time))
        }

        private func load(_ name: String, _ value: Int) async throws -> Int {
            loads.add(name)
            priorities.add(Task.currentPriority)
            try await door.pass()
            if fails.withLock({ $0 }) { throw Offline() }
            return value
        }
    }

    @Test("What a route requires is loaded before its screen is made, and waits for the screen (NAV-17)")
    func loadsAhead() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher()
        prefetcher.approaching(GuardedRoute.product(7))
        await eventually { prefetcher.counts.kept == 2 }
        #expect(shop.loads.values.sorted() == ["catalogue", "product 7"])
        #expect(shop.priorities.values.allSatisfy { $0 == .background })
        #expect(try await prefetcher.value(ProductKey(id: 7)) == 7)
        #expect(try await prefetcher.value(CatalogueKey()) == 100)
        #expect(shop.loads.values.count == 2)
        #expect(prefetcher.counts.begun == 2 && prefetcher.counts.used == 2 && prefetcher.counts.kept == 0)
        // A value is handed out once.
        #expect(try await prefetcher.value(ProductKey(id: 7)) == 7)
        #expect(shop.loads.values.count == 3)
    }

    @Test("Screens that request a value while it is being prefetched share that load (NAV-17)")
    func approach() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher(isOpen: false)
        prefetcher.approaching(GuardedRoute.list)
        await eventually { shop.door.arrivals == 1 }
        async let first = prefetcher.value(CatalogueKey())
        async let second = prefetcher.value(CatalogueKey())
        await eventually { prefetcher.waiters == 2 }
        shop.door.open()
        #expect(try await [first, second] == [100, 100])
        #expect(prefetcher.counts.used == 1 && prefetcher.counts.failed == 0)
    }

    @Test("A prefetch that fails is counted, and the screen loads the value itself and gets its own error (NAV-17)")
    func failure() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher()
        shop.fails.withLock { $0 = true }
        prefetcher.approaching(GuardedRoute.list)
        await eventually { prefetcher.counts.failed == 1 }
        await #expect(throws: Offline.self) { try await prefetcher.value(CatalogueKey()) }
        shop.fails.withLock { $0 = false }
        #expect(try await prefetcher.value(CatalogueKey()) == 100)
        #expect(shop.loads.values.count == 3)
    }

    @Test("A screen that waits for a prefetch that fails loads the value itself (NAV-17)")
    func failureWhileWaiting() async throws {
        let shop = Shop()
        let failing = Lock(true)
        let loader = PrefetchLoader { (_: CatalogueKey) in
            let fails = failing.withLock { fails in
                defer { fails = false }
                return fails
            }
            try await shop.door.pass()
            if fails { throw Offline() }
            return 5
        }
        let prefetcher = try Prefetcher([loader])
        prefetcher.approaching(GuardedRoute.list)
        await eventually { shop.door.arrivals == 1 }
        async let value = prefetcher.value(CatalogueKey())
        shop.door.open()
        #expect(try await value == 5)
        #expect(prefetcher.counts.failed == 1)
    }

    @Test("At most as many loaders run at once as the budget allows, also when they ignore their cancellation (NAV-17)")
    func atOnce() async throws {
        let door = Door()
        let catalogue = PrefetchLoader { (_: CatalogueKey) in
            await door.passStubbornly()
            return 1
        }
        let product = PrefetchLoader { (_: ProductKey) in
            await door.passStubbornly()
            return 1
        }
        var budget = PrefetchBudget()
        (budget.loadsAtOnce, budget.timeLimit) = (2, .seconds(600))
        let prefetcher = try Prefetcher([catalogue, product], budget: budget)
        prefetcher.approaching(GuardedRoute.product(0))
        await eventually { door.arrivals == 2 }
        for id in 1..<40 { prefetcher.approaching(GuardedRoute.product(id)) }
        #expect(prefetcher.running == 2 && door.arrivals == 2)
        door.open()
        await eventually { prefetcher.running == 0 }
        #expect(prefetcher.counts.loading == 0 && prefetcher.counts.dropped >= 1)
    }

    @Test("A load is cancelled when another route is shown, also by a way back (NAV-17)", arguments: [true, false])
    func unwanted(isNew: Bool) async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher(isOpen: false)
        prefetcher.approaching(GuardedRoute.product(7))
        await eventually { shop.door.arrivals == 2 }
        prefetcher.approaching(GuardedRoute.account, isNew: isNew)
        await eventually { prefetcher.running == 0 }
        #expect(prefetcher.counts.dropped == prefetcher.counts.begun && prefetcher.counts.failed == 0)
    }

    @Test(
        "A load that exceeds the time limit is cancelled and counted as failed; one with a waiting screen continues (NAV-17)"
    )
    func timeLimit() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher(isOpen: false)
        prefetcher.approaching(GuardedRoute.product(3))
        await eventually { shop.door.arrivals == 2 }
        async let product = prefetcher.value(ProductKey(id: 3))
        await eventually { prefetcher.waiters == 1 }
        await shop.time.waitForSleepers(2)
        shop.time.advance(by: .seconds(10))
        await eventually { prefetcher.running == 1 }
        #expect(prefetcher.counts.failed == 1 && prefetcher.counts.loading == 1)
        shop.door.open()
        #expect(try await product == 3)
        #expect(prefetcher.counts.used == 1 && shop.loads.values.count == 2)
    }

    @Test("A value that waited for longer than its lifetime is not used (NAV-17)")
    func lifetime() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher { $0.lifetime = .seconds(60) }
        prefetcher.approaching(GuardedRoute.list)
        await eventually { prefetcher.counts.kept == 1 }
        shop.time.advance(by: .seconds(60))
        #expect(try await prefetcher.value(CatalogueKey()) == 100)
        #expect(shop.loads.values.count == 2 && prefetcher.counts.used == 0 && prefetcher.counts.dropped == 1)
    }

    @Test(
        "A screen that is cancelled while it waits returns at once, and its load ends if nothing else needs it (NAV-17)"
    )
    func cancelledScreen() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher(isOpen: false)
        prefetcher.approaching(GuardedRoute.list)
        await eventually { shop.door.arrivals == 1 }
        let screen = Task { try await prefetcher.value(CatalogueKey()) }
        await eventually { prefetcher.waiters == 1 }
        prefetcher.approaching(GuardedRoute.account)
        #expect(prefetcher.counts.loading == 1)
        screen.cancel()
        await #expect(throws: CancellationError.self) { try await screen.value }
        await eventually { prefetcher.running == 0 }
        #expect(prefetcher.counts.dropped == 1)
    }

    @Test("clear() drops all values and loads (NAV-17)")
    func clear() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher()
        prefetcher.approaching(GuardedRoute.product(2))
        await eventually { prefetcher.counts.kept == 2 }
        prefetcher.clear()
        #expect(prefetcher.counts.kept == 0 && prefetcher.counts.dropped == 2)
        #expect(try await prefetcher.value(ProductKey(id: 2)) == 2)
        #expect(shop.loads.values.count == 3)
    }

    @Test("After clear() no screen shares a load that began before it (NAV-17)")
    func clearWhileLoading() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher(isOpen: false)
        prefetcher.approaching(GuardedRoute.list)
        await eventually { shop.door.arrivals == 1 }
        async let before = prefetcher.value(CatalogueKey())
        await eventually { prefetcher.waiters == 1 }
        prefetcher.clear()
        #expect(prefetcher.counts.dropped == 1 && prefetcher.counts.loading == 0)
        async let after = prefetcher.value(CatalogueKey())
        await eventually { shop.door.arrivals == 2 }
        shop.door.open()
        #expect(try await [before, after] == [100, 100])
        #expect(shop.loads.values.count == 2 && prefetcher.counts.used == 0)
    }
}
