// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase
internal import AxiomMetrics
internal import Synchronization

/// The slowest actions of one component: five for each of the last five minutes, and the durations beyond the bounds of
/// the histogram.
///
/// An action that is not one of them costs the load of one word and a comparison. Of n actions in a minute with random
/// durations about 5·ln(n/5) are among the slowest when they end: 60 of a million.
final class SlowActions: Sendable {
    static let kept = 5
    static let minutes = 5

    fileprivate struct State {
        /// The slowest actions of each minute, the slowest first.
        var slowest: RollingWindow<[SlowAction]>
        /// By the name of the action.
        var tails: [String: [UInt64]] = [:]

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
            if nanoseconds > DurationTail.start { state.lengthenTail(slow) }
            threshold.store(state.threshold, ordering: .relaxed)
        }
    }

    /// The slowest actions of the last minutes, in no particular order. Also starts a new minute if it is due, which
    /// lowers the threshold.
    var slowest: [SlowAction] {
        let now = clock.now
        return state.withLock { state in
            state.slowest.advance(to: now)
            threshold.store(state.threshold, ordering: .relaxed)
            var slowest: [SlowAction] = []
            state.slowest.forEach(inLast: Self.minutes, at: now) { slowest += $0 }
            return slowest
        }
    }

    func tail(of action: String) -> [UInt64] {
        state.withLock { $0.tails[action] } ?? []
    }

    var tails: [DurationTail] {
        state.withLock { $0.tails }.map { DurationTail(component: component, action: $0, counts: $1) }
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

    mutating func lengthenTail(_ slow: SlowAction) {
        let empty = [UInt64](repeating: 0, count: DurationTail.bounds.count + 1)
        tails[slow.action, default: empty][DurationTail.index(slow.nanoseconds)] += 1
    }

    /// The duration that an action must exceed to be among the slowest of the current minute.
    private var floor: Int64 {
        let actions = slowest.current
        return actions.count == SlowActions.kept ? actions.last?.nanoseconds ?? -1 : -1
    }

    /// The duration that an action must exceed to be recorded. Actions of the tail always are.
    var threshold: Int64 { min(floor, DurationTail.start) }
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
    private let components = Lock<[SlowActions]>([])

    init(clock: TimeSource) {
        self.clock = clock
    }

    /// The slowest actions of a component; the same object each time.
    func actions(of component: ComponentDescriptor) -> SlowActions {
        components.withLock { components in
            if let known = components.first(where: { $0.component == component }) { return known }
            let actions = SlowActions(component, table: table, clock: clock)
            components.append(actions)
            return actions
        }
    }

    var slowest: [SlowAction] { components.withLock { $0 }.flatMap(\.slowest) }

    var tails: [DurationTail] { components.withLock { $0 }.flatMap(\.tails) }
}

/// The durations of one action's calls that exceed the last bound of Axiom's latency histograms, 1 s.
///
/// Such calls are always few, so they can be counted under a lock. Their buckets grow by 19 %, four to each doubling,
/// up to 1,024 s.
package struct DurationTail: Sendable {
    package let component: ComponentDescriptor
    package let action: String
    /// One count for each of ``bounds``, and a last one for longer durations. They only grow.
    package let counts: [UInt64]

    /// The lower end of the tail, in nanoseconds.
    static let start: Int64 = {
        let last = Buckets.axiomLatency.upperBounds.last ?? 1
        return Int64((last * 1e9).rounded())
    }()

    /// The upper bounds of the buckets, in seconds.
    package static let bounds: [Double] = {
        let growth = 2.0.squareRoot().squareRoot()
        var (bounds, power) = ([Double](), 1.0)
        for _ in 0..<10 {
            bounds += [power * growth, power * growth * growth, power * growth * growth * growth, power * 2]
            power *= 2
        }
        return bounds
    }()

    /// The index of the bucket of a duration that is longer than ``start``.
    static func index(_ nanoseconds: Int64) -> Int {
        let seconds = Double(nanoseconds) / 1e9
        return bounds.firstIndex { seconds <= $0 } ?? bounds.count
    }
}

/// The tail of one action of a component.
struct ActionTail: Sendable {
    let actions: SlowActions
    let name: String

    /// The counts by ``DurationTail/bounds``; empty if there are none.
    var counts: [UInt64] { actions.tail(of: name) }
}
