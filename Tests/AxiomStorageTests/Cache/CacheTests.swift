// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomStorage
import AxiomTestSupport
import Foundation
import Testing

@Suite("A cache", .timeLimit(.minutes(10)))
struct CacheTests {
    private let time = ManualTime()

    private func cache(
        entries: Int = 100,
        staleLifetime: Duration = .zero,
        cost: CacheCost<Int, String>? = nil
    ) throws -> Cache<Int, String> {
        let limits = CacheLimits(entries: entries, staleLifetime: staleLifetime)
        return try Cache("test", limits: limits, cost: cost, clock: .manual(time))
    }

    @Test("A value is fresh up to 300 s, and is removed by the first request after that (PER-04)")
    func expiry() throws {
        let cache = try cache()
        cache.store("one", for: 1)
        time.advance(by: .seconds(300))
        #expect(cache.value(for: 1) == "one")
        time.advance(by: .nanoseconds(1))
        #expect(cache.count == 1)
        #expect(cache.value(for: 1) == nil)
        #expect(cache.count == 0)
        let statistics = cache.statistics
        #expect(statistics.hits == 1 && statistics.misses == 1)
        #expect(statistics.removals == [.expired: 1] && statistics.isConserved)
    }

    @Test("A cache has 100 entries for 300 s by default, and each limit can be set (PER-07, CLI-15)")
    func defaults() throws {
        let numbers = try Cache<Int, Int>("numbers")
        #expect(numbers.limits.entries == 100 && numbers.limits.lifetime == .seconds(300))
        for number in 0..<1_000 { numbers.store(number, for: number) }
        #expect(numbers.count == 100 && numbers.statistics.removals == [.capacity: 900])
        let small = try Cache<Int, Int>("small", limits: CacheLimits(entries: 2, lifetime: .seconds(1)))
        for number in 0..<3 { small.store(number, for: number) }
        #expect(small.count == 2)
    }

    @Test("Removing and clearing leave nothing, and store replaces (PER-04)")
    func changes() throws {
        let cache = try cache()
        for number in 0..<5 { cache.store("a", for: number) }
        cache.store("b", for: 0)
        #expect(cache.value(for: 0) == "b" && cache.count == 5)
        #expect(cache.removeValue(for: 0) && !cache.removeValue(for: 0))
        #expect(cache.value(for: 0) == nil)
        cache.clear()
        #expect(cache.count == 0 && cache.value(for: 1) == nil)
        #expect(cache.statistics.removals == [.replaced: 1, .removed: 5] && cache.statistics.isConserved)
        cache.store("c", for: 1)
        #expect(cache.value(for: 1) == "c")
    }

    @Test("A lookup returns the age, and a stale value as long as it is kept (PER-06)")
    func staleness() throws {
        let cache = try cache(staleLifetime: .seconds(60))
        cache.store("one", for: 1)
        time.advance(by: .seconds(10))
        let fresh = try #require(cache.lookup(1))
        #expect(fresh.value == "one" && fresh.age == .seconds(10) && !fresh.isStale)
        time.advance(by: .seconds(350))
        let stale = try #require(cache.lookup(1))
        #expect(stale.age == .seconds(360) && stale.isStale)
        #expect(cache.value(for: 1) == nil, "value(for:) serves fresh values only")
        #expect(cache.count == 1)
        time.advance(by: .nanoseconds(1))
        #expect(cache.lookup(1) == nil && cache.count == 0)
        let statistics = cache.statistics
        #expect(statistics.hits == 1 && statistics.staleHits == 1 && statistics.misses == 2)
    }

    @Test("The sum of costs stays within its limit, and an entry of greater cost is not kept (PER-07, CLI-15)")
    func costs() throws {
        let cache = try cache(cost: .bytes(10) { _, text in text.utf8.count })
        #expect(cache.store("0123456789", for: 1) == .stored)
        #expect(cache.store("01234567890", for: 1) == .tooCostly(cost: 11))
        #expect(cache.value(for: 1) == nil, "the former value is outdated")
        #expect(cache.store("12345", for: 1) == .stored && cache.store("12345", for: 2) == .stored)
        #expect(cache.statistics.cost == 10)
        cache.store("1234567890", for: 2)
        #expect(cache.value(for: 2) == "1234567890" && cache.count == 1 && cache.statistics.cost == 10)
        cache.store("", for: 3)
        #expect(cache.count == 2 && cache.statistics.cost == 10 && cache.statistics.isConserved)
        let negative = try Cache<Int, Int>("negative", cost: .units(1) { _, _ in -5 })
        #expect(negative.store(1, for: 1) == .stored && negative.statistics.cost == 0)
    }

    @Test("Limits that are out of range and a blank name are refused, all in one error (PER-07)")
    func invalid() throws {
        let limits = CacheLimits(entries: 0, lifetime: .zero, staleLifetime: .seconds(-1))
        let error = #expect(throws: CacheError.self) {
            try Cache<Int, Int>(" ", limits: limits, cost: .units(0) { _, _ in 1 })
        }
        #expect(error?.code.rawValue == "AXIOM_CACHE_001")
        for part in ["name is blank", "entries is 0", "lifetime is", "staleLifetime is", "costs is 0"] {
            #expect(try #require(error).message.contains(part))
        }
        _ = try Cache<Int, Int>(
            "for ever",
            limits: CacheLimits(lifetime: .seconds(Int64.max), staleLifetime: .seconds(1))
        )
    }

    @Test("Evacuation gives back the share that it is called with, clamped (CLI-15, MEM-02)")
    func evacuation() throws {
        for (share, left) in [(0.5, 50), (0, 100), (1, 0), (7, 0), (-1, 100), (.nan, 100), (0.25, 75), (0.999, 0)] {
            let cache = try cache()
            for number in 0..<100 { cache.store("a", for: number) }
            #expect(cache.evacuate(share) == 100 - left && cache.count == left, "share \(share)")
            #expect(cache.statistics.isConserved)
        }
    }

    @Test("Evacuation keeps what was read often (CLI-15)")
    func evacuationKeepsHot() throws {
        let cache = try cache()
        for number in 0..<100 { cache.store("a", for: number) }
        for _ in 0..<3 { for number in 0..<20 { _ = cache.value(for: number) } }
        cache.evacuate(0.5)
        for number in 0..<20 { #expect(cache.value(for: number) == "a") }
    }

    @Test("Half of the entries is given back when memory is short, and nothing for other resources (CLI-15, MEM-02)")
    func pressure() async throws {
        for (resource, level, left) in [
            (SystemResource.memory, PressureLevel.warning, 4), (.memory, .critical, 4), (.memory, .none, 8),
            (.storage, .critical, 8), (.thermal, .critical, 8),
        ] {
            let cache = try cache(cost: .bytes(1_000) { _, text in text.utf8.count })
            for number in 0..<8 { cache.store("0123456789", for: number) }
            #expect(await cache.relieve(resource, level) == (8 - left) * 10)
            #expect(cache.count == left)
        }
        let units = try Cache<Int, Int>("units", cost: .units(1_000) { _, _ in 5 })
        units.store(1, for: 1)
        #expect(await units.relieve(.memory, .critical) == 0 && units.count == 0)
    }
}

@Suite("The documentation of caches")
struct CacheDocumentationTests {
    @Test("The example of the documentation is the one that is compiled here, and does what it says (PER-06)")
    @MainActor
    func example() async throws {
        let text = { (path: String) in
            try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        }
        let page = try text("Documentation/caches.md").split(separator: "```swift\n")
        let example = try #require(page.dropFirst().first?.split(separator: "```").first)
        #expect(try text("Tests/AxiomStorageTests/Cache/CacheDocumentationExample.swift").hasSuffix(example))
        let pictures = try makePictures(Orchestrator())
        #expect(await describe("sky", in: pictures) { Picture(bytes: [1, 2]) } == "2 bytes")
    }
}
