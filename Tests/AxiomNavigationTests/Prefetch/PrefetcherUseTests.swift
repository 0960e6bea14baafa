// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import AxiomTestSupport
import Testing

@Suite("Prefetcher in a flow", .timeLimit(.minutes(10)))
struct PrefetcherUseTests {
    private func makeLoaders() -> [PrefetchLoader<GuardedRoute>] {
        [PrefetchLoader("catalogue") { "all" }, PrefetchLoader("product") { route in route.identifier }]
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

    @Test("Outcomes are counted by flow and route, from 0, and only for routes that require something (NAV-17)")
    func signals() async throws {
        let sums = Sums()
        let prefetcher = try Prefetcher(makeLoaders())
        prefetcher.bind(flow: "main") { sums.bind($0, $1) }
        let name = { @Sendable (route: String, outcome: String) in
            "axiom_navigation_prefetch_total main \(route) \(outcome)"
        }
        #expect(sums.all.count == 8 && sums.all.values.allSatisfy { $0 == 0 })
        prefetcher.approaching(.product(1))
        await eventually { prefetcher.counts.kept == 2 }
        let _: String = try await prefetcher.value("product", for: .product(1))
        prefetcher.clear()
        // The thread of a load counts its outcome after the value is there.
        await eventually { sums.all[name("product", "loaded")] == 2 && sums.all[name("product", "dropped")] == 1 }
        #expect(sums.all[name("product", "used")] == 1)
        #expect(sums.all[name("list", "loaded")] == 0 && sums.all[name("product", "failed")] == 0)
    }

    @Test("A prefetcher lists each limit out of range, each name with two loaders, and each missing loader (NAV-17)")
    func problems() {
        var budget = PrefetchBudget()
        (budget.loadsAtOnce, budget.keptValues) = (0, 1_001)
        (budget.timeLimit, budget.lifetime) = (.zero, .seconds(3_601))
        let loader = PrefetchLoader<GuardedRoute>("catalogue") { 1 }
        let error = #expect(throws: NavigationError.self) { try Prefetcher([loader, loader], budget: budget) }
        #expect(error?.code == .prefetchInvalid)
        let problems = [
            "loadsAtOnce is 0", "keptValues is 1001", "timeLimit is 0.0 s", "lifetime is 3601.0 s",
            "catalogue has two loaders", "the route product requires product, which has no loader",
        ]
        for problem in problems { #expect(error?.message.contains(problem) == true, "\(problem)") }
    }

    @Test("A name without a loader, and a value of another type, are errors that name both (NAV-17)")
    func misuse() async throws {
        let prefetcher = try Prefetcher(makeLoaders())
        let unknown = await #expect(throws: NavigationError.self) {
            let _: String = try await prefetcher.value("prices", for: .list)
        }
        #expect(unknown?.message.contains("it has no loader prices, only catalogue, product") == true)
        let wrong = await #expect(throws: NavigationError.self) {
            let _: Int = try await prefetcher.value("catalogue", for: .list)
        }
        #expect(wrong?.message.contains("the loader catalogue returns String, not Int") == true)
    }

    @Test("Arrivals teach the predictor; restorations and recoveries do not (NAV-18)")
    func learning() throws {
        let prefetcher = try Prefetcher(makeLoaders())
        prefetcher.arrived(at: .home)
        prefetcher.arrived(at: .account, source: .restoration)
        prefetcher.arrived(at: .home, source: .recovery)
        #expect(prefetcher.predictor.predictions(after: .home).isEmpty)
        prefetcher.arrived(at: .product(1))
        prefetcher.arrived(at: .list, source: .deepLink)
        #expect(prefetcher.predictor.predictions(after: .home) == [.product(1)])
        #expect(prefetcher.predictor.predictions(after: .product(1)) == [.list])
        let next = try Prefetcher(makeLoaders(), predictor: prefetcher.predictor)
        #expect(next.predictor == prefetcher.predictor)
    }

    @Test("A loader that requests its own value fails instead of waiting for itself (NAV-17)")
    func selfReference() async throws {
        let box = Lock<Prefetcher<GuardedRoute>?>(nil)
        let loaders = [
            PrefetchLoader<GuardedRoute>("catalogue") { () async throws -> String in
                guard let prefetcher = box.withLock({ $0 }) else { return "none" }
                return try await prefetcher.value("catalogue", for: .list)
            },
            PrefetchLoader<GuardedRoute>("product") { "" },
        ]
        let prefetcher = try Prefetcher(loaders)
        box.withLock { $0 = prefetcher }
        defer { box.withLock { $0 = nil } }
        prefetcher.approaching(.list)
        await eventually { prefetcher.counts.failed == 1 }
        let error = await #expect(throws: LifecycleError.self) {
            let _: String = try await prefetcher.value("catalogue", for: .list)
        }
        #expect(error?.code == .waitsForItself)
    }

    @Test("A prefetcher that is no longer used ends, and cancels its loads (NAV-17)")
    func deallocation() async throws {
        let door = Door()
        let ended = Collector<Bool>()
        let loaders = [
            PrefetchLoader<GuardedRoute>("catalogue") {
                defer { ended.add(Task.isCancelled) }
                try await door.pass()
            },
            PrefetchLoader<GuardedRoute>("product") { 1 },
        ]
        var prefetcher: Prefetcher<GuardedRoute>? = try Prefetcher(loaders)
        prefetcher?.approaching(.list)
        await eventually { door.arrivals == 1 }
        weak let weakly = prefetcher
        prefetcher = nil
        await ended.wait(for: 1)
        #expect(ended.values == [true] && weakly == nil)
    }
}
