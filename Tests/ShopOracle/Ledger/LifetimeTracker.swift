// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Counts the components that were created and those that are alive, by weak references.
final class LifetimeTracker: Sendable {
    struct Counts: Codable, Hashable, Sendable {
        let created: Int
        let alive: Int

        init(created: Int, alive: Int) {
            self.created = created
            self.alive = alive
        }
    }

    private struct Reference: Sendable {
        weak let component: (any AnyObject & Sendable)?
    }

    private struct Row: Sendable {
        var created = 0
        var references: [Reference] = []
        /// The number of references at which those to released components are removed.
        var sweepThreshold = 64

        mutating func add(_ component: any AnyObject & Sendable) {
            created += 1
            references.append(Reference(component: component))
            guard references.count >= sweepThreshold else { return }
            references.removeAll { $0.component == nil }
            sweepThreshold = max(64, 2 * references.count)
        }
    }

    /// Guarded by the lock.
    private let rows: Lock<[String: Row]>

    /// Creates a tracker that lists every component from the start, each with 0.
    init(names: [String]) {
        rows = Lock(Dictionary(uniqueKeysWithValues: names.map { ($0, Row()) }))
    }

    /// A component called `name` was created.
    func created(_ name: String, _ component: some AnyObject & Sendable) {
        rows.withLock { $0[name, default: Row()].add(component) }
    }

    /// The counts of each name.
    var reading: [String: Counts] {
        // Outside of the lock: a weak reference that is read may release the component.
        rows.withLock { $0 }.mapValues { row in
            Counts(created: row.created, alive: row.references.count { $0.component != nil })
        }
    }
}
