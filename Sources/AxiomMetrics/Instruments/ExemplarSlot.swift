// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// An instrument's exemplars, for which memory is taken when the first is recorded: at most one for each bucket.
struct ExemplarSlot: ~Copyable {
    private final class Store: Sendable {
        /// The last exemplar of each bucket. Guarded by its lock.
        let byBucket = Lock<[Int: Exemplar]>([:])
    }

    /// nil until the first exemplar, then never again. Set by the thread that wins the exchange, released in `deinit`.
    private let store = Atomic<Unmanaged<Store>?>(nil)

    deinit {
        store.load(ordering: .acquiring)?.release()
    }

    /// Puts an exemplar in the place of the bucket's last.
    func record(_ exemplar: Exemplar, bucket: Int) {
        present().byBucket.withLock { $0[bucket] = exemplar }
    }

    /// The exemplars in the order of their buckets.
    func read() -> [(bucket: Int, exemplar: Exemplar)] {
        guard let store = store.load(ordering: .acquiring)?.takeUnretainedValue() else { return [] }
        return store.byBucket.withLock { $0.map { ($0.key, $0.value) } }.sorted { $0.0 < $1.0 }
    }

    private func present() -> Store {
        if let present = store.load(ordering: .acquiring) { return present.takeUnretainedValue() }
        let fresh = Unmanaged.passRetained(Store())
        let (exchanged, original) = store.compareExchange(
            expected: nil,
            desired: fresh,
            ordering: .acquiringAndReleasing
        )
        if !exchanged { fresh.release() }
        return (exchanged ? fresh : original ?? fresh).takeUnretainedValue()
    }
}
