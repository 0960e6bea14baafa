// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomResilience
import AxiomTestSupport
import Testing

@testable import AxiomDashboard

@Suite("Breakers that flap", .timeLimit(.minutes(10)))
struct FlappingTests {
    /// A breaker that opens with the second failure, for two seconds, and closes with one success.
    private func till(_ workshop: Workshop, _ name: String = "Till") throws -> CircuitBreaker {
        var rules = CircuitBreakerConfiguration()
        (rules.window, rules.minimumCalls, rules.openDuration) = (.count(2), 2, .seconds(2))
        (rules.halfOpenPermits, rules.openDurationJitter, rules.openDurationGrowth) = (1, 0, 1)
        let breaker = try CircuitBreaker(name: name, rules, clock: .manual(workshop.time))
        try workshop.telemetry.watch(breaker)
        return breaker
    }

    private func fail(_ breaker: CircuitBreaker) async {
        for _ in 0..<2 { try? await breaker.run { throw Workshop.Broken() } }
    }

    /// Opens a breaker and closes it again, in ten seconds.
    private func flap(_ workshop: Workshop, _ breaker: CircuitBreaker) async throws {
        await fail(breaker)
        for _ in 0..<5 { workshop.tick() }
        try await breaker.run {}
        for _ in 0..<5 { workshop.tick() }
    }

    private func problems(_ workshop: Workshop) throws -> [[String: JSONItem]] {
        let rows = try Viewer(workshop.dashboard.snapshot()).lists["problems"] ?? [:]
        return rows.sorted { $0.key < $1.key }.map(\.value)
    }

    private func lasting(_ workshop: Workshop) throws -> [String] {
        try problems(workshop).filter { $0["ended"]?.number == nil }
            .map { "\($0["kind"]?.string ?? ""): \($0["text"]?.string ?? "")" }
    }

    @Test("Three openings in five minutes are one problem until there are fewer, and the history does not fill")
    func lasts() async throws {
        let workshop = try Workshop(["Saw"])
        let breaker = try till(workshop)
        workshop.tick()
        #expect(try lasting(workshop) == [])
        for _ in 0..<2 { try await flap(workshop, breaker) }
        #expect(try lasting(workshop) == [], "twice is no flapping")
        for count in 3...14 {
            await fail(breaker)
            for step in 0..<10 {
                if step == 5 { try await breaker.run {} }
                workshop.tick()
                let found = try lasting(workshop)
                #expect(found == ["bad: Circuit Till flaps: opened \(count) times in 5 minutes, last error Broken"])
            }
        }
        #expect(try problems(workshop).count <= 3, "the two openings before, and one problem")
        for _ in 0..<250 { workshop.tick() }
        #expect(try lasting(workshop).first?.hasPrefix("bad: Circuit Till flaps") == true)
        for _ in 0..<60 { workshop.tick() }
        #expect(try lasting(workshop) == [])
        let last = try #require(try problems(workshop).first { $0["later"]?.number == nil })
        #expect(last["text"]?.string?.hasPrefix("Circuit Till flapped: opened ") == true)
    }

    @Test("A breaker whose probes fail in an outage does not flap: it is open")
    func outage() async throws {
        let workshop = try Workshop(["Saw"])
        let breaker = try till(workshop)
        workshop.tick()
        await fail(breaker)
        for _ in 0..<30 {
            for _ in 0..<3 { workshop.tick() }
            await fail(breaker)
            workshop.tick()
            #expect(try lasting(workshop) == ["bad: Circuit Till is open, last error Broken"])
        }
    }

    @Test("Breakers that open twice in five minutes at most do not flap", arguments: 0..<2)
    func healthy(_ run: Int) async throws {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed &+ UInt64(run))
        let workshop = try Workshop(["Saw"])
        let breakers = try (0..<6).map { try till(workshop, "Till\($0)") }
        var latest = [Int](repeating: -1_000, count: breakers.count)
        for second in 0..<600 {
            let index = Int.random(in: breakers.indices, using: &random)
            if second - latest[index] > 160, Int.random(in: 0..<20, using: &random) == 0 {
                latest[index] = second
                await fail(breakers[index])
            }
            for breaker in breakers { try? await breaker.run {} }
            workshop.tick()
            if second.isMultiple(of: 20) {
                let found = try lasting(workshop)
                #expect(!found.contains { $0.contains("flaps") }, "seed \(seed), run \(run): \(found)")
            }
        }
    }
}
#endif
