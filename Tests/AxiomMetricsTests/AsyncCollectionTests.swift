// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Testing

@Suite("Collectors with a deadline, and unregistering")
struct AsyncCollectionTests {
    private struct Failure: Error {}

    private struct Source: AsyncCollector {
        let body: @Sendable () async throws -> [CollectedFamily]
        func collect() async throws -> [CollectedFamily] { try await body() }
    }

    private struct Plain: Collector {
        func collect() -> [CollectedFamily] { [AsyncCollectionTests.gauge("plain")] }
    }

    private static func gauge(_ name: String) -> CollectedFamily {
        var family = CollectedFamily.gauge(name, help: "G.")
        family.add(1)
        return family
    }

    private let time = ManualTime()
    private let registry: Registry

    init() throws {
        registry = Registry(clock: .manual(time))
        try registry.counter("good_total", help: "Always there.").increment()
    }

    private var later: Instant { time.now.advanced(by: .seconds(1)) }

    @Test("Asynchronous collectors that return in time are on the page; a page without a deadline does not call them")
    func inTime() async throws {
        registry.register(Source { [Self.gauge("one")] })
        registry.register(
            Source {
                await Task.yield()
                return [Self.gauge("two")]
            }
        )
        let page = await registry.collect(deadline: later)
        #expect(page.families.map(\.definition.name) == ["good_total", "one", "two"])
        #expect(page.problems.isEmpty)
        #expect(registry.collect().families.map(\.definition.name) == ["good_total"])
    }

    @Test("A collector that throws is reported and affects no other")
    func failing() async throws {
        registry.register(Source { throw Failure() })
        registry.register(Source { [Self.gauge("one"), Self.gauge("good")] })
        let page = await registry.collect(deadline: later)
        #expect(page.families.map(\.definition.name) == ["good_total", "one"])
        #expect(Set(page.problems.map(\.code)) == [.collectorFailed, .nameClash])
    }

    @Test("A late collector is cancelled and reported, and the others are on the page")
    func late() async throws {
        let time = time
        let wasCancelled = Gate()
        registry.register(
            Source {
                do {
                    try await TimeSource.manual(time).sleep(for: .seconds(60))
                } catch {
                    wasCancelled.open()
                }
                return [Self.gauge("late")]
            }
        )
        registry.register(Source { [Self.gauge("one")] })
        async let page = registry.collect(deadline: later)
        await time.waitForSleepers(2)
        time.advance(by: .seconds(1))
        #expect(await page.families.map(\.definition.name) == ["good_total", "one"])
        #expect(await page.problems.map(\.code) == [.collectorLate])
        await wasCancelled.wait()
    }

    @Test("A collector that ignores its cancellation delays no page and is not called again before it has returned")
    func stubborn() async throws {
        let gate = Gate()
        let asked = Lock(0)
        let time = time
        registry.register(
            Source {
                asked.withLock { $0 += 1 }
                await gate.wait()
                return [Self.gauge("stubborn")]
            }
        )
        for _ in 0..<3 {
            let page = await registry.collect(deadline: time.now)
            #expect(page.families.map(\.definition.name) == ["good_total"])
            #expect(page.problems.map(\.code) == [.collectorLate])
        }
        gate.open()
        var page = await registry.collect(deadline: later)
        while !page.problems.isEmpty { page = await registry.collect(deadline: later) }
        #expect(page.value("stubborn") == 1)
        #expect(asked.withLock { $0 } <= 2)
    }

    @Test("A collection whose task is cancelled ends at once")
    func cancelled() async throws {
        let registry = registry
        let gate = Gate()
        let started = Gate()
        registry.register(
            Source {
                started.open()
                await gate.wait()
                return []
            }
        )
        let deadline = later
        let task = Task { await registry.collect(deadline: deadline) }
        await started.wait()
        task.cancel()
        #expect(await task.value.problems.map(\.code) == [.collectorLate])
        gate.open()
    }

    @Test("An unregistered collector is no longer called")
    func unregisterCollector() async throws {
        let first = registry.register(Plain())
        let second = registry.register(Source { [Self.gauge("one")] })
        #expect(await registry.collect(deadline: later).families.count == 3)
        #expect(registry.unregister(first))
        #expect(registry.unregister(second))
        #expect(!registry.unregister(second))
        #expect(await registry.collect(deadline: later).families.count == 1)
    }

    @Test("An unregistered family is off the page, and its names are free for another")
    func unregisterFamily() throws {
        let old = try registry.histogram("h", help: "H.")
        try registry.gaugeCallback("g", help: "G.") { 1 }
        #expect(registry.unregister("h"))
        #expect(registry.unregister("g"))
        #expect(!registry.unregister("h"))
        old.observe(1)
        #expect(registry.collect().families.map(\.definition.name) == ["good_total"])
        _ = try registry.gauge("h_count", help: "G.")
        _ = try registry.counter("g_total", help: "G.")
        #expect(throws: MetricsError.self) { try registry.histogram("h", help: "H.") }
    }
}
