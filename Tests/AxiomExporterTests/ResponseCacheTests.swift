// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Testing

@testable import AxiomExporter
@testable import AxiomHTTP

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
        let made = Journal<String>()
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
                made.write(route + key)
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
        #expect((10...60).contains(fixture.made.entries.count), "\(fixture.made.entries.count)")
        for number in 0..<200 { statuses.insert(await fixture.ask("/api/traces", "\(number)", cost: 0.02)) }
        #expect(statuses == [200, 503])
    }

    @Test("A reader who asks now and then sees what is the case now")
    func current() async {
        let fixture = Fixture()
        for count in 1...20 {
            #expect(await fixture.ask("/api/state", cost: 0.01) == 200)
            #expect(fixture.made.entries.count == count)
        }
    }

    @Test("The pages of the dashboard collect the registry once a second at most")
    func pages() async {
        let fixture = Fixture()
        for _ in 0..<50 { #expect(await fixture.ask("/", cost: 0.001, .second) == 200) }
        #expect(fixture.made.entries.count == 1)
        _ = await fixture.ask("/export.html", cost: 0.001, .second)
        #expect(fixture.made.entries.count == 2)
        fixture.time.advance(by: .seconds(1))
        for _ in 0..<50 { _ = await fixture.ask("/", cost: 0.001, .second) }
        #expect(fixture.made.entries.count == 3)
    }

    @Test("Requests for a response that is being made wait for it, also if it ends while they join")
    func joined() async {
        for round in 1...300 {
            let cache = ResponseCache(clock: .manual(ManualTime()))
            let made = Journal<String>()
            let (gate, opened) = AsyncStream<Void>.makeStream()
            let statuses = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        await cache.response("/api/inspect", .second) {
                            made.write("made")
                            for await _ in gate {}
                            return .text("made")
                        }.status.code
                    }
                }
                opened.finish()
                return await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(statuses == [200] && made.entries.count == 1, "round \(round): made \(made.entries.count) times")
        }
    }

    private static func text(_ response: HTTPResponse) -> String {
        guard case .body(let body) = response.content else { return "" }
        return body.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Says whether the work was cancelled when the gate opened.
    private static func partial(after gate: AsyncStream<Void>) async -> HTTPResponse {
        for await _ in gate {}
        return .text(Task.isCancelled ? "partial" : "whole")
    }

    @Test("The response to a cancelled request is not kept: the next request gets one of its own")
    func cancelled() async {
        let cache = ResponseCache(clock: .manual(ManualTime()))
        let (begun, begins) = AsyncStream<Void>.makeStream()
        let first = Task {
            await cache.response("/api/inspect", .second) {
                begins.finish()
                return await Self.partial(after: AsyncStream { _ in })
            }
        }
        for await _ in begun {}
        first.cancel()
        _ = await first.value
        let second = await cache.response("/api/inspect", .second) { .text("whole") }
        #expect(Self.text(second) == "whole")
    }

    @Test("Who waits for the response of a request that is then cancelled gets a whole one")
    func cancelledFirst() async {
        let time = ManualTime()
        let cache = ResponseCache(clock: .manual(time))
        let (gate, opened) = AsyncStream<Void>.makeStream()
        let (begun, begins) = AsyncStream<Void>.makeStream()
        let first = Task {
            await cache.response("/api/inspect", .second) {
                begins.finish()
                return await Self.partial(after: gate)
            }
        }
        for await _ in begun {}
        let second = Task { await cache.response("/api/inspect", .second) { .text("whole") } }
        await time.waitForSleepers(2)
        first.cancel()
        _ = await first.value
        opened.finish()
        #expect(Self.text(await second.value) == "whole")
    }

    @Test("A response that is not made in time is a 503 that says so, and the next request makes its own")
    func endless() async {
        let time = ManualTime()
        let cache = ResponseCache(clock: .manual(time))
        let (gate, opened) = AsyncStream<Void>.makeStream()
        @Sendable func ask() async -> HTTPResponse {
            await cache.response("/api/inspect", .second) {
                // It does not end when it is cancelled.
                await Task.detached { for await _ in gate {} }.value
                return .text("late")
            }
        }
        let early = Task { await ask() }
        await time.waitForSleepers(1)
        time.advance(by: ResponseCache.patience / 2)
        let late = Task { await ask() }
        await time.waitForSleepers(2)
        time.advance(by: ResponseCache.patience / 2)
        let refused = await early.value
        #expect(refused.status.code == 503 && refused.headers["Retry-After"] == "1")
        #expect(Self.text(refused).contains("not made within 10 s"))
        // One request still waits for the work that hangs. It does not hold the key.
        #expect(Self.text(await cache.response("/api/inspect", .second) { .text("whole") }) == "whole")
        time.advance(by: ResponseCache.patience / 2)
        #expect(await late.value.status.code == 503)
        opened.finish()
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
        #expect(fixture.made.entries.filter { $0 == "/b" }.count == 2)
    }
}
