// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// A ``ConnectionPool`` without the type of its connections.
///
/// The code of a generic class is not specialized in other modules, where each step of it would cost ten times as much.
///
/// A call that finds an idle connection and no waiters takes the lock twice: to take the connection, and to give it back.
/// A check in between adds two turns of the lock and of the lock of a waiter. A check that has to be awaited adds a task,
/// which is run in place until it suspends.
final class PoolCore: Sendable {
    typealias Machine = PoolMachine<any PooledConnection, PoolWaiter>

    struct State {
        var machine: Machine
        /// Sleeps until the next sweep of the machine.
        var timer: Alarm?
        /// Calls of ``close(within:)``.
        var ends: [OneShot<PoolEnd>] = []
        /// Waiters whose call has ended, for other calls: at most ``PoolCore/spareLimit``.
        var spares: [PoolWaiter] = []
        /// Sleeps until the first check under way takes too long.
        var checkTimer: Task<Void, Never>?
    }

    static let spareLimit = 16

    /// The name, for errors and metrics.
    let name: String
    let limit: Int
    let acquireTimeout: Duration?
    let clock: TimeSource
    let make: @Sendable () async throws -> any PooledConnection
    let signals: PoolSignals
    /// Locked for one transition. No code of a connection runs inside, and waiters are resumed outside.
    let state: Lock<State>

    init(
        _ name: String,
        limit: Int,
        owner: ComponentIdentity?,
        clock: TimeSource,
        _ configuration: ConnectionPoolConfiguration,
        make: @escaping @Sendable () async throws -> any PooledConnection
    ) throws(PoolError) {
        try configuration.validate(name, limit: limit)
        self.name = name
        self.limit = limit
        acquireTimeout = configuration.acquireTimeout
        self.clock = clock
        self.make = make
        signals = PoolSignals(name, owner)
        let rules = PoolRules(
            limit: limit,
            idleLimit: configuration.idleLimit,
            ageLimit: configuration.ageLimit,
            checkAfter: configuration.checkAfter,
            checkLimit: configuration.checkLimit
        )
        state = Lock(State(machine: Machine(rules, seed: .random(in: .min ... .max))))
    }

    deinit {
        // Only idle connections can be left: all others are held by a task or a call that holds the pool.
        var effects = Machine.Effects()
        let (timer, checkTimer, counts) = state.withLock { state in
            let counts = state.machine.counts
            state.machine.close(&effects)
            return (state.timer.take(), state.checkTimer.take(), counts)
        }
        timer?.cancel()
        checkTimer?.cancel()
        signals.changed(from: counts, to: PoolCounts())
        for (lease, reason) in effects.closings {
            signals.closed(reason)
            Task.detached(executorPreference: inheritedExecutor) { await lease.connection.close() }
        }
    }

    /// The connections by phase, the waiting calls and the totals, all read at one instant.
    var counts: PoolCounts { state.withLock { $0.machine.counts } }

    /// - Parameter isSuspect: Whether the call failed.
    func giveBack(_ lease: Machine.Lease, isSuspect: Bool) {
        change { $0.machine.returned(lease, isSuspect: isSuspect, at: clock.now, &$1) }
    }
}

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
