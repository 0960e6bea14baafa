// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

/// The circuit breakers of one component type: an action runs only if all of them admit it.
///
/// Clients and contexts share it. With one breaker, which is the rule, an action allocates nothing; with several, one
/// object for each breaker after the first.
struct BreakerGate: Sendable {
    private let first: CircuitBreaker?
    private let others: [CircuitBreaker]

    /// Observers may share a breaker: it decides once for each action.
    init(_ breakers: [CircuitBreaker]) {
        var distinct: [CircuitBreaker] = []
        for breaker in breakers where !distinct.contains(where: { $0 === breaker }) { distinct.append(breaker) }
        first = distinct.first
        others = Array(distinct.dropFirst())
    }

    /// Whether there is no breaker, so that every action is admitted.
    var isEmpty: Bool { first == nil }

    /// Offers an action to all breakers. The permits must be handed to ``settle(_:_:at:)``.
    ///
    /// - Throws: `CircuitError` of the first breaker that refuses. The breakers that had admitted the action by then get
    ///   their permits back as cancelled: a call that says nothing about the health of what it would have called.
    @inline(__always)
    func admit(at instant: Instant) throws(CircuitError) -> BreakerPermits {
        guard let first else { return BreakerPermits(first: nil, others: nil) }
        switch first.admit(at: instant) {
        case .rejected(let rejection):
            throw CircuitError(first.error(for: rejection))
        case .admitted(let permit):
            if others.isEmpty { return BreakerPermits(first: permit, others: nil) }
            return try admitByOthers(after: first, permit, at: instant)
        }
    }

    @inline(never)
    private func admitByOthers(
        after first: CircuitBreaker,
        _ permit: consuming Permit,
        at instant: Instant
    ) throws(CircuitError) -> BreakerPermits {
        var granted: FurtherPermit?
        for breaker in others {
            switch breaker.admit(at: instant) {
            case .admitted(let further):
                granted = FurtherPermit(breaker, further, next: granted)
            case .rejected(let rejection):
                first.record(permit, .cancelled, at: instant)
                granted?.settleAll(at: instant) { _ in .cancelled }
                throw CircuitError(breaker.error(for: rejection))
            }
        }
        return BreakerPermits(first: permit, others: granted)
    }

    /// Hands the permits of an action that ran back to the breakers.
    ///
    /// - Parameter error: What the action threw; nil if it succeeded. Each breaker judges it by its own configuration.
    @inline(__always)
    func settle(_ permits: consuming BreakerPermits, _ error: (any Error)?, at instant: Instant) {
        guard let first else { return }
        let others = permits.others
        if let permit = permits.first.take() {
            first.record(permit, error.map(first.outcome) ?? .success, at: instant, error: error)
        }
        others?.settleAll(at: instant, error) { breaker in error.map(breaker.outcome) ?? .success }
    }
}

/// The permits of one action that all breakers of a gate admitted.
struct BreakerPermits: ~Copyable {
    fileprivate var first: Permit?
    fileprivate let others: FurtherPermit?
}

/// The permit of one breaker after the first, in a list: an array cannot hold permits, which cannot be copied.
private final class FurtherPermit {
    private let breaker: CircuitBreaker
    private var permit: Permit?
    private let next: FurtherPermit?

    init(_ breaker: CircuitBreaker, _ permit: consuming Permit, next: FurtherPermit?) {
        self.breaker = breaker
        self.permit = consume permit
        self.next = next
    }

    func settleAll(
        at instant: Instant,
        _ error: (any Error)? = nil,
        _ outcome: (CircuitBreaker) -> CallOutcome
    ) {
        if let permit = permit.take() { breaker.record(permit, outcome(breaker), at: instant, error: error) }
        next?.settleAll(at: instant, error, outcome)
    }
}
