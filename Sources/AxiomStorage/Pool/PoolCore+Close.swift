// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The end of a call of ``ConnectionPool/close(within:)``.
enum PoolEnd: Sendable {
    case drained
    case late
    case cancelled
}

extension PoolCore {
    /// Closes the pool and waits until all its connections are closed: ``ConnectionPool/close(within:)``.
    func close(within limit: Duration) async throws {
        let deadline = clock.now.advanced(by: limit)
        change { $0.machine.close(&$1) }
        let (timer, end) = state.withLock { state in
            let end = OneShot<PoolEnd>()
            let isDrained = state.machine.phases.isEmpty
            if isDrained { end.settle(.drained) } else { state.ends.append(end) }
            return (state.timer.take(), end)
        }
        timer?.cancel()
        let verdict = await end.value(until: deadline, on: clock, late: .late, ifCancelled: .cancelled)
        state.withLock { $0.ends.removeAll { $0 === end } }
        switch verdict {
        case .drained: return
        case .cancelled: throw CancellationError()
        case .late: throw PoolError.overdue(name, limit, state.withLock { $0.machine.phases })
        }
    }
}
