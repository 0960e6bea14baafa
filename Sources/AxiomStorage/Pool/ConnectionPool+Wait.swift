// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

extension ConnectionPool {
    /// Waits for a connection.
    func acquire(within limit: Duration?, isolation: isolated (any Actor)?) async throws -> Machine.Lease {
        try Task.checkCancellation()
        let start = clock.now
        let limit = limit ?? configuration.acquireTimeout
        let deadline = limit.map { start.advanced(by: $0) }
        let waiter = OneShot<Verdict>()
        guard let ticket = change({ $0.acquire(waiter, deadline: deadline, at: start, &$1) }) else {
            throw PoolError.closed(name)
        }
        switch await wait(waiter, isolation: isolation, ticket, until: deadline) {
        case .leased(let lease):
            signals.served(since: start, at: clock.now)
            return lease
        case .failed(let error): throw error
        case .late: throw PoolError.timedOut(name, limit ?? .zero, counts, limit: self.limit)
        case .cancelled: throw CancellationError()
        }
    }

    private func wait(
        _ waiter: OneShot<Verdict>,
        isolation: isolated (any Actor)?,
        _ ticket: UInt64,
        until deadline: Instant?
    ) async -> Verdict {
        if let settled = waiter.settled { return settled }
        return await withTaskCancellationHandler {
            await verdict(of: waiter, ticket, until: deadline)
        } onCancel: {
            leave(ticket, .cancelled)
        }
    }

    /// Every waiter is settled: by the timer, the cancellation handler, a transition, or the closing of the pool.
    private func verdict(
        of waiter: OneShot<Verdict>,
        isolation: isolated (any Actor)? = #isolation,
        _ ticket: UInt64,
        until deadline: Instant?
    ) async -> Verdict {
        guard let deadline else { return await waiter.value }
        // Leaving the scope cancels the timer and waits for it.
        async let _: Void = expire(ticket, at: deadline)
        return await waiter.value
    }

    private func expire(_ ticket: UInt64, at deadline: Instant) async {
        guard (try? await clock.sleep(until: deadline)) != nil else { return }
        leave(ticket, .late)
    }

    private func leave(_ ticket: UInt64, _ verdict: Verdict) {
        let isLate = if case .late = verdict { true } else { false }
        change { machine, _ in machine.remove(ticket, isLate: isLate) }?.settle(verdict)
    }
}
