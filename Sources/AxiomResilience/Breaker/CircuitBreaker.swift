// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Stops calling what keeps failing, and finds out by a few calls when it works again.
///
/// ```swift
/// let breaker = try CircuitBreaker(name: "payments", configuration)
/// let receipt = try await breaker.run { try await payments.charge(card) }
/// ```
///
/// Closed, it admits every call and watches how they end. When too many fail or are slow, it opens and rejects calls,
/// for a time that grows from one opening to the next. Then it is half open: it lets a few probes through, and their
/// results close or open it. Only calls that were admitted in the present generation decide anything.
///
/// **Cost.** No lock is held while an operation runs, and nothing is allocated to admit, to record or to reject. A
/// call through a closed breaker takes the lock twice, and not at all while a count window is full of plain successes:
/// then any number of threads call without meeting. It reads the clock only where the time decides something: once
/// with a time window, twice with a `slowCallDuration` or a predicate, and not at all for a success in a count window.
///
/// **Deadlines.** A ``Timeout`` or a ``Retry`` with timeouts ends a call by cancelling it. If its deadline expires during
/// a call, the breaker judges the call as that `TimeoutError`, also if the operation ignored the cancellation and returned
/// a value. Deadlines around the breaker and inside it are judged alike. A call that its caller cancelled before the
/// deadline stays cancelled, and a call that began after the deadline is judged by its own end.
///
/// **Wrappers** that measure the call themselves use ``admit(at:)`` and ``record(_:_:at:error:)`` with the instants that
/// they have read anyway.
public final class CircuitBreaker: Sendable {
    struct Core: ~Copyable {
        var machine: BreakerMachine
        var configuration: CircuitBreakerConfiguration
        /// The last error that was a failure.
        var lastError: (any Error)?

        /// Takes in a success, and reads the clock only where that opens the breaker.
        @inline(__always)
        mutating func succeed(_ ticket: Ticket, _ clock: TimeSource) -> BreakerMachine.Untimed {
            let result = machine.recordUntimed(ticket)
            if case .trips(let reason) = result { machine.trip(reason, at: clock.now) }
            return result
        }
    }

    /// The breaker's name, for errors and metrics.
    public let name: String
    let clock: TimeSource
    /// Every input goes through this lock. No user code runs under it.
    let core: BriefLock<Core>
    let pace: Pace
    let quiet = QuietLane()
    let hub = TransitionHub()

    /// Makes a breaker that is closed, or as `record` says.
    ///
    /// - Parameters:
    ///   - name: What errors and metrics call it; not empty.
    ///   - configuration: When it opens, for how long, and how it closes again.
    ///   - clock: Where ``run(_:)`` takes its instants from; those that are handed in must be of the same clock.
    ///   - record: What an earlier breaker exported. See ``CircuitRecord``.
    ///   - random: Where the seed of the open times' jitter comes from.
    ///   - file: Where the breaker is made, for errors.
    ///   - line: The line in `file`.
    /// - Throws: ``ResilienceError`` that names the breaker, the option and the remedy.
    public init(
        name: String,
        _ configuration: CircuitBreakerConfiguration = CircuitBreakerConfiguration(),
        clock: TimeSource = .live,
        importing record: CircuitRecord? = nil,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        file: String = #fileID,
        line: Int = #line
    ) throws(ResilienceError) {
        let check = SettingCheck(subject: Self.subject(name), file: file, line: line)
        try check.requireName(name)
        let rules = try BreakerRules(configuration, check)
        var random = random
        let jitter = JitterGenerator(seed: random.next())
        var machine = BreakerMachine(name: name, rules: rules, at: clock.now, random: jitter)
        if let record { try machine.restore(record, secondsSinceEpoch: clock.secondsSinceEpoch, check) }
        self.name = name
        self.clock = clock
        pace = Pace(rules)
        core = BriefLock(Core(machine: machine, configuration: configuration))
    }

    /// How errors call a breaker of that name.
    static func subject(_ name: String) -> String { "CircuitBreaker \"\(name)\"" }

    deinit {
        hub.finish()
    }

    /// Asks whether a call may be made. Each permit must be handed back to ``record(_:_:at:error:)``.
    ///
    /// Cost: the lock, once. Nothing is allocated unless the answer changes the state.
    ///
    /// - Parameter instant: Now. One that is before an instant seen earlier is taken to be that.
    public func admit(at instant: Instant) -> Admission {
        let deadlines = DeadlineMark.now
        if let ticket = quiet.admit(at: instant, deadlines) {
            return .admitted(Permit(ticket: ticket, owner: ObjectIdentifier(self)))
        }
        switch decide(at: instant) {
        case .admitted(var ticket):
            ticket.deadlines = deadlines
            return .admitted(Permit(ticket: ticket, owner: ObjectIdentifier(self)))
        case .rejected(let rejection): return .rejected(rejection)
        }
    }

    /// The machine's answer to a call that is offered.
    enum Answer {
        case admitted(Ticket)
        case rejected(Rejection)
    }

    /// Asks the machine, and the predicate if the machine leaves the decision to it.
    ///
    /// - Parameter rejected: Called with the lock held if the call is rejected: a second hold of the lock costs as much as
    ///   the first.
    @inline(__always)
    func decide(at instant: Instant, ifRejected rejected: (borrowing Core) -> Void = { _ in }) -> Answer {
        var isAsked = false
        while true {
            // Not `access`: an admission by the lock leaves the lane as it is, or opens it a call late.
            let (decision, hasNews) = core.withLock { core in
                let decision = core.machine.admit(at: instant, isAsked: isAsked)
                if case .rejected = decision { rejected(core) }
                return (decision, core.machine.log.hasNews)
            }
            if hasNews { publish() }
            switch decision {
            case .admitted(let ticket): return .admitted(ticket)
            case .rejected(let rejection): return .rejected(rejection)
            case .undecided:
                askPredicate(at: instant)
                isAsked = true
            }
        }
    }

    @inline(never)
    private func askPredicate(at instant: Instant) {
        if let question = core.withLock({ $0.machine.predicateQuestion() }) { answer(question, at: instant) }
    }

    /// Asks the predicate, and opens the breaker if it says so and the evidence was not reset in between.
    private func answer(_ question: TripQuestion, at instant: Instant) {
        guard question.isAnsweredYes else { return }
        access { $0.machine.open(answering: question, at: instant) }
        publish()
    }

    /// Takes in how a call ended that was admitted. A permit of another breaker changes nothing.
    ///
    /// Cost: the lock, once. Nothing is allocated unless the outcome changes the state.
    ///
    /// Call it in the task that called ``admit(at:)``: otherwise deadlines around the call are not seen.
    ///
    /// - Parameters:
    ///   - permit: What ``admit(at:)`` gave.
    ///   - outcome: How the call ended.
    ///   - instant: Now.
    ///   - error: The error with which it failed; rejections quote it until another takes its place.
    public func record(
        _ permit: consuming Permit,
        _ outcome: CallOutcome,
        at instant: Instant,
        error: (any Error)? = nil
    ) {
        guard permit.owner == ObjectIdentifier(self) else { return }
        settle(permit.ticket, outcome, at: instant, error: error)
    }

    @inline(__always)
    func settle(_ ticket: Ticket, _ outcome: CallOutcome, at instant: Instant, error: (any Error)?) {
        if !ticket.deadlines.isNone, outcome.kind != .failure, let timeout = ticket.deadlines.expired() {
            return settleKnown(ticket, self.outcome(of: timeout), at: instant, error: timeout)
        }
        settleKnown(ticket, outcome, at: instant, error: error)
    }

    @inline(__always)
    private func settleKnown(_ ticket: Ticket, _ outcome: CallOutcome, at instant: Instant, error: (any Error)?) {
        if outcome.kind == .success, quiet.succeed(ticket.stamp, at: instant) { return }
        if let error, outcome.kind == .failure { remember(error) }
        if pace.hasPredicate { return settleByPredicate(ticket, outcome, at: instant) }
        let hasNews = access { core in
            core.machine.record(ticket, outcome, at: instant)
            return core.machine.log.hasNews
        }
        if hasNews { publish() }
    }

    @inline(never)
    private func settleByPredicate(_ ticket: Ticket, _ outcome: CallOutcome, at instant: Instant) {
        let (hasNews, question) = access { core in
            core.machine.record(ticket, outcome, at: instant)
            return (core.machine.log.hasNews, core.machine.takeQuestion())
        }
        if hasNews { publish() }
        if let question { answer(question, at: instant) }
    }

    /// Keeps the error that rejections will quote. The one before is let go of outside the lock, as that may run code.
    @inline(never)
    private func remember(_ error: any Error) {
        let previous = core.withLock { core in
            let previous = core.lastError
            core.lastError = error
            return previous
        }
        withExtendedLifetime(previous) {}
    }

    /// Takes the lock for an input, and sees to it that the quiet lane is open just when the input leaves it so.
    @inline(__always)
    func access<Result>(_ body: (inout Core) -> Result) -> Result {
        core.withLock { core in
            if quiet.isOpen { core.machine.now = max(core.machine.now, quiet.latest) }
            let result = body(&core)
            quiet.set(core.machine.quietStamp, at: core.machine.now)
            return result
        }
    }

    /// Tells of transitions, in their order and outside the lock.
    @inline(never)
    func publish() {
        hub.publish { core.withLock { $0.machine.log.takeNews() } }
    }
}
