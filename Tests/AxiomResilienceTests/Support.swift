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

/// A gate at which tasks wait for the test. The wait cannot be cancelled.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrived = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [(Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())

    func pass() async {
        await withCheckedContinuation { continuation in
            let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.arrived += 1
                let due = state.watchers.filter { $0.0 <= state.arrived }.map(\.1)
                state.watchers.removeAll { $0.0 <= state.arrived }
                if state.isOpen { return due + [continuation] }
                state.waiting.append(continuation)
                return due
            }
            for continuation in woken { continuation.resume() }
        }
    }

    /// Waits until `count` tasks have arrived at the gate.
    func waitForArrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                if state.arrived >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if ready { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// The number of random cases: `full` times AXIOM_TEST_SCALE, and a twentieth of it without the variable.
func scaledCount(_ full: Int) -> Int {
    let scale = ProcessInfo.processInfo.environment["AXIOM_TEST_SCALE"].flatMap(Double.init) ?? 0.05
    return max(1, Int(Double(full) * min(1, max(0.001, scale))))
}
