// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase
internal import OrderedCollections
internal import Synchronization

/// The slowest actions of one component: five for each of the last five minutes.
///
/// An action that is not one of them costs the load of one word and a comparison. Of n actions in a minute with random
/// durations about 5·ln(n/5) are among the slowest when they end: 60 of a million.
final class SlowActions: Sendable {
    static let kept = 5
    static let minutes = 5

    fileprivate struct State {
        /// The slowest actions of each minute, the slowest first.
        var slowest: RollingWindow<[SlowAction]>

        init(at now: Instant) {
            slowest = RollingWindow(step: .seconds(60), capacity: SlowActions.minutes, empty: [], at: now)
        }
    }

    let component: ComponentDescriptor
    /// Lists the handles of the actions.
    let table: ActionTable
    private let clock: TimeSource
    /// The duration that an action must exceed to be recorded. Written under the lock of `state`. An action that was
    /// compared with an old value is rejected under the lock.
    private let threshold = Atomic<Int64>(-1)
    /// The lock is taken for an action that may be among the slowest, and to read them.
    private let state: Lock<State>

    init(_ component: ComponentDescriptor, table: ActionTable = ActionTable(), clock: TimeSource) {
        self.component = component
        self.table = table
        self.clock = clock
        state = Lock(State(at: clock.now))
    }

    /// Whether an action of this duration must be recorded. Cost: the load of one word and a comparison.
    @inline(__always)
    func qualifies(_ nanoseconds: Int64) -> Bool {
        nanoseconds > threshold.load(ordering: .relaxed)
    }

    /// Records an action that has just ended and is slower than the threshold.
    @inline(never)
    func record(_ action: String, _ outcome: ActionOutcome, _ nanoseconds: Int64) {
        let slow = SlowAction(
            component: component,
            action: action,
            nanoseconds: nanoseconds,
            outcome: outcome,
            time: clock.now
        )
        state.withLock { state in
            state.slowest.advance(to: slow.time)
            state.add(slow)
            threshold.store(state.floor, ordering: .relaxed)
        }
    }

    /// The slowest actions of the last minutes, in no particular order. Also starts a new minute if it is due, which
    /// lowers the threshold.
    var slowest: [SlowAction] {
        let now = clock.now
        return state.withLock { state in
            state.slowest.advance(to: now)
            threshold.store(state.floor, ordering: .relaxed)
            var slowest: [SlowAction] = []
            state.slowest.forEach(inLast: Self.minutes, at: now) { slowest += $0 }
            return slowest
        }
    }
}

extension SlowActions.State {
    /// Keeps an action if it is among the slowest of its minute. Of equally slow actions the earlier ones stay.
    mutating func add(_ slow: SlowAction) {
        guard slow.nanoseconds > floor else { return }
        let index = slowest.current.firstIndex { $0.nanoseconds < slow.nanoseconds }
        slowest.current.insert(slow, at: index ?? slowest.current.count)
        if slowest.current.count > SlowActions.kept { slowest.current.removeLast() }
    }

    /// The duration that an action must exceed to be among the slowest of the current minute.
    var floor: Int64 {
        let actions = slowest.current
        return actions.count == SlowActions.kept ? actions.last?.nanoseconds ?? -1 : -1
    }
}

/// One action that took longer than most of its component's.
package struct SlowAction: Sendable, Hashable {
    package let component: ComponentDescriptor
    /// The name of its case; never its associated values.
    package let action: String
    package let nanoseconds: Int64
    package let outcome: ActionOutcome
    /// When it ended.
    package let time: Instant
}

/// The slowest actions of all components.
final class SlowActionsRegistry: Sendable {
    /// The handles of the actions of all these components.
    let table = ActionTable()
    private let clock: TimeSource
    /// In the order in which the components were added. Guarded by its lock, which is taken when a component's handles
    /// are bound and when the actions are read.
    private let components = Lock<OrderedDictionary<ComponentDescriptor, SlowActions>>([:])

    init(clock: TimeSource) { self.clock = clock }

    /// The slowest actions of a component; the same object each time.
    func actions(of component: ComponentDescriptor) -> SlowActions {
        components.withLock { components in
            if let known = components[component] { return known }
            let actions = SlowActions(component, table: table, clock: clock)
            components[component] = actions
            return actions
        }
    }

    var slowest: [SlowAction] { components.withLock { $0 }.values.flatMap(\.slowest) }
}
