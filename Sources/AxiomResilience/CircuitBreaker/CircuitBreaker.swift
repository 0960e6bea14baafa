// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Rejects calls to a server that keeps failing, and uses a few calls to find out when it works again.
///
/// ```swift
/// let breaker = try CircuitBreaker(name: "payments", configuration)
/// let receipt = try await breaker.run { try await payments.charge(card) }
/// ```
///
/// A closed breaker admits every call and records how it ends. If too many calls fail or are slow, the breaker opens and
/// rejects calls, for a time that grows from one opening to the next. Then it is half open: it admits a few calls as
/// probes, and their results close it or open it again. A call that was admitted before the breaker last opened, became
/// half open or was reset decides nothing.
///
/// **Cost.** The breaker holds no lock while an operation runs. It allocates nothing to admit, record or reject a call. A
/// call through a closed breaker takes a lock twice. While a count window is full of successes, a call takes no lock, and
/// threads do not share the counters. The breaker reads the clock only if the time matters: once with a time window, twice
/// with a `slowCallDuration`, and not at all for a success in a count window.
///
/// **Deadlines.** A ``Timeout`` ends a call by cancelling it. If its deadline expires during
/// a call, the breaker counts the call as that ``TimeoutError``, even if the operation ignored the cancellation and
/// returned a value. It makes no difference whether the deadline is inside or outside of the breaker. A call that its
/// caller cancelled before the deadline counts as cancelled. A call that began after the deadline counts by its own end.
public final class CircuitBreaker: Sendable {
    struct Core: ~Copyable {
        var machine: BreakerMachine
        var configuration: CircuitBreakerConfiguration
        /// The error of the last failure.
        var lastError: (any Error)?

        /// Records a success, and reads the clock only if the success opens the breaker.
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
    /// Guards the state machine. No user code runs under it.
    let core: SpinLock<Core>
    let clockRequirements: ClockRequirements
    let fastPath = FastPath()
    let publisher = TransitionPublisher()

    /// Creates a breaker that is closed.
    ///
    /// - Parameters:
    ///   - name: The name, for errors and metrics. Not empty.
    ///   - configuration: When the breaker opens, for how long, and how it closes again.
    ///   - clock: The clock of ``run(isolation:_:)``. Instants passed to other methods must come from the same clock.
    ///   - random: The source of the seed for the jitter of open times.
    ///   - file: The source file, for errors.
    ///   - line: The line in `file`.
    /// - Throws: ``ResilienceError`` that names the breaker, the setting and the remedy.
    public init(
        name: String,
        _ configuration: CircuitBreakerConfiguration = CircuitBreakerConfiguration(),
        clock: TimeSource = .live,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        file: String = #fileID,
        line: Int = #line
    ) throws(ResilienceError) {
        let check = SettingCheck(subject: Self.subject(name), file: file, line: line)
        try check.requireName(name)
        let rules = try BreakerRules(configuration, check)
        var random = random
        let jitter = SeededGenerator(seed: random.next())
        let machine = BreakerMachine(name: name, rules: rules, at: clock.now, random: jitter)
        self.name = name
        self.clock = clock
        clockRequirements = ClockRequirements(rules)
        core = SpinLock(Core(machine: machine, configuration: configuration))
    }

    /// How error messages name a breaker.
    static func subject(_ name: String) -> String { "CircuitBreaker \"\(name)\"" }

    deinit { publisher.finish() }

    /// Asks for admission of a call. Each permit must be returned to ``record(_:_:at:error:)``.
    ///
    /// Cost: one lock. Allocates only if the call causes a transition.
    ///
    /// - Parameter instant: The present instant. One that is earlier than an instant passed before counts as that one.
    package func admit(at instant: Instant) -> Admission {
        let deadlines = DeadlineSnapshot.now
        if let ticket = fastPath.admit(at: instant, deadlines) {
            return .admitted(Permit(ticket: ticket, owner: ObjectIdentifier(self)))
        }
        switch decide(at: instant) {
        case .admitted(var ticket):
            ticket.deadlines = deadlines
            return .admitted(Permit(ticket: ticket, owner: ObjectIdentifier(self)))
        case .rejected(let rejection): return .rejected(rejection)
        }
    }

    /// Asks the state machine.
    ///
    /// - Parameter rejected: Called under the lock if the call is rejected. A second acquisition of the lock would cost as
    ///   much as the first.
    @inline(__always)
    func decide(at instant: Instant, ifRejected rejected: (borrowing Core) -> Void = { _ in }) -> Decision {
        // Not `access`: an admission under the lock leaves the fast path unchanged, or enables it one call later.
        let (decision, mustPublish) = core.withLock { core in
            let decision = core.machine.admit(at: instant)
            if case .rejected = decision { rejected(core) }
            return (decision, core.machine.history.hasUnpublished)
        }
        if mustPublish { publish() }
        return decision
    }

    /// Records how an admitted call ended. A permit of another breaker changes nothing.
    ///
    /// Call it in the task that called ``admit(at:)``. In another task, deadlines around the call are not seen. Cost: one
    /// lock. Allocates only if the outcome causes a transition.
    ///
    /// - Parameter error: The error of a failure. Rejections report the last one.
    package func record(
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
        guard ticket.deadlines.isEmpty else { return settleWithDeadlines(ticket, outcome, at: instant, error: error) }
        settleFinal(ticket, outcome, at: instant, error: error)
    }

    /// Settles a call that had deadlines around it: as failed if one of them has expired. Not inlined, to keep the path of
    /// other calls short.
    @inline(never)
    private func settleWithDeadlines(_ ticket: Ticket, _ outcome: CallOutcome, at instant: Instant, error: (any Error)?)
    {
        var (outcome, error) = (outcome, error)
        if outcome.kind != .failure, let timeout = ticket.deadlines.expiredError() {
            (outcome, error) = (self.outcome(of: timeout), timeout)
        }
        settleFinal(ticket, outcome, at: instant, error: error)
    }

    @inline(__always)
    private func settleFinal(_ ticket: Ticket, _ outcome: CallOutcome, at instant: Instant, error: (any Error)?) {
        if outcome.kind == .success, fastPath.succeed(ticket.stamp, at: instant) { return }
        if let error, outcome.kind == .failure { remember(error) }
        settleLocked(ticket, outcome, at: instant)
    }

    @inline(__always)
    func settleLocked(_ ticket: Ticket, _ outcome: CallOutcome, at instant: Instant) {
        let mustPublish = access { core in
            core.machine.record(ticket, outcome, at: instant)
            return core.machine.history.hasUnpublished
        }
        if mustPublish { publish() }
    }

    /// Stores the error that rejections report. Releases the previous one outside of the lock, because a deinitializer may
    /// be user code.
    @inline(never)
    private func remember(_ error: any Error) {
        let previous = core.withLock { core in
            let previous = core.lastError
            core.lastError = error
            return previous
        }
        withExtendedLifetime(previous) {}
    }

    /// Runs `body` under the lock, and enables or disables the fast path for the state that follows.
    @inline(__always)
    func access<Result>(_ body: (inout Core) -> Result) -> Result {
        core.withLock { core in
            if fastPath.isEnabled { core.machine.now = max(core.machine.now, fastPath.latest) }
            let result = body(&core)
            fastPath.set(core.machine.fastPathStamp, at: core.machine.now)
            return result
        }
    }

    /// Publishes transitions in their order, outside of the lock.
    @inline(never)
    func publish() { publisher.publish { core.withLock { $0.machine.history.takeUnpublished() } } }
}
