// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

extension ConnectionPool {
    /// Closes the pool and waits until all its connections are closed.
    ///
    /// Calls that wait fail with the code ``/Axiom/ErrorCode/poolClosed``. Idle connections are closed at once, and
    /// connections in use when they come back. Further calls wait for the same end.
    ///
    /// - Parameter limit: How long to wait. The pool continues to close its connections after it.
    /// - Throws: ``PoolError`` with the code ``/Axiom/ErrorCode/connectionsOverdue`` if the limit passed; its message names
    ///   the connections. `CancellationError` if the task is cancelled.
    public func close(within limit: Duration = .seconds(5)) async throws {
        let deadline = clock.now.advanced(by: limit)
        change { $0.close(&$1) }
        let (timer, end) = state.withLock { state in
            let end = OneShot<PoolEnd>()
            let isDrained = state.machine.phases.isEmpty
            if isDrained { end.settle(.drained) } else { state.ends.append(end) }
            return (state.timer.take(), end)
        }
        timer?.cancel()
        switch await self.end(end, until: deadline) {
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
