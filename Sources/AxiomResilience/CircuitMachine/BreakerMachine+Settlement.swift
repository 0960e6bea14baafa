// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension BreakerMachine {
    /// The effect of a success without an instant.
    enum Untimed: Equatable {
        case settled
        /// The success was recorded and trips the breaker. Call `trip` next.
        case trips(TransitionReason)
        /// The success was not recorded, because the effect depends on time.
        case needsTime
    }

    /// Records a success without an instant, if the breaker is closed with a count window and without a slow-call rule.
    @inline(__always)
    mutating func recordUntimed(_ ticket: Ticket) -> Untimed {
        guard ticket.stamp == plainStamp, !window.isTimed else { return .needsTime }
        return countPlainSuccess().map { .trips($0) } ?? .settled
    }

    /// Opens because of a success that `recordUntimed` has recorded.
    mutating func trip(_ reason: TransitionReason, at instant: Instant) {
        advance(to: instant)
        open(reason, at: now)
    }

    /// Records how a call ended.
    @inline(__always)
    mutating func record(_ ticket: Ticket, _ outcome: CallOutcome, at instant: Instant) {
        // No ticket has the stamp 0.
        guard ticket.stamp == plainStamp, outcome.kind == .success else {
            return recordAny(ticket, outcome, at: instant)
        }
        now = max(now, instant.nanoseconds)
        if let reason = countPlainSuccess() { open(reason, at: now) }
    }

    /// `recordAny` reduced to a success with a plain ticket.
    @inline(__always)
    private mutating func countPlainSuccess() -> TransitionReason? {
        counts.inFlight &-= 1
        counts.success &+= 1
        consecutiveFailures = 0
        window.add([], at: now)
        return window.tally.failures > 0 ? tripReason() : nil
    }

    @inline(never)
    private mutating func recordAny(_ ticket: Ticket, _ outcome: CallOutcome, at instant: Instant) {
        advance(to: instant)
        let mark = count(ticket, outcome)
        if ticket.kind == .counted, ticket.generation == generation {
            settle(ticket, outcome, mark)
        } else {
            settleOther(ticket, outcome, mark)
        }
    }

    /// Counts the call by its outcome. Every call is counted here, also if its result decides nothing.
    private mutating func count(_ ticket: Ticket, _ outcome: CallOutcome) -> CallMark {
        counts.inFlight &-= 1
        var mark: CallMark = []
        switch outcome.kind {
        case .success: counts.success &+= 1
        case .failure:
            counts.failure &+= 1
            mark = .failure
        case .ignored:
            counts.ignored &+= 1
            return mark
        case .cancelled:
            counts.cancelled &+= 1
            return mark
        }
        if rules.slowNanoseconds > 0, ticket.admittedAt != Ticket.untimed,
            now &- ticket.admittedAt >= rules.slowNanoseconds
        {
            counts.slow &+= 1
            mark.insert(.slow)
        }
        return mark
    }

    /// Applies the closed rules to a call of this generation.
    private mutating func settle(_ ticket: Ticket, _ outcome: CallOutcome, _ mark: CallMark) {
        if ticket.slot >= 0, callsInFlight.settle(ticket.slot) { counts.slowInFlight &-= 1 }
        guard outcome.kind == .success || outcome.kind == .failure else { return }
        window.add(mark, at: now)
        consecutiveFailures = outcome.kind == .failure ? consecutiveFailures &+ 1 : 0
        if outcome.retryAfterNanoseconds > 0 {
            openAsRequested(outcome)
        } else if let reason = tripReason() {
            open(reason, at: now)
        }
    }

    /// Applies the half-open rules to a probe, and counts calls of earlier generations as stale.
    private mutating func settleOther(_ ticket: Ticket, _ outcome: CallOutcome, _ mark: CallMark) {
        guard ticket.kind == .counted || ticket.kind == .probe else { return }
        guard ticket.generation == generation, probes.settle(ticket.slot) else {
            counts.stale &+= 1
            return
        }
        switch outcome.kind {
        case .success: probes.passed += 1
        case .failure: probes.failed += 1
        case .ignored, .cancelled: return
        }
        if mark.contains(.slow) { probes.slow += 1 }
        if outcome.retryAfterNanoseconds > 0 {
            openAsRequested(outcome)
        } else {
            judgeProbes(at: now, failing: .probesFailed)
        }
    }

    /// Opens for the time that the server has requested.
    private mutating func openAsRequested(_ outcome: CallOutcome) {
        open(.retryAfter, at: now, for: min(outcome.retryAfterNanoseconds, rules.retryAfterLimit))
    }

    /// The rule, if any, that opens the breaker now.
    ///
    /// This function and ``slowReason()`` are mutating although they only read: a mutating function copies the whole
    /// machine, 657 bytes, to call a function that borrows it.
    @inline(never)
    private mutating func tripReason() -> TransitionReason? {
        if consecutiveFailures >= rules.consecutiveFailures { return .consecutiveFailures }
        let tally = window.tally
        if tally.failures > 0, tally.calls >= rules.minimumCalls, isFailing(tally) { return .failureRate }
        return rules.slowNanoseconds > 0 ? slowReason() : nil
    }

    /// Whether the share of failures has reached its limit.
    ///
    /// Multiplies first, because a division would cost every success after a failure 4 ns. The product is rounded, so near
    /// the limit the quotient decides.
    @inline(__always)
    private func isFailing(_ tally: CallTally) -> Bool {
        let (failures, calls) = (Double(tally.failures), Double(tally.calls))
        guard failures * (1 + 1e-12) >= rules.failureRate * calls else { return false }
        return failures / calls >= rules.failureRate
    }

    @inline(never)
    mutating func slowReason() -> TransitionReason? {
        let window = windowSummary
        let slow = window.slow + window.slowInFlight
        guard rules.slowNanoseconds > 0, slow > 0, window.calls + window.slowInFlight >= rules.minimumCalls else {
            return nil
        }
        return window.slowRatio >= rules.slowRate ? .slowRate : nil
    }

    var windowSummary: WindowSummary {
        let tally = window.tally
        return WindowSummary(
            calls: tally.calls,
            failures: tally.failures,
            slow: tally.slow,
            slowInFlight: counts.slowInFlight,
            consecutiveFailures: consecutiveFailures
        )
    }
}
