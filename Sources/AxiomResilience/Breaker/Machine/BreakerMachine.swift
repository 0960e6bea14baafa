// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A circuit breaker without a lock and without a clock: every input comes with its instant.
///
/// Time never runs backwards in it. An input that arrives late, with an instant before one that was seen already, is
/// taken to be now. What time alone brings about (the open time is over, a probe loses its permit, a ramp is complete)
/// takes effect with the first input at or after its deadline, readings included, and is dated to the deadline.
///
/// The three phases decide; what the breaker does about it depends on its mode. In shadow mode it decides all the same,
/// and what an enforcing breaker would have rejected is admitted with a ticket whose result decides nothing, so that it
/// goes through exactly the phases that the enforcing breaker would.
struct BreakerMachine: ~Copyable, Sendable {
    enum Phase: UInt8, Sendable {
        case closed
        case open
        /// Half open: probes are out.
        case probing
        /// Half open: probes have passed, and a growing share of calls is admitted.
        case ramping
    }

    /// What an operator ordered.
    enum Order: UInt8, Sendable {
        case none
        case forcedOpen
        case disabled
    }

    // What a call through a closed breaker changes comes first: it shares a cache line with the lock, so that two
    // processors which call at once pass one line to and fro. What it only reads is on other lines.

    /// The latest instant of any input, in nanoseconds.
    var now: Int64
    /// The stamp of the tickets that calls get while the breaker is closed, no call can be slow and nobody wants to see
    /// the window: then only failures need thought. 0 at other times. Follows from the properties that are observed.
    private(set) var plainStamp: UInt64 = 0
    var consecutiveFailures = 0
    /// Without the calls that went by a quiet lane: a call that came by it and ends here leaves `inFlight` one too low.
    var counts = CircuitCounts()
    var log: TransitionLog
    /// The calls of this generation that may still become slow; empty where no call is slow.
    var flight: InFlightCalls
    var window: CallWindow
    /// Whether every call is rejected until `openUntil`. Follows from the properties that are observed.
    private(set) var isRejecting = false
    /// Changed whenever evidence begins anew. Only a ticket of this generation decides anything.
    var generation: UInt64 = 1 { didSet { observe() } }
    /// While there is an order, the phase is closed and nothing is decided.
    var order = Order.none { didSet { observe() } }
    var phase = Phase.closed { didSet { observe() } }
    let name: String
    let shortName: BreakerName
    var rules: BreakerRules { didSet { observe() } }
    var probes = ProbeRound()
    /// When the open time is over; means something only while the phase is open.
    var openUntil: Int64 = 0
    /// The open time that comes next, in nanoseconds, before jitter.
    var nextOpenTime: Double
    var openedBecause = TransitionReason.operatorOrdered
    /// When the ramp began, and the part of a call that is due; they mean something only while ramping.
    var rampBegun: Int64 = 0
    var rampCredit = 0.0
    var random: JitterGenerator
    /// Whether the latest input left it to the predicate to decide. The caller takes the question with the same hold of
    /// the lock, and answers it outside.
    var isUndecided = false

    init(name: String, rules: BreakerRules, at instant: Instant, random: JitterGenerator) {
        self.name = name
        shortName = BreakerName(name)
        self.rules = rules
        self.random = random
        now = instant.nanoseconds
        window = CallWindow(rules.window, at: now)
        flight = InFlightCalls(slow: rules.slowNanoseconds)
        nextOpenTime = rules.openNanoseconds
        log = TransitionLog(since: now)
        observe()
    }

    deinit {
        shortName.release()
    }

    private mutating func observe() {
        let isPlain = order == .none && phase == .closed && rules.slowNanoseconds == 0 && rules.predicate == nil
        plainStamp = isPlain ? Ticket.stamp(generation, .counted, judgesResults: rules.judgesResults) : 0
        isRejecting = order == .none && phase == .open && !rules.isShadow
    }

    /// The stamp with which calls may succeed without the machine, as it would do nothing but count them; 0 at other
    /// times.
    @inline(__always)
    var quietStamp: UInt64 { plainStamp != 0 && window.isQuiet && consecutiveFailures == 0 ? plainStamp : 0 }

    /// What the breaker does with calls.
    var state: CircuitState {
        switch order {
        case .forcedOpen: .forcedOpen
        case .disabled: .disabled
        case .none: rules.isShadow ? .shadow : decidedState
        }
    }

    /// What an enforcing breaker would do.
    var decidedState: CircuitState {
        switch phase {
        case .closed: .closed
        case .open: .open
        case .probing, .ramping: .halfOpen
        }
    }

    /// Moves time forward and does what it brings about.
    mutating func advance(to instant: Instant) {
        if instant.nanoseconds > now { now = instant.nanoseconds }
        if phase != .closed { meetDeadlines() }
        if !flight.isEmpty { counts.slowInFlight &+= flight.takeSlow(at: now) }
    }

    /// One deadline after the other, as each may bring another one that has passed too.
    @inline(never)
    mutating func meetDeadlines() {
        while true {
            if phase == .open, now >= openUntil {
                beginProbing(at: openUntil)
            } else if phase == .probing, let start = probes.oldest, now &- start >= rules.probeNanoseconds {
                let isSlow = rules.slowNanoseconds > 0 && rules.probeNanoseconds >= rules.slowNanoseconds
                probes.expireOldest(isSlow: isSlow)
                judgeProbes(at: start &+ rules.probeNanoseconds, failing: .probeTimedOut)
            } else if phase == .ramping, now &- rampBegun >= rules.rampNanoseconds {
                completeRamp(at: rampBegun &+ rules.rampNanoseconds)
            } else {
                return
            }
        }
    }
}
