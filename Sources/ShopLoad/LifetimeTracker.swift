// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Counts the components that were created and those that are alive, by weak references.
package final class LifetimeTracker: Sendable {
    package struct Counts: Codable, Hashable, Sendable {
        package let created: Int
        package let alive: Int

        package init(created: Int, alive: Int) {
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
    package init(names: [String]) {
        rows = Lock(Dictionary(uniqueKeysWithValues: names.map { ($0, Row()) }))
    }

    /// A component called `name` was created.
    package func created(_ name: String, _ component: some AnyObject & Sendable) {
        rows.withLock { $0[name, default: Row()].add(component) }
    }

    /// The counts of each name.
    package var reading: [String: Counts] {
        // Outside of the lock: a weak reference that is read may release the component.
        rows.withLock { $0 }.mapValues { row in
            Counts(created: row.created, alive: row.references.count { $0.component != nil })
        }
    }
}
