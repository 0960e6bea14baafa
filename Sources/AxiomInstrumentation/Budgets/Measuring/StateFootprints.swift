// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The memory use of clients' states, measured periodically so that actions have no extra cost.
final class StateFootprints: Sendable {
    private struct Store: Sendable {
        let meter: BudgetMeter
        let state: @Sendable () -> (any OwnedState)?
    }

    private struct Shelf {
        var stores: [Store] = []
        var nextLook: Instant?
    }

    /// The minimum time between two measurements. A scrape that comes sooner measures nothing.
    static let interval: Duration = .seconds(10)

    private let clock: TimeSource
    /// Guarded by its lock; states are obtained and measured outside of it.
    private let shelf = Lock(Shelf())

    init(clock: TimeSource) {
        self.clock = clock
    }

    func add(_ meter: BudgetMeter, state: @escaping @Sendable () -> (any OwnedState)?) {
        shelf.withLock { $0.stores.append(Store(meter: meter, state: state)) }
    }

    /// Measures every state, unless the last measurement is too recent. Cost for each: some microseconds for a small
    /// state, about a millisecond for the largest.
    func measure(at now: Instant) {
        let stores = shelf.withLock { shelf -> [Store] in
            if let next = shelf.nextLook, now < next { return [] }
            // A measurement without states does not count: the first states are measured as soon as there are any.
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
