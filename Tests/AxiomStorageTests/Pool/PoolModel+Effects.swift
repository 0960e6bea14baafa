// SPDX-License-Identifier: Apache-2.0

import AxiomBase

@testable import AxiomStorage

/// Checks the effects of a transition, and accounts for connections and waiters by them.
extension PoolModel {
    /// The limits of a connection. It is closed because of its age at an instant that is drawn.
    func expiries(of connection: Connection) -> [(reason: PoolCloseReason, earliest: Instant, latest: Instant)] {
        let (created, idle) = (connection.createdAt, connection.idleSince)
        return [
            rules.ageLimit.map { (.age, created.advanced(by: $0 * 0.9), created.advanced(by: $0)) },
            rules.idleLimit.map { (.idle, idle.advanced(by: $0), idle.advanced(by: $0)) },
        ]
        .compactMap(\.self)
    }

    mutating func apply(_ event: @autoclosure () -> String, _ effects: Machine.Effects) {
        journal.write("\(event()): \(effects)")
        for waiter in effects.late { takeLate(waiter) }
        for (waiter, lease) in effects.served { take(waiter, lease) }
        for waiter in effects.failed { takeFailed(waiter) }
        for (lease, reason) in effects.closings { takeClosing(lease, reason) }
        for lease in effects.checks { takeCheck(lease) }
        for number in effects.creations {
            require(connections[number] == nil && leases[number] == nil, "\(number) was used before")
            connections[number] = Connection(phase: .creating, createdAt: now, idleSince: now)
        }
        sweep = effects.sweepAt ?? sweep
        subject = nil
        check()
    }

    mutating func takeLate(_ waiter: Int) {
        let index = waiting.firstIndex { $0.waiter == waiter }
        require(index.flatMap { waiting[$0].deadline }.map { $0 <= now } == true, "\(waiter) is not late")
        if let index { waiting.remove(at: index) }
        resolved[waiter, default: 0] += 1
    }

    /// Only the first waiter whose deadline has not passed.
    mutating func takeFirst(_ waiter: Int) {
        require(waiting.first?.waiter == waiter, "\(waiter) is not the first of \(waiting.map(\.waiter))")
        require(waiting.first?.deadline.map { $0 > now } ?? true, "\(waiter) is late")
        waiting.removeAll { $0.waiter == waiter }
        resolved[waiter, default: 0] += 1
    }

    mutating func take(_ waiter: Int, _ lease: Machine.Lease) {
        takeFirst(waiter)
        lend(lease)
    }

    mutating func lend(_ lease: Machine.Lease) {
        guard let connection = connections[lease.number] else { return fail("\(lease.number) does not exist") }
        require(connection.phase == .idle, "\(lease.number) is \(connection.phase)")
        let isTrusted = !connection.isSuspect && connection.idleSince.advanced(by: rules.checkAfter) > now
        require(subject == lease.number || isTrusted, "\(lease.number) was not checked")
        connections[lease.number]?.phase = .inUse
        leases[lease.number] = lease
    }

    mutating func takeFailed(_ waiter: Int) {
        takeFirst(waiter)
        require(subject.map { connections[$0] == nil } == true, "\(waiter) failed without a failed creation")
    }

    /// The connections that are being created or checked.
    var pending: Int { connections.values.count { $0.phase == .creating || $0.phase == .checking } }

    mutating func takeClosing(_ lease: Machine.Lease, _ reason: PoolCloseReason) {
        guard let connection = connections[lease.number] else { return fail("\(lease.number) does not exist") }
        require(connection.phase == .idle, "\(lease.number) is closed while \(connection.phase)")
        let expiry = expiries(of: connection).first { $0.reason == reason }
        switch reason {
        case .idle, .age: require(expiry.map { $0.earliest <= now } == true, "\(lease.number) is not past its limit")
        case .shutdown: require(!isOpen, "\(lease.number) is closed by the shutdown of an open pool")
        case .invalid: break
        }
        connections[lease.number]?.phase = .closing
    }

    mutating func takeCheck(_ lease: Machine.Lease) {
        require(connections[lease.number]?.phase == .idle, "\(lease.number) is checked while it is not idle")
        let expired = connections[lease.number].map { expiries(of: $0).contains { $0.latest <= now } }
        require(expired == false, "\(lease.number) is checked past its limit")
        connections[lease.number]?.phase = .checking
        connections[lease.number]?.checkedSince = now
        leases[lease.number] = lease
    }

    func check() {
        let counts = machine.counts
        require(connections.count <= rules.limit, "\(connections.count) connections of \(rules.limit)")
        require(connections.mapValues(\.phase) == machine.phases, "\(connections) is not \(machine.phases)")
        for phase in PoolPhase.allCases {
            let number = connections.values.count { $0.phase == phase }
            require(counts[phase] == number, "\(counts[phase]) instead of \(number) \(phase)")
        }
        require(counts.waiters == waiting.count, "\(counts.waiters) instead of \(waiting.count) waiters")
        require(counts.created == counts.closed + counts.live - counts[.creating], "\(counts)")
        require(counts.acquired == counts.returned + counts[.inUse], "\(counts)")
        let pending = counts[.creating] + counts[.checking]
        require(counts[.checking] >= waiting.count || counts[.idle] == 0, "a connection is idle while calls wait")
        let isWorking = pending >= waiting.count || connections.count == rules.limit
        require(isWorking, "\(waiting.count) calls wait for \(pending) connections below the limit")
        let deadlines = connections.values.filter { $0.phase == .idle }.flatMap { expiries(of: $0).map(\.latest) }
        if isOpen, let first = deadlines.min() {
            require(sweep.map { $0 <= first } == true, "no sweep before \(first), but at \(String(describing: sweep))")
        }
    }
}
