// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase

/// When single components lived: a bounded sample for the lanes of a dashboard. Counts are the census's.
///
/// Of each type one instance in two seconds is kept, so that a type which is made a hundred times a second neither
/// crowds out the others nor fills a page that is refreshed every second. 300 instances are kept, about 25 kB.
package final class InstanceLog: Sendable {
    /// One instance.
    package struct Entry: Sendable {
        /// The number that no other component of this process has.
        package let id: UInt64
        package let component: ComponentDescriptor
        package let start: Instant
        /// nil while it lives.
        package fileprivate(set) var end: Instant?
        /// How it ended; `finished` while it lives.
        package fileprivate(set) var ending = ComponentEnding.finished
    }

    /// The log at one moment.
    package struct Report: Sendable {
        /// In the order of their creation.
        package let entries: [Entry]
        /// Instances that were not kept, or are kept no more.
        package let dropped: UInt64
    }

    private struct State {
        var entries: [Entry] = []
        /// The numbers of the entries that live, so that the end of another costs one look-up.
        var open: Set<UInt64> = []
        /// When an instance of a type was last kept.
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
                let place = state.entries.lastIndex(where: { $0.id == instance.id })
            else { return }
            state.entries[place].end = instance.createdAt.advanced(by: .nanoseconds(nanoseconds))
            state.entries[place].ending = instance.ending
        }
    }
}
