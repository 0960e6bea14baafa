// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension CircuitBreaker {
    /// Runs the operation if the breaker admits it, and learns from how it ends: from an error by the configuration's
    /// `classify`, from a result by `classifyResult`.
    ///
    /// - Throws: What the operation throws, or ``CircuitOpenError`` without running it.
    @inlinable
    @inline(__always)
    public func run<R: Sendable>(_ operation: @Sendable () async throws -> R) async throws -> R {
        let ticket = try enter()
        let result: R
        do {
            result = try await operation()
        } catch {
            failed(ticket, error)
            throw error
        }
        if ticket.judgesResults { settle(ticket, judge(result)) } else { succeeded(ticket) }
        return result
    }

    /// Runs the operation as ``run(_:)`` does, and learns from a result by `judge`.
    ///
    /// - Parameters:
    ///   - judge: What a result says about the call.
    ///   - operation: What to run.
    /// - Throws: What the operation throws, or ``CircuitOpenError`` without running it.
    @inlinable
    @inline(__always)
    public func run<R: Sendable>(
        judging judge: @Sendable (R) -> CallOutcome,
        _ operation: @Sendable () async throws -> R
    ) async throws -> R {
        let ticket = try enter()
        let result: R
        do {
            result = try await operation()
        } catch {
            failed(ticket, error)
            throw error
        }
        settle(ticket, judge(result))
        return result
    }

    /// The error for a rejection of ``admit(at:)``, with the last error as its cause.
    public func error(for rejection: Rejection) -> CircuitOpenError {
        CircuitOpenError(name, rejection: rejection, cause: core.withLock { $0.lastError })
    }

    /// What an error says about a call, by the configuration's `classify`: for wrappers that record calls themselves.
    public func outcome(of error: any Error) -> CallOutcome {
        core.withLock { $0.configuration.classify }(error)
    }

    // The rest is what `run` is made of where it is specialised for its caller's result.

    @usableFromInline
    func enter() throws(CircuitOpenError) -> Ticket {
        let deadlines = DeadlineMark.now
        let stamp = quiet.admit()
        if stamp != 0 { return Ticket(stamp: stamp, admittedAt: Ticket.untimed, slot: -1, deadlines: deadlines) }
        var ticket = try enterLocked()
        ticket.deadlines = deadlines
        return ticket
    }

    @inline(never)
    private func enterLocked() throws(CircuitOpenError) -> Ticket {
        if !pace.timesStart, let ticket = core.withLock({ $0.machine.admitUntimed() }) { return ticket }
        return try enterTimed()
    }

    private func enterTimed() throws(CircuitOpenError) -> Ticket {
        var cause: (any Error)?
        switch decide(at: clock.now, ifRejected: { cause = $0.lastError }) {
        case .admitted(let ticket): return ticket
        case .rejected(let rejection): throw CircuitOpenError(name, rejection: rejection, cause: cause)
        }
    }

    @usableFromInline
    func succeeded(_ ticket: Ticket) {
        guard ticket.deadlines.isNone else { return settle(ticket, .success) }
        if !quiet.succeed(ticket.stamp) { succeededLocked(ticket) }
    }

    @inline(never)
    private func succeededLocked(_ ticket: Ticket) {
        guard !pace.timesEnd else { return settle(ticket, .success) }
        switch access({ $0.succeed(ticket, clock) }) {
        case .settled: return
        case .trips: publish()
        case .needsTime: settle(ticket, .success)
        }
    }

    @usableFromInline
    @inline(never)
    func settle(_ ticket: Ticket, _ outcome: CallOutcome) {
        settle(ticket, outcome, at: clock.now, error: nil)
    }

    @usableFromInline
    @inline(never)
    func failed(_ ticket: Ticket, _ error: any Error) {
        settle(ticket, outcome(of: error), at: clock.now, error: error)
    }

    @usableFromInline
    func judge(_ result: some Sendable) -> CallOutcome {
        core.withLock { $0.configuration.classifyResult }?(result) ?? .success
    }
}
