// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

extension CircuitBreaker {
    /// The present state.
    public var state: CircuitState {
        let now = clock.now
        return read { machine, _ in
            machine.advance(to: now)
            return machine.state
        }
    }

    /// All calls by outcome. Cost: one lock and one reading of the clock.
    package func counts() -> CircuitCounts {
        let now = clock.now
        return read { $0.counts(at: now, with: $1) }
    }

    /// The state, the counts and the window, all read at one instant.
    public func summary() -> CircuitSummary { summary(at: clock.now) }

    /// The summary at `instant`, which must be now: it advances the breaker's time like a call.
    package func summary(at instant: Instant) -> CircuitSummary {
        var summary = read { $0.summary(at: instant, with: $1) }
        summary.droppedEvents = publisher.dropped
        return summary
    }

    /// The transitions from now on.
    ///
    /// Each call begins a subscription of its own. For a slow subscriber the latest 256 transitions are buffered; older ones
    /// are dropped. The sequence ends with the breaker, or when the iterating task is cancelled.
    public var events: some AsyncSequence<CircuitTransition, Never> & Sendable { publisher.subscribe() }

    /// Calls `observer` with every transition from now on, in order and one at a time, shortly after it was made.
    ///
    /// It runs on the thread of the call or reading that made the transition, or on another thread that delivers a
    /// transition at that moment. It may use the breaker. A transition that only time causes is made by the next call or
    /// reading.
    package func onTransition(_ observer: @escaping @Sendable (CircuitTransition) -> Void) {
        publisher.observe(observer)
    }

    /// The error of the last failure; nil before the first. To describe it is user code, so do that outside of any lock.
    package var lastError: (any Error)? { core.withLock { $0.lastError } }

    private func read<Result>(_ body: (inout BreakerMachine, FastPathTotals) -> Result) -> Result {
        let (result, mustPublish) = access { core in
            let result = body(&core.machine, fastPath.totals)
            return (result, core.machine.history.hasUnpublished)
        }
        if mustPublish { publish() }
        return result
    }
}

extension CircuitBreaker: DescribedStrategy {
    package var kind: StrategyKind { .circuitBreaker }

    package var outline: String { "CircuitBreaker \"\(name)\": \(configuration.mode.rawValue)" }
}
