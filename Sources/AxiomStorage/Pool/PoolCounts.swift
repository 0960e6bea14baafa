// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// What happens to a connection at a moment.
enum PoolPhase: String, Sendable, CaseIterable {
    case creating
    case checking
    case idle
    case inUse = "in_use"
    case closing

    /// As a clause for people.
    var clause: String { self == .inUse ? "in use" : rawValue }
}

/// Why a pool closed a connection.
enum PoolCloseReason: String, Sendable, CaseIterable {
    /// It was not used for the idle limit.
    case idle
    /// It existed for 90 to 100 % of the age limit.
    case age
    /// The check before its reuse failed, or took too long.
    case invalid
    /// The pool was closed.
    case shutdown
}

/// The rules of a ``PoolMachine``, all checked before.
struct PoolRules: Sendable, Hashable {
    var limit: Int
    var idleLimit: Duration?
    var ageLimit: Duration?
    /// A connection that was idle for less is not checked.
    var checkAfter: Duration = .zero
    /// How long a check may take.
    var checkLimit: Duration = .seconds(5)
}

/// The state and the totals of a pool, all read at one instant. The totals never decrease.
///
/// At every instant `created = closed + live - creating` and `acquired = returned + in use`. Each call that began to wait was
/// served (`acquired`), refused, timed out or cancelled, or it waits.
package struct PoolCounts: Sendable, Hashable {
    /// Connections by phase. Fields, not an array: a transition allocates nothing.
    private var creating = 0
    private var checking = 0
    private var idle = 0
    private var inUse = 0
    private var closing = 0

    /// Calls that wait.
    package internal(set) var waiters = 0
    /// Connections that were created.
    package internal(set) var created = 0
    /// Creations that failed.
    package internal(set) var failed = 0
    /// Connections whose closing ended.
    package internal(set) var closed = 0
    /// Times that a connection was given to a call.
    package internal(set) var acquired = 0
    /// Times that a connection was returned.
    package internal(set) var returned = 0
    /// Calls that waited too long.
    package internal(set) var timedOut = 0
    /// Calls that were cancelled while they waited.
    package internal(set) var cancelled = 0
    /// Calls that failed with a creation, or because the pool was closed while they waited.
    package internal(set) var refused = 0

    /// The connections in a phase.
    subscript(phase: PoolPhase) -> Int {
        get {
            switch phase {
            case .creating: creating
            case .checking: checking
            case .idle: idle
            case .inUse: inUse
            case .closing: closing
            }
        }
        set {
            switch phase {
            case .creating: creating = newValue
            case .checking: checking = newValue
            case .idle: idle = newValue
            case .inUse: inUse = newValue
            case .closing: closing = newValue
            }
        }
    }

    /// The connections that exist, and those that are being created.
    package var live: Int { PoolPhase.allCases.reduce(0) { $0 + self[$1] } }
}

extension PoolMachine {
    /// The work that a transition requires. The caller carries it out after it has released the lock.
    struct Effects: Sendable {
        var served = ShortList<(waiter: Waiter, lease: Lease)>()
        /// Waiters whose deadline has passed.
        var late: [Waiter] = []
        /// Waiters to whom a failed creation is reported.
        var failed: [Waiter] = []
        /// Waiters of a pool that was closed.
        var rejected: [Waiter] = []
        var checks = ShortList<Lease>()
        /// The numbers of the connections to create.
        var creations: [Int] = []
        var closings: [(lease: Lease, reason: PoolCloseReason)] = []
        /// When to call ``PoolMachine/sweep(at:_:)``, in place of an earlier request.
        var sweepAt: Instant?
        /// Whether the pool is closed and has no connection any more.
        var isDrained = false
    }
}

/// The signals of one pool, bound once.
///
/// The gauges are changed by differences, never set: differences of concurrent transitions add up in any order, and two
/// pools of one name share a series.
struct PoolSignals: Sendable {
    static let connections = SignalFamily(
        "axiom_pool_connections",
        .gauge,
        help: "Connections of a pool: creating, checking, idle, in_use, closing. Together at most its limit.",
        labels: ["pool", "state"]
    )
    static let waiters = SignalFamily(
        "axiom_pool_waiters",
        .gauge,
        help: "Calls that wait for a connection of a pool.",
        labels: ["pool"]
    )
    static let wait = SignalFamily(
        "axiom_pool_wait_seconds",
        .seconds,
        help: "Time from the request of a connection until the call had it. Calls that got none are not included.",
        labels: ["pool"]
    ).waits
    static let closed = SignalFamily(
        "axiom_pool_closed_total",
        .counter,
        help: "Connections that a pool closed, by reason: idle, age, invalid, shutdown.",
        labels: ["pool", "reason"]
    )

    private let states: [(phase: PoolPhase, signal: any Signal)]
    private let waiting: (any Signal)?
    private let waits: (any Signal)?
    private let closings: [PoolCloseReason: any Signal]

    init(_ pool: String, _ owner: ComponentIdentity?) {
        states = PoolPhase.allCases.compactMap { phase in
            owner?.signal(Self.connections, [pool, phase.rawValue]).map { (phase, $0) }
        }
        waiting = owner?.signal(Self.waiters, [pool])
        waits = owner?.signal(Self.wait, [pool])
        closings = Self.closed.signals(after: [pool]) { owner?.signal($0, $1) }
        for (_, signal) in states { signal.add(0) }
        waiting?.add(0)
        for signal in closings.values { signal.add(0) }
    }

    /// Whether something observes the pool.
    var areObserved: Bool { waits != nil }

    func changed(from old: PoolCounts, to new: PoolCounts) {
        guard areObserved else { return }
        for (phase, signal) in states where old[phase] != new[phase] { signal.add(new[phase] - old[phase]) }
        if old.waiters != new.waiters { waiting?.add(new.waiters - old.waiters) }
    }

    func served(since start: Instant, at end: @autoclosure () -> Instant) {
        waits?.observe(nanoseconds: end().nanoseconds(since: start))
    }

    func closed(_ reason: PoolCloseReason) { closings[reason]?.add(1) }
}
