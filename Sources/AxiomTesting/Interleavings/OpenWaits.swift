// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The waits of the tasks of one executor: operations of the framework that have not ended, and sleeps of manual times.
final class OpenWaits: Sendable {
    private typealias Wait = @Sendable () -> String?

    /// Waits that are over are removed when there are at least so many.
    private static let pruneLimit = 64

    /// In the order in which they began. The descriptions are called outside of the lock.
    private let waits = Lock<[Wait]>([])

    /// Adds a wait.
    ///
    /// - Parameter description: Returns nil when the wait is over.
    func add(_ description: @escaping @Sendable () -> String?) {
        let old = waits.withLock { waits -> [Wait] in
            waits.append(description)
            guard waits.count >= Self.pruneLimit, waits.count.nonzeroBitCount == 1 else { return [] }
            defer { waits = [] }
            return waits
        }
        guard !old.isEmpty else { return }
        let lasting = old.filter { $0() != nil }
        waits.withLock { $0 = lasting + $0 }
    }

    /// The waits that are not over.
    var descriptions: [String] {
        waits.withLock { $0 }.compactMap { $0() }
    }
}
