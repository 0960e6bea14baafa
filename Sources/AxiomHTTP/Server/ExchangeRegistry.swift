// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The requests that a server has at the moment, and whether it takes more.
final class ExchangeRegistry: Sendable {
    private enum Phase {
        case running
        /// No new requests; those in flight may end.
        case draining
        /// Nothing may wait any longer.
        case closing
    }

    private struct State {
        var phase = Phase.running
        var nextID: UInt64 = 0
        var exchanges: [UInt64: Exchange] = [:]
        /// Those that arrived whole while the server was running. A client that vanishes in the middle of its body
        /// may stay unnoticed until the idle timeout, so a stop does not wait for bodies.
        var inFlight: Set<UInt64> = []
        var waiters: [CheckedContinuation<Void, Never>] = []
        /// The wait may begin after its time is up.
        var hasGivenUp = false

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            defer { waiters = [] }
            return waiters
        }
    }

    /// Guards every field. An exchange's lock is never taken under it, nor it under an exchange's.
    private let state = Mutex(State())

    /// Whether connections are accepted.
    var acceptsConnections: Bool { state.withLock { $0.phase == .running } }

    /// How many requests are being answered.
    var inFlight: Int { state.withLock { $0.inFlight.count } }

    /// Enters what `make` makes. In the last phase the exchange is abandoned at birth, so that it never suspends.
    func open(_ make: (UInt64) -> Exchange) -> Exchange {
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        let exchange = make(id)
        let isLate = state.withLock { state in
            state.exchanges[id] = exchange
            return state.phase == .closing
        }
        if isLate { exchange.abandon() }
        return exchange
    }

    /// Counts a request as in flight; `false` when the server no longer takes any.
    func begin(_ id: UInt64) -> Bool {
        state.withLock { state in
            guard state.phase == .running else { return false }
            state.inFlight.insert(id)
            return true
        }
    }

    /// Forgets a request, and wakes the stop that waits for the last.
    func finish(_ id: UInt64) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.exchanges[id] = nil
            state.inFlight.remove(id)
            return state.inFlight.isEmpty ? state.takeWaiters() : []
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Cancels what the request waits for, because its peer has gone.
    func peerDisconnected(_ id: UInt64) {
        state.withLock { $0.exchanges[id] }?.peerDisconnected()
    }

    /// Takes no more connections and requests.
    func drain() {
        state.withLock { $0.phase = .draining }
    }

    /// Returns when no request is in flight, or at ``giveUpWaiting()``.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.inFlight.isEmpty || state.hasGivenUp { return true }
                state.waiters.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Ends the wait of ``waitUntilIdle()``, also of one that begins later.
    func giveUpWaiting() {
        let waiters = state.withLock { state in
            state.hasGivenUp = true
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Abandons every request. From here on no connection is suspended, nor will be.
    func abandonAll() {
        let exchanges = state.withLock { state in
            state.phase = .closing
            return Array(state.exchanges.values)
        }
        for exchange in exchanges { exchange.abandon() }
        giveUpWaiting()
    }
}
