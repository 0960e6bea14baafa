// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase
internal import AxiomMetrics

/// The handles of all actions and of the calls of capabilities, so that their totals can be read without a look-up by name.
///
/// An action is added when the handles of its component are bound and is never removed: its index stays the same.
final class ActionTable: Sendable {
    /// The name of an action whose index is outside the case names of its type.
    static let otherAction = "other"

    private struct Entry {
        /// In the order of `ActionOutcome.allCases`; nil for a counter that does not exist yet.
        var counters: [Counter?]
        /// nil while no action of this name has run.
        var histogram: ExponentialHistogram?
    }

    private struct State {
        var actions: [ActionReadings.Action] = []
        /// In the order of `actions`.
        var entries: [Entry] = []
        var indices: [ActionReadings.Action: Int] = [:]
    }

    /// Guarded by its lock, which is taken when handles are bound and when the totals are read.
    private let state = Lock(State())

    /// Adds an action, or completes the handles of one that is known.
    ///
    /// - Parameter counters: In the order of `ActionOutcome.allCases`; nil for a counter that does not exist.
    func add(
        _ component: ComponentDescriptor,
        _ name: String,
        _ counters: [Counter?],
        _ histogram: ExponentialHistogram?
    ) {
        let action = ActionReadings.Action(component: component, name: name)
        state.withLock { state in
            guard let index = state.indices[action] else {
                state.indices[action] = state.actions.count
                state.actions.append(action)
                state.entries.append(Entry(counters: counters, histogram: histogram))
                return
            }
            let known = state.entries[index]
            state.entries[index] = Entry(
                counters: zip(known.counters, counters).map { $0 ?? $1 },
                histogram: known.histogram ?? histogram
            )
        }
    }

    /// The totals of all actions. Cost: some nanoseconds for each used bucket of each action.
    var readings: ActionReadings {
        let (actions, entries) = state.withLock { ($0.actions, $0.entries) }
        var readings = ActionReadings(actions: actions)
        readings.outcomes.reserveCapacity(entries.count * ActionReadings.outcomeCount)
        readings.durations.reserveCapacity(entries.count)
        for entry in entries {
            for counter in entry.counters { readings.outcomes.append(counter?.value ?? 0) }
            readings.durations.append(entry.histogram?.data ?? .empty)
        }
        return readings
    }
}

/// The totals of all actions and of the calls of capabilities at one moment, in columns: their outcomes and durations.
package struct ActionReadings: Sendable {
    /// One case of the actions of one component type.
    package struct Action: Sendable, Hashable {
        package let component: ComponentDescriptor
        /// The name of the case.
        package let name: String
    }

    package static let outcomeCount = ActionOutcome.allCases.count
    /// The actions by index. An action keeps its index; new ones are appended.
    package let actions: [Action]
    /// ``outcomeCount`` for each action, in the order of `ActionOutcome.allCases`.
    package fileprivate(set) var outcomes: [UInt64] = []
    /// The durations of each action, in seconds.
    package fileprivate(set) var durations: [ExponentialHistogramData] = []

    fileprivate init(actions: [Action]) { self.actions = actions }
}

/// Handles that are looked up by index and used in place, without reference counting.
///
/// An array retains an element that it returns, and releases it after use. These two atomic operations on the handle's
/// own count cost more than most uses of a handle, and all threads that use the handle would contend for it.
///
/// It is in this module, which is optimized as a whole: in another module it was not specialized, and recording took
/// twice as long.
struct HandleTable<Handle: AnyObject & Sendable>: Sendable {
    /// Keeps the handles alive as long as the table exists.
    private let owners: [Handle]
    /// The handles of `owners`, in the same order.
    private let references: [Unmanaged<Handle>]

    init(_ handles: [Handle]) {
        owners = handles
        references = handles.map { Unmanaged.passUnretained($0) }
    }

    /// The handles in their order, for callers that keep them.
    var handles: [Handle] { owners }

    /// The number of handles.
    var count: Int { references.count }

    /// The handle at `index`, which must be less than ``count`` and not negative. Valid as long as the table. Unmanaged, because
    /// to retain it costs two atomic operations on a word that all threads share.
    @inline(__always)
    subscript(index: Int) -> Unmanaged<Handle> { references[index] }
}
