// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Synchronization

/// The slowest actions of one component: five of each of the last five minutes, and how long those took that are beyond
/// the histogram.
///
/// An action that is not among them costs the load of one word and a comparison. With n actions in a minute, alike and in
/// any order, about 5·ln(n/5) are among the slowest when they end: 60 of a million.
final class SlowActions: Sendable {
    static let kept = 5
    static let minutes = 5
    private static let minute: Int64 = 60_000_000_000

    fileprivate struct State {
        /// The slowest of each minute in which there was any, the present one last; each the slowest first.
        var slowest: [(minute: Int64, actions: [SlowAction])] = []
        /// By the action's name.
        var tails: [String: [UInt64]] = [:]
    }

    let component: ComponentDescriptor
    /// Where the handles of the actions are listed.
    let table: ActionTable
    private let clock: TimeSource
    /// What an action has to exceed to be of interest. Written under the lock of `state`; one that is read too early
    /// lets an action in that the lock turns away.
    private let threshold = Atomic<Int64>(-1)
    /// Guarded by its lock, which is taken for an action that may be among the slowest, and when somebody asks.
    private let state = Lock(State())

    init(_ component: ComponentDescriptor, table: ActionTable = ActionTable(), clock: TimeSource) {
        self.component = component
        self.table = table
        self.clock = clock
    }

    @inline(__always)
    func concerns(_ nanoseconds: Int64) -> Bool {
        nanoseconds > threshold.load(ordering: .relaxed)
    }

    /// Takes in an action that is of interest and has just ended.
    @inline(never)
    func note(_ action: String, _ outcome: ActionOutcome, _ nanoseconds: Int64) {
        let slow = SlowAction(
            component: component,
            action: action,
            nanoseconds: nanoseconds,
            outcome: outcome,
            time: clock.now
        )
        state.withLock { state in
            state.turn(to: slow.time)
            state.add(slow)
            if nanoseconds > DurationTail.start { state.lengthenTail(slow) }
            threshold.store(state.threshold, ordering: .relaxed)
        }
    }

    /// The slowest of the last minutes, in no order. Begins a new minute when it is time: until then, actions that are
    /// quicker than the slowest of the last minute are of no interest.
    var slowest: [SlowAction] {
        let now = clock.now
        return state.withLock { state in
            state.turn(to: now)
            threshold.store(state.threshold, ordering: .relaxed)
            return state.slowest.flatMap(\.actions)
        }
    }

    func tail(of action: String) -> [UInt64] {
        state.withLock { $0.tails[action] } ?? []
    }

    var tails: [DurationTail] {
        state.withLock { $0.tails }.map { DurationTail(component: component, action: $0, counts: $1) }
    }
}

/// The tail of one action of a component.
struct ActionTail: Sendable {
    let actions: SlowActions
    let name: String

    /// By ``DurationTail/bounds``; empty when there is none.
    var counts: [UInt64] { actions.tail(of: name) }
}

extension SlowActions.State {
    /// Begins a new minute if it is time, and forgets those of long ago.
    mutating func turn(to now: Instant) {
        let minute = now.nanoseconds / SlowActions.minute
        if let last = slowest.last?.minute, minute <= last { return }
        slowest.removeAll { $0.minute <= minute - Int64(SlowActions.minutes) || $0.actions.isEmpty }
        slowest.append((minute, []))
    }

    /// Keeps an action if it is among the slowest of its minute. Of equals the earlier stays.
    mutating func add(_ slow: SlowAction) {
        let last = slowest.count - 1
        guard last >= 0, slow.nanoseconds > floor else { return }
        let place = slowest[last].actions.firstIndex { $0.nanoseconds < slow.nanoseconds }
        slowest[last].actions.insert(slow, at: place ?? slowest[last].actions.count)
        if slowest[last].actions.count > SlowActions.kept { slowest[last].actions.removeLast() }
    }

    mutating func lengthenTail(_ slow: SlowAction) {
        let empty = [UInt64](repeating: 0, count: DurationTail.bounds.count + 1)
        tails[slow.action, default: empty][DurationTail.place(slow.nanoseconds)] += 1
    }

    /// What an action has to exceed to be among the slowest of the present minute.
    private var floor: Int64 {
        guard let actions = slowest.last?.actions, actions.count == SlowActions.kept else { return -1 }
        return actions.last?.nanoseconds ?? -1
    }

    /// What an action has to exceed to be of interest: those of the tail always are.
    var threshold: Int64 { min(floor, DurationTail.start) }
}
