// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Testing

@testable import AxiomNavigation

@Suite("Rate limit of navigation", .timeLimit(.minutes(10)))
struct RateLimitTests {
    /// As the method of the flow: the routes of the middleware are inferred.
    private func add<M: NavigationMiddleware<GuardedRoute>>(_ middleware: M) -> MiddlewareRun {
        MiddlewareRun(middleware)
    }

    private func refusal(_ outcome: NavigationOutcome<GuardedRoute>) -> String? {
        if case .refused(let reason) = outcome { reason } else { nil }
    }

    @Test("The eleventh request for an identifier within a second is refused, with when to try again (NAV-09)")
    func eleventh() async throws {
        let time = ManualTime()
        let run = add(try RateLimit(10, per: .seconds(1), clock: .manual(time)))
        for id in 0..<10 {
            #expect(try await run.navigate(to: .product(id)) == .arrived(.product(id)))
        }
        let reason = refusal(try await run.navigate(to: .product(10)))
        #expect(
            reason == "The route product was requested too often: at most 10 per 1 s. Try again in 100 ms."
        )
        #expect(try await run.navigate(to: .list) == .arrived(.list))
        time.advance(by: .milliseconds(100))
        #expect(try await run.navigate(to: .product(10)) == .arrived(.product(10)))
        #expect(refusal(try await run.navigate(to: .product(11))) != nil)
    }

    @Test("Restorations and recoveries are neither refused nor counted; redirected requests are counted (NAV-09)")
    func sources() async throws {
        let run = add(try RateLimit(2, per: .seconds(1), clock: .manual(ManualTime())))
        for source in [NavigationSource.restoration, .recovery, .restoration, .recovery] {
            #expect(try await run.navigate(to: .list, from: source) == .arrived(.list))
        }
        for source in [NavigationSource.redirect, .deepLink] {
            #expect(try await run.navigate(to: .list, from: source) == .arrived(.list))
        }
        #expect(refusal(try await run.navigate(to: .list)) != nil)
        #expect(try await run.navigate(to: .list, from: .recovery) == .arrived(.list))
    }

    @Test("Identifiers without a sample share one limit, so that any number of them needs no memory (NAV-09)")
    func unknownIdentifiers() async throws {
        let run = add(try RateLimit(5, per: .seconds(1), clock: .manual(ManualTime())))
        var refused = 0
        for number in 0..<1_000 {
            if refusal(try await run.navigate(to: .hidden("id\(number)"))) != nil { refused += 1 }
        }
        #expect(refused == 995)
        #expect(try await run.navigate(to: .home) == .arrived(.home))
    }

    @Test("A limit out of range is refused (NAV-09)")
    func invalid() {
        #expect(throws: ResilienceError.self) { try RateLimit<GuardedRoute>(0, per: .seconds(1)) }
        #expect(throws: ResilienceError.self) { try RateLimit<GuardedRoute>(1, per: .zero) }
    }

    @Test(
        "The time in the text is never shorter than the wait, and at most a millisecond or half of it longer (NAV-09)"
    )
    func texts() throws {
        #expect(RateLimit<GuardedRoute>.text(.nanoseconds(1)) == "1 ms")
        #expect(RateLimit<GuardedRoute>.text(.milliseconds(1_250)) == "1.3 s")
        #expect(RateLimit<GuardedRoute>.text(.milliseconds(59_990)) == "60 s")
        #expect(RateLimit<GuardedRoute>.text(.seconds(61)) == "61 s")
        #expect(RateLimit<GuardedRoute>.text(.seconds(3_541)) == "60 min")
        var generator = SplitMix64(seed: TestSeed.drawn())
        let units = ["ms": 0.001, "s": 1, "min": 60]
        for _ in 0..<TestScale.count(20_000) {
            let longest = Int64(1) << Int64.random(in: 1...41, using: &generator)
            let wait = Duration.nanoseconds(Int64.random(in: 1...longest, using: &generator))
            let words = RateLimit<GuardedRoute>.text(wait).split(separator: " ")
            let stated = try #require(Double(words[0])) * (try #require(units[String(words[1])]))
            #expect(stated >= wait.inSeconds * (1 - 1e-9), "\(wait)")
            #expect(stated <= max(wait.inSeconds * 1.51, wait.inSeconds + 0.001), "\(wait)")
        }
    }
}
