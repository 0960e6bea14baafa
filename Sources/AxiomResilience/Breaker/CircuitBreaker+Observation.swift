// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

extension CircuitBreaker {
    /// What the breaker does with calls now.
    public var state: CircuitState {
        let now = clock.now
        return read { machine, _ in
            machine.advance(to: now)
            return machine.state
        }
    }

    /// How many calls were offered and what became of them. Cost: the lock, and a reading of the clock.
    public func counts() -> CircuitCounts {
        let now = clock.now
        return read { $0.counts(at: now, with: $1) }
    }

    /// Everything the breaker knows of itself now.
    public func summary() -> CircuitSummary {
        summary(at: clock.now)
    }

    /// Everything the breaker knows of itself at `instant`, which is now: it moves the breaker's time as a call does.
    public func summary(at instant: Instant) -> CircuitSummary {
        var summary = read { $0.summary(at: instant, with: $1) }
        summary.droppedEvents = hub.dropped
        return summary
    }

    /// The transitions from now on, for each subscriber: at most the 256 latest wait for one that is slow.
    public var events: TransitionEvents {
        TransitionEvents(hub: hub, limit: 256)
    }

    /// Calls `observer` with every transition from now on, in order and one at a time, soon after it was made: on the
    /// thread of the call or the reading that made it, or of another whose transition is being told at that moment. It
    /// may use the breaker. A transition that time alone brings about is made by the next call or reading.
    ///
    /// - Returns: What ends it when it is cancelled. Letting go of it ends nothing.
    @discardableResult
    public func onTransition(_ observer: @escaping @Sendable (CircuitTransition) -> Void) -> CircuitObservation {
        hub.observe(observer)
    }

    /// What the breaker needs to go on as it is in another process. See ``CircuitRecord``.
    public func export() -> CircuitRecord {
        let now = clock.now
        let epoch = clock.secondsSinceEpoch
        return read { $0.record(at: now, secondsSinceEpoch: epoch, with: $1) }
    }

    /// The last error that was a failure; nil before the first. Its description is made by the caller, outside the lock.
    package var lastError: (any Error)? {
        core.withLock { $0.lastError }
    }

    private func read<Result>(_ body: (inout BreakerMachine, QuietLane.Totals) -> Result) -> Result {
        let (result, hasNews) = access { core in
            let result = body(&core.machine, quiet.totals)
            return (result, core.machine.log.hasNews)
        }
        if hasNews { publish() }
        return result
    }
}
