// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomResilience

@Suite("How long a circuit breaker stays open")
struct OpenTimeTests {
    /// Opens a breaker again and again, by failed probes.
    private static func openTimes(
        _ configuration: CircuitBreakerConfiguration,
        _ count: Int,
        seed: UInt64
    ) throws -> [Duration] {
        let time = ManualTime()
        let breaker = try CircuitBreaker(
            name: "shop",
            configuration,
            clock: .manual(time),
            random: Dice(seed: seed)
        )
        return (0..<count).map { _ in
            if case .admitted(let permit) = breaker.admit(at: time.now) {
                breaker.record(permit, .failure, at: time.now)
            }
            let remaining = breaker.summary().openRemaining ?? .zero
            time.advance(by: remaining)
            return remaining
        }
    }

    private static let first = CircuitBreakerConfiguration(
        minimumCalls: 1,
        openDuration: .seconds(1),
        openDurationGrowth: 3,
        openDurationCap: .seconds(20),
        openDurationJitter: 0
    )

    @Test("The open time grows with each opening up to the cap, and starts over after the breaker has closed")
    func growth() throws {
        #expect(try Self.openTimes(Self.first, 5, seed: 1) == [1, 3, 9, 20, 20].map { .seconds($0) })
        let test = try BreakerUnderTest(Self.first)
        test.call(.failure)
        test.advance(.seconds(1))
        test.call(.failure)
        #expect(test.summary.openRemaining == .seconds(3))
        test.advance(.seconds(3))
        test.call()
        #expect(test.state == .closed)
        test.call(.failure)
        #expect(test.summary.openRemaining == .seconds(1))
    }

    @Test("Jitter only lengthens it, by no more than its share, differs from breaker to breaker, and is spread evenly")
    func jitter() throws {
        var configuration = Self.first
        configuration.openDurationJitter = 0.5
        configuration.openDurationGrowth = 1
        var times: [Double] = []
        for seed in 0..<400 {
            let time = try Self.openTimes(configuration, 1, seed: UInt64(seed))[0]
            #expect(time >= .seconds(1) && time < .milliseconds(1_500))
            times.append(time.inSeconds)
        }
        #expect(Set(times).count > 390)
        let mean = times.reduce(0, +) / 400
        #expect(abs(mean - 1.25) < 0.03)
    }

    @Test("At the cap there is jitter too")
    func jitterAtCap() throws {
        var configuration = Self.first
        configuration.openDurationJitter = 1
        let times = try Self.openTimes(configuration, 8, seed: 5)
        #expect(Set(times.suffix(4)).count == 4)
        #expect(times.suffix(4).allSatisfy { $0 >= .seconds(20) && $0 < .seconds(40) })
    }

    @Test("A server that tells how long opens it at once, for that time, which is held at the limit")
    func requestedByServer() throws {
        let test = try BreakerUnderTest { $0.retryAfterLimit = .seconds(60) }
        test.call(.failure(openFor: .seconds(7)))
        #expect(test.state == .open)
        #expect(test.summary.openRemaining == .seconds(7))
        test.advance(.seconds(7))
        test.call(.failure(openFor: .seconds(1_000)))
        #expect(test.summary.openRemaining == .seconds(60))
        let counts = test.summary.transitions.filter { $0.edge.reason == .retryAfter }.map(\.count)
        #expect(counts.reduce(0, +) == 2)
        test.advance(.seconds(60))
        test.call(.failure(openFor: .zero))
        #expect(test.summary.openRemaining == .seconds(5))
    }

    @Test("The program can open it for a time; that never shortens one that is longer")
    func openedByProgram() throws {
        let test = try BreakerUnderTest()
        #expect(try test.breaker.open(for: .seconds(30)))
        #expect(try test.breaker.open(for: .seconds(3)))
        #expect(test.summary.openRemaining == .seconds(30))
        #expect(try test.breaker.open(for: .seconds(90)))
        #expect(test.summary.openRemaining == .seconds(90))
        #expect(test.summary.count(.closed, .open) == 1)
        test.breaker.disable()
        #expect(try !test.breaker.open(for: .seconds(3)))
        #expect(throws: ResilienceError.self) { try test.breaker.open(for: .zero) }
    }

    @Test("A bounded number of names of released breakers is kept, and an error keeps the name of its breaker")
    func names() throws {
        var errors: [CircuitOpenError] = []
        for index in 0..<3_000 {
            let breaker = try CircuitBreaker(name: "tenant \(index)")
            breaker.forceOpen()
            guard case .rejected(let rejection) = breaker.admit(at: Instant(nanoseconds: 0)) else { continue }
            errors.append(breaker.error(for: rejection))
        }
        // Other tests make breakers at the same time.
        #expect(BreakerName.count < BreakerName.spareCount + 500)
        #expect(errors.enumerated().allSatisfy { $1.breaker == "tenant \($0)" })
        #expect(errors.last?.rejection.breaker == "tenant 2999")
        let kept = try CircuitBreaker(name: "kept")
        let twin = Optional(try CircuitBreaker(name: "kept"))
        withExtendedLifetime(twin) {}
        kept.forceOpen()
        guard case .rejected(let rejection) = kept.admit(at: Instant(nanoseconds: 0)) else { return }
        #expect(rejection.breaker == "kept")
    }

    @Test("A rejection says which breaker, why and for how long, and half open it does not pretend to know")
    func rejection() throws {
        let test = try BreakerUnderTest { $0.minimumCalls = 1 }
        test.call(.failure)
        test.advance(.seconds(2))
        guard case .rejected(let rejection) = test.breaker.admit(at: test.time.now) else {
            Issue.record("It was admitted.")
            return
        }
        #expect(rejection.breaker == "shop" && rejection.state == .open)
        #expect(rejection.cause == .failureRate && rejection.remaining == .seconds(3))
        test.advance(.seconds(3))
        _ = test.admit()
        guard case .rejected(let second) = test.breaker.admit(at: test.time.now) else {
            Issue.record("It was admitted.")
            return
        }
        #expect(second.state == .halfOpen && second.remaining == nil)
        #expect(second.generation == rejection.generation + 1)
    }
}
