// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension PoolCore {
    private enum Entry: Sendable {
        case leased(Machine.Lease)
        case waiting(PoolWaiter, ticket: UInt64)
        case closed
    }

    /// Waits for a connection.
    func acquire(within limit: Duration?, isolation: isolated (any Actor)?) async throws -> Machine.Lease {
        try Task.checkCancellation()
        let start = clock.now
        let limit = limit ?? acquireTimeout
        let deadline = limit.map(start.advanced)
        let mayWait = limit.map { $0 > .zero } ?? true
        let lease: Machine.Lease
        switch enter(until: mayWait ? deadline : nil, at: start) {
        case .leased(let idle): lease = idle
        case .closed: throw PoolError.closed(name)
        case .waiting(let waiter, let ticket):
            let verdict = await wait(waiter, isolation: isolation, ticket, mayWait, until: deadline)
            lease = try accept(verdict, limit)
        }
        signals.served(since: start, at: clock.now)
        return lease
    }

    private func accept(_ verdict: PoolWaiter.Verdict, _ limit: Duration?) throws -> Machine.Lease {
        switch verdict {
        case .leased(let lease): return lease
        case .failed(let error): throw error
        case .late: throw PoolError.timedOut(name, limit ?? .zero, counts, limit: self.limit)
        case .cancelled: throw CancellationError()
        }
    }

    private func enter(until deadline: Instant?, at now: Instant) -> Entry {
        change { state, effects -> Entry in
            let waiter = state.spares.popLast() ?? PoolWaiter()
            switch state.machine.acquire(waiter, deadline: deadline, at: now, &effects) {
            case .waiting(let ticket): return .waiting(waiter, ticket: ticket)
            case .leased(let lease):
                Self.keep(waiter, in: &state)
                return .leased(lease)
            case .closed: return .closed
            }
        }
    }

    private static func keep(_ waiter: PoolWaiter, in state: inout State) {
        if state.spares.count < spareLimit { state.spares.append(waiter) }
    }

    private func wait(
        _ waiter: PoolWaiter,
        isolation: isolated (any Actor)?,
        _ ticket: UInt64,
        _ mayWait: Bool,
        until deadline: Instant?
    ) async -> PoolWaiter.Verdict {
        if !mayWait { leave(ticket, .late) }
        let verdict =
            if let known = waiter.take() {
                known
            } else {
                await withTaskCancellationHandler {
                    await self.verdict(of: waiter, ticket, until: deadline)
                } onCancel: {
                    leave(ticket, .cancelled)
                }
            }
        state.withLock { Self.keep(waiter, in: &$0) }
        return verdict
    }

    /// Every waiter is settled: by the timer, the cancellation handler, a transition, or the closing of the pool.
    private func verdict(
        of waiter: PoolWaiter,
        isolation: isolated (any Actor)? = #isolation,
        _ ticket: UInt64,
        until deadline: Instant?
    ) async -> PoolWaiter.Verdict {
        guard let deadline else { return await waiter.verdict() }
        // Leaving the scope cancels the timer and waits for it.
        async let _: Void = expire(ticket, at: deadline)
        return await waiter.verdict()
    }

    private func expire(_ ticket: UInt64, at deadline: Instant) async {
        guard (try? await clock.sleep(until: deadline)) != nil else { return }
        leave(ticket, .late)
    }

    private func leave(_ ticket: UInt64, _ verdict: PoolWaiter.Verdict) {
        let isLate = if case .late = verdict { true } else { false }
        change { state, _ in state.machine.remove(ticket, isLate: isLate) }?.settle(verdict)
    }
}
