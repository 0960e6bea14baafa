// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Glibc

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
    }

    /// Guards every field. An exchange's lock is never taken under it, nor it under an exchange's.
    private let state = Lock(State())
    /// Those that arrived whole while the server was running; one enters under the lock of the phase. A client that
    /// vanishes in the middle of its body may stay unnoticed until the idle timeout, so a stop does not wait for bodies.
    let inFlight = DrainingSet<UInt64>()

    /// Whether connections are accepted.
    var acceptsConnections: Bool { state.withLock { $0.phase == .running } }

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
            inFlight.insert(id)
            return true
        }
    }

    /// Forgets a request.
    func finish(_ id: UInt64) {
        state.withLock { $0.exchanges[id] = nil }
        inFlight.remove(id)
    }

    /// Cancels what the request waits for, because its peer has gone.
    func peerDisconnected(_ id: UInt64) {
        state.withLock { $0.exchanges[id] }?.peerDisconnected()
    }

    /// Answers a request of the calling thread whose Content-Length libmicrohttpd found malformed.
    func refuseMalformedLength() {
        let thread = pthread_self()
        let own = state.withLock { $0.exchanges.values.filter { $0.thread == thread } }
        _ = own.first { $0.refuseMalformedLength() }
    }

    /// Takes no more connections and requests.
    func drain() {
        state.withLock { $0.phase = .draining }
    }

    /// Abandons every request. From here on no connection is suspended, nor will be.
    func abandonAll() {
        let exchanges = state.withLock { state in
            state.phase = .closing
            return Array(state.exchanges.values)
        }
        for exchange in exchanges { exchange.abandon() }
        inFlight.giveUpWaiting()
    }
}
