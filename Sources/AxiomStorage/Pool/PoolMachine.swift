// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The state of a ``ConnectionPool``: a state machine without lock, clock and tasks.
///
/// Invariants after every transition:
/// - The connections that are created, checked, idle, in use and closed at this moment are at most `limit`. A connection
///   counts from the start of its creation to the end of its closing.
/// - A connection is idle only if there is a check under way for each waiter.
/// - There is a creation or a check under way for each waiter, or the limit is reached.
/// - A waiter that left the queue is in the effects of exactly one transition, or was returned to the caller.
struct PoolMachine<Connection: Sendable, Waiter: Sendable>: Sendable {
    /// A connection with its history. The holder in the current phase reports its next event, once.
    struct Lease: Sendable {
        let connection: Connection
        let number: Int
        let createdAt: Instant
        /// When it has to be closed because of its age; nil for never.
        let ageDeadline: Instant?
        /// When it was created or returned.
        fileprivate(set) var idleSince: Instant
        /// The last call failed, possibly with the connection: it is checked before its next use.
        var isSuspect = false
    }

    /// The answer to a request.
    enum Acquisition: Sendable {
        /// An idle connection that needs no check.
        case leased(Lease)
        /// The ticket of the waiter, who may be in the effects already.
        case waiting(UInt64)
        case closed
    }

    let rules: PoolRules
    private var waiters = FIFO<Waiter>()
    /// The connection that was returned last is at the end, and is used first.
    private var idle: [Lease] = []
    /// When the requested sweep is due.
    private var sweepAt: Instant?
    private var lastNumber = 0
    /// The checks under way, by the numbers of their connections.
    var checks: [Int: Check] = [:]
    private var random: SeededGenerator
    private(set) var isOpen = true
    /// The phase of each connection, by its number.
    private(set) var phases: [Int: PoolPhase] = [:]
    private(set) var counts = PoolCounts()

    /// - Parameter seed: For the ages at which connections are closed.
    init(_ rules: PoolRules, seed: UInt64) {
        self.rules = rules
        random = SeededGenerator(seed: seed)
    }

    // MARK: - Waiters

    /// Requests a connection. The call gets the last idle one at once if that needs no check and no other call waits.
    mutating func acquire(
        _ waiter: Waiter,
        deadline: Instant?,
        at now: Instant,
        _ effects: inout Effects
    ) -> Acquisition {
        guard isOpen else { return .closed }
        if waiters.count == 0, let lease = takeIdle(now, &effects) {
            if isTrusted(lease, now) {
                move(lease.number, to: .inUse)
                counts.acquired += 1
                return .leased(lease)
            }
            check(lease, now, &effects)
        }
        let ticket = waiters.append(waiter, deadline: deadline)
        dispatch(now, &effects)
        return .waiting(ticket)
    }

    /// The task of a waiter is cancelled, or its time-out expires. Connections that are being created or checked for it
    /// serve other waiters, or become idle.
    ///
    /// - Returns: The waiter; nil if it was served or failed before.
    mutating func remove(_ ticket: UInt64, isLate: Bool) -> Waiter? {
        guard let waiter = waiters.remove(ticket) else { return nil }
        if isLate { counts.timedOut += 1 } else { counts.cancelled += 1 }
        counts.waiters = waiters.count
        return waiter
    }

    /// Gives idle connections to waiters, and creates connections for the waiters that remain.
    mutating func dispatch(_ now: Instant, _ effects: inout Effects) {
        while counts[.checking] < waiters.count, let lease = takeIdle(now, &effects) {
            if isTrusted(lease, now) { serve(lease, now, &effects) } else { check(lease, now, &effects) }
        }
        while isOpen, counts[.creating] + counts[.checking] < waiters.count, phases.count < rules.limit {
            lastNumber += 1
            move(lastNumber, to: .creating)
            effects.creations.append(lastNumber)
        }
        counts.waiters = waiters.count
    }

    private func isTrusted(_ lease: Lease, _ now: Instant) -> Bool {
        !lease.isSuspect && rules.checkAfter > .zero && now < lease.idleSince.advanced(by: rules.checkAfter)
    }

    /// Takes the last idle connection that is not past its limits.
    private mutating func takeIdle(_ now: Instant, _ effects: inout Effects) -> Lease? {
        while let lease = idle.popLast() {
            guard let reason = expiry(of: lease, now) else { return lease }
            close(lease, reason, &effects)
        }
        return nil
    }

    /// Gives a connection to the first waiter whose deadline has not passed. Without waiter it becomes idle.
    mutating func serve(_ lease: Lease, _ now: Instant, _ effects: inout Effects) {
        guard let waiter = nextWaiter(now, &effects) else { return keep(lease, now, &effects) }
        move(lease.number, to: .inUse)
        counts.acquired += 1
        effects.served.append((waiter, lease))
    }

    private mutating func nextWaiter(_ now: Instant, _ effects: inout Effects) -> Waiter? {
        defer { counts.waiters = waiters.count }
        while let (waiter, deadline) = waiters.popFirst() {
            guard let deadline, deadline <= now else { return waiter }
            counts.timedOut += 1
            effects.late.append(waiter)
        }
        return nil
    }

    // MARK: - Connections

    /// A creation succeeded.
    mutating func created(_ number: Int, _ connection: Connection, at now: Instant, _ effects: inout Effects) {
        counts.created += 1
        // Connections that were created together are not closed together.
        let age = rules.ageLimit.map { now.advanced(by: $0 * (1 - 0.1 * random.unit())) }
        let lease = Lease(connection: connection, number: number, createdAt: now, ageDeadline: age, idleSince: now)
        serve(lease, now, &effects)
        dispatch(now, &effects)
    }

    /// A creation failed. The first waiter fails with it, unless other creations and checks suffice for all waiters.
    mutating func creationFailed(_ number: Int, at now: Instant, _ effects: inout Effects) {
        remove(number, &effects)
        counts.failed += 1
        if counts[.creating] + counts[.checking] < waiters.count, let waiter = nextWaiter(now, &effects) {
            effects.failed.append(waiter)
            counts.refused += 1
        }
        dispatch(now, &effects)
    }

    /// A connection was returned.
    ///
    /// - Parameter isSuspect: Whether the call failed.
    mutating func returned(_ lease: Lease, isSuspect: Bool, at now: Instant, _ effects: inout Effects) {
        counts.returned += 1
        var lease = lease
        (lease.idleSince, lease.isSuspect) = (now, isSuspect)
        keep(lease, now, &effects)
        dispatch(now, &effects)
    }

    /// A closing ended.
    mutating func closed(_ number: Int, at now: Instant, _ effects: inout Effects) {
        counts.closed += 1
        remove(number, &effects)
        dispatch(now, &effects)
    }

    /// Closes the idle connections that are past their limits.
    mutating func sweep(at now: Instant, _ effects: inout Effects) {
        var kept: [Lease] = []
        for lease in idle {
            if let reason = expiry(of: lease, now) { close(lease, reason, &effects) } else { kept.append(lease) }
        }
        idle = kept
        sweepAt = idle.compactMap(deadline).min()
        effects.sweepAt = sweepAt
    }

    /// Closes the pool: all waiters are rejected, and each connection is closed as soon as it is not in use.
    mutating func close(_ effects: inout Effects) {
        guard isOpen else { return }
        isOpen = false
        effects.rejected = waiters.removeAll()
        counts.refused += effects.rejected.count
        counts.waiters = 0
        for lease in idle { close(lease, .shutdown, &effects) }
        idle = []
        effects.isDrained = phases.isEmpty
    }

    private mutating func keep(_ lease: Lease, _ now: Instant, _ effects: inout Effects) {
        guard isOpen else { return close(lease, .shutdown, &effects) }
        if let reason = expiry(of: lease, now) { return close(lease, reason, &effects) }
        move(lease.number, to: .idle)
        idle.append(lease)
        if let deadline = deadline(of: lease), deadline < sweepAt ?? Instant(nanoseconds: .max) {
            sweepAt = deadline
            effects.sweepAt = deadline
        }
    }

    mutating func close(_ lease: Lease, _ reason: PoolCloseReason, _ effects: inout Effects) {
        move(lease.number, to: .closing)
        effects.closings.append((lease, reason))
    }

    mutating func move(_ number: Int, to phase: PoolPhase) {
        if let former = phases.updateValue(phase, forKey: number) { counts[former] -= 1 }
        counts[phase] += 1
    }

    private mutating func remove(_ number: Int, _ effects: inout Effects) {
        if let former = phases.removeValue(forKey: number) { counts[former] -= 1 }
        effects.isDrained = !isOpen && phases.isEmpty
    }

    /// Why an idle connection has to be closed now; nil if it can be used.
    private func expiry(of lease: Lease, _ now: Instant) -> PoolCloseReason? {
        if let deadline = lease.ageDeadline, deadline <= now { return .age }
        if let limit = rules.idleLimit, lease.idleSince.advanced(by: limit) <= now { return .idle }
        return nil
    }

    /// When an idle connection has to be closed; nil for never.
    private func deadline(of lease: Lease) -> Instant? {
        let idle = rules.idleLimit.map { lease.idleSince.advanced(by: $0) }
        guard let age = lease.ageDeadline, let idle else { return lease.ageDeadline ?? idle }
        return min(age, idle)
    }
}
