// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension BreakerMachine {
    /// Everything at once, `quiet` calls included. It decides nothing but what time alone decides.
    mutating func summary(at instant: Instant, with quiet: QuietLane.Totals) -> CircuitSummary {
        let counts = counts(at: instant, with: quiet)
        window.advance(to: now)
        let window = windowSummary
        let isJudged = window.calls >= rules.minimumCalls
        let isJudgedSlow = rules.slowNanoseconds > 0 && window.calls + window.slowInFlight >= rules.minimumCalls
        return CircuitSummary(
            name: name,
            instant: Instant(nanoseconds: now),
            state: state,
            decidedState: decidedState,
            generation: generation,
            counts: counts,
            window: window,
            windowFill: self.window.fill(at: now),
            failureRatio: isJudged ? window.failureRatio : nil,
            slowRatio: isJudgedSlow ? window.slowRatio : nil,
            timeInState: log.timeInState(state, at: now).mapValues { .nanoseconds($0) },
            transitions: log.transitions,
            openUntil: phase == .open ? Instant(nanoseconds: openUntil) : nil,
            openRemaining: phase == .open ? .nanoseconds(openUntil &- now) : nil,
            halfOpenPermitsInUse: phase == .probing ? probes.inUse : 0,
            rampShare: phase == .ramping ? rampShare : nil
        )
    }

    /// The counts, with the probes in flight that are slow, and the calls that went by a quiet lane.
    mutating func counts(at instant: Instant, with quiet: QuietLane.Totals) -> CircuitCounts {
        advance(to: instant)
        var counts = counts
        if phase == .probing { counts.slowInFlight += probes.overdue(rules.slowNanoseconds, at: now) }
        counts.inFlight += quiet.admitted - quiet.succeeded
        counts.success += quiet.succeeded
        return counts
    }
}
