// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase

/// The lifetimes of single components: a bounded sample for the timeline of a dashboard. The census has the exact
/// counts.
///
/// At most one instance of each type is kept every two seconds. So a type that is created a hundred times a second
/// neither displaces the others nor fills a page that is refreshed every second. 300 instances are kept, about 25 kB.
package final class InstanceLog: Sendable {
    /// One instance.
    package struct Entry: Sendable {
        /// A number that is unique among the components of this process.
        package let id: UInt64
        package let component: ComponentDescriptor
        package let start: Instant
        /// Nil while it lives.
        package fileprivate(set) var end: Instant?
        /// How it ended; `finished` while it lives.
        package fileprivate(set) var ending = ComponentEnding.finished
    }

    /// The log at one moment.
    package struct Report: Sendable {
        /// In the order of their creation.
        package let entries: [Entry]
        /// Instances that were not recorded, or have been removed since.
        package let dropped: UInt64
    }

    private struct State {
        var entries: [Entry] = []
        /// The numbers of the living entries. An instance that has no entry costs one look-up when it ends.
        var open: Set<UInt64> = []
        /// The creation time of the latest instance that was kept of each type.
        var latest: [ComponentDescriptor: Instant] = [:]
        var dropped: UInt64 = 0
    }

    package static let capacity = 300
    private static let interval: Int64 = 2_000_000_000

    /// Guarded by its lock, which is taken at the beginning and the end of each component, and for a report.
    private let state = Lock(State())

    package var report: Report {
        state.withLock { Report(entries: $0.entries, dropped: $0.dropped) }
    }

    func created(_ instance: ComponentInstance) {
        state.withLock { state in
            let latest = state.latest[instance.component]
            if let latest, instance.createdAt.nanoseconds(since: latest) < Self.interval {
                state.dropped += 1
                return
            }
            state.latest[instance.component] = instance.createdAt
            state.open.insert(instance.id)
            state.entries.append(
                Entry(id: instance.id, component: instance.component, start: instance.createdAt, end: nil)
            )
            guard state.entries.count > Self.capacity else { return }
            state.open.remove(state.entries.removeFirst().id)
            state.dropped += 1
        }
    }

    func destroyed(_ instance: ComponentInstance, lifetime nanoseconds: Int64) {
        state.withLock { state in
            guard state.open.remove(instance.id) != nil,
                let index = state.entries.lastIndex(where: { $0.id == instance.id })
            else { return }
            state.entries[index].end = instance.createdAt.advanced(by: .nanoseconds(nanoseconds))
            state.entries[index].ending = instance.ending
        }
    }
}
