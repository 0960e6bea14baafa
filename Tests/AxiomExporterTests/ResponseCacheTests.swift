// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomHTTP
import AxiomMetrics
import AxiomTestSupport
import Testing

@testable import AxiomExporter

@Suite("The responses of the dashboard", .timeLimit(.minutes(10)))
struct ResponseCacheTests {
    /// A processor whose time only the test spends.
    private final class Processor: Sendable {
        private let spent = Lock(0.0)
        var seconds: Double { spent.withLock { $0 } }
        func spend(_ seconds: Double) { spent.withLock { $0 += seconds } }
    }

    private struct Fixture {
        let time = ManualTime()
        let processor = Processor()
        let made = Reports()
        let cache: ResponseCache

        init() {
            cache = ResponseCache(clock: .manual(time)) { [processor] in processor.seconds }
        }

        func ask(
            _ route: String,
            _ key: String = "",
            cost: Double,
            _ freshness: ResponseCache.Freshness = .current
        ) async -> Int {
            let response = await cache.response(route, key: key, freshness) { [processor, made] in
                processor.spend(cost)
                made.add(route + key)
                return .text("made")
            }
            return response.status.code
        }
    }

    @Test("However many requests there are, a route spends a second and a quarter of each further one at most")
    func budget() async {
        for seed in 1...40 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let fixture = Fixture()
            let keys = Int.random(in: 1...50, using: &random)
            let cost = Double.random(in: 0.000_1...0.4, using: &random)
            var seconds = 0.0
            for _ in 0..<2_000 {
                _ = await fixture.ask("/a", "\(Int.random(in: 1...keys, using: &random))", cost: cost)
                let step = Double.random(in: 0...0.02, using: &random)
                fixture.time.advance(by: .seconds(step))
                seconds += step
            }
            // The last response may have begun with little time left.
            let limit = EncodingBudget.capacity + seconds * EncodingBudget.share + cost
            #expect(fixture.processor.seconds <= limit, "seed \(seed), \(keys) keys, \(cost) s each, in \(seconds) s")
        }
    }

    @Test("Under a flood, a request is answered with a response that is less than a second old, or with 503")
    func flood() async {
        let fixture = Fixture()
        var statuses: Set<Int> = []
        for _ in 0..<10_000 {
            statuses.insert(await fixture.ask("/api/traces", cost: 0.02))
            fixture.time.advance(by: .milliseconds(1))
        }
        #expect(statuses == [200])
        // Half a second to spare, and one or two responses a second.
        #expect((10...60).contains(fixture.made.all.count), "\(fixture.made.all.count)")
        for number in 0..<200 { statuses.insert(await fixture.ask("/api/traces", "\(number)", cost: 0.02)) }
        #expect(statuses == [200, 503])
    }

    @Test("A reader who asks now and then sees what is the case now")
    func current() async {
        let fixture = Fixture()
        for count in 1...20 {
            #expect(await fixture.ask("/api/state", cost: 0.01) == 200)
            #expect(fixture.made.all.count == count)
        }
    }

    @Test("The pages of the dashboard collect the registry once a second at most")
    func pages() async {
        let fixture = Fixture()
        for _ in 0..<50 { #expect(await fixture.ask("/", cost: 0.001, .second) == 200) }
        #expect(fixture.made.all.count == 1)
        _ = await fixture.ask("/export.html", cost: 0.001, .second)
        #expect(fixture.made.all.count == 2)
        fixture.time.advance(by: .seconds(1))
        for _ in 0..<50 { _ = await fixture.ask("/", cost: 0.001, .second) }
        #expect(fixture.made.all.count == 3)
    }

    @Test("Requests for a response that is being made wait for it")
    func joined() async {
        let cache = ResponseCache()
        let made = Reports()
        let (gate, opened) = AsyncStream<Void>.makeStream()
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await cache.response("/api/inspect", .second) {
                        made.add("made")
                        for await _ in gate {}
                        return .text("made")
                    }.status.code
                }
            }
            opened.finish()
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(statuses == [200] && made.all.count == 1)
    }

    @Test("A 503 says when to come back, and an action on the application makes all responses new")
    func busy() async {
        let fixture = Fixture()
        #expect(await fixture.ask("/a", "0", cost: 2) == 200)
        let refused = await fixture.cache.response("/a", key: "1") { .text("made") }
        #expect(refused.status.code == 503)
        #expect(refused.headers["Retry-After"] == "1" && refused.headers["Cache-Control"] == "no-store")
        #expect(await fixture.ask("/b", cost: 0, .second) == 200)
        await fixture.cache.removeAll()
        #expect(await fixture.ask("/b", cost: 0, .second) == 200)
        #expect(fixture.made.all.filter { $0 == "/b" }.count == 2)
    }
}
