// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

extension PoolCore {
    /// Closes the pool and waits until all its connections are closed: ``ConnectionPool/close(within:)``.
    func close(within limit: Duration) async throws {
        let deadline = clock.now.advanced(by: limit)
        change { $0.close(&$1) }
        let (timer, end) = state.withLock { state in
            let end = OneShot<PoolEnd>()
            let isDrained = state.machine.phases.isEmpty
            if isDrained { end.settle(.drained) } else { state.ends.append(end) }
            return (state.timer.take(), end)
        }
        timer?.cancel()
        let verdict = await self.end(end, until: deadline)
        state.withLock { $0.ends.removeAll { $0 === end } }
        switch verdict {
        case .drained: return
        case .cancelled: throw CancellationError()
        case .late: throw PoolError.overdue(name, limit, state.withLock { $0.machine.phases })
        }
    }

    private func end(_ end: OneShot<PoolEnd>, until deadline: Instant) async -> PoolEnd {
        if let settled = end.settled { return settled }
        async let _: Void = expire(end, at: deadline)
        return await end.value(ifCancelled: .cancelled)
    }

    private func expire(_ end: OneShot<PoolEnd>, at deadline: Instant) async {
        if (try? await clock.sleep(until: deadline)) != nil { end.settle(.late) }
    }
}
