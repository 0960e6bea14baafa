// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

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
