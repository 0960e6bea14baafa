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
        ) throws -> Prefetcher<GuardedRoute> {
            if isOpen { door.open() }
            var budget = PrefetchBudget()
            configure(&budget)
            let loaders: [PrefetchLoader<GuardedRoute>] = [
                PrefetchLoader("catalogue") { try await self.load("catalogue", 100) },
                PrefetchLoader("product") { route in
                    guard case .product(let id) = route else { throw Offline() }
                    return try await self.load("product \(id)", id)
                },
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

    /// Teaches that each of the routes follows `home`, and ends there. The last one is the likeliest.
    private func teach(_ prefetcher: Prefetcher<GuardedRoute>, _ routes: GuardedRoute...) {
        for route in [.home] + routes.flatMap({ [$0, .home] }) { prefetcher.arrived(at: route) }
    }

    @Test("After an arrival, what the likely next route requires is loaded and waits for its screen (NAV-17, NAV-18)")
    func loadsAhead() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher()
        teach(prefetcher, .product(7))
        await eventually { prefetcher.counts.kept == 2 }
        #expect(shop.loads.values.sorted() == ["catalogue", "product 7"])
        #expect(shop.priorities.values.allSatisfy { $0 == .background })
        #expect(try await prefetcher.value("product", for: .product(7)) == 7)
        #expect(try await prefetcher.value("catalogue", for: .product(7)) == 100)
        #expect(shop.loads.values.count == 2)
        #expect(prefetcher.counts.begun == 2 && prefetcher.counts.used == 2 && prefetcher.counts.kept == 0)
        // A value is handed out once.
        #expect(try await prefetcher.value("product", for: .product(7)) == 7)
        #expect(shop.loads.values.count == 3)
    }

    @Test("A route that is being approached is loaded before it is shown, and its screen shares that load (NAV-17)")
    func approach() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher(isOpen: false)
        prefetcher.approaching(.list)
        await eventually { shop.door.arrivals == 1 }
        prefetcher.arrived(at: .list)
        async let first: Int = prefetcher.value("catalogue", for: .list)
        async let second: Int = prefetcher.value("catalogue", for: .product(1))
        shop.door.open()
        #expect(try await [first, second] == [100, 100])
        #expect(prefetcher.counts.used == 1 && prefetcher.counts.failed == 0)
    }

    @Test("A prefetch that fails is counted, and the screen loads the value itself and gets its own error (NAV-17)")
    func failure() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher()
        shop.fails.withLock { $0 = true }
        prefetcher.approaching(.list)
        await eventually { prefetcher.counts.failed == 1 }
        await #expect(throws: Offline.self) { let _: Int = try await prefetcher.value("catalogue", for: .list) }
        shop.fails.withLock { $0 = false }
        #expect(try await prefetcher.value("catalogue", for: .list) == 100)
        #expect(shop.loads.values.count == 3)
    }

    @Test("A screen that waits for a prefetch that fails loads the value itself (NAV-17)")
    func failureWhileWaiting() async throws {
        let shop = Shop()
        let failing = Lock(true)
        let loaders = [
            PrefetchLoader<GuardedRoute>("catalogue") {
                let fails = failing.withLock { fails in
                    defer { fails = false }
                    return fails
                }
                try await shop.door.pass()
                if fails { throw Offline() }
                return 5
            },
            PrefetchLoader<GuardedRoute>("product") { 0 },
        ]
        let prefetcher = try Prefetcher(loaders)
        prefetcher.approaching(.list)
        await eventually { shop.door.arrivals == 1 }
        async let value: Int = prefetcher.value("catalogue", for: .list)
        shop.door.open()
        #expect(try await value == 5)
        #expect(prefetcher.counts.failed == 1)
    }

    @Test("At most as many loaders run at once as the budget allows, also when they ignore their cancellation (NAV-17)")
    func atOnce() async throws {
        let door = Door()
        let shared = PrefetchLoader<GuardedRoute>("catalogue") { await door.passStubbornly() }
        let perRoute = PrefetchLoader<GuardedRoute>("product") { (_: GuardedRoute) in await door.passStubbornly() }
        let prefetcher = try Prefetcher([shared, perRoute])
        for id in 0..<20 { prefetcher.approaching(.product(id)) }
        await eventually { door.arrivals == 2 }
        for id in 20..<40 { prefetcher.approaching(.product(id)) }
        #expect(prefetcher.running == 2 && door.arrivals == 2)
        door.open()
        await eventually { prefetcher.running == 0 }
        #expect(prefetcher.counts.loading == 0 && prefetcher.counts.dropped >= 1)
    }

    @Test("A load is cancelled when its route is no longer likely (NAV-18)")
    func unlikely() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher(isOpen: false)
        teach(prefetcher, .product(7))
        await eventually { shop.door.arrivals == 2 }
        prefetcher.arrived(at: .account)
        await eventually { prefetcher.running == 0 }
        #expect(prefetcher.counts.dropped == prefetcher.counts.begun && prefetcher.counts.failed == 0)
    }

    @Test(
        "A load that exceeds the time limit is cancelled and counted as failed; one with a waiting screen continues (NAV-17)"
    )
    func timeLimit() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher(isOpen: false)
        prefetcher.approaching(.product(3))
        await eventually { shop.door.arrivals == 2 }
        async let product: Int = prefetcher.value("product", for: .product(3))
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
        prefetcher.approaching(.list)
        await eventually { prefetcher.counts.kept == 1 }
        shop.time.advance(by: .seconds(60))
        #expect(try await prefetcher.value("catalogue", for: .list) == 100)
        #expect(shop.loads.values.count == 2 && prefetcher.counts.used == 0 && prefetcher.counts.dropped == 1)
    }

    @Test(
        "A screen that is cancelled while it waits returns at once, and its load ends if nothing else needs it (NAV-17)"
    )
    func cancelledScreen() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher(isOpen: false)
        prefetcher.approaching(.list)
        await eventually { shop.door.arrivals == 1 }
        let screen = Task { try await prefetcher.value("catalogue", for: .list, as: Int.self) }
        await eventually { prefetcher.waiters == 1 }
        prefetcher.arrived(at: .account)
        #expect(prefetcher.counts.loading == 1)
        screen.cancel()
        await #expect(throws: CancellationError.self) { try await screen.value }
        await eventually { prefetcher.running == 0 }
        #expect(prefetcher.counts.dropped == 1)
    }

    @Test("clear() drops all values and loads, and a screen that waits loads its value itself (NAV-17)")
    func clear() async throws {
        let shop = Shop()
        let prefetcher = try shop.makePrefetcher()
        prefetcher.approaching(.product(2))
        await eventually { prefetcher.counts.kept == 2 }
        prefetcher.clear()
        #expect(prefetcher.counts.kept == 0 && prefetcher.counts.dropped == 2)
        #expect(try await prefetcher.value("product", for: .product(2)) == 2)
        #expect(shop.loads.values.count == 3)
    }
}
