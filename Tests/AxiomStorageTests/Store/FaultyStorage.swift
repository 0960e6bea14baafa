// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import AxiomStorage
import Foundation

/// A storage in memory whose transactions fail or wait as the test plans it.
final class FaultyStorage: KeyValueStorage {
    struct Failure: Error, Equatable {
        var call: Int
    }

    enum Fault {
        /// Fails without a change.
        case fail
        /// Stores the values and fails all the same.
        case failAfterwards
        /// Waits until ``release()``, then succeeds. Ignores a cancellation.
        case hold
        /// Waits until ``release()``, then fails.
        case holdAndFail
    }

    private struct State {
        /// The transactions that began.
        var calls = 0
        /// The faults by the number of the call, from 1.
        var planned: [Int: Fault] = [:]
        /// The fault of all other calls.
        var standing: Fault?
        var failsReads = false
        /// Whether reads wait until ``FaultyStorage/releaseReads()``.
        var holdsReads = false
        var heldReads: [OneShot<Void>] = []
        var held: [OneShot<Void>] = []
        var watchers: [(calls: Int, done: OneShot<Void>)] = []
    }

    let memory: MemoryStorage
    private let state = Lock(State())

    init(_ values: [StorageKey: Data] = [:]) {
        memory = MemoryStorage(values)
    }

    var calls: Int { state.withLock { $0.calls } }

    func plan(_ fault: Fault, at calls: Int...) {
        state.withLock { state in for call in calls { state.planned[call] = fault } }
    }

    /// Gives all calls that have no planned fault this one; nil for none.
    func always(_ fault: Fault?) {
        state.withLock { $0.standing = fault }
    }

    func failReads(_ fails: Bool) {
        state.withLock { $0.failsReads = fails }
    }

    func holdReads() { state.withLock { $0.holdsReads = true } }

    var heldReads: Int { state.withLock { $0.heldReads.count } }

    /// Lets the first read continue that waits.
    func releaseRead() {
        state.withLock { $0.heldReads.isEmpty ? nil : $0.heldReads.removeFirst() }?.settle(())
    }

    /// Lets the calls continue that wait.
    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for call in held { call.settle(()) }
    }

    /// Waits until this many transactions have begun.
    func waitForCalls(_ calls: Int) async {
        let done = OneShot<Void>()
        let isReached = state.withLock { state in
            if state.calls < calls { state.watchers.append((calls, done)) }
            return state.calls >= calls
        }
        if !isReached { await done.value }
    }

    func data(_ key: StorageKey) async throws -> Data? {
        let gate = state.withLock { state -> OneShot<Void>? in
            guard state.holdsReads else { return nil }
            state.heldReads.append(OneShot())
            return state.heldReads.last
        }
        await gate?.value
        if state.withLock({ $0.failsReads }) { throw Failure(call: 0) }
        return await memory.data(key)
    }

    func keys(prefix: String) async throws -> [StorageKey] {
        await memory.keys(prefix: prefix)
    }

    func transaction(_ changes: [StorageChange]) async throws {
        let gate = OneShot<Void>()
        let (call, fault, reached) = state.withLock { state in
            state.calls += 1
            let calls = state.calls
            let fault = state.planned[calls] ?? state.standing
            if case .hold = fault { state.held.append(gate) }
            if case .holdAndFail = fault { state.held.append(gate) }
            let reached = state.watchers.filter { $0.calls <= calls }
            state.watchers.removeAll { $0.calls <= calls }
            return (calls, fault, reached.map(\.done))
        }
        for watcher in reached { watcher.settle(()) }
        switch fault {
        case .fail: throw Failure(call: call)
        case .failAfterwards:
            await memory.transaction(changes)
            throw Failure(call: call)
        case .hold: await gate.value
        case .holdAndFail:
            await gate.value
            throw Failure(call: call)
        case nil: break
        }
        await memory.transaction(changes)
    }
}

/// The capability of a ``FaultyStorage``.
actor FaultyCapability: Capability, KeyValueStorage {
    nonisolated let identity: ComponentIdentity
    private let storage: FaultyStorage

    init(_ scope: borrowing CapabilityScope, _ storage: FaultyStorage) {
        identity = scope.identity
        self.storage = storage
    }

    nonisolated func data(_ key: StorageKey) async throws -> Data? { try await storage.data(key) }
    nonisolated func keys(prefix: String) async throws -> [StorageKey] { try await storage.keys(prefix: prefix) }
    nonisolated func transaction(_ changes: [StorageChange]) async throws { try await storage.transaction(changes) }
}
