// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Foundation

/// An error of an operation, identified by its number.
struct Failure: Error, Equatable {
    var number = 0
}

/// An error that advises whether to retry.
struct Advice: RetryAdvising {
    let retryAdvice: RetryDecision
}

/// Records the calls of an operation under test.
final class Probe: Sendable {
    private struct State {
        var calls = 0
        var running = 0
        var mostRunning = 0
        var log: [Int] = []
    }

    private let state = Lock(State())

    var calls: Int { state.withLock { $0.calls } }
    var running: Int { state.withLock { $0.running } }
    var mostRunning: Int { state.withLock { $0.mostRunning } }
    var log: [Int] { state.withLock { $0.log } }

    func note(_ number: Int) {
        state.withLock { $0.log.append(number) }
    }

    /// Counts `body` as running, from its first to its last line.
    func track<R: Sendable>(_ body: @Sendable (_ call: Int) async throws -> R) async throws -> R {
        let call = state.withLock { state in
            state.calls += 1
            state.running += 1
            state.mostRunning = max(state.mostRunning, state.running)
            return state.calls
        }
        defer { state.withLock { $0.running -= 1 } }
        return try await body(call)
    }
}
