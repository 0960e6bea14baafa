// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension CircuitBreaker: ResilienceStrategy {
    /// Runs `operation` on the actor of the caller if the breaker admits it, and records how it ends. The configuration's
    /// `classify` classifies an error; a result is a success.
    ///
    /// - Throws: The error of the operation, or ``CircuitOpenError`` if the breaker rejects the call.
    @inlinable
    @inline(__always)
    public func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        let ticket = try enter()
        let result: R
        do {
            result = try await operation()
        } catch {
            failed(ticket, error)
            throw error
        }
        succeeded(ticket)
        return result
    }

    /// The error for a rejection by ``admit(at:)``, with the last failure as its cause.
    package func error(for rejection: Rejection) -> CircuitOpenError {
        CircuitOpenError(name, rejection: rejection, cause: core.withLock { $0.lastError })
    }

    /// Classifies an error by the configuration's `classify`, for wrappers that record calls themselves.
    package func outcome(of error: any Error) -> CallOutcome {
        core.withLock { $0.configuration.classify }(error)
    }

    // The parts of `run` that are not specialised for the type of the result.

    @usableFromInline
    func enter() throws(CircuitOpenError) -> Ticket {
        let deadlines = DeadlineSnapshot.now
        let stamp = fastPath.admit()
        if stamp != 0 { return Ticket(stamp: stamp, admittedAt: Ticket.untimed, slot: -1, deadlines: deadlines) }
        var ticket = try enterLocked()
        ticket.deadlines = deadlines
        return ticket
    }

    @inline(never)
    private func enterLocked() throws(CircuitOpenError) -> Ticket {
        if !clockRequirements.timesStart, let ticket = core.withLock({ $0.machine.admitUntimed() }) { return ticket }
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
        guard ticket.deadlines.isEmpty else { return settle(ticket, .success) }
        if !fastPath.succeed(ticket.stamp) { succeededLocked(ticket) }
    }

    @inline(never)
    private func succeededLocked(_ ticket: Ticket) {
        guard !clockRequirements.timesEnd else { return succeededTimed(ticket) }
        switch access({ $0.succeed(ticket, clock) }) {
        case .settled: return
        case .trips: publish()
        case .needsTime: settle(ticket, .success)
        }
    }

    /// Not `settle`, which would ask the deadlines and the fast path again.
    @inline(never)
    private func succeededTimed(_ ticket: Ticket) { settleLocked(ticket, .success, at: clock.now) }

    @inline(never)
    private func settle(_ ticket: Ticket, _ outcome: CallOutcome) {
        settle(ticket, outcome, at: clock.now, error: nil)
    }

    @usableFromInline
    @inline(never)
    func failed(_ ticket: Ticket, _ error: any Error) {
        settle(ticket, outcome(of: error), at: clock.now, error: error)
    }
}
