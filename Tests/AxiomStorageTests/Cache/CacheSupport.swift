// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStorage
import Foundation
import Synchronization

/// A key with few different hashes, and never the hash of an equal number.
struct CollidingKey: Hashable {
    let number: Int
    let hashes: Int

    func hash(into hasher: inout Hasher) { hasher.combine(number % hashes) }
}

/// Counts the values that are alive.
final class CountedValue: Sendable {
    let number: Int
    private let alive: Tracker

    final class Tracker: Sendable {
        let count = Atomic<Int>(0)
        /// What a value does when it is released.
        let onRelease: @Sendable () -> Void

        init(onRelease: @escaping @Sendable () -> Void = {}) { self.onRelease = onRelease }

        var value: Int { count.load(ordering: .sequentiallyConsistent) }
    }

    init(_ number: Int, _ alive: Tracker) {
        (self.number, self.alive) = (number, alive)
        alive.count.add(1, ordering: .sequentiallyConsistent)
    }

    deinit {
        alive.count.subtract(1, ordering: .sequentiallyConsistent)
        alive.onRelease()
    }
}

extension CacheStatistics {
    /// Whether each value that was stored is there or left for a reason.
    var isConserved: Bool { insertions == UInt64(entries) + removals.values.reduce(0, +) }
}
