// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The state machine of a circuit breaker, without lock and clock: every input carries its instant.
///
/// Time never runs backwards. An input with an instant earlier than one before it counts as simultaneous with the latest
/// one. Transitions that only time causes (the open time is over, a probe exceeds its limit, a ramp is complete) take
/// effect at the first input at or after their deadline, readings included, and are dated to the deadline.
///
/// The phases decide; the mode determines what the breaker does. In shadow mode the machine decides in the same way, and
/// admits each call that an enforcing breaker would have rejected with a ticket whose result decides nothing. It
/// therefore goes through exactly the phases of the enforcing breaker.
///
/// The *evidence* is what the rules apply to: the calls in the window and the number of consecutive failures.
struct BreakerMachine: ~Copyable, Sendable {
    enum Phase: UInt8, Sendable {
        case closed
        case open
        /// Half open, waiting for probes.
        case probing
        /// Half open, the probes have succeeded: admits a growing share of calls.
        case ramping
    }

    /// The state that an operator has set.
    enum ManualState: UInt8, Sendable {
        case none
        case forcedOpen
        case disabled
    }

    // The properties that a call through a closed breaker modifies come first. They share a cache line with the lock, so
    // two processors that call at the same time exchange only one line. Properties that it only reads are on other lines.

    /// The latest instant of any input, in nanoseconds.
    var now: Int64
    /// The stamp of plain tickets: those of calls through a closed breaker without a slow-call rule. For these only
    /// failures need more than counting. 0 in other states. Updated by `updateShortcuts`.
    private(set) var plainStamp: UInt64 = 0
    var consecutiveFailures = 0
    /// Without the calls of the fast path. A call that entered by the fast path and ends here makes `inFlight` one too
    /// low; adding the totals of the fast path corrects it.
    var counts = CircuitCounts()
    var history: StateHistory
    /// The calls of this generation that are not slow yet; empty without a slow-call rule.
    var callsInFlight: InFlightCalls
    var window: CallWindow
    /// Whether every call is rejected until `openUntil`. Updated by `updateShortcuts`.
    private(set) var isRejecting = false
    /// Increases when the machine opens, begins to probe or discards the evidence. Only tickets of this generation decide
    /// anything.
    var generation: UInt64 = 1 { didSet { updateShortcuts() } }
    /// Unless it is `none`, the phase is closed and nothing is decided.
    var manualState = ManualState.none { didSet { updateShortcuts() } }
    var phase = Phase.closed { didSet { updateShortcuts() } }
    let name: String
    let shortName: BreakerName
    var rules: BreakerRules { didSet { updateShortcuts() } }
    var probes = ProbeRound()
    /// When the open time is over. Valid only while the phase is open.
    var openUntil: Int64 = 0
    /// The next open time, in nanoseconds, without jitter.
    var nextOpenTime: Double
    var openedBecause = TransitionReason.operatorOrdered
    /// When the ramp began. Valid only while ramping.
    var rampStart: Int64 = 0
    /// The sum of the shares of the calls so far, minus the admitted calls. A call is admitted when it reaches 1. Valid
    /// only while ramping.
    var rampCredit = 0.0
    var random: SeededGenerator

    init(name: String, rules: BreakerRules, at instant: Instant, random: SeededGenerator) {
        self.name = name
        shortName = BreakerName(name)
        self.rules = rules
        self.random = random
        now = instant.nanoseconds
        window = CallWindow(rules.window)
        callsInFlight = InFlightCalls(slow: rules.slowNanoseconds)
        nextOpenTime = rules.openNanoseconds
        history = StateHistory(since: now)
        updateShortcuts()
    }

    deinit { shortName.release() }

    private mutating func updateShortcuts() {
        let isPlain = manualState == .none && phase == .closed && rules.slowNanoseconds == 0
        plainStamp = isPlain ? Ticket.stamp(generation, .counted) : 0
        isRejecting = manualState == .none && phase == .open && !rules.isShadow
    }

    /// The stamp of tickets whose success the machine would only count, so that the fast path can do it; 0 if none.
    @inline(__always)
    var fastPathStamp: UInt64 { plainStamp != 0 && window.isSaturated && consecutiveFailures == 0 ? plainStamp : 0 }

    var state: CircuitState {
        switch manualState {
        case .forcedOpen: .forcedOpen
        case .disabled: .disabled
        case .none: rules.isShadow ? .shadow : decidedState
        }
    }

    /// The state of an enforcing breaker.
    var decidedState: CircuitState {
        switch phase {
        case .closed: .closed
        case .open: .open
        case .probing, .ramping: .halfOpen
        }
    }

    /// Moves time forward and makes the transitions that are due.
    mutating func advance(to instant: Instant) {
        if instant.nanoseconds > now { now = instant.nanoseconds }
        if phase != .closed { makeDueTransitions() }
        if !callsInFlight.isEmpty { counts.slowInFlight &+= callsInFlight.removeSlow(at: now) }
    }

    /// A loop, because one transition may start a deadline that has passed as well.
    @inline(never)
    mutating func makeDueTransitions() {
        while true {
            if phase == .open, now >= openUntil {
                beginProbing(at: openUntil)
            } else if phase == .probing, let start = probes.oldest, now &- start >= rules.probeNanoseconds {
                let isSlow = rules.slowNanoseconds > 0 && rules.probeNanoseconds >= rules.slowNanoseconds
                probes.expireOldest(isSlow: isSlow)
                judgeProbes(at: start &+ rules.probeNanoseconds, failing: .probeTimedOut)
            } else if phase == .ramping, now &- rampStart >= rules.rampNanoseconds {
                completeRamp(at: rampStart &+ rules.rampNanoseconds)
            } else {
                return
            }
        }
    }
}
