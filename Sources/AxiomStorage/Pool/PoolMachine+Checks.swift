// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

// Checks of connections before their reuse.
extension PoolMachine {
    /// A check under way.
    struct Check: Sendable {
        let lease: Lease
        let deadline: Instant
    }

    mutating func check(_ lease: Lease, _ now: Instant, _ effects: inout Effects) {
        move(lease.number, to: .checking)
        checks[lease.number] = Check(lease: lease, deadline: now.advanced(by: rules.checkLimit))
        effects.checks.append(lease)
    }

    /// A check ended. Does nothing if it took too long: the connection was given up then.
    mutating func checked(_ lease: Lease, isValid: Bool, at now: Instant, _ effects: inout Effects) {
        guard checks.removeValue(forKey: lease.number) != nil else { return }
        var lease = lease
        lease.isSuspect = false
        if isValid { serve(lease, now, &effects) } else { close(lease, .invalid, &effects) }
        dispatch(now, &effects)
    }

    /// Gives up the connections whose checks take too long. The waiters get other ones.
    mutating func expireChecks(at now: Instant, _ effects: inout Effects) {
        for check in checks.values.filter({ $0.deadline <= now }) {
            checks[check.lease.number] = nil
            close(check.lease, .invalid, &effects)
        }
        dispatch(now, &effects)
    }

    /// When the first of the checks under way takes too long; nil if there is none.
    var checkDeadline: Instant? { checks.values.lazy.map(\.deadline).min() }
}
