// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport

@testable import AxiomResilience

/// A breaker whose time stands still until it is moved.
struct BreakerUnderTest {
    struct Failure: Error, Equatable {
        var text = "no answer"
    }

    let time = ManualTime()
    let breaker: CircuitBreaker

    /// Jitter is off, so that times can be said exactly.
    init(
        _ configuration: CircuitBreakerConfiguration = .init(),
        _ change: (inout CircuitBreakerConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = configuration
        configuration.openDurationJitter = 0
        change(&configuration)
        breaker = try CircuitBreaker(name: "shop", configuration, clock: .manual(time))
    }

    /// Offers a call that takes no time.
    ///
    /// - Returns: Whether it was admitted.
    @discardableResult
    func call(_ outcome: CallOutcome = .success) -> Bool {
        guard let call = admit() else { return false }
        settle(call, outcome)
        return true
    }

    func calls(_ outcomes: CallOutcome...) {
        for outcome in outcomes { call(outcome) }
    }

    /// Offers a call and leaves it in flight; nil when it was rejected.
    func admit() -> Ticket? {
        switch breaker.admit(at: time.now) {
        case .admitted(let permit): permit.ticket
        case .rejected: nil
        }
    }

    func settle(_ ticket: Ticket, _ outcome: CallOutcome = .success) {
        breaker.settle(ticket, outcome, at: time.now, error: nil)
    }

    func advance(_ duration: Duration) {
        time.advance(by: duration)
    }

    var state: CircuitState { breaker.state }
    var counts: CircuitCounts { breaker.counts() }
    var summary: CircuitSummary { breaker.summary() }
}

extension CircuitCounts {
    /// Whether nothing is negative, and what was offered is what became of it.
    var isConserved: Bool {
        let all = [
            success, failure, ignored, cancelled, rejected, inFlight, slow, slowInFlight, shadowRejections, stale,
        ]
        return all.allSatisfy { $0 >= 0 } && slow <= success + failure
            && offered == success + failure + ignored + cancelled + rejected + inFlight
    }
}

extension CircuitSummary {
    /// How often a transition was made, or in shadow mode would have been.
    func count(_ from: CircuitState, _ to: CircuitState, isShadow: Bool = false) -> Int {
        transitions.filter { $0.edge.from == from && $0.edge.to == to }
            .reduce(0) { $0 + (isShadow ? $1.shadowCount : $1.count) }
    }
}

/// A seeded generator that is `Sendable`.
struct Dice: RandomNumberGenerator, Sendable {
    private var seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
    }

    mutating func next() -> UInt64 {
        var generator = SplitMix64(seed: seed)
        seed = generator.next()
        return seed
    }
}
