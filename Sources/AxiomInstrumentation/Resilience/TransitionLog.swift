// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
package import AxiomResilience

/// The latest transitions of all circuit breakers, for later diagnosis: 6 of each breaker.
package final class TransitionLog: Sendable {
    /// How many transitions of a breaker are kept.
    package static let capacity = 6

    private struct State {
        /// The transitions by the breaker's name, in order.
        var transitions: [String: [CircuitTransition]] = [:]
        var count: UInt64 = 0
    }

    /// Guarded by its lock, which is taken for each transition, outside every lock of a breaker.
    private let state = Lock(State())

    /// The transitions by the breaker's name, in order.
    package var transitions: [String: [CircuitTransition]] { state.withLock { $0.transitions } }

    /// The number of all transitions.
    package var count: UInt64 { state.withLock { $0.count } }

    func follow(_ breaker: CircuitBreaker) {
        breaker.onTransition { [weak self] in self?.add($0) }
    }

    private func add(_ transition: CircuitTransition) {
        state.withLock { state in
            state.count += 1
            state.transitions[transition.breaker, default: []].append(transition)
            let excess = (state.transitions[transition.breaker]?.count ?? 0) - Self.capacity
            if excess > 0 { state.transitions[transition.breaker]?.removeFirst(excess) }
        }
    }
}
