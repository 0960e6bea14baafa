// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomTestSupport
internal import Foundation

@testable import Axiom

/// A state that says how many updates led to it.
struct Count: OwnedState {
    var n = 0
}

struct Refusal: Error, Equatable {}

/// Keeps what a store reports, and can do something on each update.
final class RecordingProbe: StateProbe {
    struct Record: Sendable {
        var updates = 0
        var coalesced = 0
        var propagations: [Int64] = []
        var drops: [Int] = []
    }

    private let record = Lock(Record())
    private let onUpdate: @Sendable () -> Void

    init(onUpdate: @escaping @Sendable () -> Void = {}) {
        self.onUpdate = onUpdate
    }

    var now: Record { record.withLock { $0 } }

    func stateUpdated() {
        record.withLock { $0.updates += 1 }
        onUpdate()
    }

    func statesCoalesced(_ count: Int) { record.withLock { $0.coalesced += count } }
    func statePropagated(nanoseconds: Int64) { record.withLock { $0.propagations.append(nanoseconds) } }
    func subscriberStalled(dropped: Int) { record.withLock { $0.drops.append(dropped) } }
}

extension StateStore<Count> {
    func add(_ delivery: StateDelivery = .latest, times: Int = 1) {
        for _ in 0..<times { update(delivery) { $0.n += 1 } }
    }
}

/// All states that waited for a subscriber: the critical ones in their order, then the latest.
struct TakenStates<S: OwnedState>: RandomAccessCollection, Sendable {
    let states: [S]
    let coalesced: Int

    var latest: S { states[endIndex - 1] }
    var startIndex: Int { 0 }
    var endIndex: Int { states.count }
    subscript(position: Int) -> S { states[position] }
}

extension StateStream.AsyncIterator {
    /// Takes all pending states at once, as an observing context does; nil at the end.
    mutating func takeAll(
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StateError) -> TakenStates<S>? {
        guard let taken = try await cursor.take(.all, isolation: isolation) else { return nil }
        let states = (taken.earlier + [taken.latest]).map { $0.state(as: S.self) }
        return TakenStates(states: states, coalesced: taken.coalesced)
    }
}

extension StateStream<Count>.AsyncIterator {
    /// Everything until the end.
    mutating func drain(isolation: isolated (any Actor)? = #isolation) async throws(StateError) -> [Int] {
        var seen: [Int] = []
        while let state = try await next() { seen.append(state.n) }
        return seen
    }
}

/// The length of the model-based tests: 100,000 histories times AXIOM_TEST_SCALE, and 10,000 without it.
enum Histories {
    static var count: UInt64 { UInt64(TestScale.count(100_000, usual: 0.1)) }
}
