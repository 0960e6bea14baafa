// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import AxiomTestSupport
import Testing

@Suite("Prefetcher in a flow", .timeLimit(.minutes(10)))
struct PrefetcherUseTests {
    private func makePrefetcher() throws -> Prefetcher {
        try Prefetcher([
            PrefetchLoader { (_: CatalogueKey) in 1 }, PrefetchLoader { (key: ProductKey) in key.id },
        ])
    }

    /// Keeps the sums of signals.
    private final class Sums: Sendable {
        private struct Recorder: Signal {
            let sums: Sums
            let name: String

            func add(_ amount: Int) { sums.add(amount, name) }
        }

        private let state = Lock<[String: Int]>([:])

        var all: [String: Int] { state.withLock { $0 } }

        func add(_ amount: Int, _ name: String) {
            state.withLock { $0[name, default: 0] += amount }
        }

        func bind(_ family: SignalFamily, _ values: [String]) -> any Signal {
            Recorder(sums: self, name: "\(family.name) \(values.joined(separator: " "))")
        }
    }

    @Test("Outcomes are counted by flow and route, from 0, for the routes that were bound (NAV-17)")
    func signals() async throws {
        let sums = Sums()
        let prefetcher = try makePrefetcher()
        prefetcher.bind(flow: "main", identifiers: ["list", "product"]) { sums.bind($0, $1) }
        let name = { @Sendable (route: String, outcome: String) in
            "axiom_navigation_prefetch_total main \(route) \(outcome)"
        }
        #expect(sums.all.count == 8 && sums.all.values.allSatisfy { $0 == 0 })
        prefetcher.approaching(GuardedRoute.product(1))
        await eventually { prefetcher.counts.kept == 2 }
        _ = try await prefetcher.value(ProductKey(id: 1))
        prefetcher.clear()
        // The thread of a load counts its outcome after the value is there.
        await eventually { sums.all[name("product", "loaded")] == 2 && sums.all[name("product", "dropped")] == 1 }
        #expect(sums.all[name("product", "used")] == 1)
        #expect(sums.all[name("list", "loaded")] == 0 && sums.all[name("product", "failed")] == 0)
    }

    @Test("A prefetcher lists each limit out of range, and each type of keys with two loaders (NAV-17)")
    func problems() {
        var budget = PrefetchBudget()
        (budget.loadsAtOnce, budget.keptValues) = (0, 1_001)
        (budget.timeLimit, budget.lifetime) = (.zero, .seconds(3_601))
        let loader = PrefetchLoader { (_: CatalogueKey) in 1 }
        let error = #expect(throws: NavigationError.self) { try Prefetcher([loader, loader], budget: budget) }
        #expect(error?.code == .prefetchInvalid)
        let problems = [
            "loadsAtOnce is 0", "keptValues is 1001", "timeLimit is 0.0 s", "lifetime is 3601.0 s",
            "CatalogueKey has two loaders",
        ]
        for problem in problems { #expect(error?.message.contains(problem) == true, "\(problem)") }
    }

    @Test("A key without a loader is an error that names the types of keys with one (NAV-17)")
    func misuse() async throws {
        struct PriceKey: PrefetchKey { typealias Value = Int }
        let prefetcher = try makePrefetcher()
        let error = await #expect(throws: NavigationError.self) { try await prefetcher.value(PriceKey()) }
        #expect(error?.message.contains("it has no loader for PriceKey, only for CatalogueKey, ProductKey") == true)
    }

    @Test("Requirements are equal if their keys have the same type and value (NAV-04)")
    func requirements() {
        struct OtherKey: PrefetchKey {
            typealias Value = Int
            let id: Int
        }
        let one = PrefetchRequirement(ProductKey(id: 1))
        #expect(one == PrefetchRequirement(ProductKey(id: 1)) && one != PrefetchRequirement(ProductKey(id: 2)))
        #expect(Set([one, PrefetchRequirement(OtherKey(id: 1)), PrefetchRequirement(ProductKey(id: 1))]).count == 2)
    }

    @Test("A loader that requests its own value fails instead of waiting for itself (NAV-17)")
    func selfReference() async throws {
        let box = Lock<Prefetcher?>(nil)
        let catalogue = PrefetchLoader { (key: CatalogueKey) in
            guard let prefetcher = box.withLock({ $0 }) else { return 0 }
            return try await prefetcher.value(key)
        }
        let prefetcher = try Prefetcher([catalogue])
        box.withLock { $0 = prefetcher }
        defer { box.withLock { $0 = nil } }
        prefetcher.approaching(GuardedRoute.list)
        await eventually { prefetcher.counts.failed == 1 }
        let error = await #expect(throws: LifecycleError.self) { try await prefetcher.value(CatalogueKey()) }
        #expect(error?.code == .waitsForItself)
    }

    @Test("A prefetcher that is no longer used ends, and cancels its loads (NAV-17)")
    func deallocation() async throws {
        let door = Door()
        let ended = Collector<Bool>()
        let catalogue = PrefetchLoader { (_: CatalogueKey) in
            defer { ended.add(Task.isCancelled) }
            try await door.pass()
            return 1
        }
        var prefetcher: Prefetcher? = try Prefetcher([catalogue])
        prefetcher?.approaching(GuardedRoute.list)
        await eventually { door.arrivals == 1 }
        weak let weakly = prefetcher
        prefetcher = nil
        await ended.wait(for: 1)
        #expect(ended.values == [true] && weakly == nil)
    }
}
