// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import AxiomStorage
import AxiomTestSupport

/// A server whose connections can be refused, held, broken and slow to close.
final class PoolServer: Sendable {
    struct Refused: Error, Equatable { var number: Int }

    struct State {
        var requested = 0
        var opened = 0
        var closed = 0
        var open = 0
        var mostOpen = 0
        var refuses = 0
        /// Creations, checks and closings wait for this.
        var openGate: OneShot<Void>?
        var checkGate: OneShot<Void>?
        var closeGate: OneShot<Void>?
        /// The checks that have waited for a gate, or wait.
        var heldChecks = 0
    }

    private let state = Lock(State())

    var now: State { state.withLock { $0 } }

    func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

    func open() async throws -> PoolConnection {
        let (number, refuses, gate) = state.withLock { state in
            state.requested += 1
            if state.refuses > 0 {
                state.refuses -= 1
                return (state.requested, true, state.openGate)
            }
            return (state.requested, false, state.openGate)
        }
        await gate?.value
        if refuses { throw Refused(number: number) }
        state.withLock { state in
            state.opened += 1
            state.open += 1
            state.mostOpen = max(state.mostOpen, state.open)
        }
        return PoolConnection(number: number, server: self)
    }

    fileprivate func gateOfCheck() -> OneShot<Void>? {
        state.withLock { state in
            if state.checkGate != nil { state.heldChecks += 1 }
            return state.checkGate
        }
    }

    fileprivate func close() async {
        await now.closeGate?.value
        state.withLock { state in
            state.closed += 1
            state.open -= 1
        }
    }
}

final class PoolConnection: PooledConnection {
    let number: Int
    private let server: PoolServer
    private let state = Lock((isBroken: false, isKnownValid: Bool?.none, users: 0, closings: 0))

    init(number: Int, server: PoolServer) {
        self.number = number
        self.server = server
    }

    var isValid: Bool {
        get async {
            await server.gateOfCheck()?.value
            return !state.withLock { $0.isBroken }
        }
    }

    var closings: Int { state.withLock { $0.closings } }
    var knownValidity: Bool? { state.withLock { $0.isKnownValid } }
    func knows(_ isValid: Bool) { state.withLock { $0.isKnownValid = isValid } }
    func breakDown() { state.withLock { $0.isBroken = true } }

    /// - Returns: Whether it is the only user of an open connection.
    func enter() -> Bool {
        state.withLock { state in
            state.users += 1
            return state.users == 1 && state.closings == 0
        }
    }

    func leave() { state.withLock { $0.users -= 1 } }

    func close() async {
        state.withLock { $0.closings += 1 }
        await server.close()
    }
}
