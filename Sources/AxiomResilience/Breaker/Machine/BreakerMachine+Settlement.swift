// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A question to the configuration's own predicate, with what it decides on. The predicate is user code: it runs outside
/// the breaker's lock, and may use the breaker.
final class TripQuestion: Sendable {
    private let predicate: @Sendable (WindowSummary) -> Bool
    private let window: WindowSummary
    /// The generation of the calls in the window.
    let generation: UInt64

    init(_ predicate: @escaping @Sendable (WindowSummary) -> Bool, _ window: WindowSummary, _ generation: UInt64) {
        self.predicate = predicate
        self.window = window
        self.generation = generation
    }

    /// Whether the predicate says that the breaker must open.
    var isAnsweredYes: Bool { predicate(window) }
}

extension BreakerMachine {
    /// What came of a success whose instant nobody has read.
    enum Untimed: Equatable {
        case settled
        /// It was taken in and completes the evidence: `trip` must follow.
        case trips(TransitionReason)
        /// It was not taken in.
        case needsTime
    }

    /// Takes in a success where the instant does not matter: closed, with a count window and no call that can be slow.
    @inline(__always)
    mutating func recordUntimed(_ ticket: Ticket) -> Untimed {
        guard ticket.stamp == plainStamp, !window.isTimed else { return .needsTime }
        return countPlainSuccess().map { .trips($0) } ?? .settled
    }

    /// Opens because of a success that `recordUntimed` has taken in.
    mutating func trip(_ reason: TransitionReason, at instant: Instant) {
        advance(to: instant)
        open(reason, at: now)
    }

    /// Takes in how a call ended.
    @inline(__always)
    mutating func record(_ ticket: Ticket, _ outcome: CallOutcome, at instant: Instant) {
        // No ticket has the stamp 0.
        guard ticket.stamp == plainStamp, outcome.kind == .success else {
            return recordAny(ticket, outcome, at: instant)
        }
        now = max(now, instant.nanoseconds)
        if let reason = countPlainSuccess() { open(reason, at: now) }
    }

    /// What `recordAny` comes down to for a success with a plain ticket.
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

    /// Counts the call by its outcome, whatever else becomes of it.
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

    private mutating func settle(_ ticket: Ticket, _ outcome: CallOutcome, _ mark: CallMark) {
        if ticket.slot >= 0, flight.settle(ticket.slot) { counts.slowInFlight &-= 1 }
        guard outcome.kind == .success || outcome.kind == .failure else { return }
        window.add(mark, at: now)
        consecutiveFailures = outcome.kind == .failure ? consecutiveFailures &+ 1 : 0
        if outcome.toldNanoseconds > 0 {
            open(.serverTold, at: now, told: min(outcome.toldNanoseconds, rules.toldLimit))
        } else if let reason = tripReason() {
            open(reason, at: now)
        } else {
            isUndecided = rules.predicate != nil
        }
    }

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
        if outcome.toldNanoseconds > 0 {
            open(.serverTold, at: now, told: min(outcome.toldNanoseconds, rules.toldLimit))
        } else {
            judgeProbes(at: now, failing: .probesFailed)
        }
    }

    /// Which rule, if any, says that the breaker must open.
    ///
    /// It and ``slowReason()`` only read. They are mutating all the same: a mutating function that calls one which borrows
    /// copies the whole machine for the call, 657 bytes.
    @inline(never)
    private mutating func tripReason() -> TransitionReason? {
        if consecutiveFailures >= rules.consecutiveFailures { return .consecutiveFailures }
        let tally = window.tally
        if tally.failures > 0, tally.calls >= rules.minimumCalls,
            Double(tally.failures) / Double(tally.calls) >= rules.failureRate
        {
            return .failureRate
        }
        guard rules.slowNanoseconds > 0 || rules.predicate != nil else { return nil }
        return slowReason()
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

    /// What the configuration's predicate has to decide; nil if there is none.
    @inline(never)
    mutating func predicateQuestion() -> TripQuestion? {
        rules.predicate.map { TripQuestion($0, windowSummary, generation) }
    }

    /// The question that the latest input left open.
    mutating func takeQuestion() -> TripQuestion? {
        guard isUndecided else { return nil }
        isUndecided = false
        return predicateQuestion()
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
