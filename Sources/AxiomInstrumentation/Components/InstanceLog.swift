// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase

/// The lifetimes of single components: every living instance, and a bounded sample of those that have ended, for the
/// timeline of a dashboard. The census has the exact counts.
///
/// An ended instance is kept if no other of its type ended in the two seconds before, and is removed for a newer one of its
/// type. So a type that is created a hundred times a second displaces no other type.
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
        /// All that live, by number.
        package let living: [UInt64: Entry]
        /// Those that have ended and are kept: the oldest of a type before the newer ones.
        package let ended: [Entry]
        /// Ended instances that are not kept.
        package let dropped: UInt64
    }

    fileprivate struct State {
        var living: [UInt64: Entry] = [:]
        var ended: [ComponentDescriptor: [Entry]] = [:]
        var endedCount = 0
        var dropped: UInt64 = 0
    }

    /// The most ended instances of one type.
    package static let typeCapacity = 12
    /// The most ended instances of all types, about 30 kB.
    package static let capacity = 300
    fileprivate static let interval: Int64 = 2_000_000_000

    /// Guarded by its lock, which is taken at the beginning and the end of each component, and for a report.
    private let state = Lock(State())

    /// Cost: some nanoseconds for each type, and for each living instance once the next begins or ends.
    package var report: Report {
        state.withLock { state in
            Report(living: state.living, ended: state.ended.values.flatMap(\.self), dropped: state.dropped)
        }
    }

    func created(_ instance: ComponentInstance) {
        let entry = Entry(id: instance.id, component: instance.component, start: instance.createdAt, end: nil)
        state.withLock { $0.living[instance.id] = entry }
    }

    func destroyed(_ instance: ComponentInstance, lifetime nanoseconds: Int64) {
        state.withLock { state in
            guard var entry = state.living.removeValue(forKey: instance.id) else { return }
            entry.end = instance.createdAt.advanced(by: .nanoseconds(nanoseconds))
            entry.ending = instance.ending
            state.add(entry)
        }
    }
}

extension InstanceLog.State {
    /// Keeps an ended instance unless another of its type has just ended.
    fileprivate mutating func add(_ entry: InstanceLog.Entry) {
        let last = ended[entry.component]?.last?.end
        if let last, let end = entry.end, end.nanoseconds(since: last) < InstanceLog.interval {
            dropped += 1
            return
        }
        ended[entry.component, default: []].append(entry)
        endedCount += 1
        if (ended[entry.component]?.count ?? 0) > InstanceLog.typeCapacity { removeOldest(of: entry.component) }
        guard endedCount > InstanceLog.capacity else { return }
        if let largest = ended.max(by: { $0.value.count < $1.value.count }) { removeOldest(of: largest.key) }
    }

    private mutating func removeOldest(of component: ComponentDescriptor) {
        ended[component]?.removeFirst()
        if ended[component]?.isEmpty == true { ended[component] = nil }
        endedCount -= 1
        dropped += 1
    }
}
