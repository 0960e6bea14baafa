// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// How much memory the states of clients use, looked at now and then: an action costs nothing for it.
final class StateFootprints: Sendable {
    private struct Store: Sendable {
        let meter: BudgetMeter
        let state: @Sendable () -> (any OwnedState)?
    }

    private struct Shelf {
        var stores: [Store] = []
        var nextLook: Instant?
    }

    /// How long there is between two looks: a scrape that comes sooner looks at nothing.
    static let interval: Duration = .seconds(10)

    private let clock: TimeSource
    /// Guarded by its lock; states are asked for and looked at outside of it.
    private let shelf = Lock(Shelf())

    init(clock: TimeSource) {
        self.clock = clock
    }

    func add(_ meter: BudgetMeter, state: @escaping @Sendable () -> (any OwnedState)?) {
        shelf.withLock { $0.stores.append(Store(meter: meter, state: state)) }
    }

    /// Looks at every state, unless that was done a moment ago. Cost for each: some microseconds for a small
    /// state, about a millisecond for the largest.
    func measure(at now: Instant) {
        let stores = shelf.withLock { shelf -> [Store] in
            if let next = shelf.nextLook, now < next { return [] }
            // A look at nothing does not count: the first states are looked at as soon as there are any.
            guard !shelf.stores.isEmpty else { return [] }
            shelf.nextLook = now.advanced(by: Self.interval)
            return shelf.stores
        }
        for store in stores {
            guard let state = store.state() else { continue }
            var estimate = FootprintEstimate()
            store.meter.record(Int64(exactly: estimate.bytes(of: state).rounded()) ?? .max)
        }
        let gone = stores.contains { $0.state() == nil }
        if gone { shelf.withLock { shelf in shelf.stores.removeAll { $0.state() == nil } } }
    }
}
