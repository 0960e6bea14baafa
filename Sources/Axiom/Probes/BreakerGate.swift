// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

/// The circuit breakers of one component type: an action runs only if all of them admit it.
///
/// Clients and contexts share it. With one breaker, the usual case, an action allocates nothing; with several, one
/// object for each breaker after the first.
struct BreakerGate: Sendable {
    /// Keeps the breakers alive for as long as the gate.
    private let breakers: [CircuitBreaker]
    /// The first of `breakers`, unmanaged: each use of an optional reference would retain it, which costs two atomic
    /// operations on a word that all callers share.
    private let first: Unmanaged<CircuitBreaker>?
    private let hasOthers: Bool

    static let withoutBreakers = BreakerGate([])

    /// Observers may share a breaker. It then decides once for each action.
    init(_ breakers: [CircuitBreaker]) {
        var distinct: [CircuitBreaker] = []
        for breaker in breakers where !distinct.contains(where: { $0 === breaker }) { distinct.append(breaker) }
        self.breakers = distinct
        first = distinct.first.map { Unmanaged.passUnretained($0) }
        hasOthers = distinct.count > 1
    }

    /// Whether there is no breaker, so that every action is admitted.
    var isEmpty: Bool { first == nil }

    /// Offers an action to all breakers. The permits must be handed to ``settle(_:_:at:)``.
    ///
    /// - Throws: The `CircuitError` of the first breaker that refuses. The breakers that had already admitted the
    ///   action get their permits back as cancelled, because the call says nothing about the health of its target.
    @inline(__always)
    func admit(at instant: Instant) throws(CircuitError) -> BreakerPermits {
        guard let first else { return BreakerPermits(first: nil, others: nil) }
        var permit: Permit?
        var rejection: Rejection?
        first._withUnsafeGuaranteedRef {
            switch $0.admit(at: instant) {
            case .admitted(let admitted): permit = consume admitted
            case .rejected(let rejected): rejection = rejected
            }
        }
        if let rejection { throw refusal(of: breakers[0], rejection) }
        if hasOthers, let permit = permit.take() { return try admitByOthers(permit, at: instant) }
        return BreakerPermits(first: permit, others: nil)
    }

    /// Runs `body` if the breakers admit it. Without a breaker the clock is not read.
    ///
    /// - Throws: The error of `body`; `CircuitError` if a breaker refuses it, in which case `body` did not run.
    @MainActor
    func guarded(_ clock: TimeSource, isRefused: inout Bool, _ body: () async throws -> Void) async throws {
        if isEmpty { return try await body() }
        var permits: BreakerPermits
        do {
            permits = try admit(at: clock.now)
        } catch {
            isRefused = true
            throw error
        }
        do {
            try await body()
        } catch {
            settle(&permits, error, at: clock.now)
            throw error
        }
        settle(&permits, nil, at: clock.now)
    }

    @inline(never)
    private func refusal(of breaker: CircuitBreaker, _ rejection: Rejection) -> CircuitError {
        CircuitError(breaker.error(for: rejection))
    }

    @inline(never)
    private func admitByOthers(
        _ permit: consuming Permit,
        at instant: Instant
    ) throws(CircuitError) -> BreakerPermits {
        var granted: FurtherPermit?
        for breaker in breakers.dropFirst() {
            switch breaker.admit(at: instant) {
            case .admitted(let further):
                granted = FurtherPermit(breaker, further, next: granted)
            case .rejected(let rejection):
                breakers[0].record(permit, .cancelled, at: instant)
                granted?.settleAll(at: instant) { _ in .cancelled }
                throw refusal(of: breaker, rejection)
            }
        }
        return BreakerPermits(first: permit, others: granted)
    }

    /// Hands the permits of an action that ran back to the breakers.
    ///
    /// - Parameter error: The error of the action; nil if it succeeded. Each breaker judges it by its own
    ///   configuration.
    @inline(__always)
    func settle(_ permits: inout BreakerPermits, _ error: (any Error)?, at instant: Instant) {
        guard let first else { return }
        if error != nil || hasOthers { return settleEach(&permits, error, at: instant) }
        first._withUnsafeGuaranteedRef {
            if let permit = permits.first.take() { $0.record(permit, .success, at: instant) }
        }
    }

    @inline(never)
    private func settleEach(_ permits: inout BreakerPermits, _ error: (any Error)?, at instant: Instant) {
        let others = permits.others
        if let permit = permits.first.take() {
            let outcome = error.map(breakers[0].outcome) ?? .success
            breakers[0].record(permit, outcome, at: instant, error: error)
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
